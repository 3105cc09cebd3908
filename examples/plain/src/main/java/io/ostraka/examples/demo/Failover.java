package io.ostraka.examples.demo;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The takeover of the runs of a lost worker.
 *
 * @param worker name of the lost worker
 * @param how description of the loss, such as {@code killed with -9}
 * @param lostNanos time of the loss
 * @param expiredNanos time at which ZooKeeper ended the worker's session
 */
record Failover(String worker, String how, long lostNanos, long expiredNanos, List<Taken> taken) {
    /**
     * An interrupted run, and the run that took over its fire.
     *
     * @param left run of the lost worker
     * @param again next attempt at the same fire
     */
    record Taken(Board.Run left, Board.Run again) {}

    private static final double NANOS = 1e9;

    /** Returns whether other workers have taken over all interrupted runs, each with a larger token. */
    boolean complete() {
        return !taken.isEmpty()
                && taken.stream()
                        .allMatch(item -> !item.again.worker().equals(worker)
                                && item.again.attempt() > item.left.attempt()
                                && item.again.token() > item.left.token());
    }

    String items() {
        return taken.stream().map(item -> Integer.toString(item.left.item())).collect(Collectors.joining(" "));
    }

    /** Returns the present owners of the items. */
    String survivors() {
        return taken.stream()
                .map(item -> item.again.worker())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    @Override
    public String toString() {
        long last = taken.stream()
                .map(item -> item.again.startedNanos())
                .max(Comparator.naturalOrder())
                .orElseThrow();
        return String.format(
                Locale.ROOT,
                "failover: items %s of %s, %s, restarted after %.1f s on %s (session over after %.1f s, then %.2f s)",
                items(),
                worker,
                how,
                (last - lostNanos) / NANOS,
                survivors(),
                (expiredNanos - lostNanos) / NANOS,
                (last - expiredNanos) / NANOS);
    }
}
