package io.ostraka.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.metrics.Distribution;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistogramTest {
    private final Histogram histogram = new Histogram();

    private Distribution at(Duration moment) {
        return histogram.read(moment.toNanos());
    }

    private void add(Duration duration, Duration moment) {
        histogram.add(duration.toNanos(), moment.toNanos());
    }

    /** Covers sixteen powers of ten, and thus every bucket size. The seed determines the values. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void percentilesAreOffByAtMostSixteenthOr63Micros(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (double spread = 0.5; spread <= 16; spread += 0.5) {
            Histogram fresh = new Histogram();
            long[] nanos = new long[1 + random.nextInt(2000)];
            for (int i = 0; i < nanos.length; i++) {
                nanos[i] = (long) Math.pow(10, random.nextDouble() * spread);
                fresh.add(nanos[i], 0);
            }
            Arrays.sort(nanos);
            Distribution read = fresh.read(0);

            assertThat(read.count()).isEqualTo(nanos.length);
            assertThat(read.max()).isEqualTo(Duration.ofNanos(nanos[nanos.length - 1]));
            assertNear(read.p95(), nanos, 0.95);
            assertNear(read.p99(), nanos, 0.99);
        }
    }

    private static void assertNear(Duration found, long[] sorted, double part) {
        long true_ = sorted[(int) Math.ceil(part * sorted.length) - 1];
        double bound = Math.max(true_ / 16.0, 63_000);
        assertThat((double) found.toNanos())
                .as("of %s values at %s", sorted.length, part)
                .isBetween(true_ - bound, true_ + bound);
    }

    @Test
    void emptyHistogramIsZero() {
        assertThat(at(Duration.ZERO)).isEqualTo(new Distribution(0, Duration.ZERO, Duration.ZERO, Duration.ZERO));
    }

    @Test
    void dropsMinutesOlderThanFiveMinutes() {
        add(Duration.ofSeconds(9), Duration.ofSeconds(30));
        add(Duration.ofSeconds(1), Duration.ofSeconds(90));

        assertThat(at(Duration.ofSeconds(299))).extracting(Distribution::count).isEqualTo(2L);
        assertThat(at(Duration.ofSeconds(299)).max()).isEqualTo(Duration.ofSeconds(9));
        assertThat(at(Duration.ofSeconds(300)).count()).isEqualTo(1);
        assertThat(at(Duration.ofSeconds(300)).max()).isEqualTo(Duration.ofSeconds(1));
        add(Duration.ofSeconds(2), Duration.ofSeconds(301)); // this duration reuses the slot of the first one
        assertThat(at(Duration.ofSeconds(302)).count()).isEqualTo(2);
        assertThat(at(Duration.ofHours(1)).count()).isZero();
    }

    @Test
    void monotonicTimeMayBeNegative() {
        add(Duration.ofSeconds(1), Duration.ofSeconds(-400));
        add(Duration.ofSeconds(2), Duration.ofSeconds(-30));

        assertThat(at(Duration.ofSeconds(-20)).count()).isEqualTo(1);
        assertThat(at(Duration.ofSeconds(20)).max()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void acceptsNegativeAndEndlessDurations() {
        histogram.add(-1, 0);
        histogram.add(Long.MAX_VALUE, 0);

        assertThat(histogram.read(0).count()).isEqualTo(2);
        assertThat(histogram.read(0).max()).isEqualTo(Duration.ofNanos(Long.MAX_VALUE));
    }

    @Test
    void losesNoDurationUnderContention() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            long moment = i; // all threads start with a slot that is still empty
            new Thread(() -> {
                        for (int j = 0; j < 10_000; j++) {
                            histogram.add(j, moment);
                        }
                        done.countDown();
                    })
                    .start();
        }
        done.await();

        assertThat(histogram.read(0).count()).isEqualTo(40_000);
    }
}
