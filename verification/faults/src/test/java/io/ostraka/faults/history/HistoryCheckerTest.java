package io.ostraka.faults.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.Exclusions;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.faults.simulation.Fault;
import io.ostraka.faults.simulation.Scenario;
import io.ostraka.faults.simulation.Simulation;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the checker accepts a history without faults and reports each tampered event with its trail. */
class HistoryCheckerTest {
    private static final Scenario SCENARIO = plain(Scenario.of(2));

    private static final List<Event> HISTORY =
            Simulation.run(SCENARIO.with(List.of())).history();

    /** History in which interceptors and listeners record their calls. */
    private static final List<Event> LISTENED =
            Simulation.run(heard(SCENARIO).with(List.of())).history();

    /** History with once-listeners. */
    private static final List<Event> TOLD =
            Simulation.run(toldOnce(SCENARIO).with(List.of())).history();

    /** History with child tasks. */
    private static final List<Event> TASKED =
            Simulation.run(tasked(SCENARIO).with(List.of())).history();

    /** Session in which no instance is registered. */
    private static final long UNREGISTERED = 0x999;

    /** Path prefix of a job with failover. */
    private static final String FAILOVER = SCENARIO.jobs().stream()
            .filter(JobConfiguration::failover)
            .map(job -> "/jobs/" + job.jobName() + "/")
            .findFirst()
            .orElseThrow();

    private static final String JOB = SCENARIO.jobs().get(0).jobName();

    @Test
    void acceptsAValidHistory() {
        assertThat(HistoryChecker.check(HISTORY)).isEmpty();
    }

    @Test
    void runWithoutClaimBreaksI1() {
        Violation found = only(tampered(event -> event instanceof Event.Began, event -> {
            Event.Began began = (Event.Began) event;
            return new Event.Began(
                    began.at(),
                    began.process(),
                    new Event.RunKey(began.run().item(), began.run().token() + 1),
                    began.step(),
                    began.total(),
                    began.attempt(),
                    began.instance(),
                    began.runId(),
                    began.fireTime());
        }));

        assertThat(found.invariant()).isEqualTo("I1");
        assertThat(found.trail()).hasSizeBetween(1, 12).last().isInstanceOf(Event.Began.class);
    }

    @Test
    void refusedWriteOfTheOwnerBreaksI1() {
        assertThat(only(tampered(event -> event instanceof Event.Effect, event -> {
                            Event.Effect effect = (Event.Effect) event;
                            return new Event.Effect(effect.at(), effect.process(), effect.run(), false);
                        }))
                        .invariant())
                .isEqualTo("I1");
    }

    @Test
    void streamBehindItsCheckpointBreaksI1() {
        List<Event> history = new ArrayList<>(HISTORY);
        Event.Effect effect = (Event.Effect) HISTORY.stream()
                .filter(event -> event instanceof Event.Effect)
                .findFirst()
                .orElseThrow();
        int at = history.indexOf(effect) + 1;
        for (long position : List.of(7L, 8L, 8L, 6L)) {
            history.add(at++, new Event.Effect(effect.at(), effect.process(), effect.run(), true, position));
        }

        assertThat(only(history).what()).contains("a stream continues from its checkpoint, at or after 8");
    }

    @Test
    void checkpointSavedTwiceBreaksI1() {
        Event.Transaction save = first(HISTORY, event -> event.toString().contains("/checkpoint, "));
        String path = save.writes().get(0).path();
        String saved = save.writes().get(0) instanceof Write.Created created ? created.data() : "";
        List<Event> history = new ArrayList<>(HISTORY);
        history.add(
                history.indexOf(save) + 1,
                new Event.Transaction(
                        save.zxid() + 1, save.at(), save.session(), false, List.of(new Write.Changed(path, saved))));

        assertThat(told(history))
                .anyMatch(
                        what -> what.startsWith("I1: expected: a checkpoint that is a number increases from " + saved));
    }

    @Test
    void completionBeforeTheReturnBreaksI2() {
        assertThat(only(without(event -> event instanceof Event.Ended)).invariant())
                .isEqualTo("I2");
    }

    @Test
    void completionOfAGivenUpRunBreaksI2() {
        assertThat(told(told("GIVEN_UP")))
                .contains("I2: expected: a completed run has returned and was not given up before");
    }

    @Test
    void successOfAStoppedRunBreaksI2() {
        assertThat(told(told("TIMED_OUT")))
                .anyMatch(what -> what.startsWith("I2: expected: the outcome is that of the code"));
    }

    @Test
    void earlyTimeoutBreaksI4() {
        Event.Ended ended = (Event.Ended) HISTORY.stream()
                .filter(event -> event instanceof Event.Ended)
                .findFirst()
                .orElseThrow();
        List<Event> history = told("TIMED_OUT");
        Event.Transaction end = first(
                history,
                event -> history.indexOf(event) > HISTORY.indexOf(ended)
                        && event.concerns(ended.run().item()));

        assertThat(told(rewritten(history, end, "outcome", old -> new JsonPrimitive("TIMED_OUT"))))
                .anyMatch(what -> what.startsWith("I4: expected: a run that timed out has exceeded its time limit"));
        assertThat(told(rewritten(told("CANCELLED"), end, "outcome", old -> new JsonPrimitive("CANCELLED"))))
                .anyMatch(what -> what.startsWith("I4: expected: only a policy for later fires cancels a run"));
    }

    /** Returns the history as if the first run that ended had been stopped for the given reason. */
    private static List<Event> told(String why) {
        return tampered(event -> event instanceof Event.Ended, event -> {
            Event.Ended ended = (Event.Ended) event;
            return new Event.Ended(ended.at(), ended.process(), ended.run(), ended.failed(), why);
        });
    }

    @Test
    void findsCodeWithoutInterceptors() {
        assertThat(HistoryChecker.check(LISTENED)).isEmpty();
        assertThat(told(heardWithout(event ->
                        event instanceof Event.Intercepted call && call.step().equals("before"))))
                .anyMatch(what -> what.startsWith(
                        "listeners: expected: an interceptor is called before the code, not after null"));
        assertThat(told(heardWithout(event ->
                        event instanceof Event.Intercepted call && call.step().equals("after"))))
                .anyMatch(what -> what.startsWith("listeners: expected: interceptors surround an attempt"));
    }

    @Test
    void findsFireWithoutListenerCalls() {
        assertThat(told(heardWithout(event -> event instanceof Event.Notified told && !told.over())))
                .anyMatch(what ->
                        what.startsWith("listeners: expected: a listener is called before the code of its fire"));
        assertThat(told(heardWithout(event ->
                        event instanceof Event.Notified told && told.over() && !dies(told.process(), LISTENED))))
                .anyMatch(what -> what.startsWith(
                        "listeners: expected: a listener that was called before its part is called after it"));
        List<Event> history = new ArrayList<>(LISTENED);
        history.replaceAll(event -> event instanceof Event.Notified told && told.over()
                ? new Event.Notified(told.at(), told.process(), told.job(), told.runId(), true, Map.of())
                : event);
        assertThat(told(history))
                .anyMatch(what ->
                        what.startsWith("listeners: expected: a listener is called after the code has returned"));
    }

    /**
     * Returns whether a process is killed by its own code. This may happen at any time, and the checker then expects no
     * further events of the process.
     */
    private static boolean dies(String process, List<Event> history) {
        return history.stream()
                .anyMatch(event ->
                        event instanceof Event.Killed killed && killed.process().equals(process));
    }

    @Test
    void acceptsAValidHistoryWithOnceListeners() {
        assertThat(TOLD).anyMatch(event -> event instanceof Event.Announced told && told.over() && told.returned());
        assertThat(HistoryChecker.check(TOLD)).isEmpty();
    }

    @Test
    void findsMissingRepeatedAndEarlyOnceListenerCalls() {
        assertThat(toldWith(
                        event -> event instanceof Event.Announced told && !told.over() && told.returned(),
                        event -> List.of()))
                .anyMatch(what -> what.startsWith("listeners: expected: the caller continues the fire after its call"));
        assertThat(toldWith(
                        event -> event instanceof Event.Announced told && told.over() && told.returned(),
                        event -> List.of()))
                .anyMatch(what -> what.startsWith("listeners: expected: the caller continues the fire after its call"));
        assertThat(toldWith(
                        event -> event instanceof Event.Announced told && !told.returned(),
                        event -> List.of(event, event)))
                .anyMatch(what -> what.startsWith("listeners: expected: only the named caller calls, and once"));
        assertThat(toldWith(
                        event -> ofFire(event, "\"phase\":\"OPEN\""),
                        event -> List.of(fireWritten(event, "\"phase\":\"OPEN\"", "\"phase\":\"BEGINNING\""))))
                .anyMatch(
                        what -> what.startsWith("listeners: expected: no code starts before beforeFirst has returned"));
        assertThat(toldWith(
                        event -> ofFire(event, "\"phase\":\"CLOSING\""),
                        event -> List.of(fireWritten(event, "\"left\":[]", "\"left\":[\"0\"]"))))
                .anyMatch(
                        what -> what.startsWith("listeners: expected: afterLast is called after all items have ended"));
    }

