package io.ostraka.faults.soak;

import io.ostraka.faults.history.Item;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * What befell and can have kept an item from going on: what befell the servers, and what befell a worker, its process or its
 * network, in whose hands the item was. What befell other workers has kept it from nothing.
 */
final class Obstacles {
    /** Between what is noted of a kill here and there. */
    private static final Duration AT_ONCE = Duration.ofSeconds(1);

    private final List<Strike> strikes;

    Obstacles(List<Strike> strikes) {
        this.strikes = List.copyOf(strikes);
    }

    /**
     * Returns from when on nothing stood in the way of an interrupted item: since it was interrupted if nothing began
     * before a limit was over, else since the end of that if nothing began before the limit was over again, and so on.
     */
    Instant clearSince(Interruption of, Duration limit) {
        Instant since = of.since();
        for (boolean later = true; later; ) {
            later = false;
            for (Strike strike : strikes) {
                boolean meanwhile = strike.began().isBefore(earlier(since.plus(limit), of.wentOn()))
                        && strike.ended().isAfter(since);
                if (meanwhile && hits(strike, of.hands()) && !isCause(strike, of)) {
                    since = strike.ended();
                    later = true;
                }
            }
        }
        return since;
    }

    /** Whether a fault is what killed the item's owner; that excuses nothing. */
    private static boolean isCause(Strike strike, Interruption of) {
        return strike.fault().kind() == Fault.Kind.WORKER_KILLED
                && of.lost().isPresent()
                && of.lost().getAsInt() == strike.fault().target()
                && strike.began().isBefore(of.since().plus(AT_ONCE))
                && !strike.ended().isBefore(of.since());
    }

    /** Tells whether nothing stood in the way of an item that came back, no operator and no clock either. */
    boolean none(Return of) {
        Instant since = of.outage().began();
        return strikes.stream()
                .filter(strike -> strike != of.outage()
                        && strike.began().isBefore(of.ranAgain())
                        && strike.ended().isAfter(since))
                .noneMatch(strike -> hits(strike, of.hands()) || holds(strike, of.item(), of.hands()));
    }

    private static boolean hits(Strike strike, Set<Integer> places) {
        Fault fault = strike.fault();
        return switch (fault.kind().layer()) {
            case ENSEMBLE -> true;
            case NETWORK, PROCESS -> fault.kind() == Fault.Kind.OVERTAKEN || places.contains(fault.target());
            case CLOCK, JOB, TRIGGER -> false;
        };
    }

    /** Whether an operator wants something else of an item's job, or a clock is wrong by which it fires. */
    private static boolean holds(Strike strike, Item item, Set<Integer> places) {
        Fault fault = strike.fault();
        return switch (fault.kind().layer()) {
            case CLOCK -> places.contains(fault.target());
            case JOB, TRIGGER -> FaultPlan.JOBS.get(fault.target()).jobName().equals(item.job());
            case ENSEMBLE, NETWORK, PROCESS -> false;
        };
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }
}
