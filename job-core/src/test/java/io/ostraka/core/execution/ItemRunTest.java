package io.ostraka.core.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.trigger.Schedules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ItemRunTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final ItemRun run = run();

    @Test
    void codeThatIsToldToEndHasNotCompletedItsFireByReturning() {
        run.begin(Thread.currentThread());
        run.cancel();
        run.finish();

        assertThat(run.gaveUp(RunEnd.SUCCEEDED)).isTrue();
    }

    /** The session may be lost between the return of the code and its completion. */
    @Test
    void codeThatHasReturnedIsNotToldToEnd() {
        run.begin(Thread.currentThread());
        run.finish();
        run.cancel();

        assertThat(run.gaveUp(RunEnd.SUCCEEDED)).isFalse();
        assertThat(run.isCancelled()).isFalse();
    }

    private static ItemRun run() {
        JobConfiguration job = JobConfiguration.newBuilder("job", 1).build();
        ShardingPlan plan =
                new ShardingPlan(1, 1, 1, 0, 0, "", NOW, NOW, List.of(), 1, null, null, Map.of("a@1@1", List.of("0")));
        JobSnapshot snapshot = new JobSnapshot(
                job, JobOverride.NONE, plan, 0, Schedules.of("job", Schedule.onDemand(), NOW), Duration.ofSeconds(30));
        Run claim = new Run(Fire.scheduled(NOW), 1, 1, 0, "a@1@1", "nonce", NOW, NOW);
        ItemRecord record = ItemRecord.fresh(NOW, 1, 1).claimed(claim, NOW, List.of());
        return new ItemRun(snapshot, "0", record, null, new ItemRun.Claimed(1, 1, 1), new NoSession());
    }

    private static final class NoSession implements RunSession {
        @Override
        public Optional<String> doubt() {
            return Optional.empty();
        }

        @Override
        public Optional<byte[]> checkpoint(String job, String item) {
            return Optional.empty();
        }

        @Override
        public boolean saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint) {
            return false;
        }
    }
}
