package io.ostraka.playground;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.ShardingContext;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Simulated work for the jobs. It only takes time. */
final class Work {
    private Work() {}

    /** Waits for a time between two bounds. The time depends only on the fire and the item. */
    static void between(ShardingContext context, Duration least, Duration most) throws InterruptedException {
        SplittableRandom random = new SplittableRandom((context.runId() + context.itemKey()).hashCode());
        Thread.sleep(least.toMillis() + (long) (most.minus(least).toMillis() * random.nextDouble()));
    }

    /** Waits for a time in equal steps, and reports the progress after each step. */
    static void inSteps(ShardingContext context, int steps, Duration time, String thing) throws InterruptedException {
        for (int step = 1; step <= steps; step++) {
            Thread.sleep(time.toMillis() / steps);
            context.progress(step, steps, thing + " " + step + " of " + steps);
        }
    }

    /** Returns the number of the fire's minute, for jobs whose runs differ from minute to minute. */
    static long minute(ShardingContext context) {
        return context.fireTime().getEpochSecond() / Duration.ofMinutes(1).toSeconds();
    }

    /** Follows payments, of which each item gets one a second. The checkpoint is the time of the last payment. */
    static final class Payments implements DataflowJob<String> {
        private static final int BATCH = 4;

        @Override
        public List<String> fetchData(ShardingContext context) {
            long last = last(context);
            return LongStream.rangeClosed(last + 1, Math.min(last + BATCH, now()))
                    .mapToObj(each -> "payment-" + each)
                    .toList();
        }

        @Override
        public void processData(ShardingContext context, List<String> payments) throws InterruptedException {
            Thread.sleep(100L * payments.size());
            context.saveCheckpoint(ByteBuffer.allocate(Long.BYTES)
                    .putLong(last(context) + payments.size())
                    .array());
        }

        private static long last(ShardingContext context) {
            return context.checkpoint()
                    .map(bytes -> ByteBuffer.wrap(bytes).getLong())
                    .orElse(now() - BATCH);
        }

        private static long now() {
            return Instant.now().getEpochSecond();
        }
    }
}
