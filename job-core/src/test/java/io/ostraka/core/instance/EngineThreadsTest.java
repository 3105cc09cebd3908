package io.ostraka.core.instance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.metrics.Load;
import io.ostraka.core.run.TestRun;
import io.ostraka.core.time.SystemClock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EngineThreadsTest {
    private static final int MANY = 5;

    private final CountDownLatch begun = new CountDownLatch(MANY);
    private final CountDownLatch release = new CountDownLatch(1);

    private static EngineThreads givingBackAfter(Duration idle) {
        return EngineThreads.givingBackAfter(
                idle, new SystemClock(), TestRun.onCallersThread().alarm());
    }

    private void runMany(WorkerStatistics workers) throws InterruptedException {
        for (int i = 0; i < MANY; i++) {
            workers.execute(() -> {
                begun.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        begun.await();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void releasesIdleThreads() throws Exception {
        try (EngineThreads machine = givingBackAfter(Duration.ofMillis(1))) {
            WorkerStatistics workers = new WorkerStatistics(machine.platform().workers());
            runMany(workers);
            assertThat(workers.load()).isEqualTo(new Load.Workers(MANY, MANY, 0, MANY, MANY));
            release.countDown();

            await(() -> workers.load().poolSize() == 0);
            assertThat(workers.load()).isEqualTo(new Load.Workers(0, MANY, MANY, 0, MANY));
        }
    }

    @Test
    void keepsIdleThreadsForAWhile() throws Exception {
        try (EngineThreads machine = givingBackAfter(Duration.ofHours(1))) {
            WorkerStatistics workers = new WorkerStatistics(machine.platform().workers());
            runMany(workers);
            release.countDown();

            await(() -> workers.load().active() == 0);
            assertThat(workers.load().poolSize()).isEqualTo(MANY);
        }
    }

    @Test
    void reportsThePoolOfEngineThreads() throws Exception {
        try (EngineThreads machine = givingBackAfter(Duration.ofHours(1))) {
            for (int i = 0; i < MANY; i++) {
                machine.platform().engineThreads().execute(() -> {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            await(() -> pool(machine).active() == 2);
            assertThat(pool(machine)).isEqualTo(new Load.Pool(2, MANY - 2, 0, 2, 2));
            release.countDown();

            await(() -> pool(machine).completed() == MANY);
            await(() -> pool(machine).equals(new Load.Pool(0, 0, MANY, 2, 2)));
        }
    }

    private static Load.Pool pool(EngineThreads machine) {
        return WorkerStatistics.pool(machine.platform().engineThreads()).orElseThrow();
    }
}
