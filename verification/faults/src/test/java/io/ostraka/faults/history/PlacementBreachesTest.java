package io.ostraka.faults.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.faults.simulation.Fault;
import io.ostraka.faults.simulation.Scenario;
import io.ostraka.faults.simulation.Simulation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that a valid history keeps all placement limits and that the checker reports each breach. */
class PlacementBreachesTest {
    /** Matches a host that an item waits for, followed by the end of the grace. */
    private static final Pattern WAITS_UNTIL = Pattern.compile("\"awaited\":\\{\"host-\\d+ 20");

    private static final Scenario SCENARIO = Scenario.of(2);

    private static List<Event> history(List<Fault> faults, JobConfiguration.Builder... jobs) {
        return history(SCENARIO.seed(), faults, jobs);
    }

    /**
     * Returns the first history that meets a condition. Tries many seeds, because not every seed leads to such a
     * history.
     */
    private static List<Event> historyWhere(
            Predicate<List<Event>> happens, List<Fault> faults, JobConfiguration.Builder... jobs) {
        return LongStream.range(0, 100)
                .mapToObj(seed -> history(seed, faults, jobs))
                .filter(happens)
                .findFirst()
                .orElseThrow();
    }

    private static List<Event> history(long seed, List<Fault> faults, JobConfiguration.Builder... jobs) {
        List<JobConfiguration> all = new ArrayList<>();
        for (JobConfiguration.Builder job : jobs) {
            all.add(job.schedule(Schedule.fixedRate(Duration.ofSeconds(5))).build());
        }
        List<Event> history = Simulation.run(new Scenario(
                        seed,
                        SCENARIO.instances(),
                        SCENARIO.drainDeadline(),
                        SCENARIO.skews(),
                        SCENARIO.latencies(),
                        all,
                        faults))
                .history();
        assertThat(HistoryChecker.check(history)).isEmpty();
        return history;
    }

    private static JobConfiguration.Builder rate(int items) {
        return JobConfiguration.newBuilder("rate", items);
    }

    /** Returns the history with the content of a node changed in all its writes. */
    private static List<Event> edited(List<Event> history, String path, Consumer<JsonObject> change) {
        return history.stream()
                .map(event ->
                        event instanceof Event.Transaction transaction ? edited(transaction, path, change) : event)
                .toList();
    }

    private static Event edited(Event.Transaction transaction, String path, Consumer<JsonObject> change) {
        return new Event.Transaction(
                transaction.zxid(),
                transaction.at(),
                transaction.session(),
                transaction.endsSession(),
                transaction.writes().stream()
                        .map(write -> write.path().equals(path) ? edited(write, change) : write)
                        .toList());
    }

    private static Write edited(Write write, Consumer<JsonObject> change) {
        if (write instanceof Write.Created created && !created.data().isEmpty()) {
            return new Write.Created(created.path(), edited(created.data(), change), created.ephemeral());
        }
        return write instanceof Write.Changed changed && !changed.data().isEmpty()
                ? new Write.Changed(changed.path(), edited(changed.data(), change))
                : write;
    }

    private static String edited(String data, Consumer<JsonObject> change) {
        JsonObject json = State.json(data);
        change.accept(json);
        return json.toString();
    }

    private static List<String> told(List<Event> history) {
        return HistoryChecker.check(history).stream()
                .map(violation ->
                        violation.invariant() + ": " + violation.what().replaceAll(": \\{.*", ""))
                .toList();
    }

    private static List<String> asked(List<Event> history, String job, String field, Object value) {
        return told(edited(history, "/jobs/" + job + "/config", definition -> {
            if (value instanceof Boolean flag) {
                definition.addProperty(field, flag);
            } else if (value instanceof Integer number) {
                definition.addProperty(field, number);
            } else {
                definition.addProperty(field, value.toString());
            }
        }));
    }

