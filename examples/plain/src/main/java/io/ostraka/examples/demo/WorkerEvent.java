package io.ostraka.examples.demo;

import io.ostraka.api.ShardingContext;
import java.util.Optional;

/**
 * A report from a worker to the demo: one line of its standard output, with fields separated by tabs.
 *
 * @param kind kind of the event
 * @param item number of the item
 * @param attempt number of the attempt
 * @param token fencing token of the run
 * @param runId identity of the fire
 * @param instanceId id of the worker's instance in its present session
 * @param detail reason for the end of a run, or the result of a late write; otherwise empty text
 */
record WorkerEvent(Kind kind, int item, int attempt, long token, String runId, String instanceId, String detail) {
    private static final String MARK = "@demo";

    /** Kinds of events. */
    enum Kind {
        /** A run of an item has begun. */
        STARTED,
        /** The run is held just before its write, on command. */
        HELD,
        /** The fence has refused a write. */
        REFUSED,
        /** The run has ended. */
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

    /**
     * Parses a line. Returns an empty result if the line is not a report, or if it is incomplete because its writer was
     * killed.
     */
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
