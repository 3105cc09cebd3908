package io.ostraka.faults.worker;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobFire;
import io.ostraka.api.OnceListener;
import java.time.Duration;
import java.util.Map;

/** Is told of whole fires, and takes its time for it, in which its process may be killed or stopped. */
final class Announcer implements OnceListener {
    private static final int MOST_MILLIS = 1_200;

    private final Recorder recorder;
    private final Labour labour;

    Announcer(Recorder recorder, Labour labour) {
        this.recorder = recorder;
        this.labour = labour;
    }

    /** None that a stopped process could reach. */
    @Override
    public Duration timeLimit() {
        return Duration.ofDays(1);
    }

    @Override
    public void beforeFirst(JobFire fire) throws InterruptedException {
        tell(fire, false, Map.of());
    }

    @Override
    public void afterLast(JobFire fire, Map<String, ItemOutcome> outcomes) throws InterruptedException {
        tell(fire, true, outcomes);
    }

    /** That it is told is recorded before it does anything, and that it has been before it returns. */
    private void tell(JobFire fire, boolean over, Map<String, ItemOutcome> outcomes) throws InterruptedException {
        recorder.announced(fire, over, false, outcomes);
        try {
            labour.listen(fire, MOST_MILLIS);
        } finally {
            recorder.announced(fire, over, true, outcomes);
        }
    }
}
