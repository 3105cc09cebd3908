package io.ostraka.core.model;

import io.ostraka.api.ItemOutcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An operator's request to run past fires of a job, and the progress of this request. The leader triggers the fires,
 * oldest first. A job has at most one backfill. The node of the backfill remains after its end.
 *
 * @param job name of the job
 * @param request the content of the request
 * @param progress progress of the backfill
 * @param state current state
 * @param last the latest command that stopped or resumed the backfill; null if there was none
 * @param requests ids of the latest requests that changed this value, oldest first; a repeated request has no effect
 */
public record Backfill(
        String job,
        Request request,
        Progress progress,
        State state,
        Orders.@Nullable Order last,
        List<String> requests) {
    /** Largest number of fires of a backfill. */
    public static final int MOST_FIRES = 10_000;
    /** Largest number of fires that may run at the same time. */
    public static final int MOST_PARALLEL = 16;

    /** Largest number of request ids, and of fire times of failed fires, that the node keeps. */
    private static final int MOST_KEPT = 16;
    /**
     * Length of the end of a run id, in characters. A run id is the request's id, a hyphen and the fire time in
     * milliseconds.
     */
    private static final int SUFFIX = 16;

    /** State of a backfill. */
    public enum State {
        /** The leader triggers the next fires. */
        RUNNING,
        /** An operator has stopped the backfill. No further fire is triggered. */
        STOPPED,
        /** Too many fires have failed. No further fire is triggered. */
        FAILED,
        /** All fires have ended. */
        ENDED,
        /** The job was removed. No further fire is triggered, and the backfill cannot be resumed. */
        REMOVED
    }

    /** Result of a fire of a backfill. */
    public enum Result {
        /** All items succeeded. */
        SUCCEEDED,
        /** An item did not succeed, or did not run. */
        FAILED,
        /** The progress of the fire was deleted before the leader could read it. */
        UNKNOWN
    }

    /**
     * The content of the request.
     *
     * @param id id of the request; the ids of the runs begin with it
     * @param definition transaction that created the job's definition. If a different transaction created the present
     *     definition, the job was purged and registered again
     * @param order operator, reason and time of the request
     * @param parameters parameters of each run
     * @param parallel largest number of fires that run at the same time
     * @param maxFailures number of failed fires after which no further fire is triggered
     * @param dates fire times, ascending
     */
    public record Request(
            String id,
            long definition,
            Orders.Order order,
            Map<String, String> parameters,
            int parallel,
            int maxFailures,
            List<Instant> dates) {
        /** Checks the limits. */
        public Request {
            Names.require("id", id);
            Names.requireRange("length of id", id.length(), 1, Names.LONGEST - SUFFIX);
            Names.requireRange("parallel", parallel, 1, MOST_PARALLEL);
            Names.requireRange("maxFailures", maxFailures, 1, MOST_FIRES);
            Names.requireRange("dates", dates.size(), 1, MOST_FIRES);
            for (int i = 1; i < dates.size(); i++) {
                if (!dates.get(i).isAfter(dates.get(i - 1))) {
                    throw new IllegalArgumentException("dates are not ascending at " + dates.get(i));
                }
            }
            parameters.forEach((name, value) -> {
                Names.requireStorable("parameter", name);
                Names.requireStorable("parameter " + name, value);
            });
            parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
            dates = List.copyOf(dates);
        }

        /** Returns the id of the run for a date. */
        public String runId(Instant date) {
            return id + "-" + date.toEpochMilli();
        }

        private Trigger.Request trigger(String job, Instant date) {
            return new Trigger.Request(job, runId(date), parameters, Set.of())
                    .at(date)
                    .requestedBy(order.by(), order.reason().isEmpty() ? null : order.reason());
        }
    }

    /**
     * The progress of a backfill.
     *
     * @param triggered number of fires triggered so far
     * @param running fire times of the triggered fires that have not ended
     * @param succeeded number of fires whose items all succeeded
     * @param failed number of fires with an item that did not succeed
     * @param unknown number of fires whose result is unknown; they count like failed fires
     * @param failures number of failed fires since the backfill was requested or resumed
     * @param failedDates fire times of the latest fires that failed or whose result is unknown, in the order of their
     *     ends
     */
    public record Progress(
            int triggered,
            List<Instant> running,
            int succeeded,
            int failed,
            int unknown,
            int failures,
            List<Instant> failedDates) {
        /** The progress before the first fire. */
        static final Progress NONE = new Progress(0, List.of(), 0, 0, 0, 0, List.of());

        /** Checks the counts. */
        public Progress {
            running = List.copyOf(running);
            failedDates =
                    List.copyOf(failedDates.subList(Math.max(0, failedDates.size() - MOST_KEPT), failedDates.size()));
            for (int count : new int[] {succeeded, failed, unknown}) {
                Names.requireRange("count", count, 0, MOST_FIRES);
            }
            Names.requireRange("failures", failures, 0, failed + unknown);
            if (failedDates.isEmpty() != (failed + unknown == 0)) {
                throw new IllegalArgumentException("failedDates has " + failedDates.size()
                        + " dates; accepted: the latest of the " + (failed + unknown) + " failed fires");
            }
            if (triggered != running.size() + succeeded + failed + unknown) {
                throw new IllegalArgumentException("triggered is " + triggered + "; accepted: the number of running and"
                        + " ended fires, " + (running.size() + succeeded + failed + unknown));
            }
        }

        private Progress resumed() {
            return new Progress(triggered, running, succeeded, failed, unknown, 0, failedDates);
        }

        private Progress after(Map<Instant, Result> ended) {
            List<Instant> left = new ArrayList<>(running);
            List<Instant> bad = new ArrayList<>(failedDates);
            int[] counts = new int[Result.values().length];
            for (Instant date : running) {
                Result result = ended.get(date);
                if (result != null) {
                    left.remove(date);
                    counts[result.ordinal()]++;
                    if (result != Result.SUCCEEDED) {
                        bad.add(date);
                    }
                }
            }
            int moreFailed = counts[Result.FAILED.ordinal()];
            int moreUnknown = counts[Result.UNKNOWN.ordinal()];
            return new Progress(
                    triggered,
                    left,
                    succeeded + counts[Result.SUCCEEDED.ordinal()],
                    failed + moreFailed,
                    unknown + moreUnknown,
                    failures + moreFailed + moreUnknown,
                    bad);
        }

        private Progress triggering(Instant date) {
            List<Instant> all = new ArrayList<>(running);
            all.add(date);
            return new Progress(triggered + 1, all, succeeded, failed, unknown, failures, failedDates);
        }
    }

    /**
     * The result of one step that the leader takes for a backfill.
     *
     * @param next the value after the step
     * @param trigger trigger to create in the same transaction; null for none
     */
    public record Step(Backfill next, Trigger.@Nullable Request trigger) {}

    /** Checks that the progress fits the request. */
    public Backfill {
        Names.requireJob(job);
        Names.require("request", requests);
        Names.requireRange("triggered", progress.triggered, 0, request.dates.size());
        Names.requireRange("running", progress.running.size(), 0, request.parallel);
        if (!new HashSet<>(request.dates.subList(0, progress.triggered)).containsAll(progress.running)) {
            throw new IllegalArgumentException("running dates are " + progress.running + "; accepted: the first "
                    + progress.triggered + " dates of the request");
        }
        if (state == State.FAILED && progress.failures == 0) {
            throw new IllegalArgumentException("state is FAILED without failures; accepted: 1 failure or more");
        }
        requests = List.copyOf(requests.subList(Math.max(0, requests.size() - MOST_KEPT), requests.size()));
    }

    /**
     * Returns a new backfill.
     *
     * @param former the job's previous backfill, which must not have running fires; null if there is none
     */
    public static Backfill requested(String job, Request request, @Nullable Backfill former) {
        return new Backfill(
                job,
                request,
                Progress.NONE,
                State.RUNNING,
                null,
                former == null ? List.of(request.id) : with(former.requests, request.id));
    }

    /** Returns the backfill as stopped by an operator. Its running fires end normally. */
    public Backfill stopped(Orders.Order order, String id) {
        return new Backfill(job, request, progress, State.STOPPED, order, with(requests, id));
    }

    /** Returns the backfill as resumed by an operator. Earlier failures no longer count. */
    public Backfill resumed(Orders.Order order, String id) {
        return new Backfill(job, request, progress.resumed(), State.RUNNING, order, with(requests, id));
    }

    /** Returns the backfill of a removed job. The leader still counts the results of running fires. */
    public Backfill removed() {
        return new Backfill(job, request, progress, State.REMOVED, last, requests);
    }

    /**
     * Returns the backfill of a job whose nodes were all deleted. Its fires can no longer run, so the results of
     * running fires are unknown. The backfill keeps its node: versions of a new node would start at 0 again, and a late
     * command for this backfill could then change a later backfill.
     */
    public Backfill purged() {
        Map<Instant, Result> ended = new HashMap<>();
        progress.running.forEach(date -> ended.put(date, Result.UNKNOWN));
        return new Backfill(job, request, progress.after(ended), State.REMOVED, last, requests);
    }

    private static List<String> with(List<String> requests, String id) {
        List<String> all = new ArrayList<>(requests);
        all.add(id);
        return all;
    }

    /** Returns whether the leader still has to trigger fires, or to count the results of running fires. */
    public boolean active() {
        return state == State.RUNNING || !progress.running.isEmpty();
    }

    /** Returns the id of the run for a date. */
    public String runId(Instant date) {
        return request.runId(date);
    }

    /**
     * Returns the leader's next step. The step counts the ended fires and, if another fire may run, triggers the
     * remaining fire with the earliest fire time. If there is nothing to do, the step contains this backfill unchanged.
     *
     * @param ended results of the {@code running} fires that have ended since the last step, by fire time
     */
    public Step step(Map<Instant, Result> ended) {
        Progress counted = progress.after(ended);
        boolean failing = counted.failures >= request.maxFailures;
        boolean all = counted.triggered == request.dates.size();
        if (state != State.RUNNING || failing || all || counted.running.size() >= request.parallel) {
            State next = state != State.RUNNING
                    ? state
                    : failing ? State.FAILED : all && counted.running.isEmpty() ? State.ENDED : State.RUNNING;
            return new Step(new Backfill(job, request, counted, next, last, requests), null);
        }
        Instant date = request.dates.get(counted.triggered);
        return new Step(
                new Backfill(job, request, counted.triggering(date), state, last, requests),
                request.trigger(job, date));
    }

    /** Returns whether the backfill will never trigger a fire again. */
    public boolean over() {
        return state == State.ENDED || state == State.REMOVED;
    }

    /** Returns the result of a fire that has ended. A fire without items did none of the work, so it has failed. */
    public static Result result(FireProgress ended) {
        return !ended.outcomes().isEmpty()
                        && ended.outcomes().values().stream().allMatch(outcome -> outcome == ItemOutcome.SUCCEEDED)
                ? Result.SUCCEEDED
                : Result.FAILED;
    }
}
