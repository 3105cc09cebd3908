package io.ostraka.faults.simulation;

import io.ostraka.api.ShardingContext;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.recorder.Recorder;
import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Determines the duration, the writes, the failures and the death of user code in one instance. */
final class UserCode {
    private final Cluster cluster;
    private final Instance instance;

    UserCode(Cluster cluster, Instance instance) {
        this.cluster = cluster;
        this.instance = instance;
    }

    Recorder recorder() {
        return instance.recorder;
    }

    SplittableRandom random() {
        return cluster.scheduler.random();
    }

    /** Returns whether the code may pause and thus take simulated time. */
    boolean takesTime() {
        return Fiber.current() != null;
    }

    /** Lets simulated time pass in a once-listener. Sometimes kills the process meanwhile. */
    void listen(int mostMillis) {
        if (takesTime()) {
            instance.machine.pause(Duration.ofMillis(random().nextInt(mostMillis)));
            if (random().nextInt(30) == 0 && instance.machine.busy()) {
                cluster.kill(instance);
                throw new Fiber.Killed();
            }
        }
    }

    /** Writes to the shared store. */
    void effect(ShardingContext context) {
        effect(context, null);
    }

    /**
     * Writes to the shared store. For a run with a stream, the write contains the position in the stream; otherwise
     * null.
     */
    void effect(ShardingContext context, @Nullable Long position) {
        Event.RunKey run = Recorder.key(context);
        cluster.record(new Event.Effect(
                instance.machine.platform().clock().now(), instance.name, run, cluster.store.write(run), position));
    }

    /**
     * Lets simulated time pass in user code. The process may be killed meanwhile, and cancelled code may throw an
     * exception.
     */
    void pause(ShardingContext context, int mostMillis) throws InterruptedException {
        instance.machine.pause(Duration.ofMillis(random().nextInt(mostMillis)));
        if (random().nextInt(60) == 0 && instance.machine.busy()) {
            cluster.kill(instance);
            throw new Fiber.Killed();
        }
        if (context.isCancelled() && random().nextBoolean()) {
            throw new InterruptedException("told to end");
        }
        if (random().nextInt(8) == 0) {
            context.checkOwnership();
        }
    }
}