    @Test
    void findsTakeoverFromALivingCaller() {
        String other = "elsewhere@1@" + Long.toHexString(another(0));
        assertThat(toldWith(
                        event -> ofFire(event, "\"phase\":\"OPEN\""),
                        event -> List.of(
                                fireWritten(
                                        event,
                                        "\"phase\":\"OPEN\"",
                                        "\"phase\":\"BEGINNING\",\"caller\":\"" + other + '"'),
                                event)))
                .anyMatch(
                        what -> what.startsWith("listeners: expected: another instance becomes the caller only after"));
    }

    @Test
    void acceptsCallerThatContinuesBeforeItsNextSessionIsRegistered() {
        assertThat(told(continuedBy(session -> UNREGISTERED, true))).isEmpty();
    }

    @Test
    void findsFireThatContinuesDuringItsCallOrByAnotherInstance() {
        String expected = "listeners: expected: a fire continues without a call only if no instance can make it";
        assertThat(told(continuedBy(session -> UNREGISTERED, false))).anyMatch(what -> what.startsWith(expected));
        assertThat(told(continuedBy(HistoryCheckerTest::another, true))).anyMatch(what -> what.startsWith(expected));
    }

    /**
     * Returns a history in which a different session writes that the items of a fire may start.
     *
     * @param returned false to leave out the return of the call that precedes the items
     */
    private static List<Event> continuedBy(LongUnaryOperator session, boolean returned) {
        List<Event> history = new ArrayList<>(TOLD);
        Instant known = TOLD.get(0).at().plusSeconds(70); // by then the leader knows the possible callers
        Event.Transaction opens = first(
                TOLD, event -> ofFire(event, "\"phase\":\"OPEN\"") && event.at().isAfter(known));
        int at = history.indexOf(opens);
        history.set(at, sentBy(opens, session.applyAsLong(opens.session())));
        if (!returned) {
            history.removeIf(event -> event instanceof Event.Announced told
                    && !told.over()
                    && told.returned()
                    && opens.toString().contains("/jobs/" + told.job() + "/fires/")
                    && opens.toString()
                            .contains("\"at\":\""
                                    + told.runId().substring(told.job().length() + 1) + '"'));
        }
        return history;
    }

    private static Event.Transaction sentBy(Event.Transaction transaction, long session) {
        return new Event.Transaction(
                transaction.zxid(), transaction.at(), session, transaction.endsSession(), transaction.writes());
    }

    private static boolean ofFire(Event event, String text) {
        return event instanceof Event.Transaction transaction
                && transaction.writes().stream()
                        .anyMatch(write -> write instanceof Write.Changed changed
                                && changed.path().contains("/fires/")
                                && changed.data().contains(text));
    }

    private static Event fireWritten(Event event, String text, String other) {
        Event.Transaction transaction = (Event.Transaction) event;
        return new Event.Transaction(
                transaction.zxid(),
                transaction.at(),
                transaction.session(),
                false,
                transaction.writes().stream()
                        .map(write -> write.path().contains("/fires/") ? changed(write, text, other) : write)
                        .toList());
    }

    /** Returns the violations that the checker finds after a replacement of the first matching event. */
    private static List<String> toldWith(Predicate<Event> which, Function<Event, List<Event>> by) {
        List<Event> history = new ArrayList<>(TOLD);
        Event first = TOLD.stream().filter(which).findFirst().orElseThrow();
        int at = history.indexOf(first);
        history.remove(at);
        history.addAll(at, by.apply(first));
        return told(history);
    }

    private static List<Event> heardWithout(Predicate<Event> which) {
        List<Event> history = new ArrayList<>(LISTENED);
        history.remove(LISTENED.stream().filter(which).findFirst().orElseThrow());
        return history;
    }

    @Test
    void acceptsAValidHistoryWithTasks() {
        assertThat(TASKED)
                .anyMatch(event -> event instanceof Event.Task task && task.key() == null && task.number() > 0)
                .anyMatch(event -> event instanceof Event.Task task && task.key() != null);
        assertThat(HistoryChecker.check(TASKED)).isEmpty();
    }

    @Test
    void findsRunThatEndsBeforeItsTasks() {
        List<Event> history = new ArrayList<>(TASKED);
        history.remove(first(Event.Task.class, task -> task.over() && task.number() > 0));

        assertThat(told(history)).anyMatch(what -> what.startsWith("tasks: expected: a run ends after all its tasks"));
    }

    @Test
    void findsTaskThatRunsDuringTheCompletion() {
        Event.Ended ended = first(Event.Ended.class, end -> !end.failed() && tasked(end));
        List<Event> history = new ArrayList<>(TASKED);
        history.add(history.indexOf(ended) + 1, task(ended, 99, null, false));

        assertThat(told(history))
                .anyMatch(what -> what.startsWith("tasks: expected: a task starts while its run executes"))
                .anyMatch(what ->
                        what.startsWith("tasks: expected: a run that is completed or given up has no running task"));
    }

    @Test
    void findsOverlappingOrUnorderedTasksOfOneKey() {
        Event.Task first = first(Event.Task.class, task -> !task.over() && task.number() > 0);
        List<Event> atOnce = new ArrayList<>(TASKED);
        atOnce.addAll(atOnce.indexOf(first) + 1, List.of(task(first, 98, "key", false), task(first, 99, "key", false)));
        List<Event> reversed = new ArrayList<>(TASKED);
        reversed.addAll(
                reversed.indexOf(first) + 1,
                List.of(
                        task(first, 99, "key", false),
                        task(first, 99, "key", true),
                        task(first, 98, "key", false),
                        task(first, 98, "key", true)));

        assertThat(told(atOnce)).anyMatch(what -> what.startsWith("tasks: expected: two tasks of one key never run"));
        assertThat(told(reversed))
                .containsExactly("tasks: expected: tasks of one key start in order: " + task(first, 98, "key", false));
    }

    @Test
    void findsSuccessfulRunWithAFailedTask() {
        Event.Ended ended = first(Event.Ended.class, end -> !end.failed() && tasked(end));
        List<Event> history = new ArrayList<>(TASKED);
        Event.Task over = new Event.Task(ended.at(), ended.process(), ended.run(), 99, null, true, true);
        history.add(history.indexOf(ended), over);

        assertThat(told(history))
                .anyMatch(what -> what.startsWith("tasks: expected: a run fails if one of its tasks fails"));
    }

    private static boolean tasked(Event.OfRun event) {
        return event.run().item().job().equals("rate");
    }

    private static Event.Task task(Event.OfRun of, int number, @Nullable String key, boolean over) {
        return new Event.Task(of.at(), of.process(), of.run(), number, key, over, false);
    }

