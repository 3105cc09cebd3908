package io.ostraka.examples.demo;

import io.ostraka.api.ShardingContext;
import java.util.Optional;

/**
 * What a worker tells the demo: one line of its standard output each, fields parted by tabs.
 *
 * @param token the run's fencing token
 * @param runId the fire that is run
 * @param instanceId the worker as the cluster knows it, under its present session
 * @param detail how a run ended, or what a late write met; empty text otherwise
 */
record WorkerEvent(Kind kind, int item, int attempt, long token, String runId, String instanceId, String detail) {
    private static final String MARK = "@demo";

    /** What happened. */
    enum Kind {
        /** A run of an item has begun. */
        STARTED,
        /** It is held just before it writes, as it was told to. */
        HELD,
        /** A write was refused by the fence. */
        REFUSED,
        /** The run is over. */
        ENDED
    }

    static WorkerEvent of(Kind kind, ShardingContext context, String detail) {
        return new WorkerEvent(
                kind,
                context.shardingItem(),
                context.attempt(),
                context.fencingToken(),
                context.runId(),
                context.instanceId(),
                detail.replaceAll("\\s+", " "));
    }

    String line() {
        return String.join(
                "\t",
                MARK,
                kind.name(),
                Integer.toString(item),
                Integer.toString(attempt),
                Long.toString(token),
                runId,
                instanceId,
                detail);
    }

    /** Reads a line; empty when it is something else, or only part of one because its writer was killed. */
    static Optional<WorkerEvent> parse(String line) {
        String[] fields = line.split("\t", -1);
        if (fields.length != 8 || !fields[0].equals(MARK)) {
            return Optional.empty();
        }
        return Optional.of(new WorkerEvent(
                Kind.valueOf(fields[1]),
                Integer.parseInt(fields[2]),
                Integer.parseInt(fields[3]),
                Long.parseLong(fields[4]),
                fields[5],
                fields[6],
                fields[7]));
    }
}
