package io.ostraka.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Checks that a process of this library with a small heap can start many jobs and run all their fires. Each job has one
 * item.
 *
 * @param jobs number of jobs
 * @param megabytes size of the heap
 * @param period time between the fires of a job; all jobs fire at the same times
 * @param fires number of measured fires of each job, after all jobs have run once
 */
record SmallHeap(int jobs, int megabytes, Duration period, int fires) implements Scenario {
    private static final double LATE = 0.95;
    private static final double MIB = 1 << 20;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String title() {
        return jobs + " jobs within " + megabytes + " MiB of heap";
    }

    @Override
    public boolean takes(Entrant entrant) {
        return entrant == Entrant.OSTRAKA;
    }

    @Override
    public void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException {
        var load = new UniformLoad(stage.server().servers(), stage.namespace(), jobs, 1, Stage.cron(period));
        try (Race race = stage.startWithin(megabytes + "m", load)) {
            race.begin();
            double scheduled = race.scheduled() / 1000.0;
            race.started();
            Stage.waitUntil(LATE, period);
            race.note();
            Stage.sleep(period, fires);
            Noted noted = race.noted();
            double heap = race.heap() / MIB;
            into.add(entrant, ran(), noted.fires(period));
            into.add(entrant, again(), noted.runs().size() - noted.fires(period));
            into.add(entrant, row("scheduled after, s"), scheduled);
            into.add(entrant, row("heap after collection, MiB"), heap);
            stage.say(
                    entrant,
                    "%d jobs within %d MiB: scheduled in %.1f s, %d of %d fires ran; %.1f MiB after collection",
                    jobs,
                    megabytes,
                    scheduled,
                    noted.fires(period),
                    jobs * fires,
                    heap);
        }
    }

    @Override
    public List<Bound> bounds(Results results) {
        return List.of(
                Bound.exactly(ran() + ": none missed", results.of(Entrant.OSTRAKA, ran()), jobs * fires),
                Bound.exactly(again(), results.of(Entrant.OSTRAKA, again()), 0));
    }

    @Override
    public List<Bound> promises(Results results) {
        // no upper limit, because a run that is late by a whole period counts as a run of the next fire
        return List.of(Bound.atLeast(ran(), results.of(Entrant.OSTRAKA, ran()), 1));
    }

    private String ran() {
        return row("fires that ran of " + jobs * fires);
    }

    private String again() {
        return row("fires that ran twice");
    }

    private String row(String text) {
        return jobs + " jobs within " + megabytes + " MiB: " + text;
    }
}
