package io.ostraka.bench;

import java.util.ArrayList;
import java.util.List;

/** What must hold of the counts, on whatever machine; of times nothing is promised. */
final class Promises {
    /** Two transactions; the rest is heartbeats and the slow pass that reads everything now and then. */
    private static final double REQUESTS_A_FIRE = 2 + 3;

    /** Eight up to its first claim, one completion, and what a few jobs have to bear of the instance's own. */
    private static final double REQUESTS_A_JOB = 8 + 1 + 2;
    /** How many times as many others take at least: far fewer than they do. */
    private static final double RATIO = 5;

    private Promises() {}

    /** Returns what doesn't hold; the first figures are this library's. */
    static List<String> broken(List<Figures> all) {
        Figures own = all.get(0);
        List<String> broken = new ArrayList<>();
        own.requestsPerFire.forEach((items, requests) -> {
            if (!(requests >= 2 && requests <= REQUESTS_A_FIRE)) { // not a number isn't promised either
                broken.add("a fire of " + items + " items took " + requests + " requests");
            }
        });
        if (own.requestsPerJob() > REQUESTS_A_JOB) {
            broken.add("the start of a job took " + own.requestsPerJob() + " requests");
        }
        for (Figures other : all.subList(1, all.size())) {
            if (other.entrant.coordinates() && other.requestsPerJob() < RATIO * own.requestsPerJob()) {
                broken.add(
                        other.entrant.name() + " took " + other.requestsPerJob() + " requests a job: was it measured?");
            }
        }
        return broken;
    }
}
