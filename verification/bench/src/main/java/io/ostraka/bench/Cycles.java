package io.ostraka.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Checks that removed jobs leave only their tombstones behind, and that purged tombstones leave nothing behind.
 *
 * @param jobs number of jobs that are created and removed, each with its own name
 * @param atOnce number of jobs that exist at the same time
 */
record Cycles(int jobs, int atOnce) implements Scenario {
    /** Number of nodes of a tombstone: configuration, plan, record, and their parents. */
    private static final int NODES_A_TOMBSTONE = 7;
    /**
     * Number of watches of a tombstone. The leader keeps two, because it must plan the job if the job is registered
     * again. The server counts each watch twice.
     */
    private static final int WATCHES_A_TOMBSTONE = 2 * 2;
    /**
     * Accepted growth of the heap, in MiB. The heap grows a little because pools and buffers keep the largest size that
     * they have needed.
     */
    private static final double NOISE_MIB = 4;
    /**
     * Accepted number of additional threads. Idle pool threads end only after a minute; a leak of one thread per job
     * would be 50 threads or more.
     */
    private static final int NOISE_THREADS = 16;

    /** Maximum number of seconds to wait for the heap to shrink. */
    private static final int PATIENCE = 30;

    private static final double MIB = 1 << 20;
    private static final String HEAP = "heap after collection, MiB";
    private static final String THREADS = "threads";
    /** Time after which a leader has set all watches that do not belong to a job. */
    private static final Duration LEADING = Duration.ofSeconds(15);

    private static final String WATCHES = "watches, as the server counts";
    private static final String NODES = "nodes";

    /** The moments of the measurements. */
    private enum When {
        BEFORE("before"),
        REMOVED("once removed"),
        PURGED("once purged");

        final String text;

        When(String text) {
            this.text = text;
        }
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String title() {
        return jobs + " jobs created and removed";
    }

    @Override
    public boolean takes(Entrant entrant) {
        return entrant == Entrant.OSTRAKA;
    }

    @Override
    public void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException {
        var load = new UniformLoad(stage.server().servers(), stage.namespace(), 1, 1, Contender.ON_DEMAND);
        try (Race race = stage.start(entrant, load, 0)) {
            race.begin();
            race.scheduled();
            // warm-up: these jobs make the JVM load classes, compile code and fill pools; job 0 is not removed
            race.comeAndGo(1, 1 + atOnce);
            race.purge(1, 1 + atOnce);
            // a leader begins to watch the instances' health ten seconds after its election, and never stops
            Stage.sleep(LEADING, 1);
            look(stage, race, When.BEFORE, into);
            int first = 1 + atOnce;
            for (int job = first; job < first + jobs; job += atOnce) {
                race.comeAndGo(job, Math.min(job + atOnce, first + jobs));
            }
            look(stage, race, When.REMOVED, into);
            race.purge(first, first + jobs);
            double heap = into.of(entrant, row(HEAP, When.BEFORE)) + NOISE_MIB;
            double watches = into.of(entrant, row(WATCHES, When.BEFORE));
            // timers and queues may still refer to removed jobs, and a step of the leader may still watch a node
            for (int wait = 0;
                    wait < PATIENCE
                            && (race.heap() / MIB > heap || stage.server().watches() > watches);
                    wait++) {
                Stage.sleep(Duration.ofSeconds(1), 1);
            }
            look(stage, race, When.PURGED, into);
        }
    }

    private void look(Stage stage, Race race, When when, Results into) throws IOException {
        into.add(Entrant.OSTRAKA, row(THREADS, when), race.threads());
        into.add(Entrant.OSTRAKA, row(WATCHES, when), stage.server().watches());
        into.add(Entrant.OSTRAKA, row(NODES, when), stage.server().nodes());
        into.add(Entrant.OSTRAKA, row(HEAP, when), race.heap() / MIB);
        ToDoubleFunction<String> got = what -> into.of(Entrant.OSTRAKA, row(what, when));
        stage.say(
                Entrant.OSTRAKA,
                "%d jobs %s: heap %.1f MiB, %.0f threads, %.0f watches, %.0f nodes",
                jobs,
                when.text,
                got.applyAsDouble(HEAP),
                got.applyAsDouble(THREADS),
                got.applyAsDouble(WATCHES),
                got.applyAsDouble(NODES));
    }

    @Override
    public List<Bound> bounds(Results results) {
        return promises(results);
    }

    @Override
    public List<Bound> promises(Results results) {
        return List.of(
                same(results, THREADS, When.REMOVED, NOISE_THREADS),
                same(results, THREADS, When.PURGED, NOISE_THREADS),
                same(results, WATCHES, When.REMOVED, (double) WATCHES_A_TOMBSTONE * jobs),
                same(results, WATCHES, When.PURGED, 0),
                same(results, HEAP, When.PURGED, NOISE_MIB),
                counted(results, When.REMOVED, (double) NODES_A_TOMBSTONE * jobs),
                counted(results, When.PURGED, 0));
    }

    /**
     * Returns the bound that the number of nodes has grown by exactly {@code more} since the moment
     * {@link When#BEFORE}.
     */
    private Bound counted(Results results, When when, double more) {
        return Bound.exactly(
                row(NODES, when) + ": as before, and " + Table.number(more),
                results.of(Entrant.OSTRAKA, row(NODES, when)),
                results.of(Entrant.OSTRAKA, row(NODES, When.BEFORE)) + more);
    }

    /** Returns the bound that a value has grown by at most {@code more} since the moment {@link When#BEFORE}. */
    private Bound same(Results results, String what, When when, double more) {
        return Bound.atMost(
                row(what, when) + ": as before, and " + Table.number(more),
                results.of(Entrant.OSTRAKA, row(what, when)),
                results.of(Entrant.OSTRAKA, row(what, When.BEFORE)) + more);
    }

    private String row(String what, When when) {
        return jobs + " jobs that came and went, " + when.text + ": " + what;
    }
}
