package io.ostraka.faults.simulation;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobListener;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Stands around the runs of jobs in one instance, hears of their fires, and has it recorded. */
final class Heard implements RunInterceptor, JobListener {
    private final Watch watch;

    Heard(Watch watch) {
        this.watch = watch;
    }

    @Override
    public int order() {
        return 0;
    }

    /** None that a process standing still could reach: then what waits would go on before it is told. */
    @Override
    public Duration timeLimit() {
        return Duration.ofDays(1);
    }

    @Override
    public void before(ShardingContext context) {
        watch.intercepted(context, "before", false);
    }

    @Override
    public void after(ShardingContext context) {
        watch.intercepted(context, "after", false);
    }

    @Override
    public void completion(ShardingContext context, @Nullable Throwable failure) {
        watch.intercepted(context, "completion", failure != null);
    }

    @Override
    public void beforeFire(JobFire fire) {
        watch.notified(fire, false, Map.of());
    }

    @Override
    public void afterFire(JobFire fire, Map<String, ItemOutcome> outcomes) {
        watch.notified(fire, true, outcomes);
    }
}