    /** Returns the first matching event of the history with tasks. */
    private static <T extends Event> T first(Class<T> kind, Predicate<T> which) {
        return TASKED.stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .filter(which)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void missingOrRepeatedOneTimeFireBreaksI4() {
        List<Event> history = scheduled("single", Schedule.Once.class);
        Predicate<Event> ofIt = event -> event.toString().contains("/jobs/single/sharding/");
        Event.Transaction claim =
                first(history, event -> ofIt.test(event) && event.toString().contains("RUNNING"));
        List<Event> never = new ArrayList<>(history.subList(0, history.indexOf(claim)));
        never.add(new Event.Calm(claim.at()));
        never.add(new Event.Over(claim.at().plusMillis(8_001), Set.of())); // so soon that no other fire is due
        int ended = IntStream.range(history.indexOf(claim), history.size())
                .filter(i ->
                        ofIt.test(history.get(i)) && history.get(i).toString().contains("\"endedAt\""))
                .findFirst()
                .orElseThrow();
        List<Event> again = new ArrayList<>(history);
        again.add(
                ended + 1,
                new Event.Transaction(
                        claim.zxid() + 1_000_000,
                        claim.at(),
                        claim.session(),
                        false,
                        claim.writes().stream()
                                .map(write -> changed(write, "/single/", "/single/another-"))
                                .toList()));

        assertThat(HistoryChecker.check(history)).isEmpty();
        assertThat(told(never)).anyMatch(what -> what.startsWith("I4: expected: a one-time fire has started by "));
        assertThat(told(again)).anyMatch(what -> what.startsWith("I4: expected: a one-time fire never starts again"));
    }

    @Test
    void findsItemsThatBreakPlacementLimits() {
        List<Event> history = Simulation.run(with(
                                SCENARIO,
                                job -> job.jobName().equals("rate")
                                        ? job.toBuilder()
                                                .shardingTotalCount(6)
                                                .requiredInstances("disk=ssd")
                                                .maxItemsPerInstance(6)
                                                .build()
                                        : job)
                        .with(List.of()))
                .history();

        assertThat(HistoryChecker.check(history)).isEmpty();
        assertThat(told(written(history, "/instances/", "\"ssd\"", "\"tape\"")))
                .anyMatch(what ->
                        what.startsWith("I5: expected: an instance that gets an item matches the job's requirement"));
        String without = first(history, event -> event.toString().contains("\"tags\":{}")).writes().stream()
                .filter(write -> write.path().startsWith("/instances/"))
                .map(write -> State.name(write.path()))
                .findFirst()
                .orElseThrow();
        assertThat(told(rewritten(history, first(history, claims("rate")), "run", record -> {
                    JsonObject run = record.getAsJsonObject("run");
                    run.addProperty("owner", without);
                    return run;
                })))
                .contains("I5: expected: an instance that claims matches the job's requirement");
        assertThat(told(written(
                        history, "/jobs/rate/config", "\"maxItemsPerInstance\":6", "\"maxItemsPerInstance\":1")))
                .anyMatch(what -> what.startsWith("I5: expected: an instance owns at most 1 items of job rate"));
    }

    @Test
    void fireInAnExcludedWindowBreaksI4() {
        Exclusions gap = Exclusions.in(ZoneOffset.UTC).daily(LocalTime.of(0, 0, 20), LocalTime.of(0, 0, 40));
        Schedule schedule = Schedule.fixedRate(Duration.ofSeconds(5)).excluding(gap);
        List<Event> history = Simulation.run(with(
                                SCENARIO,
                                job -> job.jobName().equals("rate")
                                        ? job.toBuilder().schedule(schedule).build()
                                        : job)
                        .with(List.of()))
                .history();

        assertThat(HistoryChecker.check(history)).isEmpty();
        List<Event> later = written(
                written(history, "/jobs/rate/", "00:00:20\"", "00:01:20\""), "/jobs/rate/", "00:00:40\"", "00:01:40\"");
        assertThat(told(later))
                .anyMatch(what -> what.startsWith("I4: expected: every fire after")
                        || what.startsWith("I4: expected: the claimed fire is the first that is not skipped"));
    }

    /** Returns a history without faults. One job has an item per instance, and another has an item per zone. */
    private static List<Event> scoped() {
        return scoped(List.of());
    }

    private static List<Event> scoped(List<Fault> faults) {
        List<JobConfiguration> jobs = new ArrayList<>(SCENARIO.jobs());
        Map.of("everywhere", Scope.BROADCAST, "zoned", Scope.ONE_PER_ZONE)
                .forEach((name, scope) -> jobs.add(JobConfiguration.newBuilder(name, 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(5)))
                        .scope(scope)
                        .build()));
        jobs.sort(Comparator.comparing(job -> job.scope().ordinal()));
        return Simulation.run(new Scenario(
                        SCENARIO.seed(),
                        SCENARIO.instances(),
                        SCENARIO.drainDeadline(),
                        SCENARIO.skews(),
                        SCENARIO.latencies(),
                        jobs,
                        faults))
                .history();
    }

    @Test
    void cursorOfAnUnnumberedItemThatDecreasesBreaksI4() {
        Predicate<Event> opens = written("\"state\":\"IDLE\"")
                .and(event -> event.toString().contains("/jobs/everywhere/sharding/")
                        && event.toString().contains("\"incarnation\":3"));
        List<Event> history = LongStream.range(25, 225) // the seeds before 25 have no such write
                .mapToObj(seed -> scoped(List.of(new Fault(0, Fault.Kind.REMOVE, Duration.ofSeconds(32), 0, seed))))
                .filter(each -> each.stream().anyMatch(opens))
                .findFirst()
                .orElseThrow();

        assertThat(HistoryChecker.check(history)).isEmpty();
        assertThat(told(rewritten(
                        history,
                        first(history, opens),
                        "cursor",
                        record -> new JsonPrimitive("2026-01-01T00:00:00Z")))) // before its first fire
                .contains("I4: expected: an item without a number keeps its cursor");
    }

    @Test
    void findsInstanceOrZoneWithoutItsFire() {
        List<Event> history = scoped();

        assertThat(HistoryChecker.check(history)).isEmpty();
        for (String job : List.of("everywhere", "zoned")) {
            int calm = calm(history);
            String key = key(
                    history.subList(calm, history.size()),
                    job); // the item of an instance that is alive at the start of the calm
            List<Event> idle = new ArrayList<>(history.subList(0, calm + 1));
            history.subList(calm + 1, history.size()).stream()
                    .filter(event -> !event.concerns(new Item(job, key)))
                    .forEach(idle::add);
            assertThat(told(idle))
                    .anyMatch(what -> what.startsWith("I4: expected: " + job + "/" + key + " starts the fire of "));
        }
    }

    @Test
    void findsInstanceItemRunByAnotherInstance() {
        List<Event> history = scoped();
        Event.Transaction claim = first(history, claims("everywhere"));
        String other = first(
                        history,
                        event -> event.toString().contains("Created[path=/instances/")
                                && !event.toString().contains(key(history, "everywhere")))
                .writes()
                .stream()
                .map(Write::path)
                .filter(path -> path.startsWith("/instances/"))
                .map(State::name)
                .findFirst()
                .orElseThrow();

        assertThat(told(rewritten(history, claim, "run", record -> {
                    JsonObject run = record.getAsJsonObject("run");
                    run.addProperty("owner", other);
                    return run;
                })))
                .contains("I5: expected: only an instance itself claims its item");
        String own = key(history, "everywhere");
        assertThat(told(written(
                        history, "/jobs/everywhere/sharding", '"' + own + "\":\"" + own, '"' + other + "\":\"" + own)))
                .anyMatch(what -> what.startsWith("I5: expected: an instance owns its own item of job everywhere"));
    }

    @Test
    void findsZoneFireRunTwiceOrInAnotherZone() {
        List<Event> history = scoped();
        Event.Transaction claim = first(history, claims("zoned"));
        int ended = IntStream.range(history.indexOf(claim) + 1, history.size())
                .filter(i -> history.get(i).concerns(new Item("zoned", key(history, "zoned")))
                        && history.get(i).toString().contains("SUCCEEDED"))
                .findFirst()
                .orElseThrow();
        List<Event> again = new ArrayList<>(history);
        again.add(
                ended + 1,
                new Event.Transaction(
                        claim.zxid() + 1_000_000,
                        claim.at(),
                        claim.session(),
                        false,
                        claim.writes().stream()
                                .map(write -> changed(write, "\"nonce\":\"", "\"nonce\":\"another"))
                                .toList()));

        assertThat(told(again)).contains("I2: expected: a fire starts once");
        assertThat(told(written(
                        written(history, "/instances/", "\"zone\":\"a\"", "\"zone\":\"c\""),
                        "/instances/",
                        "\"zone\":\"b\"",
                        "\"zone\":\"a\"")))
                .contains("I5: expected: an instance of the zone starts a zone's fire");
    }

    @Test
    void findsRecordDeletedWhileItsInstanceLives() {
        List<Event> history = scoped();
        Event.Transaction claim = first(history, claims("everywhere"));
        List<Event> deleted = new ArrayList<>(history);
        deleted.add(
                history.indexOf(claim) + 1,
                new Event.Transaction(
                        claim.zxid() + 1_000_000,
                        claim.at(),
                        claim.session(),
                        false,
                        List.of(new Write.Deleted("/jobs/everywhere/sharding/" + key(history, "everywhere")))));

        assertThat(told(deleted))
                .anyMatch(what -> what.startsWith("I4: expected: a record exists as long as its job"))
                .contains("I4: expected: an ended instance's fire ends before its record is deleted");
    }

    /** Matches the transactions that claim items of a job. */
    private static Predicate<Event> claims(String job) {
        Predicate<Event> claims = written("\"state\":\"RUNNING\"");
        return event -> claims.test(event) && event.toString().contains("/jobs/" + job + "/sharding/");
    }

    /** Returns the key of the item in a job's first claim. */
    private static String key(List<Event> history, String job) {
        return first(history, claims(job)).writes().stream()
                .filter(write ->
                        write instanceof Write.Changed && write.path().startsWith("/jobs/" + job + "/sharding/"))
                .map(write -> write.path().split("/", -1)[4])
                .findFirst()
                .orElseThrow();
    }

    private static int calm(List<Event> history) {
        return IntStream.range(0, history.size())
                .filter(i -> history.get(i) instanceof Event.Calm)
                .findFirst()
                .orElseThrow();
    }

    /**
     * Returns the history with a text replaced by a different text in the nodes whose paths start with the given path.
     */
    private static List<Event> written(List<Event> history, String path, String text, String other) {
        List<Event> changed = new ArrayList<>(history);
        changed.replaceAll(event -> event instanceof Event.Transaction transaction
                ? new Event.Transaction(
                        transaction.zxid(),
                        transaction.at(),
                        transaction.session(),
                        transaction.endsSession(),
                        transaction.writes().stream()
                                .map(write -> !write.path().startsWith(path)
                                        ? write
                                        : write instanceof Write.Created created
                                                ? new Write.Created(
                                                        created.path(),
                                                        created.data().replace(text, other),
                                                        created.ephemeral())
                                                : changed(write, text, other))
                                .toList())
                : event);
        return changed;
    }

