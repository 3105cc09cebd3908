package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.Claim;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Skipped;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the changes that decisions and owners make to a record. */
class ItemRecordTest {
    private static final Instant ZERO = Instant.parse("2024-02-29T12:00:00Z");
    private static final Fire SCHEDULED = Fire.scheduled(ZERO.plusSeconds(10));
    private static final Fire TRIGGER = new Fire("run", ZERO.plusSeconds(20), 107, Map.of());
    private static final List<Skipped> SKIPPED = List.of(new Skipped(ZERO, ZERO, 1, SkipReason.OVERLAPPED));

    private final ItemRecord fresh = ItemRecord.fresh(ZERO, 100, 3);

    @Test
    void cursorReachesScheduledFireAtItsEnd() {
        ItemRecord running = fresh.claimed(run(SCHEDULED), ZERO.plusSeconds(5), SKIPPED);
        assertThat(running.cursor()).isEqualTo(ZERO.plusSeconds(5));

        ItemRecord ended = running.completed(ZERO.plusSeconds(12), ItemOutcome.SUCCEEDED, null);
        assertThat(ended.cursor()).isEqualTo(SCHEDULED.at());
        assertThat(ended.triggerCursor()).isEqualTo(100);
        assertThat(ended.skipped()).isEqualTo(SKIPPED);
        assertThat(ended.endedAt()).isEqualTo(ZERO.plusSeconds(12));
        assertThat(ended.state()).isEqualTo(ItemState.IDLE);
    }

    @Test
    void triggerCursorReachesTriggerAtItsEndOrSkip() {
        ItemRecord ended = fresh.claimed(run(TRIGGER), ZERO, List.of())
                .completed(ZERO.plusSeconds(30), ItemOutcome.SUCCEEDED, null);
        assertThat(ended.cursor()).isEqualTo(ZERO);
        assertThat(ended.triggerCursor()).isEqualTo(107);

        ItemRecord skipped = fresh.skipped(TRIGGER, SkipReason.DISABLED);
        assertThat(skipped.cursor()).isEqualTo(ZERO);
        assertThat(skipped.triggerCursor()).isEqualTo(107);
        assertThat(skipped.skipped()).containsExactly(new Skipped(TRIGGER.at(), TRIGGER.at(), 1, SkipReason.DISABLED));
        assertThat(skipped.state()).isEqualTo(ItemState.IDLE);
    }

    @Test
    void neitherCursorGoesBack() {
        ItemRecord ahead = ItemRecord.fresh(ZERO.plusSeconds(60), 200, 3);

        assertThat(ahead.claimed(run(SCHEDULED), ahead.cursor(), List.of())
                        .completed(ZERO, ItemOutcome.SUCCEEDED, null)
                        .cursor())
                .isEqualTo(ahead.cursor());
        assertThat(ahead.skipped(TRIGGER, SkipReason.DISABLED).triggerCursor()).isEqualTo(200);
    }

    @Test
    void failuresCountSinceARunSucceeded() {
        ItemRecord record = fresh;
        record = ended(record, ItemOutcome.FAILED);
        record = ended(record, ItemOutcome.FAILED);
        assertThat(record.consecutiveFailures()).isEqualTo(2);

        record = ended(record, ItemOutcome.INTERRUPTED);
        assertThat(record.consecutiveFailures()).isEqualTo(2);
        record = record.claimed(run(SCHEDULED), ZERO, List.of()).quarantined(ZERO, "died");
        assertThat(record.consecutiveFailures()).isEqualTo(3);

        record = ended(record, ItemOutcome.SUCCEEDED);
        assertThat(record.consecutiveFailures()).isZero();
    }

