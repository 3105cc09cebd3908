package io.ostraka.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.ostraka.core.decide.Due;
import io.ostraka.core.decide.FireSituation;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HostedItemTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Session PRESENT = new Session("host@1@2", 2, Duration.ofSeconds(15), List.of("host@1@1"));

    private final HostedItem hosted = new HostedItem("0");

    /** While this session owns the running node, no other instance can claim the item. */
    @Test
    void claimOfEarlierIdWithRunningNodeOfThisSessionIsHandedOver() {
        hosted.reading(5);

        assertThat(hosted.take(claimedBy("host@1@1", 2), PRESENT)).isEqualTo(HostedItem.Finding.ORPHANED);
    }

    @Test
    void claimOfAnotherLiveSessionMakesItemForeign() {
        hosted.reading(5);

        assertThat(hosted.take(claimedBy("host@1@1", 1), PRESENT)).isEqualTo(HostedItem.Finding.SETTLED);
        assertThat(hosted.state()).isEqualTo(new HostedItemState.Foreign(null));
    }

    /**
     * The next session finds the claim and deletes its running node. If the item were handed over earlier, that node
     * would remain.
     */
    @Test
    void claimSentInNextSessionIsLeftToThatSession() {
        hosted.reading(5);

        assertThat(hosted.take(claimedBy("host@1@2", 3), PRESENT)).isEqualTo(HostedItem.Finding.SETTLED);
        assertThat(hosted.state()).isEqualTo(new HostedItemState.Foreign(null));
    }

    @Test
    void changeDuringReadingHasNodesReadAgain() {
        hosted.reading(5);
        assertThat(hosted.nodesChanged()).isFalse();

        hosted.take(free(), PRESENT);

        assertThat(hosted.state()).isEqualTo(new HostedItemState.Unread(null));
    }

    @Test
    void changeOfForeignItemHasNodesRead() {
        hosted.reading(5);
        hosted.take(claimedBy("host@1@1", 1), PRESENT);

        assertThat(hosted.nodesChanged()).isTrue();
        assertThat(hosted.state()).isEqualTo(new HostedItemState.Unread(null));
    }

    @Test
    void rejectedClaimLeavesItemAsItWasBefore() {
        idle();
        hosted.quietUntil(NOW);
        HostedItemState before = hosted.state();

        hosted.deciding(claim(), null);
        assertThat(hosted.busy()).isTrue();
        hosted.reread();
        assertThat(hosted.state()).isEqualTo(new HostedItemState.Claiming((HostedItemState.Idle) before));
        hosted.rejected();

        assertThat(hosted.state()).isEqualTo(before);
        assertThat(hosted.busy()).isFalse();
        assertThat(hosted.pendingEvents()).isNull();
    }

    @Test
    void claimOfUnknownOutcomeThatWasMadeStartsItsRun() {
        idle();
        hosted.deciding(claim(), NOW);
        hosted.outcomeUnknown();
        assertThat(hosted.busy()).isTrue();
        hosted.reading(5);

        assertThat(hosted.take(claimedBy("host@1@2", 2), PRESENT)).isEqualTo(HostedItem.Finding.CLAIMED);
        assertThat(hosted.previousFire()).isEqualTo(NOW);
    }

    @Test
    void claimOfUnknownOutcomeThatWasNotMadeLeavesItemIdle() {
        idle();
        hosted.deciding(claim(), null);
        hosted.outcomeUnknown();
        hosted.reading(5);

        assertThat(hosted.take(free(), PRESENT)).isEqualTo(HostedItem.Finding.SETTLED);
        assertThat(hosted.state()).isInstanceOf(HostedItemState.Idle.class);
        assertThat(hosted.busy()).isFalse();
    }

    @Test
    void unreadableRecordIsRememberedUntilItCanBeUsedAgain() {
        idle();
        Versioned<ItemRecord> last = hosted.known();
        hosted.reading(5);
        hosted.take(new ItemView("0", null, 0, false, null, false, null), PRESENT);
        assertThat(hosted.problem()).isEqualTo("the record of item 0 is missing");
        assertThat(hosted.remembered()).isEqualTo(last);

        idle();

        assertThat(hosted.problem()).isNull();
        assertThat(hosted.remembered()).isNull();
    }

    @Test
    void ownerThatSeesEachPlanKnowsAllRuns() {
        idle();
        hosted.planned(5, 5);
        hosted.planned(5, 6);
        hosted.planned(6, 7);
        missing();

        assertThat(hosted.knowsAllRuns(7)).isTrue();
        assertThat(hosted.knowsAllRuns(8)).as("the plan has changed since").isFalse();
    }

    @Test
    void ownerThatHasMissedAPlanDoesNotKnowAllRuns() {
        idle();
        hosted.planned(5, 7);
        hosted.planned(7, 8);
        missing();

        assertThat(hosted.knowsAllRuns(8)).isFalse();
    }

    @Test
    void readerThatDidNotOwnTheItemDoesNotKnowAllRuns() {
        hosted.reading(null);
        hosted.take(free(), PRESENT);
        missing();

        assertThat(hosted.knowsAllRuns(5)).isFalse();
    }

    /** Another instance may complete its run at any time after the read, without a check of the plan. */
    @Test
    void ownerThatHasReadTheRunOfAnotherInstanceDoesNotKnowAllRuns() {
        hosted.reading(5);
        hosted.take(claimedBy("host@1@1", 1), PRESENT);
        missing();

        assertThat(hosted.knowsAllRuns(5)).isFalse();
    }

    /** The claim may have been written before the record was deleted. */
    @Test
    void ownerInDoubtAboutItsOwnClaimDoesNotKnowAllRuns() {
        idle();
        hosted.deciding(claim(), null);
        hosted.outcomeUnknown();
        missing();
        assertThat(hosted.knowsAllRuns(5)).isFalse();

        idle();
        missing();
        assertThat(hosted.knowsAllRuns(5)).as("the record was read since").isTrue();
    }

    private void missing() {
        hosted.reading(9);
        hosted.take(new ItemView("0", null, 0, false, null, false, null), PRESENT);
    }

    private void idle() {
        hosted.reading(5);
        hosted.take(free(), PRESENT);
    }

    private static DecisionEvents claim() {
        ItemRecord from = ItemRecord.fresh(NOW, 1, 1);
        return DecisionEvents.of(
                new Versioned<>(from, 0, 1, 1, NOW, new JsonObject()),
                FireSituation.Interruption.NONE,
                new Due.Nothing(Optional.empty()),
                from.claimed(run("host@1@2"), NOW, List.of()));
    }

    private static Run run(String owner) {
        return new Run(Fire.scheduled(NOW), 1, 1, 0, owner, "nonce", NOW, NOW, 1, 0, 0);
    }

    private static ItemView free() {
        Versioned<ItemRecord> node = new Versioned<>(ItemRecord.fresh(NOW, 1, 1), 0, 1, 1, NOW, new JsonObject());
        return new ItemView("0", node, 0, false, null, false, null);
    }

    private static ItemView claimedBy(String owner, long holder) {
        ItemRecord record = ItemRecord.fresh(NOW, 1, 1).claimed(run(owner), NOW, List.of());
        Versioned<ItemRecord> node = new Versioned<>(record, 1, 1, 2, NOW, new JsonObject());
        return new ItemView("0", node, holder, true, null, false, null);
    }
}