    @Test
    void findsRunBeforeThePreparations() {
        List<Event> history = new ArrayList<>(HISTORY);
        Event.Began began = (Event.Began) history.stream()
                .filter(event -> event instanceof Event.Began)
                .findFirst()
                .orElseThrow();
        history.add(0, new Event.Prepared(began.at(), began.process(), false));

        assertThat(told(history))
                .anyMatch(what -> what.startsWith(
                        "listeners: expected: a process claims and runs items after its preparations: Began"));
    }

    @Test
    void findsMetersWithWrongCounts() {
        for (String what : List.of("started", "ended SUCCEEDED", "skipped OVERLAPPED")) {
            assertThat(told(tampered(
                            event -> event instanceof Event.Counted counted
                                    && !counted.jobs().isEmpty(),
                            event -> {
                                Event.Counted counted = (Event.Counted) event;
                                Map<String, Map<String, Long>> jobs = new TreeMap<>(counted.jobs());
                                String job = jobs.keySet().iterator().next();
                                Map<String, Long> counts = new TreeMap<>(jobs.get(job));
                                counts.merge(what, 1L, Long::sum);
                                jobs.put(job, counts);
                                return new Event.Counted(counted.at(), counted.process(), true, jobs);
                            })))
                    .as(what)
                    .hasSize(1)
                    .allMatch(told -> told.startsWith("meters: expected: ") && told.contains(what));
        }
    }

    /** Meters may count too little, because the code may have killed its process between a write and the reply. */
    @Test
    void metersMayCountLessOnlyAfterAProcessDied() {
        List<Event> alive = new ArrayList<>(HISTORY);
        alive.removeIf(event -> event instanceof Event.Killed);
        int at = IntStream.range(0, alive.size())
                .filter(i -> !skipped(alive.get(i)).isEmpty())
                .findFirst()
                .orElseThrow();
        Event.Counted counted = (Event.Counted) alive.get(at);
        Map<String, Map<String, Long>> jobs = new TreeMap<>(counted.jobs());
        skipped(counted).forEach((job, what) -> {
            Map<String, Long> counts = new TreeMap<>(jobs.get(job));
            counts.merge(what, -1L, Long::sum);
            jobs.put(job, counts);
        });
        alive.set(at, new Event.Counted(counted.at(), counted.process(), true, jobs));
        List<Event> dead = new ArrayList<>(alive);
        dead.add(0, new Event.Killed(counted.at(), "another"));

        assertThat(told(alive)).anyMatch(told -> told.startsWith("meters: expected: all meters together have "));
        assertThat(told(dead)).noneMatch(told -> told.startsWith("meters: "));
    }

    /** Returns the jobs whose meters have counted overlapped fires, each with the name of that count. */
    private static Map<String, String> skipped(Event event) {
        Map<String, String> skipped = new TreeMap<>();
        if (event instanceof Event.Counted counted) {
            counted.jobs()
                    .forEach((job, counts) -> counts.forEach((what, times) -> {
                        if (what.equals("skipped OVERLAPPED") && times > 0) {
                            skipped.put(job, what);
                        }
                    }));
        }
        return skipped;
    }

    @Test
    void takeoverFromALivingOwnerBreaksI3() {
        List<Event> history = new ArrayList<>(HISTORY);
        Event.Transaction claim = first(HISTORY, written("\"state\":\"RUNNING\""));
        List<Write> takeover = claim.writes().stream()
                .filter(write -> write instanceof Write.Changed)
                .map(write -> (Write) changed(write, "\"nonce\":\"", "\"nonce\":\"another"))
                .toList();
        history.add(
                history.indexOf(claim) + 1,
                new Event.Transaction(claim.zxid() + 1, claim.at(), another(claim.session()), false, takeover));

        assertThat(told(history)).contains("I3: expected: a takeover follows the end of the owner");
    }

    @Test
    void interruptedFireThatIsNotRunAgainBreaksI3() {
        Predicate<Event> ends = written("\"outcome\":\"SUCCEEDED\"");
        Event.Transaction end =
                first(HISTORY, event -> ends.test(event) && event.toString().contains(FAILOVER));
        List<Write> interrupted = end.writes().stream()
                .map(write -> changed(write, "\"SUCCEEDED\"", "\"INTERRUPTED\""))
                .toList();

        assertThat(told(tampered(
                        end::equals,
                        event -> new Event.Transaction(end.zxid(), end.at(), end.session(), false, interrupted))))
                .contains("I3: expected: an interrupted fire runs again");
    }

    @Test
    void onlyTheOwnersProcessInterruptsTheFireOfAnInstance() {
        List<Event> history = new ArrayList<>(scoped());
        Event.Transaction end =
                first(history, written("\"outcome\":\"SUCCEEDED\"").and(event -> event.toString()
                        .contains("/jobs/everywhere/sharding/")));
        Event.Transaction interrupted = new Event.Transaction(
                end.zxid(),
                end.at(),
                UNREGISTERED,
                false,
                end.writes().stream()
                        .map(write -> changed(write, "\"SUCCEEDED\"", "\"INTERRUPTED\""))
                        .toList());
        Event.Transaction byAnother = sentBy(interrupted, another(end.session()));
        String expected = "I3: expected: an interrupted fire runs again";

        Collections.replaceAll(history, end, interrupted);
        assertThat(told(history)).allMatch(what -> what.startsWith("history: ")); // later records show another outcome
        Collections.replaceAll(history, interrupted, byAnother);
        assertThat(told(history)).anyMatch(what -> what.startsWith(expected));
    }

    @Test
    void claimWithoutTheEndBeforeItBreaksTheHistory() {
        Event.Transaction claim = first(HISTORY, written("\"previous\":{").and(written("\"state\":\"RUNNING\"")));
        List<Write> forgetful = claim.writes().stream()
                .map(write -> changed(write, "\"previous\":{", "\"former\":{"))
                .toList();

        assertThat(told(tampered(
                        claim::equals,
                        event -> new Event.Transaction(claim.zxid(), claim.at(), claim.session(), false, forgetful))))
                .anyMatch(what -> what.startsWith("history: expected: a record shows the last end before its run"));
    }

    @Test
    void endThatNoProcessReportsBreaksTheHistory() {
        List<Event> history = new ArrayList<>(HISTORY);
        List<Event> reports =
                history.stream().filter(Event.Reported.class::isInstance).toList();
        history.remove(reports.get(reports.size() / 2));

        assertThat(told(history))
                .anyMatch(what -> what.startsWith("history: expected: the owner reports the end of its run"));
    }

    @Test
    void fireThatNeverEndsBreaksI3() {
        List<Event> history = new ArrayList<>(HISTORY);
        List<Event> backwards = new ArrayList<>(HISTORY);
        Collections.reverse(backwards);
        history.remove(first(backwards, written("\"outcome\":\"SUCCEEDED\"")));

        assertThat(told(history)).contains("I3: expected: a fire that has started has ended");
    }

    @Test
    void fireThatDoesNotStartBreaksI4() {
        List<Event> history = new ArrayList<>(HISTORY);
        history.removeIf(event -> event instanceof Event.OfRun || (isAfterCalm(event) && claimsOrEnds(event)));

        assertThat(HistoryChecker.check(history))
                .extracting(Violation::invariant)
                .contains("I4");
    }

    @Tag("slow")
    @Test
    void itemCountChangeThatLosesAFireBreaksI4() {
        List<Event> history = changing();
        Event.Transaction change = first(history, HistoryCheckerTest::changesCount);
        List<Write> later = change.writes().stream()
                .map(write -> write instanceof Write.Changed changed
                        ? new Write.Changed(
                                changed.path(),
                                changed.data()
                                        .replaceFirst("\"cursor\":\"[^\"]*\"", "\"cursor\":\"2026-01-01T01:00:00Z\""))
                        : write)
                .toList();

        history.set(
                history.indexOf(change),
                new Event.Transaction(change.zxid(), change.at(), change.session(), false, later));
        assertThat(told(history)).anySatisfy(violation -> assertThat(violation)
                .startsWith("I4: expected: the new cursor respects the cursor of"));
    }

    /** Returns a valid history with failover in which the item count of a job changes at the end. */
    private static List<Event> changing() {
        return LongStream.range(0, 100)
                .mapToObj(Scenario::of)
                .map(HistoryCheckerTest::plain)
                .filter(scenario -> scenario.jobs().get(0).failover())
                .map(scenario -> Simulation.run(scenario).history())
                .filter(history -> history.stream().anyMatch(HistoryCheckerTest::changesCount))
                .findFirst()
                .map(ArrayList::new)
                .orElseThrow();
    }

    private static boolean changesCount(Event event) {
        return written("\"incarnation\":2").test(event) && event.toString().contains("/jobs/" + JOB + "/sharding/0");
    }

    @Test
    void completionThatDecidesOtherFiresBreaksI4() {
        Predicate<Event> ends = written("\"outcome\":\"SUCCEEDED\"");
        Event.Transaction end = first(HISTORY, event -> ends.test(event) && !triggered(event));
        String later = end.at().plusSeconds(60).toString();

        assertThat(told(rewritten(HISTORY, end, "cursor", old -> new JsonPrimitive(later))))
                .contains("I4: expected: an end decides only its own fire");
    }

