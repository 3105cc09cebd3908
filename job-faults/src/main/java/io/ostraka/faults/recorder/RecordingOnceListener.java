package io.ostraka.faults.worker;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobFire;
import io.ostraka.api.OnceListener;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Is told of whole fires, and takes its time for it, in which its process may be killed or stopped. */
final class Announcer implements OnceListener {
    private static final int MOST_MILLIS = 1_200;
    /** Long enough for who is told of it to kill the process inside of it. */
    private static final int LEAST_MILLIS = 250;

    private final Recorder recorder;
    private final Labour labour;
    private CompletableFuture<Void> next = new CompletableFuture<>();

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

    /** Completes once it is inside of its next call. */
    synchronized CompletionStage<Void> next() {
        return next;
    }

    private void begun() {
        CompletableFuture<Void> now;
        synchronized (this) {
            now = next;
            next = new CompletableFuture<>();
        }
        now.complete(null);
    }

    /** That it is told is recorded before it does anything, and that it has been before it returns. */
    private void tell(JobFire fire, boolean over, Map<String, ItemOutcome> outcomes) throws InterruptedException {
        recorder.announced(fire, over, false, outcomes);
        begun();
        try {
            labour.listen(fire, LEAST_MILLIS, MOST_MILLIS);
        } finally {
            recorder.announced(fire, over, true, outcomes);
        }
    }
}
