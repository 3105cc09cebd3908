package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.Claim;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.ItemClaimed;
import io.ostraka.api.event.ItemTakenOver;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunLost;
import io.ostraka.api.event.RunRecorded;
import io.ostraka.api.event.SkipRecorded;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests that other instances report the latest runs of an instance that died before its subscribers received its
 * events.
 */
@ExtendWith(OstrakaExtension.class)
class RecordedRunsTest {
    private static final String JOB = "observed";

    private final List<Event> events = new ArrayList<>();

    private static JobConfiguration.Builder every10Seconds(int items) {
        return JobConfiguration.newBuilder(JOB, items).schedule(Schedule.fixedRate(Duration.ofSeconds(10)));
    }

    private <E extends Event> List<E> all(Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Returns the claims whose ends an instance has published, in the order of the claims. */
    private List<Claim> endedBy(String instanceId) {
        return all(RunEnded.class).stream()
                .map(RunEnded::claim)
                .filter(claim -> claim.instanceId().equals(instanceId))
                .toList();
    }

    private List<Claim> recorded() {
        return all(RunRecorded.class).stream().map(RunRecorded::claim).toList();
    }

    private static <T> List<T> last(List<T> all, int number) {
        return all.subList(all.size() - number, all.size());
    }

    @Test
    void newOwnerReportsTheTwoLatestRunsOfAKilledInstance(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(
                context -> {
                    throw new IllegalStateException("failed at " + context.fireTime());
                },
                every10Seconds(1).build());
        cluster.advance(Duration.ofSeconds(35));
        TestCluster.Instance first = cluster.instances().get(0);
        List<RunEnded> ended = all(RunEnded.class);
        assertThat(ended).hasSizeGreaterThan(2);
        assertThat(all(RunRecorded.class)).isEmpty();
        first.kill();
        TestCluster.Instance second = cluster.join();
        cluster.advance(Duration.ofSeconds(20));

        assertThat(recorded()).isEqualTo(last(endedBy(first.id()), 2));
        for (RunRecorded recorded : all(RunRecorded.class)) {
            RunEnded end = ended.stream()
                    .filter(each -> each.claim().equals(recorded.claim()))
                    .findFirst()
                    .orElseThrow();
            assertThat(recorded.outcome()).isEqualTo(ItemOutcome.FAILED).isEqualTo(end.outcome());
            assertThat(recorded.error()).isEqualTo(end.error()).contains("failed at");
            assertThat(recorded.cursor()).isEqualTo(end.cursor());
            assertThat(recorded.endedAt()).isEqualTo(end.at());
            assertThat(recorded.instanceId()).isEqualTo(second.id());
            assertThat(recorded.at()).isAfter(end.at());
        }
    }

    @Test
    void aSubscriberReceivesMoreOfAnErrorThanTheRecordStores(@Instances(1) TestCluster cluster) {
        String error = "failed " + "x".repeat(2_000);
        cluster.subscribe(events::add);
        cluster.schedule(
                context -> {
                    throw new IllegalStateException(error);
                },
                every10Seconds(1).build());
        cluster.advance(Duration.ofSeconds(15));
        cluster.instances().get(0).kill();
        cluster.join();
        cluster.advance(Duration.ofSeconds(20));

        assertThat(all(RunEnded.class).get(0).error()).endsWith(error);
        assertThat(all(RunRecorded.class).get(0).error())
                .contains("failed xxx")
                .endsWith("x…")
                .hasSize(498);
    }

    /** Returns the reports of skipped fires, without those that show only a cursor. */
    private List<SkipRecorded> skips() {
        return all(SkipRecorded.class).stream().filter(skip -> skip.count() > 0).toList();
    }

    /** Returns the cursors that were reported without a skipped fire, for one item. */
    private List<SkipRecorded> cursors(String item) {
        return all(SkipRecorded.class).stream()
                .filter(skip -> skip.count() == 0 && skip.item().equals(item))
                .toList();
    }

    @Test
    void newAndRetiredItemsReportTheirCursors(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(context -> {}, every10Seconds(3).failover(false).build());
        cluster.advance(Duration.ofSeconds(35));
        cluster.amend(JOB, override -> override.withShardingTotalCount(2));
        cluster.advance(Duration.ofMinutes(1));
        cluster.amend(JOB, override -> override.withShardingTotalCount(3));
        cluster.advance(Duration.ofMinutes(1));

        List<SkipRecorded> cursors = cursors("2");
        assertThat(cursors)
                .extracting(SkipRecorded::reason)
                .containsSubsequence(SkipReason.ITEM_COUNT_CHANGED, SkipReason.REMOVED, SkipReason.ITEM_COUNT_CHANGED);
        assertThat(cursors.get(0)).satisfies(first -> assertThat(first.cursorBefore())
                .isEqualTo(first.cursor())
                .isEqualTo(first.opened()));
        SkipRecorded end = cursors.stream()
                .filter(skip -> skip.reason() == SkipReason.REMOVED)
                .findFirst()
                .orElseThrow();
        SkipRecorded back = cursors.get(cursors.size() - 1);
        assertThat(back.cursorBefore()).isEqualTo(end.cursor()).isBefore(back.cursor());
        assertThat(back.opened()).isEqualTo(back.cursor());
    }

    @Test
    void firesThatWereSkippedForTwoReasonsHaveCursorsWithoutAGap(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(
                context -> {}, every10Seconds(1).misfire(MisfirePolicy.skip()).build());
        cluster.advance(Duration.ofMinutes(1));
        cluster.pause(JOB);
        cluster.advance(Duration.ofMinutes(2));
        cluster.operations()
                .execute(new Command.SkipFires(JOB, cluster.now().minusSeconds(60)), CommandOptions.by("ann"));
        cluster.advance(Duration.ofMinutes(2));
        cluster.resume(JOB);
        cluster.advance(Duration.ofMinutes(1));

        List<FiresSkipped> skipped = all(FiresSkipped.class);
        assertThat(skipped)
                .extracting(FiresSkipped::reason)
                .containsExactly(SkipReason.SKIPPED_BY_OPERATOR, SkipReason.MISFIRED);
        assertThat(skipped.get(0).cursor())
                .isEqualTo(skipped.get(0).to())
                .isEqualTo(skipped.get(1).cursorBefore());
        assertThat(skipped.get(1).cursor()).isEqualTo(skipped.get(1).to());
    }

    @Test
    void instanceReportsNothingThatItHasWrittenItself(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(context -> {}, every10Seconds(3).build());
        cluster.advance(Duration.ofMinutes(5));

        assertThat(all(RunEnded.class)).hasSizeGreaterThan(80);
        assertThat(all(RunRecorded.class)).isEmpty();
        assertThat(skips()).isEmpty();
    }

    @Test
    void eachNewOwnerReportsARecordOnce(@Instances(2) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(context -> {}, every10Seconds(1).build());
        cluster.advance(Duration.ofSeconds(35));
        String owner = all(ItemClaimed.class).get(0).instanceId();
        cluster.amend(
                JOB, override -> override.withDisabledInstances(Set.of(owner)).withPaused(true));
        cluster.advance(Duration.ofMinutes(5));

        assertThat(recorded()).isEqualTo(last(endedBy(owner), 2));
    }

    @Tag("slow")
    @Test
    void claimInTheTransactionOfAnEndKeepsTheEnd(@Instances(2) TestCluster cluster) {
        cluster.subscribe(events::add);
        List<Claim> killed = new ArrayList<>();
        int[] runs = {0};
        cluster.schedule(
                context -> {
                    runs[0]++;
                    if (runs[0] == 5) {
                        killed.addAll(endedBy(context.instanceId()));
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                JobConfiguration.newBuilder(JOB, 1)
                        .schedule(Schedule.continuous(Duration.ofMinutes(10)))
                        .build());
        cluster.advance(Duration.ofSeconds(30));

        assertThat(killed).hasSize(4);
        ItemTakenOver takenOver = all(ItemTakenOver.class).get(0);
        assertThat(takenOver.reason()).isEqualTo(FailoverReason.CRASHED);
        assertThat(takenOver.interrupted().runNumber()).isEqualTo(5);
        assertThat(recorded()).isEqualTo(last(killed, 1));
        assertThat(takenOver.interrupted().opened())
                .isEqualTo(all(ItemClaimed.class).get(0).cursorBefore());
    }

    @Test
    void ownerThatWaitsForARunReportsItsEnd(@Instances(2) TestCluster cluster) {
        cluster.subscribe(events::add);
        List<String> owners = new ArrayList<>();
        cluster.schedule(
                context -> {
                    owners.add(context.instanceId());
                    if (owners.size() == 3) {
                        cluster.amend(JOB, override -> override.withDisabledInstances(Set.of(owners.get(0))));
                        cluster.advance(Duration.ofSeconds(5));
                    }
                },
                every10Seconds(1).build());
        cluster.advance(Duration.ofMinutes(1));

        List<Claim> former = endedBy(owners.get(0));
        assertThat(former).hasSize(3);
        assertThat(owners).last().isNotEqualTo(owners.get(0));
        assertThat(recorded()).isEqualTo(last(former, 2));
    }

    @Test
    void leaderReportsTheRunsOfABroadcastItemBeforeItDeletesTheRecord(@Instances(2) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(context -> {}, every10Seconds(1).scope(Scope.BROADCAST).build());
        cluster.advance(Duration.ofSeconds(35));
        TestCluster.Instance leader = cluster.leader();
        TestCluster.Instance other = cluster.instances().stream()
                .filter(each -> each != leader)
                .findFirst()
                .orElseThrow();
        String gone = other.id();
        other.kill();
        cluster.advance(Duration.ofMinutes(1));

        assertThat(cluster.tree().children("/jobs/" + JOB + "/sharding")).doesNotContain(gone);
        assertThat(recorded()).isEqualTo(last(endedBy(gone), 2));
        assertThat(all(RunRecorded.class)).extracting(RunRecorded::instanceId).containsOnly(leader.id());
    }

    @Test
    void leaderReportsTheRunOfABroadcastItemThatItEnds(@Instances(2) TestCluster cluster) {
        cluster.subscribe(events::add);
        TestCluster.Instance leader = cluster.leader();
        List<String> gone = new ArrayList<>();
        cluster.schedule(
                context -> {
                    if (gone.isEmpty() && !context.instanceId().equals(leader.id())) {
                        gone.add(context.instanceId());
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                every10Seconds(1).scope(Scope.BROADCAST).build());
        cluster.advance(Duration.ofMinutes(2));

        Claim claim = all(ItemClaimed.class).stream()
                .map(ItemClaimed::claim)
                .filter(each -> gone.contains(each.instanceId()))
                .findFirst()
                .orElseThrow();
        assertThat(all(RunLost.class)).singleElement().satisfies(lost -> {
            assertThat(lost.claim()).isEqualTo(claim);
            assertThat(lost.outcome()).isEqualTo(ItemOutcome.INTERRUPTED);
            assertThat(lost.instanceId()).isEqualTo(leader.id());
        });
        assertThat(recorded()).extracting(Claim::nonce).containsExactly(claim.nonce());
    }

    @Test
    void leaderReportsTheRunsOfItemsBeforeAChangeOfTheirCount(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(context -> {}, every10Seconds(3).build());
        cluster.advance(Duration.ofSeconds(35));
        List<Claim> before = endedBy(cluster.leader().id());
        long incarnation = before.get(0).incarnation();
        cluster.amend(JOB, override -> override.withShardingTotalCount(2));
        cluster.advance(Duration.ofSeconds(15));

        Set<String> expected = last(before, 6).stream().map(Claim::nonce).collect(Collectors.toSet());
        assertThat(recorded()).hasSize(6).allMatch(claim -> expected.contains(claim.nonce()));
        assertThat(recorded()).allMatch(claim -> claim.incarnation() == incarnation);
        Claim next = all(ItemClaimed.class).stream()
                .map(ItemClaimed::claim)
                .filter(claim -> claim.incarnation() > incarnation)
                .findFirst()
                .orElseThrow();
        assertThat(next.opened()).isEqualTo(next.cursor());
    }

    @Test
    void leaderReportsTheSkippedFiresOfItemsBeforeAChangeOfTheirCount(@Instances(1) TestCluster cluster) {
        cluster.subscribe(events::add);
        cluster.schedule(context -> {}, every10Seconds(2).build());
        cluster.advance(Duration.ofSeconds(35));
        cluster.amend(JOB, override -> override.withPaused(true));
        cluster.advance(Duration.ofMinutes(5));
        cluster.amend(JOB, override -> override.withPaused(false));
        cluster.advance(Duration.ofSeconds(1));
        List<FiresSkipped> before = all(FiresSkipped.class);
        assertThat(before).extracting(FiresSkipped::item).containsExactlyInAnyOrder("0", "1");
        assertThat(skips()).isEmpty();
        cluster.amend(JOB, override -> override.withShardingTotalCount(3));
        cluster.advance(Duration.ofSeconds(5));

        assertThat(skips())
                .extracting(SkipRecorded::item, SkipRecorded::cursor, SkipRecorded::opened)
                .containsExactlyInAnyOrderElementsOf(before.stream()
                        .map(skip -> tuple(skip.item(), skip.cursor(), skip.opened()))
                        .toList());
    }

    @Test
    void newOwnerReportsTheLatestSkippedFires(@Instances(2) TestCluster cluster) {
        cluster.subscribe(events::add);
        List<FiresSkipped> before = new ArrayList<>();
        cluster.schedule(
                context -> {
                    cluster.advance(Duration.ofSeconds(35));
                    if (before.isEmpty() && !all(FiresSkipped.class).isEmpty()) {
                        before.addAll(all(FiresSkipped.class));
                        cluster.instance(context.instanceId()).kill();
                    }
                },
                every10Seconds(1)
                        .overlap(OverlapPolicy.skip())
                        .misfire(MisfirePolicy.skip())
                        .build());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(before).hasSize(1);
        assertThat(skips()).first().satisfies(skipped -> {
            FiresSkipped original = before.get(0);
            assertThat(skipped.reason()).isEqualTo(SkipReason.OVERLAPPED).isEqualTo(original.reason());
            assertThat(skipped.from()).isEqualTo(original.from());
            assertThat(skipped.to()).isEqualTo(original.to());
            assertThat(skipped.count()).isEqualTo(original.count());
            assertThat(skipped.cursorBefore()).isEqualTo(original.cursorBefore());
            assertThat(skipped.cursor()).isEqualTo(original.cursor());
            assertThat(skipped.incarnation()).isEqualTo(original.incarnation());
            assertThat(skipped.opened()).isNotNull().isEqualTo(original.opened());
            assertThat(skipped.instanceId()).isNotEqualTo(original.instanceId());
        });
    }
}
