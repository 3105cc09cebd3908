package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.ItemReleased;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operations;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands that are repeated after an unknown outcome. */
@ExtendWith(OstrakaExtension.class)
class RepeatedCommandsTest {
    private static final CommandOptions ANN = CommandOptions.by("ann").because("ticket 7");
    private static final String JOB = "settle";
    private static final Command RELEASE = new Command.ReleaseItem(JOB, "0");

    private final List<Event> events = new ArrayList<>();

    private static JobConfiguration.Builder hourly(int items) {
        return JobConfiguration.newBuilder(JOB, items).schedule(Schedule.cron("0 0 * * * ?", ZoneId.of("UTC")));
    }

    private static void scheduleFailing(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    throw new IllegalStateException("as ever");
                },
                hourly(1).quarantineAfter(1).build());
        cluster.advance(Duration.ofHours(1));
    }

    private static ItemDetails item(Operations operations) {
        return operations.items(JOB, Set.of("0")).get(0);
    }

    /** Executes a command through the first instance, which loses the reply of ZooKeeper. */
    private static CommandResult executeWithoutReply(TestCluster cluster, Command command, CommandOptions options) {
        TestCluster.Instance through = cluster.instances().get(0);
        through.store().loseNextReply();
        CommandResult result = through.operations().execute(command, options);
        through.store().reconnect();
        cluster.advance(Duration.ofSeconds(1));
        return result;
    }

    @Test
    void itemKeepsWhoReleasedItAndWhy(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        scheduleFailing(cluster);
        Operations operations = cluster.operations();
        assertThat(item(operations).changes()).isEmpty();
        Instant before = cluster.now();

        CommandResult result = operations.execute(RELEASE, ANN);

        assertThat(result).isInstanceOfSatisfying(CommandResult.Applied.class, applied -> assertThat(applied.version())
                .isPositive());
        cluster.advance(Duration.ofHours(3));
        Change change = item(operations).changes().get("RELEASE_ITEM");
        assertThat(change).as("after the next fire").isNotNull();
        assertThat(change.by()).isEqualTo("ann");
        assertThat(change.reason()).isEqualTo("ticket 7");
        assertThat(change.at()).isBetween(before.minusSeconds(5), before.plusSeconds(5));
        assertThat(events)
                .filteredOn(ItemReleased.class::isInstance)
                .singleElement()
                .satisfies(event -> {
                    assertThat(((ItemReleased) event).actor()).isEqualTo("ann");
                    assertThat(((ItemReleased) event).reason()).isEqualTo("ticket 7");
                });
    }

    @Test
    void releaseWhoseReplyWasLostIsAppliedOnce(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        scheduleFailing(cluster);
        CommandOptions once = ANN.withRequestId("r-1");
        Operations operations = cluster.observe();

        assertThat(executeWithoutReply(cluster, RELEASE, once)).isInstanceOf(CommandResult.Unknown.class);
        assertThat(cluster.operations().execute(RELEASE, once)).isInstanceOf(CommandResult.Unchanged.class);
        cluster.advance(Duration.ofHours(1));
        assertThat(item(operations).state()).as("fails again").isEqualTo(ItemDetails.State.QUARANTINED);
        long version = item(operations).version();

        CommandResult late = cluster.operations().execute(RELEASE, once);

        assertThat(late).isInstanceOf(CommandResult.Unchanged.class);
        assertThat(item(operations).state()).isEqualTo(ItemDetails.State.QUARANTINED);
        assertThat(item(operations).version()).isEqualTo(version);
        assertThat(events).noneMatch(ItemReleased.class::isInstance);
        assertThat(operations.execute(RELEASE, ANN.withRequestId("r-2"))).isInstanceOf(CommandResult.Applied.class);
    }

    @Test
    void releaseForAnOlderVersionChangesNothing(@Instances(1) TestCluster cluster) {
        scheduleFailing(cluster);
        Operations operations = cluster.observe();
        long seen = item(operations).version();
        operations.execute(RELEASE, ANN.expecting(seen));
        cluster.advance(Duration.ofHours(2));
        assertThat(item(operations).state()).isEqualTo(ItemDetails.State.QUARANTINED);

        CommandResult stale = operations.execute(RELEASE, ANN.expecting(seen));

        assertThat(stale)
                .isEqualTo(new CommandResult.Conflict(
                        item(operations).version(),
                        "the record of item 0 of job 'settle' has changed; read the item again"));
        assertThat(item(operations).state()).isEqualTo(ItemDetails.State.QUARANTINED);
    }

    @Test
    void releaseSurvivesAChangeOfTheItemCount(@Instances(1) TestCluster cluster) {
        scheduleFailing(cluster);
        Operations operations = cluster.observe();
        CommandOptions once = ANN.withRequestId("r-1");
        operations.execute(RELEASE, once);
        cluster.advance(Duration.ofMinutes(1));
        operations.execute(new Command.SetOverride(JOB, "shardingTotalCount", 3), ANN);
        cluster.advance(Duration.ofHours(2));
        assertThat(item(operations).state()).isEqualTo(ItemDetails.State.QUARANTINED);

        assertThat(operations.execute(RELEASE, once)).isInstanceOf(CommandResult.Unchanged.class);
        assertThat(operations.items(JOB, Set.of("1")).get(0).changes())
                .as("an item that was never released")
                .isEmpty();
    }
}
