package io.ostraka.spring;

import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Puts the identity of a run into SLF4J's MDC while its code runs, so that each log line of the code names the job, the
 * item and the fire. Child tasks inherit these values. Thread-safe.
 */
final class MdcInterceptor implements RunInterceptor {
    static final String JOB = "ostraka.job";
    static final String ITEM = "ostraka.item";
    static final String FIRE = "ostraka.fire";
    static final String ATTEMPT = "ostraka.attempt";
    static final String RUN_ID = "ostraka.runId";
    static final String TOKEN = "ostraka.token";
    private static final List<String> KEYS = List.of(JOB, ITEM, FIRE, ATTEMPT, RUN_ID, TOKEN);

    /** Encloses all other interceptors, so that their log lines have the values, too. */
    @Override
    public int order() {
        return Integer.MIN_VALUE;
    }

    @Override
    public void before(ShardingContext context) {
        MDC.put(JOB, context.jobName());
        MDC.put(ITEM, context.itemKey());
        MDC.put(FIRE, context.fireTime().toString());
        MDC.put(ATTEMPT, Integer.toString(context.attempt()));
        MDC.put(RUN_ID, context.runId());
        MDC.put(TOKEN, Long.toString(context.fencingToken()));
    }

    @Override
    public void completion(ShardingContext context, @Nullable Throwable failure) {
        KEYS.forEach(MDC::remove);
    }
}
