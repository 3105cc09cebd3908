package io.ostraka.faults.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.ostraka.faults.simulation.Fault;
import io.ostraka.faults.simulation.Scenario;
import io.ostraka.faults.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests that the checker accepts a valid history with a backfill and finds each violation that is added to it. */
class BackfillsKeptTest {
    private static final String ROOT = "/backfills/";

    /** History of a backfill that runs fires in parallel, that an operator stops and resumes, and that ends. */
    private static final List<Event> HISTORY = LongStream.range(0, 500)
            .mapToObj(seed -> new Fault(0, Fault.Kind.BACKFILL, Duration.ofSeconds(50), 0, seed))
            .map(fault -> Simulation.run(Scenario.of(2).with(List.of(fault))).history())
            .filter(history -> writes(history, "\"state\":\"STOPPED\"")
                    && writes(history, "\"state\":\"ENDED\"")
                    && writes(history, "\"running\":\\[[^\\]]*,")
                    && writes(history, "\"succeeded\":2"))
            .findFirst()
            .orElseThrow();

    private static boolean writes(List<Event> history, String pattern) {
        return history.stream().anyMatch(event -> isOfBackfill(event, json -> json.find(pattern)));
    }

    /** Text of a node. */
    private record Text(String data) {
        boolean find(String pattern) {
            return data.matches("(?s).*" + pattern + ".*");
        }
    }

    private static boolean isOfBackfill(Event event, Predicate<Text> which) {
        return event instanceof Event.Transaction transaction
                && transaction.writes().stream()
                        .anyMatch(write -> write.path().startsWith(ROOT) && which.test(new Text(write.data())));
    }

    @Test
    void acceptsAValidHistory() {
        assertThat(HistoryChecker.check(HISTORY)).isEmpty();
    }

    @Test
    void findsTriggerApartFromItsEntry() {
        Event.Transaction step = first(BackfillsKeptTest::triggers);
        List<Event> history = new ArrayList<>(HISTORY);
        int at = history.indexOf(step);
        history.set(at, with(step, write -> write.path().startsWith(ROOT)));
        history.add(at + 1, with(step, write -> write.path().startsWith("/triggers/")));

        assertThat(told(history))
                .anyMatch(what -> what.startsWith("expected: a date is entered together with its trigger"))
                .anyMatch(what -> what.startsWith("expected: a date is triggered together with its entry"));
    }

    @Test
    void findsDateOutOfOrder() {
        Event.Transaction step = first(BackfillsKeptTest::triggers);

        assertThat(told(rewritten(step::equals, json -> {
                    JsonArray dates = new JsonArray();
                    dates.add(new JsonPrimitive("2025-12-31T23:00:00Z"));
                    json.getAsJsonObject("progress").add("running", dates);
                })))
                .anyMatch(what -> what.startsWith("expected: a backfill triggers its next date"));
    }

    @Test
    void findsTriggerWithAnotherTime() {
        Event.Transaction step = first(BackfillsKeptTest::triggers);
        List<Event> history = new ArrayList<>(HISTORY);
        history.set(
                history.indexOf(step),
                new Event.Transaction(
                        step.zxid(),
                        step.at(),
                        step.session(),
                        false,
                        step.writes().stream()
                                .map(write -> write instanceof Write.Created created
                                        ? new Write.Created(
                                                created.path(),
                                                created.data()
                                                        .replaceFirst(
                                                                "\"fireTime\":\"[^\"]*\"",
                                                                "\"fireTime\":\"2025-12-31T23:00:00Z\""),
                                                false)
                                        : write)
                                .toList()));

        assertThat(told(history)).anyMatch(what -> what.startsWith("expected: the fire of a backfill has its date"));
    }

    @Test
    void findsMoreFiresThanMayRun() {
        assertThat(told(rewritten(
                        event -> true, json -> json.getAsJsonObject("request").addProperty("parallel", 1))))
                .anyMatch(what -> what.startsWith("expected: no more fires of a backfill run than requested"));
    }

