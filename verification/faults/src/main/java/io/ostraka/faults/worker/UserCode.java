package io.ostraka.faults.worker;

import io.ostraka.api.JobFire;
import io.ostraka.api.ShardingContext;
import io.ostraka.faults.recorder.Recorder;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Determines the duration, the effects and the failures of user code in this process. Thread-safe. */
final class UserCode {
    private static final long LOOK_MILLIS = 10;

    private final Recorder recorder;
    private final ResourceClient resource;
    private final long seed;
    private volatile boolean hurried;

    /**
     * Creates the user code of a process.
     *
     * @param seed together with the identity of a run, determines how the run behaves; the same in every process
     */
    UserCode(Recorder recorder, ResourceClient resource, long seed) {
        this.recorder = recorder;
        this.resource = resource;
        this.seed = seed;
    }

    /**
     * Turns the hurry mode of user code on or off. In this mode, user code takes no time, never fails, and saves no
     * checkpoints.
     */
    void hurry(boolean on) {
        hurried = on;
    }

    boolean hurried() {
        return hurried;
    }

    <T> T call(ShardingContext context, String step, Recorder.Code<T> code) throws Exception {
        return recorder.call(context, step, code);
    }

    /** Returns the random source of a run, or of one of its batches. */
    SplittableRandom random(ShardingContext context, long batch) {
        String run = context.jobName() + "/" + context.itemKey() + "/" + context.runId();
        return new SplittableRandom(seed ^ ((long) run.hashCode() << 32) ^ (batch << 8) ^ context.attempt());
    }

    /** Writes to the resource. If the resource refuses the write, the run ends. */
    void effect(ShardingContext context, @Nullable Long position) throws IOException {
        resource.effect(context, position);
    }

    /**
     * Works for a while.
     *
     * @param stubborn if true, the code continues for a while after a cancellation; otherwise it ends
     */
    void work(ShardingContext context, long millis, boolean stubborn) throws InterruptedException {
        try {
            TimeUnit.MILLISECONDS.sleep(hurried || context.isCancelled() ? 0 : millis);
        } catch (InterruptedException e) {
            if (!stubborn) {
                throw e;
            }
            TimeUnit.MILLISECONDS.sleep(WorkProfile.STUBBORN_MILLIS);
        }
        if (context.isCancelled() && !stubborn) {
            throw new InterruptedException("cancelled");
        }
    }

    /** Waits in a call of a listener, to give the call a duration. */
    void listen(JobFire fire, int leastMillis, int mostMillis) throws InterruptedException {
        var random = new SplittableRandom(seed ^ fire.runId().hashCode());
        TimeUnit.MILLISECONDS.sleep(hurried ? 0 : random.nextInt(leastMillis, mostMillis));
    }

    /** Works for a while. Checks often whether the run was cancelled, and if so, returns normally. */
    void workWatchfully(ShardingContext context, long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!hurried && !context.isCancelled() && end - System.nanoTime() > 0) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    /** Throws an exception in some runs. */
    void mayFail(SplittableRandom random, WorkProfile profile) {
        if (!hurried && random.nextInt(profile.failures()) == 0) {
            throw new IllegalStateException("fails on purpose");
        }
    }
}
