package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.CoordinationException;
import io.ostraka.fixtures.Eventually;

/** Actions that ZooKeeper may refuse. */
final class Attempts {
    private Attempts() {}

    static void succeeds(Runnable action) {
        Eventually.holds("success", () -> failure(action) == null);
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
