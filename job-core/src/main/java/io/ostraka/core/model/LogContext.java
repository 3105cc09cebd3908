package io.ostraka.core.model;

import io.ostraka.api.JobFire;
import io.ostraka.api.ShardingContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Content of SLF4J's MDC, so that each log line of user code names the job, the item and the fire. Immutable.
 *
 * @param values values by their keys; null if there are none
 */
public record LogContext(@Nullable Map<String, String> values) {
    /** Content without values. */
    public static final LogContext EMPTY = new LogContext(null);

    private static final String JOB = "ostraka.job";
    private static final String FIRE = "ostraka.fire";
    private static final String RUN_ID = "ostraka.runId";

    /** Returns the values of a run's code. */
    public static LogContext of(ShardingContext run) {
        return new LogContext(Map.of(
                JOB,
                run.jobName(),
                "ostraka.item",
                run.itemKey(),
                FIRE,
                run.fireTime().toString(),
                "ostraka.attempt",
                Integer.toString(run.attempt()),
                RUN_ID,
                run.runId(),
                "ostraka.token",
                Long.toString(run.fencingToken())));
    }

    /** Returns the values of a fire's listeners. */
    public static LogContext of(JobFire fire) {
        return new LogContext(Map.of(JOB, fire.jobName(), FIRE, fire.fireTime().toString(), RUN_ID, fire.runId()));
    }

    /** Returns the values of user code that belongs to a job; no values if the job is null. */
    public static LogContext of(@Nullable String job) {
        return job == null ? EMPTY : new LogContext(Map.of(JOB, job));
    }

    /** Returns the content of the calling thread. */
    public static LogContext current() {
        return new LogContext(MDC.getCopyOfContextMap());
    }

    /**
     * Makes this the content of the calling thread.
     *
     * @return the earlier content. Apply it when the code for which this content was set has returned
     */
    public LogContext apply() {
        LogContext before = current();
        if (values == null) {
            MDC.clear();
        } else {
            MDC.setContextMap(values);
        }
        return before;
    }

    /** Runs code with this content on the calling thread, and then restores the thread's earlier content. */
    public void around(Runnable code) {
        LogContext before = apply();
        try {
            code.run();
        } finally {
            before.apply();
        }
    }
}
