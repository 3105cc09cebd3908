package io.ostraka.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Measures the requests, the CPU time, and the delay of the first item for the fires of one job on one instance. For
 * comparison, measures one raw transaction of the same size. A process can be measured several times, because compiled
 * code behaves differently from the code of a process that has just started.
 *
 * @param entrants the participants
 * @param items item counts of the job, measured one after the other
 * @param period time between fires. The items of a fire must end before the part {@link #COUNTED_FROM} of it has passed
 * @param warmUps number of fires before each measurement; each measurement begins after the end of the previous one
 * @param fires number of measured fires in each measurement
 */
record Fires(Set<Entrant> entrants, List<Integer> items, Duration period, List<Integer> warmUps, int fires)
        implements Scenario {
    /** Accepted requests per fire: two transactions, and a share of the heartbeats and periodic reads. */
    private static final double REQUESTS = 3;
    /** The same bound for a measurement of few fires, to which heartbeats and periodic reads add more. */
    private static final double REQUESTS_OF_FEW = 5;
    /** Smallest accepted ratio of another entrant's requests to this library's; the measured ratio is far larger. */
    private static final double FAR_MORE = 5;

    private static final int CPU_ITEMS = 100;
    private static final int MOST_TRIES = 20;
    /** Part of each period after which requests may be counted, until the next fire. */
    private static final double COUNTED_FROM = 0.7;
    /** Time between two readings that must agree, as a part of the period. */
    private static final double BETWEEN_READINGS = 0.05;

    @Override
    public String name() {
        return "fires";
    }

    @Override
    public String title() {
        return "A fire of one job on one instance";
    }

    @Override
    public boolean takes(Entrant entrant) {
        return entrants.contains(entrant);
    }

    @Override
    public void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException {
        for (int each : items) {
            if (entrant.schedules()) {
                fires(stage, entrant, each, into);
            } else {
                List<Double> millis = stage.transactionMillis(each, warmUps, fires, period);
                for (int i = 0; i < warmUps.size(); i++) {
                    into.add(entrant, transaction(each, warmUps.get(i)), millis.get(i));
                    stage.say(
                            entrant, "%d items after %d: one transaction %.1f ms", each, warmUps.get(i), millis.get(i));
                }
            }
        }
    }

    private void fires(Stage stage, Entrant entrant, int each, Results into) throws IOException, InterruptedException {
        try (Race race = stage.start(entrant, 1, each, Stage.cron(period))) {
            race.begin();
            race.scheduled();
            race.started();
            Stage.waitUntil(Stage.QUIET, period);
            int before = 0;
            for (int warmUp : warmUps) {
                Stage.sleep(period, Math.max(0, warmUp - before - 0.5));
                fires(stage, race, entrant, each, warmUp, into);
                before = warmUp + fires;
            }
        }
    }

    /**
     * Values of the counters at one moment.
     *
     * @param runs starts of items' code since their recording began
     * @param requests number of requests that the server has received so far
     * @param worker CPU time of the participant's process so far, in milliseconds
     * @param server CPU time of the server so far, in milliseconds
     */
    private record Count(List<Noted.Run> runs, long requests, long worker, long server) {
        static Count read(Stage stage, Race race) throws IOException {
            return new Count(
                    race.notedSoFar().runs(),
                    stage.server().requests(),
                    race.cpuMillis(),
                    stage.server().cpuMillis());
        }
    }

    /**
     * Reads the counters while no fire is in progress, so that the requests belong to the counted fires. Two readings
     * between the same two fires must show the same starts and the same requests. They differ if the machine is busy,
     * or if a heartbeat has arrived between them; this method then tries again a period later.
     *
     * @throws IllegalStateException if the readings differ each time
     */
    private Count count(Stage stage, Race race) throws IOException, InterruptedException {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Stage.waitUntil(COUNTED_FROM, period);
            long fire = System.currentTimeMillis() / period.toMillis();
            Count count = Count.read(stage, race);
            Stage.sleep(period, BETWEEN_READINGS);
            Count again = Count.read(stage, race);
            if (count.runs.equals(again.runs)
                    && count.requests == again.requests
                    && System.currentTimeMillis() / period.toMillis() == fire) {
                return count;
            }
        }
        throw new IllegalStateException("fires were under way in " + MOST_TRIES
                + " periods while the requests were counted; the machine is too busy");
    }

    private void fires(Stage stage, Race race, Entrant entrant, int each, int warmUp, Results into)
            throws IOException, InterruptedException {
        race.note();
        Count before = count(stage, race);
        Stage.sleep(period, fires - 0.5);
        Count after = count(stage, race);
        race.noted();
        long requests = after.requests - before.requests;
        long worker = after.worker - before.worker;
        long server = after.server - before.server;
        Noted noted = new Noted(after.runs.subList(before.runs.size(), after.runs.size()));
        double ran = (double) noted.runs().size() / each;
        double delay = Results.median(noted.delays(period));
        into.add(entrant, delay(each, warmUp), delay);
        into.add(entrant, cpu(each, warmUp), worker / ran);
        if (entrant.coordinates()) {
            into.add(entrant, requests(each, warmUp), requests / ran);
            into.add(entrant, serverCpu(each, warmUp), server / ran);
        }
        stage.say(
                entrant,
                "%d items after %d: %.1f of %d fires, %.1f requests and %.1f + %.1f ms of CPU each, delay p50 %.1f ms",
                each,
                warmUp,
                ran,
                fires,
                requests / ran,
                worker / ran,
                server / ran,
                delay);
    }

    @Override
    public List<Bound> bounds(Results results) {
        List<Bound> bounds = new ArrayList<>();
        for (int each : items) {
            for (int warmUp : warmUps) {
                bounds.add(Bound.between(
                        requests(each, warmUp) + ": two transactions, and heartbeats",
                        results.of(Entrant.OSTRAKA, requests(each, warmUp)),
                        2,
                        REQUESTS));
                bounds.add(Bound.atMost(
                        delay(each, warmUp) + ": Quartz alone and two raw transactions",
                        results.of(Entrant.OSTRAKA, delay(each, warmUp)),
                        results.of(Entrant.QUARTZ, delay(each, warmUp))
                                + 2 * results.of(Entrant.CURATOR, transaction(each, warmUp))));
            }
        }
        if (items.contains(CPU_ITEMS)) {
            int last = warmUps.get(warmUps.size() - 1);
            bounds.add(Bound.atMost(
                    "CPU a fire, worker and server, " + text(CPU_ITEMS, last) + ": a 20th of ElasticJob's",
                    bothCpu(results, Entrant.OSTRAKA, last),
                    bothCpu(results, Entrant.SAFE, last) / 20));
        }
        return bounds;
    }

    private static double bothCpu(Results results, Entrant entrant, int warmUp) {
        return results.of(entrant, cpu(CPU_ITEMS, warmUp)) + results.of(entrant, serverCpu(CPU_ITEMS, warmUp));
    }

    @Override
    public List<Bound> promises(Results results) {
        List<Bound> promises = new ArrayList<>();
        for (int each : items) {
            for (int warmUp : warmUps) {
                double own = results.of(Entrant.OSTRAKA, requests(each, warmUp));
                promises.add(Bound.between(requests(each, warmUp), own, 2, REQUESTS_OF_FEW));
                for (Entrant other : List.of(Entrant.SAFE, Entrant.FAST)) {
                    promises.add(Bound.atLeast(
                            other.text() + ", " + requests(each, warmUp) + ": was it measured?",
                            results.of(other, requests(each, warmUp)),
                            other == Entrant.SAFE ? FAR_MORE * own : own));
                }
            }
        }
        return promises;
    }

    static String requests(int items, int warmUp) {
        return "requests a fire, " + text(items, warmUp);
    }

    static String delay(int items, int warmUp) {
        return "start delay p50, ms, " + text(items, warmUp);
    }

    static String transaction(int items, int warmUp) {
        return "one transaction, ms, " + text(items, warmUp);
    }

    private static String cpu(int items, int warmUp) {
        return "CPU a fire, worker, ms, " + text(items, warmUp);
    }

    private static String serverCpu(int items, int warmUp) {
        return "CPU a fire, server, ms, " + text(items, warmUp);
    }

    private static String text(int items, int warmUp) {
        return Plot.row("after " + warmUp + " fires", "items", items);
    }
}
