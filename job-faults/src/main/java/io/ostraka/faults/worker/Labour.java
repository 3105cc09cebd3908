package io.ostraka.faults.worker;

import io.ostraka.api.JobFire;
import io.ostraka.api.ShardingContext;
import io.ostraka.faults.recorder.Recorder;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How the code of jobs in this process takes its time, has its effects and fails. Thread-safe. */
final class Labour {
    private static final long LOOK_MILLIS = 10;

    private final Recorder recorder;
    private final ResourceClient resource;
    private final long seed;
    private volatile boolean hurried;

    /**
     * Makes it.
     *
     * @param seed decides with a run's identity how it goes, whoever runs it
     */
    Labour(Recorder recorder, ResourceClient resource, long seed) {
        this.recorder = recorder;
        this.resource = resource;
        this.seed = seed;
    }

    /** Has code take no time from now on, fail no more and leave checkpoints alone, or again what is its manner. */
    void hurry(boolean on) {
        hurried = on;
    }

    boolean hurried() {
        return hurried;
    }

    <T> T call(ShardingContext context, String step, Recorder.Code<T> code) throws Exception {
        return recorder.call(context, step, code);
    }

    /** Decides how a run goes, or a batch of it. */
    SplittableRandom random(ShardingContext context, long batch) {
        String run = context.jobName() + "/" + context.itemKey() + "/" + context.runId();
        return new SplittableRandom(seed ^ ((long) run.hashCode() << 32) ^ (batch << 8) ^ context.attempt());
    }

    /** Has an effect at the resource, which ends the run if it is refused. */
    void effect(ShardingContext context, @Nullable Long position) throws IOException {
        resource.effect(context, position);
    }

    /**
     * Works for a while.
     *
     * @param stubborn whether it goes on for a while when it is told to end; otherwise it ends
     */
    void work(ShardingContext context, long millis, boolean stubborn) throws InterruptedException {
        try {
            TimeUnit.MILLISECONDS.sleep(hurried || context.isCancelled() ? 0 : millis);
        } catch (InterruptedException e) {
            if (!stubborn) {
                throw e;
            }
            TimeUnit.MILLISECONDS.sleep(Manner.STUBBORN_MILLIS);
        }
        if (context.isCancelled() && !stubborn) {
            throw new InterruptedException("told to end");
        }
    }

    /** Lets time pass in a listener that is told of a fire. */
    void listen(JobFire fire, int leastMillis, int mostMillis) throws InterruptedException {
        var random = new SplittableRandom(seed ^ fire.runId().hashCode());
        TimeUnit.MILLISECONDS.sleep(hurried ? 0 : random.nextInt(leastMillis, mostMillis));
    }

    /** Works for a while, and looks often whether it is to end: then it returns as if it were done. */
    void workWatchfully(ShardingContext context, long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!hurried && !context.isCancelled() && end - System.nanoTime() > 0) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    /** Fails now and then. */
    void mayFail(SplittableRandom random, Manner manner) {
        if (!hurried && random.nextInt(manner.failures()) == 0) {
            throw new IllegalStateException("fails on purpose");
        }
    }
}
