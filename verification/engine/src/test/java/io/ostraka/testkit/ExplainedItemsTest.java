package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that the explanation of an item names what keeps it from starting, and the instance that runs it. */
@ExtendWith(OstrakaExtension.class)
class ExplainedItemsTest {
    private static final CommandOptions ANN = CommandOptions.by("ann").because("ticket 7");
    private static final String OBSTACLE = "It starts no scheduled fire now: ";

    private static JobConfiguration.Builder settle() {
        return JobConfiguration.newBuilder("settle", 2).schedule(Schedule.fixedRate(Duration.ofMinutes(1)));
    }

    private static ItemDetails item(Operations operations, String item) {
        return operations.items("settle", Set.of(item)).get(0);
    }

    @Test
    void itemWithoutObstaclesIsExplainedByItsOwnerAlone(@Instances(2) TestCluster cluster) {
        cluster.schedule(context -> {}, settle().build());
        cluster.advance(Duration.ofMinutes(2));
        Operations operations = cluster.observe();

        assertThat(operations.explain("settle", "0"))
                .contains("is on " + item(operations, "0").owner())
                .doesNotContain(OBSTACLE, ". ");
        assertThat(operations.explain("settle", "7")).contains("is not one of its items");
    }

    @Test
    void quarantineAfterFailuresIsExplained(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> {
                    if (context.shardingItem() == 1) {
                        throw new IllegalStateException("no such account");
                    }
                },
                settle().quarantineAfter(3).build());
        cluster.advance(Duration.ofMinutes(5));
        Operations operations = cluster.observe();

        assertThat(operations.explain("settle", "1"))
                .contains(
                        OBSTACLE + "the item is quarantined since "
                                + item(operations, "1").run().endedAt() + ": 3 failures in a row",
                        "no such account",
                        "release the item");
        assertThat(operations.explain("settle", "0")).doesNotContain(OBSTACLE);
    }

    @Test
    void quarantineAfterDeadInstancesIsExplained(@Instances(4) TestCluster cluster) {
        cluster.schedule(
                context -> cluster.instances().stream()
                        .filter(instance -> instance.alive() && instance.id().equals(context.instanceId()))
                        .forEach(TestCluster.Instance::kill),
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                        .maxAttempts(2)
                        .build());
        cluster.advance(Duration.ofMinutes(5));

        assertThat(cluster.operations().explain("settle", "0"))
                .contains(OBSTACLE + "the item is quarantined since ", ": 2 instances died running this fire");
    }

    @Test
    void ordersOfOperatorsAreExplained(@Instances(2) TestCluster cluster) {
        cluster.schedule(context -> {}, settle().build());
        cluster.advance(Duration.ofMinutes(2));
        Operations operations = cluster.observe();
        operations.execute(new Command.DisableItem("settle", "0"), ANN);
        operations.execute(new Command.Pause("settle"), ANN);
        operations.execute(new Command.Freeze(null), ANN);

        assertThat(operations.explain("settle", "0"))
                .contains(OBSTACLE + "the namespace is frozen by ann (ticket 7); the job is paused by ann (ticket 7);"
                        + " the item is disabled by ann since ")
                .endsWith(" (ticket 7)");
    }

    @Test
    void runThatKeepsLaterFiresFromStartingIsExplained(@Instances(2) TestCluster cluster) {
        List<String> explained = new ArrayList<>();
        int[] runs = {0};
        cluster.schedule(
                context -> {
                    if (context.shardingItem() == 0 && ++runs[0] == 3) {
                        Operations operations = cluster.observe();
                        explained.add(operations.explain("settle", "0"));
                        cluster.advance(Duration.ofMinutes(10));
                        explained.add(operations.explain("settle", "0"));
                        explained.add(item(operations, "0").run().startedAt().toString());
                        operations.execute(new Command.SetOverride("settle", "timeout", Duration.ofMinutes(5)), ANN);
                        explained.add(operations.explain("settle", "0"));
                    }
                },
                settle().build());
        cluster.advance(Duration.ofMinutes(5));

        assertThat(explained).hasSize(4);
        String run = ". Its run since " + explained.get(2) + " keeps later fires from starting until it ends";
        assertThat(explained.get(0)).endsWith(run);
        assertThat(explained.get(1)).contains(run + ", and takes longer than usual (PT", " on average)");
        assertThat(explained.get(3)).endsWith(run + ", and is over its timeout of PT5M");
    }

    @Test
    void overrideOfTheScheduleIsExplained(@Instances(2) TestCluster cluster) {
        cluster.schedule(context -> {}, settle().build());
        cluster.advance(Duration.ofMinutes(2));
        Operations operations = cluster.observe();
        operations.execute(
                new Command.SetOverride("settle", "schedule", Schedule.fixedRate(Duration.ofMinutes(9))), ANN);

        assertThat(operations.explain("settle", "0"))
                .contains(". An override of the field schedule is in force, by ann since ")
                .endsWith(" (ticket 7)");
    }

    @Test
    void runnerIsNamedIfItIsNotTheOwner(@Instances(2) TestCluster cluster) {
        List<String> explained = new ArrayList<>();
        List<String> waits = new ArrayList<>();
        cluster.schedule(
                context -> {
                    if (explained.isEmpty() && context.shardingItem() == 0) {
                        Operations operations = cluster.observe();
                        explained.add(operations.explain("settle", "0"));
                        operations.execute(new Command.DrainInstance(context.instanceId(), null), ANN);
                        cluster.advance(Duration.ofSeconds(30));
                        explained.add(operations.explain("settle", "0"));
                        explained.add(context.instanceId());
                        cluster.instances().forEach(each -> each.health().jobs().get("settle").reasons().stream()
                                .filter(reason -> reason.kind() == Kind.WAITING_ITEMS)
                                .forEach(reason -> waits.add(reason.text())));
                    }
                },
                settle().build());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(explained).hasSize(3);
        assertThat(explained.get(0)).doesNotContain("still runs it");
        assertThat(explained.get(1))
                .contains("it was drained from " + explained.get(2))
                .contains(". Instance " + explained.get(2) + " still runs it, since ");
        assertThat(waits)
                .as("the health of the owner")
                .containsExactly("item 0 belongs to this instance and waits until its run in another session ends: "
                        + explained.get(2));
    }

    @Test
    void runOfADeadInstanceIsExplained(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> cluster.instances().stream()
                        .filter(instance -> instance.alive() && instance.id().equals(context.instanceId()))
                        .forEach(TestCluster.Instance::kill),
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.fixedRate(Duration.ofMinutes(1)))
                        .build());
        Operations operations = cluster.observe();
        cluster.advance(Duration.ofMinutes(5));

        assertThat(operations.explain("settle", "0"))
                .contains("is not registered any more; no instance has taken the run over yet");
    }
}