    @Test
    void planThatRestartsItsScheduleBreaksI4() {
        Event.Transaction plan = first(
                HISTORY,
                event -> event instanceof Event.Transaction transaction
                        && transaction.writes().stream()
                                .anyMatch(write -> write instanceof Write.Changed
                                        && write.path().endsWith("/sharding")));

        assertThat(told(rewritten(HISTORY, plan, "since", old -> new JsonPrimitive("2999-01-01T00:00:00Z"))))
                .contains("I4: expected: an unchanged schedule keeps its start");
    }

    @Test
    void triggerClaimWithInventedSkippedFiresBreaksI4() {
        Predicate<Event> claims = written("\"state\":\"RUNNING\"");
        List<Event> history = with(Fault.Kind.TRIGGER, event -> claims.test(event) && triggered(event));
        Event.Transaction claim = first(history, event -> claims.test(event) && triggered(event));
        JsonArray skipped = new JsonArray();
        skipped.add(JsonParser.parseString(
                "{from: '2999-01-01T00:00:00Z', to: '2999-01-01T00:00:00Z', count: 1," + " reason: MISFIRED}"));

        assertThat(HistoryChecker.check(history)).isEmpty();
        assertThat(told(rewritten(history, claim, "skipped", old -> skipped)))
                .contains("I4: expected: the record counts as skipped every fire that the cursor passes");
    }

    @Test
    void itemCountChangeWithUnrecordedFiresBreaksI4() {
        Predicate<Event> moves = written("\"incarnation\":2");
        List<Event> history = with(Fault.Kind.COUNT, event -> moves.test(event) && ofRate(event));
        Event.Transaction move = first(history, event -> moves.test(event) && ofRate(event));

        assertThat(HistoryChecker.check(history)).isEmpty();
        assertThat(told(rewritten(
                        history,
                        move,
                        "cursor",
                        old -> new JsonPrimitive(move.at().plusSeconds(60).toString()))))
                .contains("I4: expected: a change of the item count records the fires that it skips");
    }

    @Test
    void wrongReasonBreaksI4() {
        Predicate<Event> skips = written("\"reason\":\"MISFIRED\"");
        List<Event> history = with(Fault.Kind.PAUSE, skips);
        Event.Transaction claim = first(history, skips);

        assertThat(HistoryChecker.check(history)).isEmpty();
        assertThat(told(rewritten(
                        history,
                        claim,
                        "skipped",
                        record -> JsonParser.parseString(
                                record.get("skipped").toString().replace("MISFIRED", "OVERLAPPED")))))
                .anyMatch(what -> what.startsWith("I4: expected: the job's policies justify Skipped"));
    }

    /** The soak of seed 7003: an owner's clock was set back between its decision and its claim. */
    @Test
    void clockThatIsSetBackAfterTheDecisionBreaksNothing() {
        Predicate<Event> skips = written("\"reason\":\"MISFIRED\"");
        List<Event> history = with(Fault.Kind.PAUSE, skips);
        Event.Transaction claim = first(history, skips);

        assertThat(told(rewritten(history, claim, "run", record -> {
                    JsonObject run = record.getAsJsonObject("run");
                    JsonArray skipped = record.getAsJsonArray("skipped");
                    run.add(
                            "startedAt",
                            skipped.get(skipped.size() - 1).getAsJsonObject().get("to"));
                    return run;
                })))
                .noneMatch(what -> what.contains("the job's policies justify"));
    }

    @Test
    void wrongReasonWithJitterBreaksI4() {
        Predicate<Event> skips = written("\"reason\":\"MISFIRED\"");
        List<Event> history = LongStream.range(0, 200)
                .mapToObj(seed -> with(
                        SCENARIO.with(List.of(new Fault(0, Fault.Kind.PAUSE, Duration.ofSeconds(32), 0, seed))),
                        job -> job.toBuilder()
                                .schedule(
                                        job.schedule() instanceof Schedule.FixedRate rate
                                                ? rate.jitter(Duration.ofSeconds(3))
                                                : job.schedule())
                                .build()))
                .map(scenario -> Simulation.run(scenario).history())
                .filter(each -> each.stream().anyMatch(skips))
                .findFirst()
                .orElseThrow();

        assertThat(HistoryChecker.check(history)).isEmpty();
        assertThat(told(rewritten(
                        history,
                        first(history, skips),
                        "skipped",
                        record -> JsonParser.parseString(
                                record.get("skipped").toString().replace("MISFIRED", "OVERLAPPED")))))
                .anyMatch(what -> what.startsWith("I4: expected: the job's policies justify Skipped"));
    }

    @Test
    void planByAFollowerBreaksI5() {
        assertThat(only(tampered(
                                event -> event instanceof Event.Transaction transaction
                                        && transaction.toString().contains("/sharding, "),
                                event -> {
                                    Event.Transaction plan = (Event.Transaction) event;
                                    return sentBy(plan, another(plan.session()));
                                }))
                        .invariant())
                .isEqualTo("I5");
    }

    @Test
    void manyTransactionsInTheCalmBreakI6() {
        List<Event> history = new ArrayList<>(HISTORY);
        history.replaceAll(
                event -> event instanceof Event.Requests requests && !requests.equals(firstRequests(requests))
                        ? new Event.Requests(
                                requests.at(),
                                requests.process(),
                                requests.transactions() + 100,
                                requests.reads(),
                                requests.places())
                        : event);

        assertThat(HistoryChecker.check(history))
                .extracting(Violation::invariant)
                .containsOnly("I6");
    }

    @Test
    void extraTransactionsBreakI6UnlessAllowed() {
        Event.Requests busiest = HISTORY.stream()
                .filter(event -> event instanceof Event.Requests)
                .map(event -> (Event.Requests) event)
                .max(Comparator.comparingLong(
                        each -> each.transactions() - ((Event.Requests) firstRequests(each)).transactions()))
                .orElseThrow();
        List<Event> history = new ArrayList<>(HISTORY);
        history.set(
                history.indexOf(busiest),
                new Event.Requests(
                        busiest.at(),
                        busiest.process(),
                        busiest.transactions() + 4,
                        busiest.reads(),
                        busiest.places()));

        assertThat(HistoryChecker.judge(history, 0).number()).containsOnlyKeys("I6");
        assertThat(HistoryChecker.judge(history, 100).number()).isEmpty();
    }

    @Test
    void readForEachFireBreaksI6() {
        List<Event> history = new ArrayList<>(HISTORY);
        history.replaceAll(
                event -> event instanceof Event.Requests requests && !requests.equals(firstRequests(requests))
                        ? new Event.Requests(
                                requests.at(),
                                requests.process(),
                                requests.transactions(),
                                requests.reads() + 300,
                                requests.places())
                        : event);

        assertThat(HistoryChecker.check(history))
                .extracting(Violation::invariant)
                .containsOnly("I6");
    }

    @Test
    void missingHealthReportBreaksI7() {
        assertThat(told(without(event -> event instanceof Event.Health)))
                .containsExactly(
                        "I7: expected: " + process(Event.Health.class) + " reports its health in the calm: no report");
    }

    @Test
    void missingRequestCountsBreakI6() {
        assertThat(told(without(event -> event instanceof Event.Requests)))
                .containsExactly("I6: expected: " + process(Event.Requests.class)
                        + " records its requests at start and end of the calm: not recorded twice");
    }

    @Test
    void countsMoreViolationsThanItKeeps() {
        List<Event> history = new ArrayList<>(HISTORY);
        history.replaceAll(event -> event instanceof Event.Effect effect
                ? new Event.Effect(effect.at(), effect.process(), effect.run(), false)
                : event);
        HistoryChecker.Verdict verdict = HistoryChecker.judge(history, 0);

        assertThat(verdict.told()).hasSize(3);
        assertThat(verdict.number())
                .containsOnlyKeys("I1")
                .extractingByKey("I1")
                .isNotEqualTo(3L);
    }

    @Test
    void missingInstanceInTheCalmBreaksI7() {
        List<Event> history = new ArrayList<>(HISTORY);
        history.replaceAll(event -> event instanceof Event.Over over
                ? new Event.Over(over.at(), Set.of("process-0", "process-1", "another", "and another", "and one more"))
                : event);

        assertThat(told(history))
                .anyMatch(what -> what.startsWith("I7: expected: the living processes are registered"));
    }

    @Test
    void triggerThatMissesAnItemBreaksI7() {
        List<Event> history = with(
                Fault.Kind.TRIGGER,
                event -> event instanceof Event.Told answer && answer.outcomes().size() > 1);

        assertThat(HistoryChecker.check(history)).isEmpty();
        assertThat(told(forgetting(history, Set.of("0"))))
                .anyMatch(what -> what.startsWith("I7: expected: the fire has an outcome of every item"));
        assertThat(told(forgetting(history, Set.of("0", "1", "2", "3", "4", "5"))))
                .anyMatch(what -> what.startsWith("I7: expected: the fire has an outcome of every item"));
    }

