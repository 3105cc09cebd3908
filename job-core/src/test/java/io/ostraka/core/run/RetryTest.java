package io.ostraka.core.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.RetryPolicy;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryTest {
    private static final RetryPolicy THREE =
            RetryPolicy.attempts(3).backoff(Duration.ofSeconds(1), 2, Duration.ofMinutes(1));

    @Test
    void retriesUntilTheLastAttempt() {
        assertThat(Retry.pause(THREE, 1, false, "nonce")).isPresent();
        assertThat(Retry.pause(THREE, 2, false, "nonce")).isPresent();
        assertThat(Retry.pause(THREE, 3, false, "nonce")).isEmpty();
        assertThat(Retry.pause(RetryPolicy.none(), 1, false, "nonce")).isEmpty();
    }

    @Test
    void doesNotRetryRunThatIsEnding() {
        assertThat(Retry.pause(THREE, 1, true, "nonce")).isEmpty();
    }

    /** When an instance with a stricter policy takes the item over, the attempts may already exceed its limit. */
    @Test
    void doesNotRetryAboveTheLimit() {
        assertThat(Retry.pause(THREE, 4, false, "nonce")).isEmpty();
    }

    @Test
    void pauseGrowsWithEachFailedAttempt() {
        RetryPolicy exact = THREE.jitter(0);

        assertThat(Retry.pause(exact, 1, false, "nonce")).contains(Duration.ofSeconds(1));
        assertThat(Retry.pause(exact, 2, false, "nonce")).contains(Duration.ofSeconds(2));
    }

    @Test
    void jitterDependsOnTheClaimAlone() {
        assertThat(Retry.pause(THREE, 1, false, "nonce")).isEqualTo(Retry.pause(THREE, 1, false, "nonce"));

        Set<Duration> pauses = IntStream.range(0, 100)
                .mapToObj(i -> Retry.pause(THREE, 1, false, "nonce-" + i).orElseThrow())
                .collect(Collectors.toSet());
        assertThat(pauses).hasSizeGreaterThan(50).allSatisfy(pause -> assertThat(pause)
                .isBetween(Duration.ofMillis(800), Duration.ofSeconds(1)));
    }
}
