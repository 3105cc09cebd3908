package io.ostraka.faults.simulation;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.Tasks;
import java.time.Duration;

/**
 * A job whose runs submit child tasks with random durations and outcomes. Some tasks run in order, and some have a time
 * limit.
 */
final class TaskedJob implements SimpleJob {
    private static final int MOST_TASKS = 6;
    private static final int MOST_MILLIS = 3_000;

    private final UserCode userCode;

    TaskedJob(UserCode userCode) {
        this.userCode = userCode;
    }

    @Override
    public void execute(ShardingContext context) throws Exception {
        userCode.recorder().own(context, () -> {
            userCode.effect(context);
            if (userCode.takesTime()) { // only code that may pause can wait for tasks
                submit(context);
            }
            if (userCode.random().nextInt(8) != 0) {
                context.idle();
            }
            return "";
        });
    }

    private void submit(ShardingContext context) throws InterruptedException {
        int number = userCode.random().nextInt(MOST_TASKS);
        for (int i = 1; i <= number; i++) {
            Tasks tasks = context.tasks();
            String key = userCode.random().nextInt(3) == 0
                    ? null
                    : "key-" + userCode.random().nextInt(2);
            if (key != null) {
                tasks = tasks.inOrder(key);
            }
            if (userCode.random().nextInt(4) == 0) {
                tasks = tasks.within(Duration.ofMillis(1 + userCode.random().nextInt(MOST_MILLIS)));
            }
            tasks.submit(userCode.recorder().child(context, i, key, () -> work(context)));
            if (userCode.random().nextInt(3) == 0) {
                userCode.pause(context, MOST_MILLIS);
            }
        }
        if (userCode.random().nextInt(4) == 0) {
            context.tasks().join();
            userCode.effect(context);
        }
        if (userCode.random().nextInt(20) == 0) {
            throw new IllegalStateException("fails on purpose");
        }
    }

    private String work(ShardingContext context) throws InterruptedException {
        if (userCode.takesTime()) {
            userCode.pause(context, MOST_MILLIS);
            if (Thread.interrupted() && userCode.random().nextBoolean()) {
                throw new InterruptedException("told to end");
            }
        }
        userCode.effect(context);
        if (userCode.random().nextInt(30) == 0) {
            throw new IllegalStateException("fails on purpose");
        }
        return "";
    }
}
