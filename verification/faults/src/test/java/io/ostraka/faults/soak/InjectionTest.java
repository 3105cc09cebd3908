package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InjectionTest {
    private static final Duration LONG = Duration.ofDays(1);

    private final CountDownLatch waits = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Waits until it is interrupted, as a series of faults waits between two of its faults. */
    private void await() throws InterruptedException {
        try {
            waits.countDown();
            new CountDownLatch(1).await();
        } finally {
            ended.countDown();
        }
    }

    @Test
    void failureOfOneTaskInterruptsTheOthers() {
        Injection.Task fails = () -> {
            waits.await();
            throw new IllegalStateException("no such server");
        };

        assertThatThrownBy(() -> Injection.together(List.of(this::await, fails), LONG))
                .hasRootCauseMessage("no such server");
        assertThat(ended.getCount()).isZero();
    }

    @Test
    void waitForTasksHasALimit() {
        assertThatThrownBy(() -> Injection.together(List.of(this::await), Duration.ofMillis(1)))
                .hasMessageContaining("not ended");
    }
}