    @Test
    void findsFireTriggeredAfterAStop() {
        Event.Transaction step = first(event ->
                triggers(event) && isOfBackfill(event, json -> json.find("\"triggered\":2") && !json.find("ENDED")));
        JsonObject stopped = before(step);
        stopped.addProperty("state", "STOPPED");
        stopped.getAsJsonArray("requests").add("stop");

        assertThat(told(inserted(step, stopped)))
                .anyMatch(what -> what.startsWith("expected: only a backfill that runs triggers fires"))
                .anyMatch(what -> what.startsWith("expected: only an operator stops or resumes a backfill"))
                .anyMatch(what -> what.startsWith("expected: no write takes back the latest request"));
    }

    @Test
    void findsStopThatChangesTheProgress() {
        Event.Transaction step =
                first(event -> triggers(event) && isOfBackfill(event, json -> json.find("\"triggered\":2")));
        JsonObject stopped = before(step);
        stopped.addProperty("state", "STOPPED");
        stopped.getAsJsonArray("requests").add("stop");
        stopped.getAsJsonObject("progress").addProperty("failures", 1);

        assertThat(told(inserted(step, stopped)))
                .anyMatch(what -> what.startsWith("expected: a command keeps the progress of a backfill"));
    }

    @Test
    void findsWrongResult() {
        Event.Transaction end = first(event -> isOfBackfill(event, json -> json.find("\"succeeded\":2")));

        assertThat(told(rewritten(end::equals, json -> {
                    json.getAsJsonObject("progress").addProperty("succeeded", 1);
                    json.getAsJsonObject("progress").addProperty("unknown", 1);
                })))
                .anyMatch(what -> what.startsWith("expected: each ended fire of a backfill is counted once"));
        assertThat(told(rewritten(end::equals, json -> {
                    JsonObject progress = json.getAsJsonObject("progress");
                    progress.addProperty("failures", progress.get("failures").getAsInt() + 1);
                })))
                .anyMatch(what -> what.startsWith("expected: the failures of a backfill are counted"));
    }

    @Test
    void findsFailureWithoutFailedFires() {
        Event.Transaction end = first(event -> isOfBackfill(event, json -> json.find("\"state\":\"ENDED\"")));

        assertThat(told(rewritten(end::equals, json -> json.addProperty("state", "FAILED"))))
                .anyMatch(what -> what.startsWith("expected: only an operator stops or resumes a backfill"));
    }

    @Test
    void findsFireCountedBeforeItsEnd() {
        List<Event> history = new ArrayList<>(HISTORY);
        history.replaceAll(event -> event instanceof Event.Transaction transaction
                ? with(
                        transaction,
                        write ->
                                !(write instanceof Write.Deleted && write.path().startsWith("/triggers/")))
                : event);

        assertThat(told(history)).anyMatch(what -> what.startsWith("expected: a fire is counted after its end"));
    }

    @Test
    void findsRequestAppliedTwiceAndDeletedNode() {
        Event.Transaction last = last();
        JsonObject forgetting = content(last);
        JsonElement request = forgetting.getAsJsonArray("requests").remove(0);
        JsonObject repeated = forgetting.deepCopy();
        repeated.getAsJsonArray("requests").add(request);
        List<Event> twice = new ArrayList<>(HISTORY);
        twice.add(twice.indexOf(last) + 1, changed(last, repeated));
        twice.add(twice.indexOf(last) + 1, changed(last, forgetting));
        List<Event> deleted = new ArrayList<>(HISTORY);
        deleted.add(
                deleted.indexOf(last) + 1,
                new Event.Transaction(last.zxid() + 1, last.at(), 0, false, List.of(new Write.Deleted(path(last)))));

        assertThat(told(twice))
                .anyMatch(what ->
                        what.startsWith("expected: a request changes the backfill of job") && what.contains("once"));
        assertThat(told(deleted))
                .anyMatch(what -> what.startsWith("expected: the backfill of job") && what.contains("keeps its node"));
    }

