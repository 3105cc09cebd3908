package io.ostraka.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures the costs of this library while one quantity grows and all others stay constant.
 *
 * @param of the growing quantity
 * @param sizes sizes from the smallest to the largest
 */
record Growth(Kind of, List<Integer> sizes) implements Scenario {
    /** A growing quantity. */
    enum Kind {
        /** Jobs of one item, on one instance. */
        JOBS,
        /** Items of one job, on one instance. */
        ITEMS,
        /** Instances in one process, with one job of {@link Growth#SHARED} items. */
        INSTANCES,
        /** Processes of one instance each, with one job of {@link Growth#SHARED} items. */
        PROCESSES;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final int SHARED = 100;
    /**
     * Largest accepted ratio of the growth of a figure to the growth of its cause, for figures that must grow linearly.
     */
    private static final double SLACK = 1.25;
    /** Accepted number of background requests of each instance: heartbeats and periodic reads. */
    private static final int BESIDES = 2;

    private static final String STARTUP = "start-up, s";
    private static final String STARTUP_REQUESTS = "start-up, requests";
    private static final String REQUESTS = "requests of all jobs' fires at once";
    private static final String FIRST = "first item starts after, p50, ms";
    private static final String LAST = "last item starts after, p50, ms";
    private static final String HEAP = "heap of a process after collection, MiB";
    private static final String NODES = "nodes";
    private static final String WATCHES = "watches, as the server counts";
    private static final String THREADS = "threads of a process";
    /**
     * Figures that must grow linearly. Times are not among them, because only large differences of times mean anything.
     */
    private static final List<String> COUNTS = List.of(STARTUP_REQUESTS, REQUESTS, NODES, WATCHES);

    private static final List<String> ALL = List.of(STARTUP, HEAP);
    /** Smallest size whose start-up takes so long that a fire of a shorter period would occur before its end. */
    private static final int LARGE = 1000;

    private static final Duration PERIOD = Duration.ofSeconds(5);
    /** Duration of a measurement for large sizes. It contains one full resync, so that the measured requests include it. */
    private static final Duration PERIOD_OF_LARGE = Duration.ofSeconds(60);
    /**
     * Part of a period that has passed since a fire when a start-up begins. The start-up then ends before the next
     * fire.
     */
    private static final double BEGIN = 0.1;

    private static final double MIB = 1 << 20;

    @Override
    public String name() {
        return "growth";
    }

    @Override
    public String title() {
        return "Growth by " + of.text();
    }

    @Override
    public boolean takes(Entrant entrant) {
        return entrant == Entrant.OSTRAKA;
    }

    @Override
    public void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException {
        for (int size : sizes) {
            measure(stage, size, into);
            stage.clear();
        }
    }

    private void measure(Stage stage, int size, Results into) throws IOException, InterruptedException {
        Server server = stage.server();
        Duration period = size < LARGE ? PERIOD : PERIOD_OF_LARGE;
        var load = new UniformLoad(
                server.servers(),
                stage.namespace(),
                of == Kind.JOBS ? size : 1,
                of == Kind.JOBS ? 1 : of == Kind.ITEMS ? size : SHARED,
                Stage.cron(period),
                of == Kind.INSTANCES ? size : 1);
        List<Race> races = new ArrayList<>();
        try {
            for (int process = 0; process < (of == Kind.PROCESSES ? size : 1); process++) {
                races.add(stage.start(Entrant.OSTRAKA, load, 0));
            }
            Stage.waitUntil(BEGIN, period);
            long nodes = server.nodes();
            long requests = server.requests();
            races.forEach(Race::begin);
            double seconds = 0;
            for (Race race : races) {
                seconds = Math.max(seconds, race.scheduled() / 1000.0);
            }
            add(into, size, STARTUP, seconds);
            add(into, size, STARTUP_REQUESTS, server.requests() - requests);
            for (Race race : races) {
                race.started();
            }
            Stage.waitUntil(Stage.QUIET, period);
            fire(stage, races, size, period, into);
            add(into, size, NODES, server.nodes() - nodes);
            add(into, size, WATCHES, server.watches());
            add(into, size, HEAP, races.get(0).heap() / MIB);
            add(into, size, THREADS, races.get(0).threads());
            stage.say(
                    Entrant.OSTRAKA,
                    "%d %s: started in %.1f s with %.0f requests; a fire %.0f requests; %.0f nodes, %.0f watches;"
                            + " heap %.1f MiB, %.0f threads; items began after %.0f to %.0f ms",
                    size,
                    of.text(),
                    seconds,
                    got(into, STARTUP_REQUESTS, size),
                    got(into, REQUESTS, size),
                    got(into, NODES, size),
                    got(into, WATCHES, size),
                    got(into, HEAP, size),
                    got(into, THREADS, size),
                    got(into, FIRST, size),
                    got(into, LAST, size));
        } finally {
            races.forEach(Race::close);
        }
    }

    /** Measures one fire of all jobs, from shortly before the fire until all items have ended. */
    private void fire(Stage stage, List<Race> races, int size, Duration period, Results into)
            throws IOException, InterruptedException {
        for (Race race : races) {
            race.note();
        }
        long requests = stage.server().requests();
        Stage.sleep(period, 1);
        add(into, size, REQUESTS, stage.server().requests() - requests);
        List<Noted> noted = new ArrayList<>();
        for (Race race : races) {
            noted.add(race.noted());
        }
        Noted all = Noted.all(noted);
        add(into, size, FIRST, Results.median(all.delays(period)));
        add(into, size, LAST, Results.median(all.lasts(period)));
    }

    private void add(Results into, int size, String what, double value) {
        into.add(Entrant.OSTRAKA, Plot.row(what, of.text(), size), value);
    }

    private double got(Results results, String what, int size) {
        return results.of(Entrant.OSTRAKA, Plot.row(what, of.text(), size));
    }

    @Override
    public List<Bound> bounds(Results results) {
        List<Bound> bounds = new ArrayList<>(promises(results));
        ALL.forEach(what -> bounds.add(linear(results, what)));
        return bounds;
    }

    @Override
    public List<Bound> promises(Results results) {
        return COUNTS.stream().map(what -> linear(results, what)).toList();
    }

    /**
     * Returns the bound for linear growth between the two largest sizes. At smaller sizes, fixed costs distort the
     * ratio.
     */
    private Bound linear(Results results, String what) {
        int before = sizes.get(sizes.size() - 2);
        int largest = sizes.get(sizes.size() - 1);
        double times = SLACK * largest / before;
        return Bound.atMost(
                Plot.row(what, of.text(), largest) + ": " + Table.number(times) + " times that of " + before,
                got(results, what, largest),
                times * (got(results, what, before) + (what.equals(REQUESTS) ? BESIDES * instances(before) : 0)));
    }

    private int instances(int size) {
        return of == Kind.PROCESSES || of == Kind.INSTANCES ? size : 1;
    }
}