    /** Returns the history as if the fires of triggers had not included these items. */
    private static List<Event> forgetting(List<Event> history, Set<String> items) {
        List<Event> changed = new ArrayList<>(history);
        changed.replaceAll(event -> {
            if (event instanceof Event.Told answer) {
                Map<String, String> outcomes = new TreeMap<>(answer.outcomes());
                outcomes.keySet().removeAll(items);
                return new Event.Told(answer.at(), answer.process(), answer.runId(), outcomes);
            }
            return event instanceof Event.Transaction transaction
                    ? rewritten(transaction, write -> write.path().contains("/fires/"), progress -> {
                        JsonObject outcomes = progress.getAsJsonObject("outcomes");
                        outcomes.keySet().removeAll(items);
                        JsonArray left = progress.getAsJsonArray("left");
                        items.forEach(item -> left.remove(new JsonPrimitive(item)));
                    })
                    : event;
        });
        return changed;
    }

    @Test
    void stoppedJobWithoutCauseBreaksI7() {
        assertThat(told(withHealth(null, Map.of("NO_PLAN", "no plan yet"))))
                .containsExactly("I7: expected: job " + JOB + " runs as configured according to "
                        + process(Event.Health.class) + ": NO_PLAN, no plan yet");
        assertThat(told(withHealth(null, Map.of("PAUSED", "paused by an operator"))))
                .hasSize(1);
        assertThat(told(withHealth(null, Map.of("QUARANTINED_ITEMS", "quarantined items 1"))))
                .hasSize(1);
        assertThat(told(withHealth(null, Map.of("STUCK_ITEMS", "items 1 still run"))))
                .hasSize(1);
    }

    @Test
    void unhealthyInstanceInTheCalmBreaksI7() {
        assertThat(told(withHealth("not connected", Map.of())))
                .containsExactly("I7: expected: " + process(Event.Health.class) + " is healthy: not connected");
    }

    @Test
    void missingDigestBreaksI7() {
        assertThat(told(withDigests(data -> null)))
                .containsExactly(
                        "I7: expected: " + process(Event.Health.class) + " has published its health: it has no digest");
    }

    @Test
    void digestThatDiffersFromHealthBreaksI7() {
        String reason = "{\"kind\":\"PAUSED\",\"text\":\"paused\",\"since\":\"2026-01-01T00:00:00Z\"}";
        assertThat(told(withDigests(data -> data.replace("\"jobs\":{", "\"jobs\":{\"unknown\":[" + reason + "],")
                        .replace("],}", "]}"))))
                .singleElement()
                .asString()
                .startsWith("I7: expected: the digest of " + process(Event.Health.class) + " has the reasons {");
    }

    /**
     * Returns the history with changed digests of the first instance. Digests for which the change returns null are
     * left out.
     */
    private static List<Event> withDigests(Function<String, @Nullable String> change) {
        String digest = HISTORY.stream()
                .filter(event -> event instanceof Event.Health)
                .map(event -> "/health/" + ((Event.Health) event).instance())
                .findFirst()
                .orElseThrow();
        List<Event> history = new ArrayList<>();
        for (Event event : HISTORY) {
            if (event instanceof Event.Transaction transaction
                    && !transaction.endsSession()
                    && transaction.writes().get(0).path().equals(digest)) {
                Write write = transaction.writes().get(0);
                String data = change.apply(
                        write instanceof Write.Created created ? created.data() : ((Write.Changed) write).data());
                if (data != null) {
                    history.add(new Event.Transaction(
                            transaction.zxid(),
                            transaction.at(),
                            transaction.session(),
                            false,
                            List.of(
                                    write instanceof Write.Created
                                            ? new Write.Created(digest, data, true)
                                            : new Write.Changed(digest, data))));
                }
            } else {
                history.add(event);
            }
        }
        return history;
    }

    @Test
    void hostedJobMissingInHealthBreaksI7() {
        assertThat(told(tampered(
                        event -> event instanceof Event.Health, event -> health((Event.Health) event, null, Map.of()))))
                .isNotEmpty()
                .allMatch(what -> what.startsWith(
                        "I7: expected: " + process(Event.Health.class) + " reports every job that it hosts: "));
    }

    /** Returns the process of the first event of a kind. This process depends on the seed. */
    private static String process(Class<? extends Event> kind) {
        Event first = HISTORY.stream().filter(kind::isInstance).findFirst().orElseThrow();
        return first instanceof Event.Health health ? health.process() : ((Event.Requests) first).process();
    }

    /** Returns the history with its first health report changed. */
    private static List<Event> withHealth(@Nullable String problem, Map<String, String> reasons) {
        return tampered(event -> event instanceof Event.Health, event -> {
            Event.Health first = (Event.Health) event;
            Map<String, Map<String, String>> jobs = new TreeMap<>(first.reasons());
            jobs.put(JOB, reasons);
            return health(first, problem, jobs);
        });
    }

    private static Event.Health health(
            Event.Health as, @Nullable String problem, Map<String, Map<String, String>> reasons) {
        return new Event.Health(as.at(), as.process(), as.instance(), problem, reasons, false);
    }

    @Test
    void commandsWithoutEffectAreFound() {
        String instance = ownerInTheCalm();
        String order =
                "{\"by\":\"a\",\"reason\":\"b\",\"at\":\"2026-01-01T00:00:00Z\",\"until\":\"2027-01-01T00:00:00Z\"}";
        String frozen = "{\"frozen\":" + order + ",\"drained\":{},\"requests\":[\"r\"]}";
        String drained = "{\"drained\":{\"" + instance + "\":" + order + "},\"requests\":[\"r\"]}";
        String nothing = "{\"drained\":{},\"requests\":[\"r\"]}";
        String past = drained.replace(instance, "nowhere").replace("2027", "2026");

        assertThat(commanded(new Write.Created("/orders", frozen, false)))
                .contains("commands: expected: no item starts while the namespace is frozen");
        assertThat(commanded(new Write.Created("/orders", drained, false)))
                .contains("commands: expected: no item starts in a drained instance");
        assertThat(commanded(new Write.Created("/orders", frozen, false), new Write.Changed("/orders", nothing)))
                .anyMatch(what -> what.startsWith(
                        "commands: expected: an order without a request to end it lasts until its time is over"));
        assertThat(commanded(new Write.Created("/orders", past, false)))
                .contains("commands: expected: the leader ends every order whose time is over");
        assertThat(commanded(new Write.Created("/stops/evict~" + instance, "{}", false)))
                .anyMatch(what -> what.startsWith("commands: expected: an evicted instance is gone"))
                .anyMatch(what -> what.startsWith("commands: expected: the leader deletes the evictions"));
    }

    @Test
    void skippedFireThatStartsBreaksI4() {
        assertThat(told(skipping("2026-01-01T01:00:00Z", event -> true)))
                .anyMatch(
                        what -> what.startsWith("I4: expected: no fire before Optional[2026-01-01T01:00:00Z] starts"));
    }

    @Test
    void planThatLosesASkipBreaksI4() {
        Event.Transaction plan =
                first(HISTORY, event -> event.toString().contains("/sharding, data={\"format\":4,\"total"));

        assertThat(told(skipping("2020-01-01T00:00:00Z", event -> event == plan)))
                .anyMatch(what -> what.startsWith("I4: expected: a plan of job")
                        && what.contains("skips no less than the one before"));
    }

    @Test
    void onlyChangedPlanMustNotContainAnEndedOverride() {
        Instant at = HISTORY.get(HISTORY.size() - 1).at();
        JsonObject until = new JsonObject();
        until.addProperty("until", at.plusSeconds(1).toString());
        JsonObject changes = new JsonObject();
        changes.add("shardingTotalCount", until);
        JsonObject override = new JsonObject();
        override.add("changes", changes);
        Write overridden = new Write.Created("/jobs/" + JOB + "/override", override.toString(), false);
        Predicate<Write> written = write -> true;
        Event.Transaction first =
                rewritten(lastPlan(HISTORY, at), written, json -> json.addProperty("overrideMzxid", Long.MAX_VALUE));
        Event.Transaction again = new Event.Transaction(2, at.plusSeconds(60), 0, false, first.writes());
        List<Event> history = new ArrayList<>(HISTORY);
        history.add(new Event.Transaction(Long.MAX_VALUE, at, 0, false, List.of(overridden)));
        history.add(first);
        history.add(again);

        assertThat(told(history)).noneMatch(what -> what.contains("ended change"));
        history.add(rewritten(again, written, json -> json.addProperty("fenceEpoch", 1)));
        assertThat(told(history))
                .anyMatch(what -> what.startsWith("overrides: expected: no plan of job " + JOB + " contains an ended"));
    }