    @Test
    void findsUnfinishedBackfillInTheCalm() {
        Event.Transaction end = first(event -> isOfBackfill(event, json -> json.find("\"state\":\"ENDED\"")));

        assertThat(told(rewritten(end::equals, json -> json.addProperty("state", "RUNNING"))))
                .anyMatch(what ->
                        what.startsWith("expected: the backfill of job") && what.contains("has ended or was stopped"));
    }

    private static boolean triggers(Event event) {
        return isOfBackfill(event, json -> true)
                && ((Event.Transaction) event)
                        .writes().stream().anyMatch(write -> write.path().startsWith("/triggers/"));
    }

    private static Event.Transaction first(Predicate<Event> which) {
        return (Event.Transaction) HISTORY.stream().filter(which).findFirst().orElseThrow();
    }

    private static Event.Transaction last() {
        return (Event.Transaction) HISTORY.stream()
                .filter(event -> isOfBackfill(event, json -> true))
                .reduce((one, other) -> other)
                .orElseThrow();
    }

    private static String path(Event.Transaction transaction) {
        return transaction.writes().stream()
                .map(Write::path)
                .filter(path -> path.startsWith(ROOT))
                .findFirst()
                .orElseThrow();
    }

    private static JsonObject content(Event.Transaction transaction) {
        return State.json(transaction.writes().stream()
                .filter(write -> write.path().startsWith(ROOT))
                .map(Write::data)
                .findFirst()
                .orElseThrow());
    }

    /** Returns the content of the backfill's node as it was before a transaction. */
    private static JsonObject before(Event.Transaction transaction) {
        return content((Event.Transaction) HISTORY.subList(0, HISTORY.indexOf(transaction)).stream()
                .filter(event -> isOfBackfill(event, json -> true))
                .reduce((one, other) -> other)
                .orElseThrow());
    }

    private static Event.Transaction with(Event.Transaction transaction, Predicate<Write> which) {
        return new Event.Transaction(
                transaction.zxid(),
                transaction.at(),
                transaction.session(),
                transaction.endsSession(),
                transaction.writes().stream().filter(which).toList());
    }

    private static Event.Transaction changed(Event.Transaction like, JsonObject content) {
        return new Event.Transaction(
                like.zxid(), like.at(), 0, false, List.of(new Write.Changed(path(like), content.toString())));
    }

    /** Returns the history with an additional write of the backfill's node before a transaction. */
    private static List<Event> inserted(Event.Transaction next, JsonObject content) {
        List<Event> history = new ArrayList<>(HISTORY);
        history.add(history.indexOf(next), changed(next, content));
        return history;
    }

    /** Returns the history with changed content of the backfill's node in the matching transactions. */
    private static List<Event> rewritten(Predicate<Event> which, Consumer<JsonObject> change) {
        List<Event> history = new ArrayList<>(HISTORY);
        history.replaceAll(event -> event instanceof Event.Transaction transaction && which.test(event)
                ? new Event.Transaction(
                        transaction.zxid(),
                        transaction.at(),
                        transaction.session(),
                        transaction.endsSession(),
                        transaction.writes().stream()
                                .map(write -> rewritten(write, change))
                                .toList())
                : event);
        return history;
    }

    private static Write rewritten(Write write, Consumer<JsonObject> change) {
        if (!write.path().startsWith(ROOT)) {
            return write;
        }
        JsonObject json = State.json(write.data());
        change.accept(json);
        return write instanceof Write.Created
                ? new Write.Created(write.path(), json.toString(), false)
                : new Write.Changed(write.path(), json.toString());
    }

    private static List<String> told(List<Event> history) {
        return HistoryChecker.judge(history, 0).told().stream()
                .filter(violation -> violation.invariant().equals("backfills"))
                .map(Violation::what)
                .toList();
    }
}
