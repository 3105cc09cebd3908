package io.ostraka.faults.recorder;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobListener;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Records the calls of an interceptor and of a fire listener in one process. */
public final class RecordingListener implements RunInterceptor, JobListener {
    private final Recorder recorder;

    /** Creates a listener that uses the recorder. */
    public RecordingListener(Recorder recorder) {
        this.recorder = recorder;
    }

    @Override
    public int order() {
        return 0;
    }

    /**
     * Returns a time limit that is longer than any time for which a process is stopped. After a shorter limit, the
     * engine could continue the fire although the listener's call has not returned.
     */
    @Override
    public Duration timeLimit() {
        return Duration.ofDays(1);
    }

    @Override
    public void before(ShardingContext context) {
        recorder.intercepted(context, "before", false);
    }

    @Override
    public void after(ShardingContext context) {
        recorder.intercepted(context, "after", false);
    }

    @Override
    public void completion(ShardingContext context, @Nullable Throwable failure) {
        recorder.intercepted(context, "completion", failure != null);
    }

    @Override
    public void beforeFire(JobFire fire) {
        recorder.notified(fire, false, Map.of());
    }

    @Override
    public void afterFire(JobFire fire, Map<String, ItemOutcome> outcomes) {
        recorder.notified(fire, true, outcomes);
    }
}
