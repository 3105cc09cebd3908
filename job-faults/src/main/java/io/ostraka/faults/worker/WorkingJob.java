package io.ostraka.faults.worker;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.util.SplittableRandom;

/** A job that works in pieces. It writes to the resource first, and after each piece. */
final class WorkingJob implements SimpleJob {
    private final Labour labour;

    WorkingJob(Labour labour) {
        this.labour = labour;
    }

    @Override
    public void execute(ShardingContext context) throws Exception {
        labour.call(context, "execute", () -> {
            labour.effect(context, null);
            SplittableRandom random = labour.random(context, 0);
            if (!labour.hurried()) {
                work(context, Manner.of(context.jobName()), random);
            }
            if (labour.hurried() || random.nextInt(3) == 0) {
                context.idle(); // without idle calls an endless loop would never pause
            }
            return "";
        });
    }

    private void work(ShardingContext context, Manner manner, SplittableRandom random) throws Exception {
        boolean stubborn = random.nextInt(manner.stubborn()) == 0;
        if (!stubborn && random.nextInt(3) == 0) {
            labour.workWatchfully(context, random.nextInt(manner.leastMillis(), manner.mostMillis()));
            labour.effect(context, null);
            labour.mayFail(random, manner);
            return;
        }
        int slow = Manner.isSlow(context.jobName(), context.fireTime()) ? Manner.SLOW_MILLIS : 0;
        int millis = (slow + random.nextInt(manner.leastMillis(), manner.mostMillis())) / manner.pieces();
        for (int piece = 0; piece < manner.pieces(); piece++) {
            labour.work(context, millis, stubborn);
            if (!stubborn && random.nextBoolean()) {
                context.checkOwnership();
            }
            labour.effect(context, null);
        }
        labour.mayFail(random, manner);
    }
}
