package io.ostraka.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class LaneTest {
    private final Queue<Runnable> threads = new ArrayDeque<>();
    private final LaneStatistics statistics = new LaneStatistics();

    private void assertStatistics(int active, long queued, int longest, long completed) {
        assertThat(List.<Number>of(
                        statistics.active(), statistics.queued(), statistics.longest(), statistics.completed()))
                .as("active, queued, longest, completed")
                .containsExactly(active, queued, longest, completed);
    }

    @Test
    void whatWaitsRunsAndHasRunIsCountedOverAllLanes() {
        Lane one = new Lane(threads::add, statistics);
        Lane other = new Lane(threads::add, statistics);
        one.execute(() -> {});
        one.execute(() -> assertStatistics(2, 1, 2, 1));
        other.execute(() -> {});
        assertStatistics(2, 3, 2, 0);

        threads.remove().run(); // one's first; it stands behind the other lane again
        threads.add(threads.remove());
        threads.remove().run();
        assertStatistics(1, 1, 2, 2);
        threads.remove().run();
        assertStatistics(0, 0, 2, 3);
    }

    @Test
    void aTaskThatFailsIsCountedAndTheNextRuns() {
        Lane lane = new Lane(threads::add, statistics);
        lane.execute(() -> {
            throw new IllegalStateException("fails");
        });
        lane.execute(() -> {});
        while (!threads.isEmpty()) {
            try {
                threads.remove().run();
            } catch (IllegalStateException e) {
                // as the executor's thread would
            }
        }
        assertStatistics(0, 0, 2, 2);
    }

    @Test
    void whatAClosedExecutorRefusesDoesNotStayInTheCounts() {
        Lane lane = new Lane(
                task -> {
                    throw new RejectedExecutionException();
                },
                statistics);
        lane.execute(() -> {});

        assertStatistics(0, 0, 1, 0);
    }
}
