package io.ostraka.faults.worker;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.util.SplittableRandom;

/** A job whose work consists of pieces. It writes to the resource before the first piece and after each piece. */
final class WorkingJob implements SimpleJob {
    private final UserCode userCode;

    WorkingJob(UserCode userCode) {
        this.userCode = userCode;
    }

    @Override
    public void execute(ShardingContext context) throws Exception {
        userCode.call(context, "execute", () -> {
            userCode.effect(context, null);
            SplittableRandom random = userCode.random(context, 0);
            if (!userCode.hurried()) {
                work(context, WorkProfile.of(context.jobName()), random);
            }
            if (userCode.hurried() || random.nextInt(3) == 0) {
                context.idle(); // an endless loop pauses only after an idle call
            }
            return "";
        });
    }

    private void work(ShardingContext context, WorkProfile profile, SplittableRandom random) throws Exception {
        boolean stubborn = random.nextInt(profile.stubborn()) == 0;
        if (!stubborn && random.nextInt(3) == 0) {
            userCode.workWatchfully(context, random.nextInt(profile.leastMillis(), profile.mostMillis()));
            userCode.effect(context, null);
            userCode.mayFail(random, profile);
            return;
        }
        int slow = WorkProfile.isSlow(context.jobName(), context.fireTime()) ? WorkProfile.SLOW_MILLIS : 0;
        int millis = (slow + random.nextInt(profile.leastMillis(), profile.mostMillis())) / profile.pieces();
        for (int piece = 0; piece < profile.pieces(); piece++) {
            userCode.work(context, millis, stubborn);
            if (!stubborn && random.nextBoolean()) {
                context.checkOwnership();
            }
            userCode.effect(context, null);
        }
        userCode.mayFail(random, profile);
    }
}