    @Test
    void runTimeIsSmoothedOverCompletedRuns() {
        ItemRecord first = fresh.claimed(run(SCHEDULED), ZERO, List.of())
                .completed(run(SCHEDULED).startedAt().plusSeconds(8), ItemOutcome.SUCCEEDED, null);
        assertThat(first.runTime()).isEqualTo(Duration.ofSeconds(8));
        ItemRecord second = first.claimed(run(SCHEDULED), ZERO, List.of());
        assertThat(second.runTime()).as("while it runs").isEqualTo(Duration.ofSeconds(8));

        Instant end = run(SCHEDULED).startedAt().plusSeconds(16);
        assertThat(second.completed(end, ItemOutcome.FAILED, "").runTime()).isEqualTo(Duration.ofSeconds(10));
        assertThat(second.completed(end, ItemOutcome.CANCELLED, "").runTime()).isEqualTo(Duration.ofSeconds(8));
        assertThat(second.completed(run(SCHEDULED).startedAt().minusSeconds(1), ItemOutcome.SUCCEEDED, null)
                        .runTime())
                .as("by a clock that was set back")
                .isEqualTo(Duration.ofSeconds(8));
    }

    @Test
    void runningFireIsNotTheLastFire() {
        assertThat(fresh.lastFire()).isEqualTo(ZERO);
        ItemRecord running = fresh.claimed(run(SCHEDULED), ZERO, List.of());
        assertThat(running.lastFire()).isEqualTo(ZERO);
        ItemRecord ended = running.completed(ZERO.plusSeconds(12), ItemOutcome.SUCCEEDED, null);
        assertThat(ended.lastFire()).isEqualTo(SCHEDULED.at());

        ItemRecord triggered = ended.claimed(run(TRIGGER), ended.cursor(), List.of());
        assertThat(triggered.lastFire()).isEqualTo(SCHEDULED.at());
        assertThat(triggered
                        .completed(ZERO.plusSeconds(30), ItemOutcome.SUCCEEDED, null)
                        .lastFire())
                .isEqualTo(TRIGGER.at());
    }

    @Test
    void aHandOverLeavesTheRunUnfinished() {
        ItemRecord running = fresh.claimed(run(SCHEDULED), ZERO, SKIPPED);
        ItemRecord handedOver = running.handedOver();

        assertThat(handedOver.unfinished()).isTrue();
        assertThat(handedOver.run()).isEqualTo(running.run());
        assertThat(handedOver.cursor()).isEqualTo(ZERO);
        assertThat(handedOver.skipped()).isEqualTo(SKIPPED);
        assertThat(handedOver.endedAt()).isNull();
    }