    @Test
    void fireSkippedWithoutAnOperatorBreaksI4() {
        Event.Transaction claim = first(HISTORY, written("\"state\":\"RUNNING\""));
        JsonObject skipped = new JsonObject();
        skipped.addProperty("from", "2026-01-01T00:00:00Z");
        skipped.addProperty("to", "2026-01-01T00:00:00Z");
        skipped.addProperty("count", 1);
        skipped.addProperty("reason", "SKIPPED_BY_OPERATOR");
        JsonArray all = new JsonArray();
        all.add(skipped);

        assertThat(told(rewritten(HISTORY, claim, "skipped", json -> all)))
                .anyMatch(what -> what.startsWith("I4: expected: an operator has skipped Skipped"));
    }

    @Test
    void cursorThatWasNotInTheFutureIsNotSetBack() {
        Event.Transaction end = first(HISTORY, written("\"outcome\":\"SUCCEEDED\""));
        Write.Changed last = (Write.Changed) end.writes().stream()
                .filter(write ->
                        write instanceof Write.Changed && write.toString().contains("\"SUCCEEDED\""))
                .findFirst()
                .orElseThrow();
        JsonObject record = State.json(last.data());
        record.addProperty("cursor", "2025-12-31T23:00:00Z");
        record.add("setBack", new JsonObject());
        List<Event> history = new ArrayList<>(HISTORY);
        history.add(
                history.indexOf(end) + 1,
                new Event.Transaction(
                        end.zxid() + 1,
                        end.at(),
                        end.session(),
                        false,
                        List.of(new Write.Changed(last.path(), record.toString()))));

        assertThat(told(history))
                .anyMatch(what -> what.startsWith("I4: expected: a cursor is set back to the present"));
    }

    @Test
    void lastFiresOfReplacedScheduleAreSkippedWithoutAClaim() {
        String allowed = "I4: expected: an end decides only its own fire";
        String counted = "I4: expected: the record counts as skipped every fire that the cursor passes";
        String former = "I4: expected: only fires of a former schedule are skipped because it was replaced";

        assertThat(told(replaced("SCHEDULE_CHANGED", 0)))
                .noneMatch(what -> what.startsWith(allowed) || what.startsWith(counted) || what.startsWith(former));
        assertThat(told(replaced("SCHEDULE_CHANGED", 1))).anyMatch(what -> what.startsWith(former));
        assertThat(told(replaced("MISFIRED", 1))).anyMatch(what -> what.startsWith(counted));
        assertThat(told(replaced("PAUSED", 0))).anyMatch(what -> what.startsWith(allowed));
    }

    /**
     * Returns the history with two additions after the first successful run of a job. A one-time schedule in the past
     * replaces the schedule of the job, and an item then skips a fire.
     *
     * @param seconds time of the skipped fire, measured from the time of the plan
     */
    private static List<Event> replaced(String reason, int seconds) {
        String job = "/jobs/" + JOB + "/sharding";
        List<Event> history = new ArrayList<>(HISTORY);
        Event.Transaction end = first(
                HISTORY,
                event -> written("\"outcome\":\"SUCCEEDED\"").test(event)
                        && event.toString().contains(job + "/"));
        Write last = end.writes().stream()
                .filter(write -> write instanceof Write.Changed && write.path().startsWith(job + "/"))
                .findFirst()
                .orElseThrow();
        Instant at = end.at();
        JsonObject once = new JsonObject();
        once.addProperty("type", "once");
        once.addProperty("at", at.minusSeconds(60).toString());
        JsonObject record = State.json(((Write.Changed) last).data());
        String cursor = at.plusSeconds(seconds).toString();
        record.addProperty("cursor", cursor);
        JsonObject skipped = new JsonObject();
        skipped.addProperty("from", cursor);
        skipped.addProperty("to", cursor);
        skipped.addProperty("count", 1);
        skipped.addProperty("reason", reason);
        JsonArray all = new JsonArray();
        all.add(skipped);
        record.add("skipped", all);
        history.add(
                history.indexOf(end) + 1,
                rewritten(lastPlan(HISTORY, at), write -> write.path().endsWith("/sharding"), json -> {
                    json.add("schedule", once);
                    json.addProperty("since", at.plusMillis(1).toString());
                    json.addProperty("anchor", at.plusMillis(1).toString());
                }));
        history.add(
                history.indexOf(end) + 2,
                new Event.Transaction(
                        end.zxid() + 1,
                        at,
                        end.session(),
                        false,
                        List.of(new Write.Changed(last.path(), record.toString()))));
        return history;
    }

    /** Returns the history as if the plans in the matching transactions skipped fires up to the given time. */
    private static List<Event> skipping(String to, Predicate<Event> which) {
        List<Event> history = new ArrayList<>(HISTORY);
        history.replaceAll(event -> event instanceof Event.Transaction transaction && which.test(event)
                ? rewritten(
                        transaction,
                        write -> write.path().endsWith("/sharding"),
                        json -> json.addProperty("skipTo", to))
                : event);
        return history;
    }

    /** If a user strategy fails, the earlier plan stays in force, so a drained instance keeps its items of that job. */
    @Test
    void drainedInstanceKeepsItemsOfAFailingStrategyButGetsNone() {
        String instance = ownerInTheCalm();
        Write drain = new Write.Created(
                "/orders",
                "{\"drained\":{\"" + instance + "\":{\"by\":\"a\",\"reason\":\"b\"}},\"requests\":[\"r\"]}",
                false);
        List<Event> failing = new ArrayList<>(withCommands(drain));
        failing.replaceAll(event -> event instanceof Event.Transaction transaction
                ? rewritten(transaction, write -> write.path().endsWith("/config"), json -> json.asMap()
                        .computeIfPresent("shardingStrategy", (key, own) -> new JsonPrimitive("OWN")))
                : event);
        List<Event> moving = new ArrayList<>(failing);
        Event over = failing.stream()
                .filter(Event.Over.class::isInstance)
                .findFirst()
                .orElseThrow();
        for (String owner : List.of("elsewhere@1@1", instance)) {
            moving.add(
                    moving.indexOf(over),
                    rewritten(
                            lastPlan(failing, over.at()), write -> write.path().endsWith("/sharding"), json -> {
                                JsonObject items = new JsonObject();
                                items.addProperty(
                                        owner, "0-" + (json.get("total").getAsInt() - 1));
                                json.add("items", items);
                            }));
        }

        assertThat(told(failing)).noneMatch(what -> what.contains("drained"));
        assertThat(told(moving)).contains("commands: expected: no item moves to a drained instance");
    }

    /** Returns the last write of the first job's plan, with the given time. */
    private static Event.Transaction lastPlan(List<Event> history, Instant at) {
        String path = "/jobs/" + JOB + "/sharding";
        Write last = history.stream()
                .filter(Event.Transaction.class::isInstance)
                .flatMap(event -> ((Event.Transaction) event).writes().stream())
                .filter(write -> write instanceof Write.Changed && write.path().equals(path))
                .reduce((first, second) -> second)
                .orElseThrow();
        return new Event.Transaction(1, at, 0, false, List.of(last));
    }

    private static String ownerInTheCalm() {
        return HISTORY.subList(calm(HISTORY), HISTORY.size()).stream()
                .filter(Event.Began.class::isInstance)
                .map(event -> ((Event.Began) event).instance())
                .findFirst()
                .orElseThrow();
    }

    /**
     * Returns the violations that the checker finds if an operator makes these writes before the calm. Each write is a
     * transaction.
     */
    private static List<String> commanded(Write... writes) {
        return told(withCommands(writes));
    }

    private static List<Event> withCommands(Write... writes) {
        List<Event> history = new ArrayList<>(HISTORY);
        int calm = calm(history);
        Instant at = history.get(calm).at();
        for (int i = writes.length - 1; i >= 0; i--) {
            history.add(calm, new Event.Transaction(i + 1, at, 0, false, List.of(writes[i])));
        }
        history.add(calm, new Event.Undisturbed(at));
        return history;
    }

    @Test
    void lateFireInTheCalmBreaksI8() {
        Duration late = Duration.ofSeconds(5);
        List<Event> history = new ArrayList<>(HISTORY);
        history.replaceAll(event -> event instanceof Event.Transaction transaction && isAfterCalm(event)
                ? new Event.Transaction(
                        transaction.zxid(),
                        transaction.at().plus(late),
                        transaction.session(),
                        transaction.endsSession(),
                        transaction.writes())
                : event);

        assertThat(HistoryChecker.check(history))
                .extracting(Violation::invariant)
                .containsOnly("I8");
    }

    @Test
    void failureOfTheEngineBreaksI8() {
        List<Event> history = new ArrayList<>(HISTORY);
        history.add(
                1,
                new Event.Defect(
                        HISTORY.get(0).at(), "process-0", SCENARIO.jobs().get(0).jobName(), "why"));

        assertThat(HistoryChecker.check(history))
                .extracting(Violation::invariant)
                .containsExactly("I8");
    }

