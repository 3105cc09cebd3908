package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.CoordinationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions that tests can only poll. */
public final class Eventually {
    private Eventually() {}

    /** Waits until a condition holds, or until JUnit interrupts the test at its time limit. */
    public static void holds(String what, BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            assertThat(Thread.currentThread().isInterrupted())
                    .as("interrupted while waiting for %s", what)
                    .isFalse();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    static void succeeds(Runnable action) {
        holds("success", () -> failure(action) == null);
    }

    static void refused(Runnable action, String because) {
        String failure = failure(action);
        assertThat(failure).isNotNull().contains(because);
    }

    static String failure(Runnable action) {
        try {
            action.run();
            return null;
        } catch (CoordinationException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