    @Test
    void unfinishedRecordNeedsARun() {
        assertThat(fresh.unfinished()).isFalse();
        assertThatThrownBy(() -> fresh.rewritten(ItemState.RUNNING, ZERO, 100, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("RUNNING");
        assertThatThrownBy(fresh::handedOver)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("HANDED_OVER");
    }

    @Test
    void onlyAFailureQuarantinesAnItem() {
        ItemRecord failed = ended(fresh, ItemOutcome.FAILED);
        ItemRecord cancelled = ended(failed, ItemOutcome.CANCELLED);

        assertThat(failed.quarantinedAfter(1).state()).isEqualTo(ItemState.QUARANTINED);
        assertThat(failed.quarantinedAfter(2).state()).isEqualTo(ItemState.IDLE);
        assertThat(cancelled.quarantinedAfter(1).state()).isEqualTo(ItemState.IDLE);
    }

    @Test
    void errorIsShortened() {
        assertThat(fresh.claimed(run(SCHEDULED), ZERO, List.of())
                        .completed(ZERO, ItemOutcome.FAILED, "x".repeat(501))
                        .error())
                .isEqualTo("x".repeat(497) + "…");
    }

    @Test
    void claimShowsItsPlaceInTheHistory() {
        ItemRecord running = fresh.claimed(run(SCHEDULED), ZERO.plusSeconds(5), SKIPPED);

        Run claim = running.requireRun();
        assertThat(claim.cursor()).isEqualTo(ZERO.plusSeconds(5));
        assertThat(claim.incarnation()).isEqualTo(3);
        assertThat(running.skip()).isEqualTo(new ItemRecord.Skip(ZERO, ZERO.plusSeconds(5), 3));
        assertThat(running.claim("job", "0", 7).opened()).isEqualTo(ZERO);
    }

    @Test
    void recordShowsTheTwoLatestEnds() {
        ItemRecord first = ended(fresh, "one", ItemOutcome.FAILED, "why");
        assertThat(nonces(first)).containsExactly("one");

        ItemRecord second = first.claimed(named("two"), first.cursor(), List.of());
        assertThat(second.error()).isNull();
        assertThat(nonces(second)).containsExactly("one");
        assertThat(second.ends()).isEqualTo(first.ends());
        ItemRecord ended = second.completed(ZERO.plusSeconds(13), ItemOutcome.SUCCEEDED, null);
        assertThat(nonces(ended)).containsExactly("one", "two");
        assertThat(nonces(ended.skippedTo(ZERO.plusSeconds(60), SKIPPED))).containsExactly("one", "two");
        assertThat(nonces(ended.claimed(named("three"), ended.cursor(), List.of())))
                .containsExactly("two");
    }

    @Test
    void recordKeepsOnlyTheBeginningOfAnEarlierError() {
        ItemRecord failed = ended(fresh, "one", ItemOutcome.FAILED, "x".repeat(500));
        assertThat(failed.ends().get(0).error()).hasSize(500);

        ItemRecord next = failed.claimed(named("two"), failed.cursor(), List.of());
        assertThat(next.ends().get(0).error()).isEqualTo("x".repeat(97) + "…");
    }

    @Test
    void takeoverKeepsTheEndBeforeTheInterruptedRun() {
        ItemRecord interrupted =
                ended(fresh, "one", ItemOutcome.SUCCEEDED, null).claimed(named("two"), ZERO.plusSeconds(10), SKIPPED);
        ItemRecord.Skip skip = interrupted.skip();

        ItemRecord takenOver = interrupted.claimed(named("three"), interrupted.cursor(), interrupted.skipped());
        assertThat(nonces(takenOver)).containsExactly("one");
        assertThat(takenOver.skip()).isEqualTo(skip);
        assertThat(nonces(interrupted.completed(ZERO, ItemOutcome.INTERRUPTED, "gone")))
                .containsExactly("one", "two");
    }

    @Test
    void endShowsItsClaimAfterTheRecordWasRewritten() {
        ItemRecord ended = ended(fresh, "one", ItemOutcome.SUCCEEDED, null);
        ItemRecord rewritten = ended.rewritten(ItemState.IDLE, ZERO.plusSeconds(5), 100, 4);

        ItemRecord.End end = rewritten.ends().get(0);
        assertThat(ended.claim("job", "0", end)).isEqualTo(interruptedAtClaim(ended));
        assertThat(rewritten.claim("job", "0", end).incarnation()).isEqualTo(3);
        assertThat(rewritten.claim("job", "0", end).opened())
                .as("of an earlier incarnation")
                .isNull();
        assertThat(end.cursorAtEnd()).isEqualTo(SCHEDULED.at());
        assertThat(rewritten.opened()).isEqualTo(new ItemRecord.Opened(4, ZERO.plusSeconds(5)));
        ItemRecord moved = rewritten.rewritten(ItemState.IDLE, ZERO.plusSeconds(6), 100, 4);
        assertThat(moved.opened()).isEqualTo(rewritten.opened());
    }

    @Test
    void onlyASkipOfScheduledFiresHasCursors() {
        ItemRecord skipped = fresh.skippedTo(ZERO.plusSeconds(5), List.of(skipped(5)));
        assertThat(skipped.skip()).isEqualTo(new ItemRecord.Skip(ZERO, ZERO.plusSeconds(5), 3));
        assertThat(skipped.skippedFires()).containsExactly(skipped(5));

        assertThat(skipped.skipped(TRIGGER, SkipReason.DISABLED).skippedFires()).isEmpty();
        ItemRecord next = skipped.claimed(run(SCHEDULED), ZERO.plusSeconds(5), List.of());
        assertThat(next.skip()).isNull();
        assertThat(next.completed(ZERO, ItemOutcome.SUCCEEDED, null)
                        .rewritten(ItemState.IDLE, ZERO.plusSeconds(20), 100, 4)
                        .skippedFrom(List.of(skipped(20)), SCHEDULED.at())
                        .skip())
                .isEqualTo(new ItemRecord.Skip(SCHEDULED.at(), ZERO.plusSeconds(20), 4));
    }

    @Test
    void cursorThatAdvancesWithoutASkippedFireIsShown() {
        assertThat(fresh.skip()).isEqualTo(new ItemRecord.Skip(ZERO, ZERO, 3));
        ItemRecord skipped = fresh.skippedTo(ZERO.plusSeconds(5), List.of(skipped(5)));
        ItemRecord moved = skipped.rewritten(ItemState.RETIRED, ZERO.plusSeconds(9), 100, 4);
        assertThat(moved.advancedFrom(skipped.cursor()).skip())
                .isEqualTo(new ItemRecord.Skip(ZERO.plusSeconds(5), ZERO.plusSeconds(9), 4));
        assertThat(moved.advancedFrom(skipped.cursor()).skippedFires()).isEmpty();
        assertThat(moved.advancedFrom(moved.cursor()).skip()).isEqualTo(skipped.skip());
        assertThat(ItemRecord.lost(ZERO, null, 3).skip()).isNull();
    }

    @Test
    void newRecordAfterALossKeepsWhatTheLastOneShowsAsDecided() {
        Instant ahead = ZERO.plusSeconds(60);
        ItemRecord running = fresh.claimed(run(SCHEDULED), ZERO, List.of());
        ItemRecord setBack = fresh.claimed(run(Fire.scheduled(ahead)), ZERO, List.of())
                .completed(ahead, ItemOutcome.SUCCEEDED, null)
                .setBack("ann", "clock", "r-1", ZERO.plusSeconds(1));

        assertThat(ItemRecord.lost(ZERO.plusSeconds(5), fresh.skippedTo(ahead, List.of()), 3)
                        .cursor())
                .isEqualTo(ahead);
        assertThat(ItemRecord.lost(ZERO, running, 3).cursor()).isEqualTo(SCHEDULED.at());
        assertThat(ItemRecord.lost(ZERO, fresh.claimed(run(TRIGGER), ZERO, List.of()), 3)
                        .triggerCursor())
                .isEqualTo(TRIGGER.triggerZxid());
        assertThat(ItemRecord.lost(ZERO.plusSeconds(5), setBack, 3).ranAhead()).isEqualTo(ahead);
        assertThat(ItemRecord.lost(ahead, setBack, 3).ranAhead()).isNull();
    }

    @Test
    void partsOfASkipFollowEachOther() {
        assertThat(Skipped.parts(List.of(skipped(7), skipped(5)), ZERO, ZERO.plusSeconds(9)))
                .containsExactly(
                        new Skipped.Part(skipped(5), ZERO, ZERO.plusSeconds(5)),
                        new Skipped.Part(skipped(7), ZERO.plusSeconds(5), ZERO.plusSeconds(9)));
        assertThat(Skipped.parts(List.of(), ZERO, ZERO)).isEmpty();
    }

    /** Returns the claim of an ended run as it was before the end moved the cursor. */
    private Claim interruptedAtClaim(ItemRecord ended) {
        return ended.rewritten(ItemState.IDLE, ZERO, 100, 3).claim("job", "0", 0);
    }

    private static Skipped skipped(int seconds) {
        return new Skipped(ZERO.plusSeconds(seconds), ZERO.plusSeconds(seconds), 1, SkipReason.OVERLAPPED);
    }

    private static List<String> nonces(ItemRecord record) {
        return record.ends().stream().map(end -> end.run().nonce()).toList();
    }

    private static Run named(String nonce) {
        return new Run(SCHEDULED, 4, 1, 0, "host@1@s", nonce, SCHEDULED.at(), SCHEDULED.at(), 1, 0, 7);
    }

    private static ItemRecord ended(ItemRecord record, String nonce, ItemOutcome outcome, String error) {
        return record.claimed(named(nonce), record.cursor(), List.of()).completed(ZERO.plusSeconds(12), outcome, error);
    }

    private static ItemRecord ended(ItemRecord record, ItemOutcome outcome) {
        return record.claimed(run(SCHEDULED), record.cursor(), List.of()).completed(ZERO, outcome, null);
    }

    private static Run run(Fire fire) {
        return new Run(fire, 4, 1, 0, "host@1@s", "nonce", fire.at(), fire.at(), 1, 0, 0);
    }
}