    @Tag("slow")
    @Test
    void findsItemsOnIneligibleInstances() {
        List<Fault> joins = IntStream.range(
                        0, 3) // user code kills its process now and then, so some instances must join
                .mapToObj(i -> new Fault(i, Fault.Kind.JOIN, Duration.ofSeconds(114 + i), 0, i))
                .toList();
        List<Event> history =
                historyWhere(each -> !givers(each).isEmpty(), joins, rate(6), JobConfiguration.newBuilder("shy", 2));

        assertThat(asked(history, "rate", "requiredInstances", "!(disk=ssd | host=host-1)"))
                .contains("I5: expected: an instance that gets an item matches the job's requirement");
        assertThat(asked(
                        history,
                        "rate",
                        "preferredInstances",
                        "host=" + givers(history).iterator().next()))
                .contains("I5: expected: no item leaves a preferred instance for one that is not");
        List<Event> lonely = history(joins, rate(1));
        assertThat(asked(lonely, "rate", "preferredInstances", "!host=" + Eligible.host(owner(lonely))))
                .anyMatch(what -> what.startsWith("I5: expected: in job rate items are on preferred instances"));
        assertThat(asked(history, "rate", "maxItemsPerInstance", 1))
                .contains("I5: expected: an instance owns at most 1 items of job rate");
        for (String job : List.of("shy", "rate")) {
            String other = job.equals("shy") ? "rate" : "shy";
            // fails unless a seed leads to one of them; the first is found while items are assigned, the other at the
            // end
            historyWhere(
                    each -> asked(each, job, "antiAffinity", other).stream()
                            .anyMatch(what -> what.contains("to keep apart from")
                                    || what.startsWith(
                                            "I5: expected: in job " + job + " only eligible instances own items")),
                    List.of(joins.get(0)),
                    rate(6),
                    JobConfiguration.newBuilder("shy", 1));
        }
    }

    @Tag("slow")
    @Test
    void findsUnplacedItemWithoutAReason() {
        List<Event> history = historyWhere(each -> !last(each).whole(), List.of(), rate(6).maxItemsPerInstance(1));

        assertThat(told(edited(history, "/jobs/rate/sharding", plan -> plan.remove("grounds"))))
                .anyMatch(what ->
                        what.startsWith("I5: expected: in job rate the plan has a reason for each unplaced item"));
        assertThat(asked(history, "rate", "maxItemsPerInstance", 2))
                .anyMatch(what -> what.startsWith(
                        "I5: expected: in job rate no item is unplaced while an instance has capacity"));
        List<Event> untold = history.stream()
                .map(event -> event instanceof Event.Health health
                        ? new Event.Health(
                                health.at(),
                                health.process(),
                                health.instance(),
                                health.problem(),
                                Map.of("rate", Map.of()),
                                false)
                        : event)
                .toList();
        assertThat(told(untold)).anyMatch(what -> what.contains("reports the unplaced items of job rate"));
    }

    @Test
    void findsStaticItemThatMoves() {
        Fault join = new Fault(0, Fault.Kind.JOIN, Duration.ofSeconds(32), 0, 1);
        List<Event> history = history(List.of(join), rate(6));

        assertThat(asked(history, "rate", "staticSharding", true))
                .anyMatch(what -> what.startsWith("I5: expected: a static item is on its host"));
    }

    @Test
    void findsItemThatWaitsForNoInstanceOrTooLong() {
        List<Event> history = historyWhere(
                PlacementBreachesTest::waits,
                List.of(new Fault(0, Fault.Kind.CLOSE, Duration.ofSeconds(32), 0, 1)),
                rate(6).restartGrace(Duration.ofSeconds(35)));

        assertThat(told(impatient(history))).anyMatch(what -> what.startsWith("I5: expected: an item waits for host-"));
        assertThat(asked(history, "rate", "restartGrace", "PT1S"))
                .contains("I5: expected: no item waits longer than the grace");
        assertThat(told(edited(history, "/jobs/rate/sharding", PlacementBreachesTest::hostOfAnother)))
                .contains("I5: expected: only the items of an ended instance wait for its restart");
    }

    private static boolean waits(List<Event> history) {
        return history.stream()
                .map(Event::toString)
                .anyMatch(text -> WAITS_UNTIL.matcher(text).find() && text.contains("\"items\":{\"host-"));
    }

    /** Returns the hosts of the instances that lost an item to another instance and kept other items. */
    private static Set<String> givers(List<Event> history) {
        Set<String> all = new TreeSet<>();
        State state = new State();
        for (Event event : history) {
            if (event instanceof Event.Transaction transaction) {
                WrittenPlan before = state.plan("rate");
                state.take(transaction, state.moves(transaction));
                WrittenPlan after = state.plan("rate");
                if (before != null && after != null && before.total == after.total) {
                    before.owners.forEach((item, from) -> {
                        boolean given = !after.owners.getOrDefault(item, from).equals(from);
                        if (given && after.owners.containsValue(from)) {
                            all.add(Eligible.host(from));
                        }
                    });
                }
            }
        }
        return all;
    }

