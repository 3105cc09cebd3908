package io.ostraka.examples;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.ZooKeeperRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A job that queries a price service, which is slow for a while. The schedule cancels a run that takes longer than the
 * base interval, and then doubles the interval, so that an overloaded service gets fewer requests. The first answer
 * that arrives in time resets the interval. The interval belongs to the item and moves with it to other instances.
 */
public final class AdaptiveExample {
    private static final Duration BASE = Duration.ofMillis(500);

    private AdaptiveExample() {}

    /** Requests the prices. The fields need no lock, because two runs of an item never overlap. */
    private static final class AskPrices implements SimpleJob {
        private final CountDownLatch unanswered;
        private Instant ended = Instant.MAX;
        private int calls;

        AskPrices(CountDownLatch unanswered) {
            this.unanswered = unanswered;
        }

        @Override
        public void execute(ShardingContext context) throws Exception {
            long pause =
                    calls == 0 ? 0 : Duration.between(ended, context.fireTime()).toMillis();
            System.out.printf("call %d, %4d ms after the last: ", ++calls, pause);
            try {
                price(calls);
                System.out.println("answered");
                unanswered.countDown();
            } catch (InterruptedException e) { // the time limit (the base interval) has passed
                System.out.println("no answer in time");
                throw e;
            } finally {
                ended = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            }
        }

        /** Simulates the service: the third, fourth and fifth calls take far too long. */
        private static int price(int call) throws InterruptedException {
            if (call >= 3 && call <= 5) {
                TimeUnit.MINUTES.sleep(1);
            }
            return 42;
        }
    }

    /** Runs the job until it has received four answers. */
    public static void main(String[] args) throws Exception {
        var unanswered = new CountDownLatch(4);
        var configuration = JobConfiguration.newBuilder("ask-prices", 1)
                .schedule(Schedule.adaptive(BASE, 8)) // at most eight times the base
                .errorHandler("IGNORE") // the default would log each failure
                .build();

        try (var directory = TemporaryDirectory.create();
                var registry = ZooKeeperRegistry.embedded(directory.path())) {
            registry.schedule(new AskPrices(unanswered), configuration);
            unanswered.await();
        }
    }
}
