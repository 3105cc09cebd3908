package io.ostraka.faults.worker;

import io.ostraka.api.JobFire;
import io.ostraka.faults.recorder.RecordingOnceListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Body of a once-listener's call. The call lasts long enough for its process to be killed or stopped during it. */
final class OnceListenerBody implements RecordingOnceListener.Body {
    private static final int MOST_MILLIS = 1_200;
    /** Shortest duration of a call, long enough to kill the process during it. */
    private static final int LEAST_MILLIS = 250;

    private final UserCode userCode;
    private CompletableFuture<Void> next = new CompletableFuture<>();

    OnceListenerBody(UserCode userCode) {
        this.userCode = userCode;
    }

    /** Returns a stage that completes when the next call has begun. */
    synchronized CompletionStage<Void> next() {
        return next;
    }

    @Override
    public void listen(JobFire fire) throws InterruptedException {
        CompletableFuture<Void> now;
        synchronized (this) {
            now = next;
            next = new CompletableFuture<>();
        }
        now.complete(null);
        userCode.listen(fire, LEAST_MILLIS, MOST_MILLIS);
    }
}