    /** Returns an owner in the plan at the end of the calm. */
    private static String owner(List<Event> history) {
        return last(history).owners.values().iterator().next();
    }

    /** Returns the plan at the end of the calm, before the first instance leaves. */
    private static WrittenPlan last(List<Event> history) {
        State state = new State();
        for (Event event : history) {
            if (event instanceof Event.Over) {
                break;
            } else if (event instanceof Event.Transaction transaction) {
                state.take(transaction, state.moves(transaction));
            }
        }
        return Objects.requireNonNull(state.plan("rate"));
    }

    /** Returns the history as if the leader had assigned waiting items to a different owner. */
    private static List<Event> impatient(List<Event> history) {
        boolean[] waited = {false};
        return edited(history, "/jobs/rate/sharding", plan -> {
            JsonObject grounds = plan.getAsJsonObject("grounds");
            if (grounds == null || !grounds.has("awaited")) {
                return;
            }
            if (waited[0]) {
                JsonObject items = plan.getAsJsonObject("items");
                if (items.isEmpty()) {
                    return;
                }
                String other = items.keySet().iterator().next();
                grounds.remove("awaited")
                        .getAsJsonObject()
                        .asMap()
                        .values()
                        .forEach(range ->
                                items.addProperty(other, items.get(other).getAsString() + "," + range.getAsString()));
            }
            waited[0] = true;
        });
    }

    private static void hostOfAnother(JsonObject plan) {
        if (plan.has("grounds") && plan.getAsJsonObject("grounds").has("awaited")) {
            JsonObject awaited = plan.getAsJsonObject("grounds").getAsJsonObject("awaited");
            JsonObject changed = new JsonObject();
            awaited.asMap()
                    .forEach((wait, items) -> changed.add("elsewhere" + wait.substring(wait.indexOf(' ')), items));
            plan.getAsJsonObject("grounds").add("awaited", changed);
        }
    }

    @Test
    void compressedPlanEqualsThePlainOne() throws IOException {
        List<Event> history = history(List.of(), rate(6).maxItemsPerInstance(1));
        JsonObject plain = history.stream()
                .filter(event -> event instanceof Event.Transaction)
                .flatMap(event -> ((Event.Transaction) event).writes().stream())
                .filter(write -> write.path().equals("/jobs/rate/sharding"))
                .map(write -> State.json(
                        write instanceof Write.Created created ? created.data() : ((Write.Changed) write).data()))
                .filter(plan -> plan.has("grounds"))
                .findFirst()
                .orElseThrow();
        JsonObject placed = new JsonObject();
        placed.add("items", plain.get("items"));
        placed.add("grounds", plain.get("grounds"));
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(placed.toString().getBytes(StandardCharsets.UTF_8));
        }
        JsonObject packed = plain.deepCopy();
        packed.add("items", new JsonObject());
        packed.remove("grounds");
        packed.addProperty("itemsGzip", Base64.getEncoder().encodeToString(bytes.toByteArray()));

        WrittenPlan read = new WrittenPlan(packed);
        assertThat(read.owners).isNotEmpty().isEqualTo(new WrittenPlan(plain).owners);
        assertThat(read.unplaced()).isNotEmpty().isEqualTo(new WrittenPlan(plain).unplaced());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "disk; true",
                "!disk; false",
                "disk=ssd & zone=a; true",
                "disk=ssd & !zone; false",
                "host=host-1 | disk=\"a disk\" | rack=\"row 3\"; true",
                "!(host=host-0 & (zone=b | disk)); false",
                "gpu | disk & zone=b; false",
                "!!gpu; false",
            })
    void expressionMatchesItsInstances(String text, boolean matches) {
        JsonObject self =
                State.json("{\"host\":\"host-0\",\"zone\":\"a\",\"tags\":{\"disk\":\"ssd\",\"rack\":\"row 3\"}}");

        assertThat(InstanceExpression.matches(text, self)).isEqualTo(matches);
    }
}
