package io.ostraka.lite.process;

import io.ostraka.api.ShardingContext;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * An event in a cluster of processes. Workers print their events on standard output, one per line, with fields
 * separated by tabs.
 *
 * @param worker worker that the event concerns; empty text for {@link Kind#RECORDED}
 * @param attempt attempt of the run; 0 for an event without a run
 * @param token fencing token of the run; 0 for an event without a run
 * @param at time by the clock of the machine, which all processes share
 * @param detail text whose meaning the kind defines; empty text for kinds that define none
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

    /** Kind of an event. */
    enum Kind {
        /** The worker triggered a run; the detail is the request of the test. */
        TRIGGERED,
        /** A run of an item started; the detail is the instance. */
        STARTED,
        /** The run waits for its release. */
        HELD,
        /** The run was interrupted and has not returned; the detail says whether it could still be the owner. */
        CANCELLED,
        /** An ownership check succeeded although the process had been paused for longer than its session timeout. */
        DECEIVED,
        /** The run is about to return; the detail says whether it was cancelled before. */
        ENDED,
        /** The plan assigns an item to the worker; the detail is the instance. */
        ASSIGNED,
        /** ZooKeeper records the end of an item in a fire; the detail is the outcome. */
        RECORDED,
        /** The test sent the worker a signal; the detail is its name. */
        SIGNALLED,
        /** The worker's process ended; the detail is its exit value. */
        EXITED,
        /** The worker logged a line; the detail is the line. */
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

    /** Parses a worker's line; empty if the line is incomplete, because the worker was killed. */
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
