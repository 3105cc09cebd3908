package io.ostraka.faults.recorder;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobFire;
import io.ostraka.api.OnceListener;
import java.time.Duration;
import java.util.Map;

/**
 * A once-listener whose calls are recorded: the beginning of each call before its body starts, and the end before the
 * call returns.
 */
public final class RecordingOnceListener implements OnceListener {
    /** The body of a call. The process may die while it runs. */
    public interface Body {
        /** Executes the body of a listener's call, which takes some time. */
        void listen(JobFire fire) throws InterruptedException;
    }

    private final Recorder recorder;
    private final Body body;

    /** Creates a listener that executes the body in each call, and records the call. */
    public RecordingOnceListener(Recorder recorder, Body body) {
        this.recorder = recorder;
        this.body = body;
    }

    /** Returns a time limit that is longer than any time for which a process is stopped. */
    @Override
    public Duration timeLimit() {
        return Duration.ofDays(1);
    }

    @Override
    public void beforeFirst(JobFire fire) throws InterruptedException {
        listen(fire, false, Map.of());
    }

    @Override
    public void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) throws InterruptedException {
        listen(fire, true, outcomes);
    }

    private void listen(JobFire fire, boolean over, Map<String, ItemOutcome> outcomes) throws InterruptedException {
        recorder.announced(fire, over, false, outcomes);
        try {
            body.listen(fire);
        } finally {
            recorder.announced(fire, over, true, outcomes);
        }
    }
}
