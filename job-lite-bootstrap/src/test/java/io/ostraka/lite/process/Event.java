package io.ostraka.lite.process;

import io.ostraka.api.ShardingContext;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Something that happened in a cluster of processes. Workers tell theirs as lines of their standard output, fields parted
 * by tabs.
 *
 * @param worker whom it happened to; empty text for the ledger's own events
 * @param attempt of the run; 0 where there is none
 * @param token the run's fencing token; 0 where there is none
 * @param at by the clock of the machine, which all processes share
 * @param detail text by kind; empty otherwise
 */
record Event(
        String worker,
        Kind kind,
        String job,
        String item,
        String run,
        int attempt,
        long token,
        Instant at,
        String detail) {
    private static final String MARK = "@event";

    /** What happened. */
    enum Kind {
        /** The worker asked for a run by hand; the detail is the request that it was told. */
        ASKED,
        /** A run of an item has begun; the detail is the instance. */
        STARTED,
        /** It has come to where it waits to be let on. */
        HELD,
        /** Its thread was interrupted; it has not returned. The detail says whether it could still be the owner. */
        CANCELLED,
        /** A check of its ownership succeeded though the process had stood still for longer than its session may. */
        DECEIVED,
        /** It is about to return; the detail says whether it was cancelled before. */
        ENDED,
        /** The plan gives an item to the worker. */
        PLACED,
        /** ZooKeeper has it that an item's part in a fire is over; the detail says how. */
        RECORDED,
        /** The worker was sent a signal. */
        SIGNALLED,
        /** The worker's process is gone; the detail is its exit value. */
        GONE,
        /** The worker logged a line. */
        LOG
    }

    static Event of(String worker, Kind kind, String job, String item, String run, String detail) {
        return new Event(worker, kind, job, item, run, 0, 0, now(), detail);
    }

    static Event of(Kind kind, ShardingContext context, String detail) {
        return new Event(
                "",
                kind,
                context.jobName(),
                Integer.toString(context.shardingItem()),
                context.runId(),
                context.attempt(),
                context.fencingToken(),
                now(),
                detail);
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MICROS);
    }

    boolean is(Kind wanted, String ofJob, String ofItem) {
        return kind == wanted && job.equals(ofJob) && item.equals(ofItem);
    }

    boolean is(Kind wanted, String ofJob, String ofItem, String ofRun) {
        return is(wanted, ofJob, ofItem) && run.equals(ofRun);
    }

    String line() {
        return String.join("\t", MARK, kind.name(), job, item, run, "" + attempt, "" + token, at.toString(), detail);
    }

    /** Reads a worker's line; empty when it is only part of one, because its writer was killed. */
    static Optional<Event> parse(String worker, String line) {
        String[] fields = line.split("\t", -1);
        if (fields.length != 9 || !fields[0].equals(MARK)) {
            return Optional.empty();
        }
        return Optional.of(new Event(
                worker,
                Kind.valueOf(fields[1]),
                fields[2],
                fields[3],
                fields[4],
                Integer.parseInt(fields[5]),
                Long.parseLong(fields[6]),
                Instant.parse(fields[7]),
                fields[8]));
    }

    @Override
    public String toString() {
        return String.join(
                " ",
                at.toString(),
                worker,
                kind.name(),
                job,
                item,
                run,
                attempt == 0 ? "" : "attempt " + attempt + " token " + token,
                detail);
    }
}
