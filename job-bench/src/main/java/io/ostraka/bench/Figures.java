package io.ostraka.bench;

import java.util.List;
import java.util.TreeMap;

/** What was measured of one entrant. */
final class Figures {
    /** A start-up. */
    record StartUp(double requestsPerJob, double seconds, long threads) {}

    final Entrant entrant;
    /** Requests a fire, by the number of items. */
    final TreeMap<Integer, Double> requestsPerFire = new TreeMap<>();

    final TreeMap<Integer, StartUp> startUps = new TreeMap<>();

    Figures(Entrant entrant) {
        this.entrant = entrant;
    }

    double requestsPerJob() {
        return mean(startUps.values().stream().map(StartUp::requestsPerJob).toList());
    }

    double seconds() {
        return mean(startUps.values().stream().map(StartUp::seconds).toList());
    }

    long threads() {
        return startUps.values().stream().mapToLong(StartUp::threads).max().orElse(0);
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
    }
}
