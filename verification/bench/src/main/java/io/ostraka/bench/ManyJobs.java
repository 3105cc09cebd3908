package io.ostraka.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Measures the delay of many jobs that fire at the same times in one process, and checks that all fires run. Each job
 * has one item.
 *
 * @param entrants participants that are expected to handle so many jobs
 * @param jobs number of jobs
 * @param period time between the fires of a job
 * @param warmUp number of fires of each job before the measurement, after all jobs have run once
 * @param fires number of measured fires of each job
 */
record ManyJobs(Set<Entrant> entrants, int jobs, Duration period, int warmUp, int fires) implements Scenario {
    /**
     * Part of a period that has passed since a fire when the measurement begins. By then, the runs of this fire should
     * have begun. A run that begins even later is counted as a measured one.
     */
    private static final double LATE = 0.95;

    /** Returns the scenario with every entrant that schedules jobs. */
    static ManyJobs ofAll(int jobs, Duration period, int fires) {
        return new ManyJobs(Entrant.SCHEDULERS, jobs, period, 0, fires);
    }

    @Override
    public String name() {
        return "many";
    }

    @Override
    public String title() {
        return jobs + " jobs that fire every " + period.toSeconds() + " s, all at once";
    }

    @Override
    public boolean takes(Entrant entrant) {
        return entrants.contains(entrant);
    }

    @Override
    public void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException {
        try (Race race = stage.start(entrant, jobs, 1, Stage.cron(period))) {
            race.begin();
            double scheduled = race.scheduled() / 1000.0;
            race.started();
            Stage.waitUntil(LATE, period);
            Stage.sleep(period, warmUp);
            race.note();
            Stage.sleep(period, fires);
            Noted noted = race.noted();
            double delay = Results.median(noted.delays(period));
            int ran = noted.fires(period);
            into.add(entrant, scheduled(), scheduled);
            into.add(entrant, delay(), delay);
            into.add(entrant, ran(), ran);
            into.add(entrant, again(), noted.runs().size() - ran);
            stage.say(
                    entrant,
                    "%d jobs every %d s: scheduled in %.1f s, %d of %d fires ran, delay p50 %.0f ms",
                    jobs,
                    period.toSeconds(),
                    scheduled,
                    ran,
                    jobs * fires,
                    delay);
        }
    }

    @Override
    public List<Bound> bounds(Results results) {
        List<Bound> bounds = new ArrayList<>();
        if (!entrants.contains(Entrant.OSTRAKA)) {
            return bounds;
        }
        bounds.add(Bound.exactly(ran() + ": none missed", results.of(Entrant.OSTRAKA, ran()), jobs * fires));
        bounds.add(Bound.exactly(again(), results.of(Entrant.OSTRAKA, again()), 0));
        if (entrants.contains(Entrant.QUARTZ)) {
            bounds.add(Bound.atMost(
                    delay() + ": 1.5 of Quartz alone",
                    results.of(Entrant.OSTRAKA, delay()),
                    1.5 * results.of(Entrant.QUARTZ, delay())));
        }
        return bounds;
    }

    @Override
    public List<Bound> promises(Results results) {
        // no upper limit, because a run that is late by a whole period counts as a run of the next fire
        return entrants.stream()
                .filter(entrant -> entrant != Entrant.FAST)
                .map(entrant -> Bound.atLeast(entrant.text() + ", " + ran(), results.of(entrant, ran()), 1))
                .toList();
    }

    private String scheduled() {
        return jobs + " jobs that fire: scheduled after, s";
    }

    private String delay() {
        return jobs + " jobs at once: start delay p50, ms";
    }

    private String ran() {
        return jobs + " jobs at once: fires that ran of " + jobs * fires;
    }

    private String again() {
        return jobs + " jobs at once: fires that ran twice";
    }
}
