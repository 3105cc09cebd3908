package io.ostraka.faults.worker;

import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.faults.worker.Workload.Manner;
import java.util.SplittableRandom;

/** A job that works piece by piece, fences first, and writes down each piece. */
final class WorkingJob implements SimpleJob {
    private final Labour labour;

    WorkingJob(Labour labour) {
        this.labour = labour;
    }

    @Override
    public void execute(ShardingContext context) throws Exception {
        labour.call(context, "execute", () -> {
            labour.effect(context, null);
            if (!labour.hurried()) {
                work(context, Manner.of(context.jobName()), labour.random(context, 0));
            }
            return "";
        });
    }

    private void work(ShardingContext context, Manner manner, SplittableRandom random) throws Exception {
        boolean stubborn = random.nextInt(manner.stubborn()) == 0;
        int millis = random.nextInt(manner.leastMillis(), manner.mostMillis()) / manner.pieces();
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
