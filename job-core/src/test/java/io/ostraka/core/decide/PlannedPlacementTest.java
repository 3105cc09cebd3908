package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.ShardingStrategies;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.placement.BuiltInStrategies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the plans of jobs with routers and constraints, also while the item count changes. */
class PlannedPlacementTest {
    private static final PlanDecision ROUTER_REFUSED = new PlanDecision.Refuse(
            Kind.PLAN_REFUSED,
            "strategy FIRST accepts jobs with one item only, and this job has 3; choose another shardingStrategy, or"
                    + " shardingTotalCount 1");

    @Test
    void routerOfSeveralItemsIsRefusedBeforePlanCloses() {
        PlannedJob job = new PlannedJob(1);
        job.strategy = BuiltInStrategies.all().get(ShardingStrategies.FIRST);
        job.join("b", "a");
        job.settle();
        assertThat(job.plan.items()).isEqualTo(Map.of("a", List.of("0")));

        job.target(3);
        assertThat(job.decision()).isEqualTo(ROUTER_REFUSED);
        job.target(0);
        assertThat(job.settle()).isPositive();
        assertThat(job.plan.removed()).isTrue();
    }

    @Test
    void itemsOfReplacedCountArePlacedUnderNewStrategy() {
        PlannedJob job = closedForOneItem();
        job.leave("a");

        assertThat(job.settle()).isEqualTo(1);
        assertThat(job.plan.closed()).isTrue();
        assertThat(job.plan.items()).isEqualTo(Map.of("b", List.of("0", "1", "2")));
        job.busy = false;
        job.settle();
        assertThat(job.plan.items()).isEqualTo(Map.of("b", List.of("0")));
        assertThat(job.plan.closed()).isFalse();
    }

    @Test
    void changeContinuesIfRouterRefusesTheNewerCount() {
        PlannedJob job = closedForOneItem();
        job.pass(Duration.ofSeconds(30));
        job.target(3);

        assertThat(job.settle()).isZero();
        job.busy = false;
        assertThat(job.step()).isTrue();
        assertThat(job.plan.closed()).isFalse();
        assertThat(job.plan.total()).isEqualTo(1);
        assertThat(job.decision()).isEqualTo(ROUTER_REFUSED);
    }

    private static PlannedJob closedForOneItem() {
        PlannedJob job = new PlannedJob(3);
        job.join("a", "b");
        job.settle();
        job.strategy = BuiltInStrategies.all().get(ShardingStrategies.FIRST);
        job.busy = true;
        job.target(1);
        assertThat(job.settle()).isEqualTo(1);
        assertThat(job.plan.closed()).isTrue();
        return job;
    }

    @Test
    void unplacedItemStaysInThePlanWithReason() {
        PlannedJob job = new PlannedJob(3);
        job.join("a");
        job.settle();
        assertThat(job.plan.grounds()).isEqualTo(PlacementReasons.NONE);
        job.configure(job.configuration.toBuilder().maxItemsPerInstance(2).build());

        assertThat(job.settle()).isEqualTo(1);
        assertThat(job.plan.itemsOf("a")).containsExactly("0", "1");
        assertThat(job.plan.grounds().unplaced().values()).containsExactly(List.of("2"));
        job.join("b");
        assertThat(job.settle()).isEqualTo(1);
        assertThat(job.plan.itemsOf("b")).containsExactly("2");
        assertThat(job.plan.grounds().unplaced()).isEmpty();
    }
}
