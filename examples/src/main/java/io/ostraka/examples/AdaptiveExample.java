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
 * A job that asks a service for prices, while the service is slow for a while. A run that takes longer than the schedule's
 * base is ended and doubles the interval, so that a service in trouble is asked less and less; the first answer in time
 * brings the interval back. The interval stays with the item, wherever it goes.
 */
public final class AdaptiveExample {
    private static final Duration BASE = Duration.ofMillis(250);

    private AdaptiveExample() {}

    /** Asks; runs of one item come one after the other. */
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
            } catch (InterruptedException e) { // the time limit, which is the base, is over
                System.out.println("no answer in time");
                throw e;
            } finally {
                ended = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            }
        }

        /** The service: the third, fourth and fifth call take far too long. */
        private static int price(int call) throws InterruptedException {
            if (call >= 3 && call <= 5) {
                TimeUnit.MINUTES.sleep(1);
            }
            return 42;
        }
    }

    /** Lets the job ask until it has had four answers. */
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
