package io.ostraka.faults.worker;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.Tasks;
import io.ostraka.faults.recorder.Recorder;
import java.time.Duration;
import java.util.SplittableRandom;

/** A job whose runs submit child tasks: plain, in order, and with time limits that some exceed. */
final class TaskedJob implements SimpleJob {
    private static final int MOST_TASKS = 6;
    private static final Duration LIMIT = Duration.ofMillis(280);

    private final Recorder recorder;
    private final Labour labour;

    TaskedJob(Recorder recorder, Labour labour) {
        this.recorder = recorder;
        this.labour = labour;
    }

    @Override
    public void execute(ShardingContext context) throws Exception {
        recorder.own(context, () -> {
            labour.effect(context, null);
            SplittableRandom random = labour.random(context, 0);
            int number = labour.hurried() ? 1 : random.nextInt(1, MOST_TASKS);
            for (int i = 1; i <= number; i++) {
                submit(context, i, random.split());
            }
            if (random.nextInt(4) == 0) {
                context.tasks().join();
                labour.effect(context, null);
            }
            return "";
        });
    }

    private void submit(ShardingContext context, int number, SplittableRandom random) {
        Tasks tasks = random.nextInt(4) == 0 ? context.tasks().within(LIMIT) : context.tasks();
        String key = random.nextInt(3) == 0 ? null : "key-" + random.nextInt(2);
        Manner manner = Manner.of(context.jobName());
        (key == null ? tasks : tasks.inOrder(key)).submit(recorder.child(context, number, key, () -> {
            boolean stubborn = random.nextInt(manner.stubborn()) == 0;
            labour.work(context, random.nextInt(manner.leastMillis(), manner.mostMillis()), stubborn);
            labour.effect(context, null);
            labour.mayFail(random, manner);
            return "";
        }));
    }
}
