package io.ostraka.bench;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * Measures the time in which an instance schedules many idle jobs of one item each, the resources that it then uses,
 * and the time that its shutdown takes after a signal.
 *
 * @param entrants the participants
 * @param jobs number of jobs
 */
record StartUp(Set<Entrant> entrants, int jobs) implements Scenario {
    /** Cron expression of idle jobs: a date that no run of this program reaches. */
    private static final String NEVER = "0 0 0 1 1 ? 2098";

    private static final String TIME = "start-up, s";
    private static final String REQUESTS = "start-up, requests a job";
    private static final String THREADS = "threads after start-up";
    private static final String EPHEMERALS = "ephemeral nodes after start-up";
    private static final String WATCHES = "watches after start-up, as the server counts";
    private static final String END = "end by SIGTERM, s";
    private static final String LEFT = "ephemeral nodes left";

    /** Creates the scenario with every entrant that schedules jobs. */
    StartUp(int jobs) {
        this(Entrant.SCHEDULERS, jobs);
    }

    @Override
    public String name() {
        return "startup";
    }

    @Override
    public String title() {
        return "Start-up and end with " + jobs + " jobs";
    }

    @Override
    public boolean takes(Entrant entrant) {
        return entrants.contains(entrant);
    }

    @Override
    public void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException {
        Server server = stage.server();
        try (Race race = stage.start(entrant, jobs, 1, NEVER)) {
            long requests = server.requests();
            race.begin();
            double seconds = race.scheduled() / 1000.0;
            requests = server.requests() - requests;
            long threads = race.threads();
            into.add(entrant, TIME, seconds);
            into.add(entrant, THREADS, threads);
            stage.say(entrant, "%d jobs started in %.1f s, %d threads", jobs, seconds, threads);
            if (entrant.coordinates()) {
                long ephemerals = server.ephemerals();
                long watches = server.watches();
                double end = race.terminate() / 1000.0;
                long left = server.ephemerals();
                into.add(entrant, REQUESTS, (double) requests / jobs);
                into.add(entrant, EPHEMERALS, ephemerals);
                into.add(entrant, WATCHES, watches);
                into.add(entrant, END, end);
                into.add(entrant, LEFT, left);
                stage.say(
                        entrant,
                        "%.1f requests a job, %d ephemeral nodes, %d watches; ended in %.1f s, %d nodes left",
                        (double) requests / jobs,
                        ephemerals,
                        watches,
                        end,
                        left);
            }
        }
    }

    @Override
    public List<Bound> bounds(Results results) {
        double others = results.of(Entrant.SAFE, TIME);
        double othersEnd = results.of(Entrant.SAFE, END);
        return List.of(
                Bound.atMost(TIME + ": a 50th of ElasticJob's", results.of(Entrant.OSTRAKA, TIME), others / 50),
                Bound.atMost(THREADS, results.of(Entrant.OSTRAKA, THREADS), 32),
                Bound.exactly(EPHEMERALS, results.of(Entrant.OSTRAKA, EPHEMERALS), 3),
                watches(results),
                Bound.atMost(END + ": a 10th of ElasticJob's", results.of(Entrant.OSTRAKA, END), othersEnd / 10),
                Bound.exactly(LEFT, results.of(Entrant.OSTRAKA, LEFT), 0));
    }

    /**
     * Returns the bound for watches: three for each job, and a few for the instance itself. Two of the three exist only
     * on the leader. The server counts each watch twice, once for the node's data and once for its children.
     */
    private Bound watches(Results results) {
        return Bound.atMost(
                WATCHES + ": 3 a job where it leads, each counted twice, and few besides",
                results.of(Entrant.OSTRAKA, WATCHES),
                2 * (3 * jobs + 10));
    }

    @Override
    public List<Bound> promises(Results results) {
        double requests = results.of(Entrant.OSTRAKA, REQUESTS);
        return List.of(
                // eight requests until a job's first claim, plus a share of the instance's own requests, which matters
                // if there are few jobs
                Bound.between(REQUESTS, requests, 1, 8 + 3),
                Bound.atMost(THREADS, results.of(Entrant.OSTRAKA, THREADS), 32),
                Bound.exactly(EPHEMERALS, results.of(Entrant.OSTRAKA, EPHEMERALS), 3),
                watches(results),
                Bound.exactly(LEFT, results.of(Entrant.OSTRAKA, LEFT), 0),
                Bound.atLeast(
                        Entrant.SAFE.text() + ", " + REQUESTS + ": was it measured?",
                        results.of(Entrant.SAFE, REQUESTS),
                        5 * requests));
    }
}
