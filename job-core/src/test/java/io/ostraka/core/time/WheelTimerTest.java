package io.ostraka.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.CapturedErrors;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WheelTimerTest {
    private final Clock clock = new SystemClock();
    private final WheelTimer timer = new WheelTimer();

    @AfterEach
    void close() {
        timer.close();
    }

    @Test
    void callsBackAfterDelayAndNotBefore() throws Exception {
        for (int millis : new int[] {1, 9, 10, 11, 35}) {
            BlockingQueue<Long> woken = new LinkedBlockingQueue<>();
            long start = clock.monotonicNanos();
            timer.after(Duration.ofMillis(millis), () -> woken.add(clock.monotonicNanos()));
            Long end = woken.poll(30, TimeUnit.SECONDS);

            assertThat(end).isNotNull();
            assertThat(Duration.ofNanos(end - start)).isGreaterThanOrEqualTo(Duration.ofMillis(millis));
        }
    }

    @Test
    void callsBackAtOnceWithoutDelayAndNeverAfterEndlessOne() throws Exception {
        AtomicInteger never = new AtomicInteger();
        timer.after(Duration.ofSeconds(Long.MAX_VALUE), never::incrementAndGet);
        CountDownLatch woken = new CountDownLatch(2);
        timer.after(Duration.ZERO, woken::countDown);
        timer.after(Duration.ofSeconds(Long.MIN_VALUE), woken::countDown);

        await(woken);
        assertThat(never).hasValue(0);
    }

    @Test
    void cancelledCallIsNotMade() throws Exception {
        AtomicInteger woken = new AtomicInteger();
        CountDownLatch release = busy();
        Runnable takeBack = timer.after(Duration.ZERO, woken::incrementAndGet);
        takeBack.run();
        takeBack.run();
        CountDownLatch later = new CountDownLatch(1);
        timer.after(Duration.ofMillis(20), later::countDown);
        release.countDown();
        await(later);

        assertThat(woken).hasValue(0);
    }

    @Test
    void logsCallbackThatThrowsAndCallsOthers() throws Exception {
        try (CapturedErrors errors = new CapturedErrors()) {
            timer.after(Duration.ZERO, () -> {
                throw new IllegalArgumentException("on purpose");
            });
            CountDownLatch later = new CountDownLatch(1);
            timer.after(Duration.ofMillis(20), later::countDown);
            await(later);

            assertThat(errors.text()).contains("on purpose");
        }
    }

    @Test
    void threadIsDaemonAndEndsWithTimer() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        CountDownLatch woken = new CountDownLatch(1);
        timer.after(Duration.ZERO, () -> {
            thread.set(Thread.currentThread());
            woken.countDown();
        });
        await(woken);
        assertThat(thread.get().isDaemon()).isTrue();

        timer.close();
        assertThat(thread.get().isAlive()).isFalse();
    }

    @Test
    void doesNotCallBackAfterClose() throws Exception {
        AtomicInteger woken = new AtomicInteger();
        CountDownLatch release = busy();
        timer.after(Duration.ofMillis(50), woken::incrementAndGet);
        release.countDown();
        timer.close();
        int before = woken.get();
        timer.after(Duration.ZERO, woken::incrementAndGet).run();
        timer.close();

        // the thread has ended, so no further call can come
        assertThat(woken).hasValue(before);
    }

    @Test
    void closesUnusedTimer() {
        timer.close();
        timer.after(Duration.ZERO, () -> {}).run();
    }

    @Test
    void rescuesCallbackAfterDelayButNotAfterClose() throws Exception {
        CountDownLatch woken = new CountDownLatch(1);
        long start = clock.monotonicNanos();
        timer.rescue(Duration.ofMillis(10), woken::countDown);
        await(woken);
        assertThat(Duration.ofNanos(clock.monotonicNanos() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(10));

        AtomicInteger never = new AtomicInteger();
        CountDownLatch later = new CountDownLatch(1);
        timer.rescue(Duration.ofMillis(20), never::incrementAndGet);
        timer.close();
        CompletableFuture.delayedExecutor(40, TimeUnit.MILLISECONDS, Runnable::run)
                .execute(later::countDown);
        await(later);
        assertThat(never).hasValue(0);
    }

    /** Blocks the timer's thread until the returned latch is counted down. */
    private CountDownLatch busy() throws InterruptedException {
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        timer.after(Duration.ZERO, () -> {
            taken.countDown();
            try {
                release.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        await(taken);
        return release;
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    }
}
