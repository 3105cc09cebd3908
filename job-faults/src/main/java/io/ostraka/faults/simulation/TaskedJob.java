package io.ostraka.faults.simulation;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.Tasks;
import java.time.Duration;

/** A job whose runs submit child tasks: plain, in order and with time limits, of any duration and outcome. */
final class TaskedJob implements SimpleJob {
    private static final int MOST_TASKS = 6;
    private static final int MOST_MILLIS = 3_000;

    private final Watch watch;

    TaskedJob(Watch watch) {
        this.watch = watch;
    }

    @Override
    public void execute(ShardingContext context) throws Exception {
        watch.recorder().own(context, () -> {
            watch.effect(context);
            if (watch.takesTime()) { // Only code that may pause can wait for tasks.
                submit(context);
            }
            if (watch.random().nextInt(8) != 0) {
                context.idle();
            }
            return "";
        });
    }

    private void submit(ShardingContext context) throws InterruptedException {
        int number = watch.random().nextInt(MOST_TASKS);
        for (int i = 1; i <= number; i++) {
            Tasks tasks = context.tasks();
            String key = watch.random().nextInt(3) == 0
                    ? null
                    : "key-" + watch.random().nextInt(2);
            if (key != null) {
                tasks = tasks.inOrder(key);
            }
            if (watch.random().nextInt(4) == 0) {
                tasks = tasks.within(Duration.ofMillis(1 + watch.random().nextInt(MOST_MILLIS)));
            }
            tasks.submit(watch.recorder().child(context, i, key, () -> work(context)));
            if (watch.random().nextInt(3) == 0) {
                watch.pause(context, MOST_MILLIS);
            }
        }
        if (watch.random().nextInt(4) == 0) {
            context.tasks().join();
            watch.effect(context);
        }
        if (watch.random().nextInt(20) == 0) {
            throw new IllegalStateException("fails on purpose");
        }
    }

    private String work(ShardingContext context) throws InterruptedException {
        if (watch.takesTime()) {
            watch.pause(context, MOST_MILLIS);
            if (Thread.interrupted() && watch.random().nextBoolean()) {
                throw new InterruptedException("told to end");
            }
        }
        watch.effect(context);
        if (watch.random().nextInt(30) == 0) {
            throw new IllegalStateException("fails on purpose");
        }
        return "";
    }
}
