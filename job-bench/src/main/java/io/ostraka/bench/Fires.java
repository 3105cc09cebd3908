package io.ostraka.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a fire of one job on one instance costs in requests and CPU time, and how late its first item starts; beside one raw
 * transaction of the same size.
 *
 * @param items of the job, one after the other
 * @param period between fires; all items have ended before {@link Stage#QUIET} of it
 * @param warmUp fires before those that are measured
 * @param fires that are measured
 */
record Fires(List<Integer> items, Duration period, int warmUp, int fires) implements Scenario {
    /** Two transactions; the rest is heartbeats and what is looked at now and then. */
    private static final double REQUESTS = 3;
    /** The same where fires are so few that these weigh more. */
    private static final double REQUESTS_OF_FEW = 5;
    /** How many times as many others take at least: far fewer than they do. */
    private static final double FAR_MORE = 5;

    private static final int CPU_ITEMS = 100;
    private static final Duration APART = Duration.ofMillis(50);

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
        return true;
    }

    @Override
    public void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException {
        for (int each : items) {
            if (entrant.schedules()) {
                fires(stage, entrant, each, into);
            } else {
                double millis = transaction(stage, each);
                into.add(entrant, transaction(each), millis);
                stage.say(entrant, "%d items: one transaction %.1f ms", each, millis);
            }
        }
    }

    private void fires(Stage stage, Entrant entrant, int each, Results into) throws IOException, InterruptedException {
        try (Race race = stage.start(entrant, 1, each, Stage.cron(period))) {
            race.begin();
            race.scheduled();
            race.started();
            Stage.waitUntil(Stage.QUIET, period);
            Stage.sleep(period, warmUp);
            race.note();
            long requests = stage.server().requests();
            long worker = race.cpuMillis();
            long server = stage.server().cpuMillis();
            Stage.sleep(period, fires);
            requests = stage.server().requests() - requests;
            worker = race.cpuMillis() - worker;
            server = stage.server().cpuMillis() - server;
            Noted noted = race.noted();
            double ran = (double) noted.runs().size() / each;
            double delay = Results.median(noted.delays(period));
            into.add(entrant, delay(each), delay);
            into.add(entrant, cpu(each), worker / ran);
            if (entrant.coordinates()) {
                into.add(entrant, requests(each), requests / ran);
                into.add(entrant, serverCpu(each), server / ran);
            }
            stage.say(
                    entrant,
                    "%d items: %.1f of %d fires, %.1f requests and %.1f + %.1f ms of CPU each, delay p50 %.1f ms",
                    each,
                    ran,
                    fires,
                    requests / ran,
                    worker / ran,
                    server / ran,
                    delay);
        }
    }

    private double transaction(Stage stage, int each) {
        try (RawCurator raw = new RawCurator(stage.server().servers())) {
            return raw.transactionMillis("/" + stage.namespace(), each, 2 * fires, APART);
        } catch (Exception e) {
            throw new IllegalStateException("a raw transaction", e);
        }
    }

    @Override
    public List<Bound> bounds(Results results) {
        List<Bound> bounds = new ArrayList<>();
        for (int each : items) {
            bounds.add(Bound.between(
                    requests(each) + ": two transactions, and heartbeats",
                    results.of(Entrant.OSTRAKA, requests(each)),
                    2,
                    REQUESTS));
            bounds.add(Bound.atMost(
                    delay(each) + ": Quartz alone and two raw transactions",
                    results.of(Entrant.OSTRAKA, delay(each)),
                    results.of(Entrant.QUARTZ, delay(each)) + 2 * results.of(Entrant.CURATOR, transaction(each))));
        }
        if (items.contains(CPU_ITEMS)) {
            bounds.add(Bound.atMost(
                    "CPU a fire, worker and server, " + CPU_ITEMS + " items: a 20th of ElasticJob's",
                    bothCpu(results, Entrant.OSTRAKA),
                    bothCpu(results, Entrant.SAFE) / 20));
        }
        return bounds;
    }

    private static double bothCpu(Results results, Entrant entrant) {
        return results.of(entrant, cpu(CPU_ITEMS)) + results.of(entrant, serverCpu(CPU_ITEMS));
    }

    @Override
    public List<Bound> promises(Results results) {
        List<Bound> promises = new ArrayList<>();
        for (int each : items) {
            double own = results.of(Entrant.OSTRAKA, requests(each));
            promises.add(Bound.between(requests(each), own, 2, REQUESTS_OF_FEW));
            for (Entrant other : List.of(Entrant.SAFE, Entrant.FAST)) {
                promises.add(Bound.atLeast(
                        other.text() + ", " + requests(each) + ": was it measured?",
                        results.of(other, requests(each)),
                        other == Entrant.SAFE ? FAR_MORE * own : own));
            }
        }
        return promises;
    }

    static String requests(int items) {
        return "requests a fire, items: " + items;
    }

    static String delay(int items) {
        return "start delay p50, ms, items: " + items;
    }

    static String transaction(int items) {
        return "one transaction, ms, items: " + items;
    }

    static String cpu(int items) {
        return "CPU a fire, worker, ms, items: " + items;
    }

    static String serverCpu(int items) {
        return "CPU a fire, server, ms, items: " + items;
    }
}