    @Test
    void lostDelayedTriggerBreaksI7() {
        Predicate<Event> comes = event -> event.toString().contains("Deleted[path=/delayed/");
        List<Event> history = with(Fault.Kind.TRIGGER_LATER, comes);
        Event.Transaction becomes = first(history, comes);
        List<Event> lost = new ArrayList<>(history);
        lost.set(
                history.indexOf(becomes),
                new Event.Transaction(
                        becomes.zxid(),
                        becomes.at(),
                        becomes.session(),
                        false,
                        becomes.writes().stream()
                                .filter(write -> !(write instanceof Write.Created))
                                .toList()));

        assertThat(HistoryChecker.check(history)).isEmpty();
        assertThat(told(lost))
                .anyMatch(what -> what.startsWith("I7: expected: a delayed trigger's request becomes a trigger"));
    }

    @Tag("slow")
    @Test
    void wrongPauseAfterARunBreaksI4() {
        Predicate<Event> pauses = written("\"currentDelay\":\"PT4S\"");
        List<Event> history = paced(Schedule.Continuous.class);
        Event.Transaction end = first(history, pauses);

        assertThat(HistoryChecker.check(history)).isEmpty();
        assertThat(told(rewritten(history, end, "currentDelay", old -> new JsonPrimitive("PT3S"))))
                .anyMatch(what -> what.startsWith("I4: expected: the next pause is one of [PT0S, PT4S]"));
    }

    @Tag("slow")
    @Test
    void fireDuringThePauseBreaksI4() {
        Predicate<Event> ended = written("\"outcome\":\"SUCCEEDED\"");
        List<Event> history = paced(Schedule.FixedDelay.class);
        List<Event.Transaction> ends = history.stream()
                .filter(event -> ended.test(event) && event.toString().contains("/jobs/paced/"))
                .map(Event.Transaction.class::cast)
                .limit(8)
                .toList();

        assertThat(HistoryChecker.check(history)).isEmpty();
        assertThat(ends)
                .flatMap(end -> told(rewritten(
                        history,
                        end,
                        "endedAt",
                        old -> new JsonPrimitive(end.at().plusMillis(1).toString()))))
                .contains("I4: expected: the claimed fire is the first that is not skipped");
    }

    private static List<Event> paced(Class<? extends Schedule> schedule) {
        return scheduled("paced", schedule);
    }

    /** Returns a valid history without faults in which the named job has a schedule of this type. */
    private static List<Event> scheduled(String name, Class<? extends Schedule> schedule) {
        return LongStream.range(0, 300)
                .mapToObj(Scenario::of)
                .filter(scenario -> scenario.jobs().stream()
                        .anyMatch(job -> job.jobName().equals(name) && schedule.isInstance(job.schedule())))
                .findFirst()
                .map(scenario -> Simulation.run(scenario.with(List.of())).history())
                .orElseThrow();
    }

    /** Returns a valid history with one fault in which a matching event occurs. The jobs have failover off. */
    private static List<Event> with(Fault.Kind kind, Predicate<Event> shows) {
        Scenario scenario = LongStream.range(0, 100)
                .mapToObj(Scenario::of)
                .filter(each -> each.jobs().stream().noneMatch(JobConfiguration::failover)
                        && !(each.jobs().get(0).schedule() instanceof Schedule.Bounded))
                .findFirst()
                .orElseThrow();
        return LongStream.range(0, 200)
                .mapToObj(seed -> new Fault(0, kind, Duration.ofSeconds(32), 0, seed))
                .map(fault -> Simulation.run(scenario.with(List.of(fault))).history())
                .filter(history -> history.stream().anyMatch(shows))
                .findFirst()
                .orElseThrow();
    }

    private static boolean triggered(Event event) {
        return !event.toString().contains("\"triggerZxid\":0");
    }

    private static boolean ofRate(Event event) {
        return event.toString().contains("/jobs/rate/");
    }

    /** Returns the history with one value changed in each record or plan that a transaction writes. */
    private static List<Event> rewritten(
            List<Event> history, Event.Transaction which, String field, Function<JsonObject, JsonElement> value) {
        List<Event> changed = new ArrayList<>(history);
        changed.set(
                history.indexOf(which),
                rewritten(
                        which,
                        write -> write instanceof Write.Changed && write.path().contains("/sharding"),
                        json -> {
                            if (json.has(field)) {
                                json.add(field, value.apply(json));
                            }
                        }));
        return changed;
    }

    private static Event.Transaction rewritten(
            Event.Transaction transaction, Predicate<Write> which, Consumer<JsonObject> change) {
        return new Event.Transaction(
                transaction.zxid(),
                transaction.at(),
                transaction.session(),
                transaction.endsSession(),
                transaction.writes().stream()
                        .map(write -> which.test(write) ? rewritten(write, change) : write)
                        .toList());
    }

    private static Write rewritten(Write write, Consumer<JsonObject> change) {
        if (write instanceof Write.Changed changed) {
            JsonObject json = State.json(changed.data());
            change.accept(json);
            return new Write.Changed(changed.path(), json.toString());
        }
        if (write instanceof Write.Created created && !created.data().isEmpty()) {
            JsonObject json = State.json(created.data());
            change.accept(json);
            return new Write.Created(created.path(), json.toString(), created.ephemeral());
        }
        return write;
    }

    /** Returns a session that is not the given session. */
    private static long another(long session) {
        return HISTORY.stream()
                .filter(event -> event instanceof Event.Transaction transaction
                        && transaction.session() != session
                        && transaction.toString().contains("Created[path=/instances/"))
                .mapToLong(event -> ((Event.Transaction) event).session())
                .findFirst()
                .orElseThrow();
    }

    private static Event firstRequests(Event.Requests of) {
        return HISTORY.stream()
                .filter(event -> event instanceof Event.Requests requests
                        && requests.process().equals(of.process()))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isAfterCalm(Event event) {
        return HISTORY.indexOf(event)
                > HISTORY.stream()
                        .takeWhile(each -> !(each instanceof Event.Calm))
                        .count();
    }

    private static boolean claimsOrEnds(Event event) {
        return event instanceof Event.Transaction transaction
                && transaction.writes().stream().anyMatch(write -> write.path().endsWith("/running"));
    }

    /** Matches a transaction that writes this text into a record. */
    private static Predicate<Event> written(String text) {
        return event -> event instanceof Event.Transaction transaction
                && transaction.writes().stream()
                        .anyMatch(write -> write instanceof Write.Changed changed
                                && changed.path().contains("/sharding/")
                                && changed.data().contains(text));
    }

    private static Write changed(Write write, String text, String other) {
        return write instanceof Write.Changed changed
                ? new Write.Changed(changed.path(), changed.data().replace(text, other))
                : write;
    }

    private static Event.Transaction first(List<Event> history, Predicate<Event> which) {
        return history.stream()
                .filter(Event.Transaction.class::isInstance)
                .filter(which)
                .map(Event.Transaction.class::cast)
                .findFirst()
                .orElseThrow();
    }

    private static List<String> told(List<Event> history) {
        return HistoryChecker.check(history).stream()
                .map(violation ->
                        violation.invariant() + ": " + violation.what().replaceAll(": \\{.*", ""))
                .toList();
    }

    /** Returns the history with the first matching event changed. */
    private static List<Event> tampered(Predicate<Event> which, UnaryOperator<Event> change) {
        List<Event> history = new ArrayList<>(HISTORY);
        Event first = history.stream().filter(which).findFirst().orElseThrow();
        history.set(history.indexOf(first), change.apply(first));
        return history;
    }

    /** Returns the history without the first matching event. */
    private static List<Event> without(Predicate<Event> which) {
        List<Event> history = new ArrayList<>(HISTORY);
        history.remove(history.stream().filter(which).findFirst().orElseThrow());
        return history;
    }

    private static Violation only(List<Event> history) {
        List<Violation> found = HistoryChecker.check(history);
        assertThat(found).isNotEmpty();
        return found.get(0);
    }

    private static Scenario toldOnce(Scenario scenario) {
        return with(scenario, job -> job.toBuilder()
                .labels(job.jobName().equals("paced") ? Map.of() : Event.TOLD_ONCE)
                .build());
    }

    private static Scenario tasked(Scenario scenario) {
        return with(
                scenario,
                job -> job.jobName().equals("rate")
                        ? job.toBuilder().description("with tasks").build()
                        : job);
    }

    private static Scenario heard(Scenario scenario) {
        return with(scenario, job -> job.toBuilder().jobParameter(Event.HEARD).build());
    }

    /** Returns the scenario without faults, with jobs that record nothing about their runs. */
    private static Scenario plain(Scenario scenario) {
        return with(scenario.with(List.of()), job -> job.toBuilder()
                .retry(RetryPolicy.none())
                .timeout(null)
                .concurrency(0)
                .quarantineAfter(0)
                .overlap(OverlapPolicy.skip())
                .jobParameter("")
                .description("")
                .labels(Map.of())
                .build());
    }

    private static Scenario with(Scenario scenario, UnaryOperator<JobConfiguration> change) {
        return new Scenario(
                scenario.seed(),
                scenario.instances(),
                scenario.drainDeadline(),
                scenario.skews(),
                scenario.latencies(),
                scenario.jobs().stream().map(change).toList(),
                scenario.faults());
    }
}
