package io.ostraka.examples.demo;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How the runs that a worker left were taken over.
 *
 * @param how it was lost, such as {@code killed with -9}
 * @param lostNanos when
 * @param expiredNanos when ZooKeeper gave its session up
 */
record Failover(String worker, String how, long lostNanos, long expiredNanos, List<Taken> taken) {
    /**
     * A run, and the one that took it over.
     *
     * @param left the lost worker's
     * @param again the same fire's next attempt
     */
    record Taken(Board.Run left, Board.Run again) {}

    private static final double NANOS = 1e9;

    /** Tells whether everything that was left was begun again by others, under larger tokens. */
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

    /** Returns who has the items now. */
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
