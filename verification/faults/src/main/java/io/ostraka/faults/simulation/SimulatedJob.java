package io.ostraka.faults.simulation;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.nio.charset.StandardCharsets;

/** A job whose runs have random durations and outcomes, and sometimes save a checkpoint. */
final class SimulatedJob implements SimpleJob {
    private static final int ATTEMPT_BITS = 10;

    private final UserCode userCode;

    SimulatedJob(UserCode userCode) {
        this.userCode = userCode;
    }

    @Override
    public void execute(ShardingContext context) throws Exception {
        userCode.recorder().call(context, "execute", () -> {
            userCode.effect(context);
            if (context.jobName().equals(Scenario.HOSTILE)) {
                throw context.shardingItem() == 0
                        ? new StackOverflowError("on purpose")
                        : new LinkageError("on purpose");
            }
            if (userCode.takesTime()) {
                work(context);
            }
            if (userCode.random().nextInt(8) != 0) {
                context.idle(); // otherwise a continuous job would never let simulated time pass
            }
            return "";
        });
    }

    private void work(ShardingContext context) throws InterruptedException {
        int mostMillis = userCode.random().nextInt(4) == 0 ? 20_000 : 3_000;
        for (int pieces = userCode.random().nextInt(4); pieces > 0; pieces--) {
            userCode.pause(context, mostMillis);
            userCode.effect(context);
        }
        if (userCode.random().nextInt(3) == 0) {
            // this value increases with each claim, and with each attempt of a claim
            String position = Long.toString((context.fencingToken() << ATTEMPT_BITS) + context.attempt());
            context.saveCheckpoint(position.getBytes(StandardCharsets.UTF_8));
        }
        int how = userCode.random().nextInt(40);
        if (how == 0) {
            throw new AssertionError("fails on purpose");
        }
        if (how < 4) {
            throw new IllegalStateException("fails on purpose");
        }
    }
}
