package io.ostraka.faults.soak;

import io.ostraka.faults.history.Item;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Faults that can have delayed an item: faults of the servers, and faults of the process or network of a worker on
 * which the item depended. Faults of other workers do not excuse a delay.
 */
final class Obstacles {
    /** Maximum difference between the times of a kill that the injector and the history have recorded. */
    private static final Duration AT_ONCE = Duration.ofSeconds(1);

    private final List<InjectedFault> injectedFaults;

    Obstacles(List<InjectedFault> injectedFaults) {
        this.injectedFaults = List.copyOf(injectedFaults);
    }

    /**
     * Returns the time from which an interrupted item had no obstacle. The search starts at the time of the
     * interruption. As long as an obstacle is active at the time found so far, or begins within the limit after this
     * time, the search continues at the end of that obstacle.
     */
    Instant clearSince(Interruption of, Duration limit) {
        Instant since = of.since();
        for (boolean later = true; later; ) {
            later = false;
            for (InjectedFault injected : injectedFaults) {
                boolean meanwhile = injected.began().isBefore(earlier(since.plus(limit), of.wentOn()))
                        && injected.ended().isAfter(since);
                if (meanwhile && hits(injected, of.places()) && !isCause(injected, of)) {
                    since = injected.ended();
                    later = true;
                }
            }
        }
        return since;
    }

    /**
     * Returns whether the fault is the kill of the item's owner. This kill is the cause of the interruption, not an
     * obstacle.
     */
    private static boolean isCause(InjectedFault injected, Interruption of) {
        return injected.fault().kind() == Fault.Kind.WORKER_KILLED
                && of.lost().isPresent()
                && of.lost().getAsInt() == injected.fault().target()
                && injected.began().isBefore(of.since().plus(AT_ONCE))
                && !injected.ended().isBefore(of.since());
    }

    /**
     * Returns whether an item that ran again after an outage had no obstacle. For such an item, operators' changes and
     * clock errors are obstacles as well.
     */
    boolean none(OutageRecovery of) {
        Instant since = of.outage().began();
        return injectedFaults.stream()
                .filter(injected -> injected != of.outage()
                        && injected.began().isBefore(of.ranAgain())
                        && injected.ended().isAfter(since))
                .noneMatch(injected -> hits(injected, of.places()) || holds(injected, of.item(), of.places()));
    }

    private static boolean hits(InjectedFault injected, Set<Integer> places) {
        Fault fault = injected.fault();
        return switch (fault.kind().layer()) {
            case ENSEMBLE -> true;
            case NETWORK, PROCESS -> fault.kind() == Fault.Kind.OVERTAKEN || places.contains(fault.target());
            case CLOCK, JOB, TRIGGER, DATABASE -> false;
        };
    }

    /**
     * Returns whether the fault is an operator's change of the item's job, or an error of the clock of a worker on
     * which the item depends.
     */
    private static boolean holds(InjectedFault injected, Item item, Set<Integer> places) {
        Fault fault = injected.fault();
        return switch (fault.kind().layer()) {
            case CLOCK -> places.contains(fault.target());
            case JOB, TRIGGER -> FaultPlan.JOBS.get(fault.target()).jobName().equals(item.job());
            case ENSEMBLE, NETWORK, PROCESS, DATABASE -> false;
        };
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }
}
