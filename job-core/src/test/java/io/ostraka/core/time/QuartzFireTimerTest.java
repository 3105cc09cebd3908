package io.ostraka.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.CapturedErrors;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class QuartzFireTimerTest {
    private static final int THREADS = 1;

    private final Clock clock = new SystemClock();
    private final QuartzFireTimer fireTimer = new QuartzFireTimer();

    @AfterEach
    void close() {
        fireTimer.close();
    }

    @Test
    void wakesAtInstantAndNotBefore() throws Exception {
        // with these delays Quartz alone is sometimes a millisecond early
        for (int i = 0; i < 200; i++) {
            Instant at = clock.now().plusMillis(i % 5);
            BlockingQueue<Instant> woken = new LinkedBlockingQueue<>();
            fireTimer.wakeAt("key", at, () -> woken.add(clock.now()));

            assertThat(woken.poll(30, TimeUnit.SECONDS)).isNotNull().isAfterOrEqualTo(at);
        }
    }

    @Test
    void wakesAtOnceForPastInstant() throws Exception {
        CountDownLatch woken = new CountDownLatch(4);
        fireTimer.wakeAt("a minute", clock.now().minusSeconds(60), woken::countDown);
        fireTimer.wakeAt("a year", clock.now().minus(Duration.ofDays(365)), woken::countDown);
        fireTimer.wakeAt("1970", Instant.EPOCH, woken::countDown);
        fireTimer.wakeAt("ever", Instant.MIN, woken::countDown);

        await(woken);
    }

    @Test
    void earlierWakeUpWakesBeforePendingOne() throws Exception {
        fireTimer.wakeAt("in a second", clock.now().plusSeconds(1), () -> {});
        fireTimer.wakeAt("in an hour", clock.now().plusSeconds(3_600), () -> {});
        fireTimer.wakeAt("never", Instant.MAX, () -> {});
        CountDownLatch woken = new CountDownLatch(1);
        fireTimer.wakeAt("now", clock.now(), woken::countDown);

        await(woken);
    }

    @Test
    void movedWakeUpWakesOnceAtNewInstant() throws Exception {
        Instant at = clock.now().plusMillis(200);
        List<Instant> woken = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger before = new AtomicInteger();
        try (Busy busy = new Busy()) {
            fireTimer.wakeAt("later", clock.now().minusSeconds(1), before::incrementAndGet);
            fireTimer.wakeAt("later", at, () -> woken.add(clock.now()));
            fireTimer.wakeAt("earlier", clock.now().plusSeconds(3_600), before::incrementAndGet);
            fireTimer.wakeAt("earlier", at, () -> woken.add(clock.now()));
        }
        passes(at.plusMillis(1));

        assertThat(woken).hasSize(2).allSatisfy(instant -> assertThat(instant).isAfterOrEqualTo(at));
        assertThat(before).hasValue(0);
    }

    @Test
    void cancelledWakeUpDoesNotWake() throws Exception {
        AtomicInteger woken = new AtomicInteger();
        Instant at = clock.now();
        try (Busy busy = new Busy()) {
            fireTimer.wakeAt("cancelled", at, woken::incrementAndGet);
            fireTimer.cancel("cancelled");
            fireTimer.cancel("unknown");
        }
        passes(at.plusMillis(1));

        assertThat(woken).hasValue(0);
    }

    @Test
    void callbackMaySetItsKeyAgain() throws Exception {
        CountDownLatch woken = new CountDownLatch(20);
        rearm(clock.now(), woken);

        await(woken);
    }

    private void rearm(Instant at, CountDownLatch woken) {
        fireTimer.wakeAt("chain", at, () -> {
            woken.countDown();
            if (woken.getCount() > 0) {
                rearm(at.plusMillis(10), woken);
            }
        });
    }

    @Test
    void thousandKeysShareOneDaemonThread() throws Exception {
        int keys = 1_000;
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        Set<Integer> woken = ConcurrentHashMap.newKeySet();
        CountDownLatch all = new CountDownLatch(keys);
        Instant soon = clock.now().plusMillis(50);
        for (int i = 0; i < keys; i++) {
            int key = i;
            fireTimer.wakeAt("key " + key, soon.plusMillis(key % 100), () -> {
                threads.add(Thread.currentThread());
                woken.add(key);
                all.countDown();
            });
        }
        await(all);

        assertThat(woken).hasSize(keys);
        assertThat(threads).hasSizeLessThanOrEqualTo(THREADS).allMatch(Thread::isDaemon);
    }

    /** Quartz gets only the first of these wake-ups. */
    @Test
    void wakesSimultaneousWakeUpsInOrderOfInstants() throws Exception {
        List<String> woken = Collections.synchronizedList(new ArrayList<>());
        Instant at = clock.now().plusMillis(100);
        try (Busy busy = new Busy()) {
            fireTimer.wakeAt("third", at.plusMillis(1), () -> woken.add("third"));
            fireTimer.wakeAt("fourth", at.plusMillis(40), () -> woken.add("fourth"));
            fireTimer.wakeAt("second", at, () -> woken.add("second"));
            fireTimer.wakeAt("first", at.minusMillis(80), () -> {
                woken.add("first");
                fireTimer.wakeAt("at once", Instant.EPOCH, () -> woken.add("at once"));
                fireTimer.cancel("second");
            });
        }
        passes(at.plusMillis(41));

        assertThat(woken).containsExactly("first", "at once", "third", "fourth");
    }

    @Test
    void logsCallbackThatThrowsAndWakesOthers() throws Exception {
        try (CapturedErrors errors = new CapturedErrors()) {
            Instant at = clock.now();
            for (int i = 0; i < 4; i++) {
                fireTimer.wakeAt("broken " + i, at, () -> {
                    throw new IllegalArgumentException("on purpose");
                });
                fireTimer.wakeAt("very broken " + i, at, () -> {
                    throw new StackOverflowError("on purpose");
                });
            }
            passes(at.plusMillis(1));
            CountDownLatch again = new CountDownLatch(1);
            fireTimer.wakeAt("broken 0", at, again::countDown);
            await(again);

            assertThat(errors.text()).contains("the wake-up of broken 3 failed", "very broken 3", "on purpose");
        }
    }

    @Test
    void doesNotWakeAfterClose() throws Exception {
        AtomicInteger woken = new AtomicInteger();
        Set<Thread> threads;
        try (Busy busy = new Busy()) {
            threads = busy.threads;
            fireTimer.wakeAt("before", clock.now(), woken::incrementAndGet);
            fireTimer.close();
            fireTimer.wakeAt("after", clock.now(), woken::incrementAndGet);
            fireTimer.cancel("before");
            fireTimer.close();
        }
        for (Thread thread : threads) {
            thread.join(Duration.ofSeconds(30).toMillis());
            assertThat(thread.isAlive()).isFalse();
        }

        assertThat(woken).hasValue(0);
    }

    @Test
    void twoWakeUpsInProcessAreIndependent() throws Exception {
        CountDownLatch woken = new CountDownLatch(1);
        try (QuartzFireTimer other = new QuartzFireTimer()) {
            fireTimer.wakeAt("key", clock.now().plusMillis(20), woken::countDown);
            other.wakeAt("key", clock.now().plusSeconds(3_600), () -> {});
            other.cancel("key");
        }

        await(woken);
    }

    /**
     * Waits until every wake-up that was due before the instant has run. This is certain once each thread has started a
     * later wake-up.
     */
    private void passes(Instant at) throws InterruptedException {
        try (Busy busy = new Busy(at)) {
            assertThat(busy.threads).hasSize(THREADS);
        }
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    }

    /** Blocks all threads of the fire timer until closed. */
    private final class Busy implements AutoCloseable {
        private final CountDownLatch released = new CountDownLatch(1);
        private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

        Busy() throws InterruptedException {
            this(Instant.EPOCH);
        }

        Busy(Instant from) throws InterruptedException {
            CountDownLatch taken = new CountDownLatch(THREADS);
            for (int i = 0; i < THREADS; i++) {
                fireTimer.wakeAt("busy " + i, from, () -> {
                    threads.add(Thread.currentThread());
                    taken.countDown();
                    try {
                        released.await(60, TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            QuartzFireTimerTest.await(taken);
        }

        @Override
        public void close() {
            released.countDown();
        }
    }
}
