package io.ostraka.faults.worker;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.Tasks;
import io.ostraka.faults.recorder.Recorder;
import java.time.Duration;
import java.util.SplittableRandom;

/** A job whose runs submit child tasks: plain tasks, ordered tasks, and tasks with a time limit that some exceed. */
final class TaskedJob implements SimpleJob {
    private static final int MOST_TASKS = 6;
    private static final Duration LIMIT = Duration.ofMillis(280);

    private final Recorder recorder;
    private final UserCode userCode;

    TaskedJob(Recorder recorder, UserCode userCode) {
        this.recorder = recorder;
        this.userCode = userCode;
    }

    @Override
    public void execute(ShardingContext context) throws Exception {
        recorder.own(context, () -> {
            userCode.effect(context, null);
            SplittableRandom random = userCode.random(context, 0);
            int number = userCode.hurried() ? 1 : random.nextInt(1, MOST_TASKS);
            for (int i = 1; i <= number; i++) {
                submit(context, i, random.split());
            }
            if (random.nextInt(4) == 0) {
                context.tasks().join();
                userCode.effect(context, null);
            }
            return "";
        });
    }

    private void submit(ShardingContext context, int number, SplittableRandom random) {
        Tasks tasks = random.nextInt(4) == 0 ? context.tasks().within(LIMIT) : context.tasks();
        String key = random.nextInt(3) == 0 ? null : "key-" + random.nextInt(2);
        WorkProfile profile = WorkProfile.of(context.jobName());
        (key == null ? tasks : tasks.inOrder(key)).submit(recorder.child(context, number, key, () -> {
            boolean stubborn = random.nextInt(profile.stubborn()) == 0;
            userCode.work(context, random.nextInt(profile.leastMillis(), profile.mostMillis()), stubborn);
            userCode.effect(context, null);
            userCode.mayFail(random, profile);
            return "";
        }));
    }
}
