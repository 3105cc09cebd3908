package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests when the leader ends the interrupted runs of a removed job that no instance hosts. */
class ClosedPlanTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final Schedule SCHEDULE = Schedule.fixedRate(Duration.ofSeconds(5));

    private static <T> Versioned<T> read(T value) {
        return new Versioned<>(value, 7, 1, 1, AT, new JsonObject());
    }

    /** Returns the state of a removed job with an interrupted item under a plan that is closed for this item count. */
    private static ClosedPlan removed(int target) {
        ShardingPlan plan = ShardingPlan.of(3, 1, Scope.SHARDED, SCHEDULE, AT, 1)
                .madeFrom(1, 2, 0)
                .with(Map.of(), PlacementReasons.NONE)
                .closedFor(new ShardingPlan.Change(target, 2, AT));
        Fire fire = Fire.scheduled(AT.plusSeconds(5));
        Run run = new Run(fire, 3, 1, 0, "a", "nonce", AT.plusSeconds(5), AT.plusSeconds(5), 1, 0, 0);
        ItemRecord record =
                ItemRecord.fresh(AT, 0, 1).claimed(run, AT, List.of()).handedOver();
        JobView job =
                new JobView("job", null, read(JobOverride.NONE.withRemoved(true)), read(plan), JobView.Damages.NONE);

        ItemView item = new ItemView("2", read(record), 0, false, null, false, null);
        return ClosedPlan.of(job, List.of(item), true, List.of(), false, AT.plusSeconds(9));
    }

    @Test
    void removalWithoutHostAbandonsInterruptedRuns() {
        ClosedPlan closed = removed(0);

        assertThat(closed.ledger().abandoned()).containsExactly("2");
        assertThat(closed.ledger().busy()).isFalse();
    }

    /** The plan was closed for another item count when the job was removed. The removal closes the plan again. */
    @Test
    void earlierChangeAbandonsNothing() {
        ClosedPlan closed = removed(3);

        assertThat(closed.ledger().abandoned()).isEmpty();
        assertThat(closed.ledger().busy()).isTrue();
    }
}
