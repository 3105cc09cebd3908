package io.ostraka.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Measures the number of executions per second when one instance executes all items of a job again and again, each time
 * at the end of the previous execution. For comparison, measures the number of single writes per second that the server
 * accepts from one client.
 *
 * @param triggered true if the caller triggers each execution of this library when it learns that the previous
 *     execution has ended. Other schedulers do not report this end; with them, the code of an execution always triggers
 *     the next execution at its own end
 * @param items item counts of the job, measured one after the other
 * @param warmUp duration of the warm-up before the measurement
 * @param length duration of the measurement
 */
record BackToBack(boolean triggered, List<Integer> items, Duration warmUp, Duration length) implements Scenario {
    /** Smallest accepted ratio of this library's executions to ElasticJob's, by item count of the job. */
    private static final Map<Integer, Integer> TIMES_AS_MANY = Map.of(1, 8, 10, 20, 100, 40);

    /** Smallest accepted ratio of this library's executions to ElasticJob's, for triggered executions of one item. */
    private static final int TIMES_TRIGGERED = 8;

    /** Smallest accepted ratio of executions with a history to executions without one. */
    private static final double WITH_HISTORY = 0.95;

    private static final List<Entrant> COUNTED_TRIGGERED = List.of(Entrant.OSTRAKA, Entrant.SAFE, Entrant.QUARTZ);
    private static final List<Entrant> COUNTED =
            List.of(Entrant.OSTRAKA, Entrant.HISTORY, Entrant.SAFE, Entrant.QUARTZ);

    private static final String WRITES = "single writes a second, pipelined";
    private static final int UNDER_WAY = 200;

    @Override
    public String name() {
        return triggered ? "triggered-back-to-back" : "back-to-back";
    }

    @Override
    public String title() {
        return triggered ? "One triggered execution after the other" : "One execution after the other";
    }

    @Override
    public boolean takes(Entrant entrant) {
        return !triggered || Entrant.SCHEDULERS.contains(entrant);
    }

    @Override
    public void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException {
        if (!entrant.schedules()) {
            double writes = writes(stage);
            into.add(entrant, WRITES, writes);
            stage.say(entrant, "%.0f single writes a second", writes);
            return;
        }
        for (int each : items) {
            try (Race race = stage.start(
                    entrant,
                    1,
                    each,
                    triggered && entrant == Entrant.OSTRAKA ? Contender.TRIGGERED : Contender.BACK_TO_BACK)) {
                race.begin();
                race.started();
                Stage.sleep(warmUp, 1);
                long begun = System.nanoTime();
                long runs = race.runs();
                long until = runs + each;
                long now = runs;
                while (now < until) { // repeats only on a very busy machine
                    Stage.sleep(length, 1);
                    now = race.runs();
                }
                double executions = (now - runs) / (double) each / ((System.nanoTime() - begun) / 1e9);
                into.add(entrant, executions(each), executions);
                stage.say(entrant, "%d items: %.1f executions a second", each, executions);
            }
        }
    }

    private double writes(Stage stage) {
        try (RawCurator raw = new RawCurator(stage.server().servers())) {
            return raw.writesASecond("/" + stage.namespace(), UNDER_WAY, length);
        } catch (Exception e) {
            throw new IllegalStateException("raw writes", e);
        }
    }

    @Override
    public List<Bound> bounds(Results results) {
        List<Bound> bounds = new ArrayList<>();
        for (int each : items) {
            int times = triggered ? TIMES_TRIGGERED : TIMES_AS_MANY.getOrDefault(each, 1);
            bounds.add(Bound.atLeast(
                    executions(each) + ": " + times + " times ElasticJob's",
                    results.of(Entrant.OSTRAKA, executions(each)),
                    times * results.of(Entrant.SAFE, executions(each))));
            if (!triggered) {
                bounds.add(Bound.atLeast(
                        executions(each) + ": at most 5 % fewer with a history",
                        results.of(Entrant.HISTORY, executions(each)),
                        WITH_HISTORY * results.of(Entrant.OSTRAKA, executions(each))));
            }
        }
        return bounds;
    }

    @Override
    public List<Bound> promises(Results results) {
        List<Bound> promises = new ArrayList<>();
        for (int each : items) {
            for (Entrant entrant : triggered ? COUNTED_TRIGGERED : COUNTED) {
                promises.add(Bound.atLeast(
                        entrant.text() + ", " + executions(each) + ": any at all",
                        results.of(entrant, executions(each)),
                        Double.MIN_NORMAL));
            }
        }
        return promises;
    }

    private String executions(int items) {
        return (triggered ? "triggered " : "") + "executions a second, items: " + items;
    }
}
