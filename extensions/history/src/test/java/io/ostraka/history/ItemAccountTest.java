package io.ostraka.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.SkipReason;
import io.ostraka.history.Account.Entry;
import io.ostraka.history.Account.State;
import io.ostraka.history.ItemAccount.Present;
import io.ostraka.history.ItemAccount.Rows;
import io.ostraka.history.row.ClaimReport;
import io.ostraka.history.row.ClaimReport.Decision;
import io.ostraka.history.row.ClaimReport.Source;
import io.ostraka.history.row.Skipped;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fires are at whole minutes; a row is described by minutes. */
class ItemAccountTest {
    private static final Instant ZERO = Instant.parse("2026-01-01T00:00:00Z");

    private final List<ClaimReport> runs = new ArrayList<>();
    private final List<Skipped> skipped = new ArrayList<>();
    private final List<SetBack> setBacks = new ArrayList<>();
    private long number;
    private long incarnation = 1;
    private long opened;

    private static Instant minute(long minute) {
        return ZERO.plus(Duration.ofMinutes(minute));
    }

    private ClaimReport run(long before, long after, String outcome, boolean fenced) {
        return run(before, after, minute(after), false, outcome, fenced);
    }

    private ClaimReport run(
            long before, long after, Instant fireTime, boolean triggered, String outcome, boolean fenced) {
        number++;
        return new ClaimReport(
                "job",
                "0",
                "nonce" + number,
                incarnation,
                minute(opened),
                "job@" + fireTime,
                fireTime,
                triggered,
                1,
                number,
                number,
                "instance",
                minute(after),
                minute(before),
                minute(after),
                fenced,
                Decision.RECORD,
                1,
                1,
                outcome,
                null,
                null,
                minute(after),
                null,
                Source.OWNER);
    }

    private void ran(long before, long after) {
        runs.add(run(before, after, "SUCCEEDED", false));
    }

    private void triggered(long cursor, long at) {
        number++;
        runs.add(new ClaimReport(
                "job",
                "0",
                "nonce" + number,
                incarnation,
                minute(opened),
                "run" + number,
                minute(at),
                true,
                1,
                number,
                number,
                "instance",
                minute(at),
                minute(cursor),
                minute(cursor),
                false,
                Decision.RECORD,
                1,
                1,
                "SUCCEEDED",
                null,
                null,
                minute(at),
                null,
                Source.OWNER));
    }

    private void opens(long nextIncarnation, long cursor) {
        incarnation = nextIncarnation;
        opened = cursor;
    }

    /** Adds the row of a run whose decision a later version of the library has added. */
    private void ranByALaterVersion(long before, long after) {
        ClaimReport run = run(before, after, "SUCCEEDED", false);
        runs.add(new ClaimReport(
                run.job(),
                run.item(),
                run.nonce(),
                run.incarnation(),
                run.opened(),
                run.runId(),
                run.fireTime(),
                run.triggered(),
                run.shardingTotalCount(),
                run.runNumber(),
                run.fencingToken(),
                run.instance(),
                run.claimedAt(),
                run.cursorBefore(),
                run.cursorAfter(),
                run.fenced(),
                Decision.OTHER,
                run.attempts(),
                run.attempt(),
                run.outcome(),
                run.error(),
                run.startedAt(),
                run.endedAt(),
                run.ran(),
                run.source()));
    }

    private void skipped(long before, long after, SkipReason reason) {
        skipped.add(new Skipped(
                "job",
                "0",
                incarnation,
                minute(opened),
                null,
                minute(before + 1),
                minute(after),
                after - before,
                reason.name(),
                minute(before),
                minute(after),
                "instance",
                minute(after),
                false));
    }

    /** Adds a row without fires. */
    private void cursor(long before, long after, SkipReason reason) {
        skipped.add(new Skipped(
                "job",
                "0",
                incarnation,
                minute(opened),
                null,
                minute(after),
                minute(after),
                0,
                reason.name(),
                minute(before),
                minute(after),
                "instance",
                minute(after),
                true));
    }

    private Rows rows() {
        return new Rows(Map.of(), runs, skipped, setBacks);
    }

    private List<String> account(long from, long to, @Nullable Present present) {
        return ItemAccount.of("0", minute(from), minute(to), rows(), present).entries().stream()
                .map(ItemAccountTest::text)
                .toList();
    }

    private static String text(Entry entry) {
        return entry.state() + " " + Duration.between(ZERO, entry.from()).toMinutes() + "-"
                + Duration.between(ZERO, entry.to()).toMinutes();
    }

    private static Present present(long cursor, long runNumber) {
        return new Present(1, minute(cursor), runNumber, false);
    }

    @Test
    void manualTriggersLeaveNothingUnknown() {
        cursor(0, 0, SkipReason.ITEM_COUNT_CHANGED);
        runs.add(run(0, 0, minute(3), true, "SUCCEEDED", false));
        assertThat(account(-5, 6, present(0, 1))).containsExactly("RUN 3-3", "OPEN 0-6");
    }

    @Test
    void manualTriggersFillNoGap() {
        ran(0, 1);
        runs.add(run(3, 3, minute(4), true, "SUCCEEDED", false));
        ran(3, 5);
        assertThat(account(0, 5, present(5, 3))).containsExactly("RUN 0-1", "UNKNOWN 1-3", "RUN 4-4", "RUN 3-5");
    }

    @Test
    void rowsThatTileThePeriodLeaveNothingUnknown() {
        ran(0, 1);
        skipped(1, 4, SkipReason.MISFIRED);
        ran(4, 5);
        assertThat(account(0, 6, present(5, 2))).containsExactly("RUN 0-1", "SKIPPED 1-4", "RUN 4-5", "OPEN 5-6");
    }

    @Test
    void aMissingRowIsAGap() {
        ran(0, 1);
        number++;
        ran(2, 3);
        assertThat(account(0, 3, present(3, 3))).containsExactly("RUN 0-1", "UNKNOWN 1-2", "RUN 2-3");
    }

    /** Without an item in ZooKeeper, nothing else shows that there was a fire. */
    @Test
    void aRowThatThisVersionDoesNotUnderstandIsUnknown() {
        ran(0, 1);
        ranByALaterVersion(1, 2);
        runs.add(run(2, 3, "ECLIPSED", false));
        assertThat(account(0, 3, null)).containsExactly("RUN 0-1", "UNKNOWN 1-2", "UNKNOWN 2-3");
    }

    @Test
    void aMissingFirstRowIsAGap() {
        number++;
        ran(1, 2);
        assertThat(account(0, 2, present(2, 2))).containsExactly("UNKNOWN 0-1", "RUN 1-2");
    }

    @Test
    void aMissingLastRowIsAGapBecauseTheRecordShowsTheCursor() {
        ran(0, 1);
        assertThat(account(0, 4, present(3, 3))).containsExactly("RUN 0-1", "UNKNOWN 1-3", "OPEN 3-4");
    }

    @Test
    void aRowAfterThePeriodShowsThatThePeriodHadNoFurtherFire() {
        ran(0, 10);
        ran(10, 20);
        assertThat(account(0, 15, present(90, 9))).containsExactly("RUN 0-10");
    }

    @Test
    void anItemThatNoLongerExistsHasNoOpenFires() {
        ran(0, 1);
        assertThat(account(0, 4, null)).containsExactly("RUN 0-1");
    }

    @Test
    void withoutAnyRowTheDecidedFiresAreUnknown() {
        assertThat(account(0, 4, present(3, 3))).containsExactly("UNKNOWN 0-3", "OPEN 3-4");
    }

    @Test
    void anItemThatHasNotRunYetIsOpen() {
        assertThat(account(0, 4, present(0, 0))).containsExactly("OPEN 0-4");
    }

    @Test
    void aTakenOverFireRanOnce() {
        runs.add(run(0, 0, ClaimReport.LOST, true));
        ran(0, 1);
        assertThat(account(0, 1, present(1, 2))).containsExactly("RUN 0-1");
    }

    @Test
    void aFireThatItsOwnerLostAndNobodyRanAgainIsInterrupted() {
        runs.add(run(0, 1, "INTERRUPTED", true));
        assertThat(account(0, 1, present(1, 1))).containsExactly("INTERRUPTED 0-1");
    }

    @Test
    void aTakenOverFireWithoutARowOfItsSecondClaimIsUnknown() {
        runs.add(run(0, 0, ClaimReport.LOST, true));
        number++;
        ran(1, 2);
        assertThat(account(0, 2, present(2, 3))).containsExactly("UNKNOWN 0-1", "RUN 1-2");
    }

    private List<Entry> unknown(long from, long to, @Nullable Present present) {
        return ItemAccount.of("0", minute(from), minute(to), rows(), present).entries().stream()
                .filter(entry -> entry.state() == State.UNKNOWN)
                .toList();
    }

    @Test
    void aLostRowOfAManualTriggerIsUnknownAlthoughItLeavesNoGapBetweenCursors() {
        ran(0, 1);
        number++;
        ran(1, 4);
        assertThat(account(0, 4, present(4, 3))).containsExactly("RUN 0-1", "RUN 1-4", "UNKNOWN 1-4");
    }

    @Test
    void missingRunsAreCounted() {
        ran(0, 1);
        number += 3;
        ran(1, 4);
        number += 2;
        ran(5, 6);
        assertThat(unknown(0, 6, present(6, 8))).extracting(Entry::count).containsExactly(3L, 2L);
    }

    @Test
    void aLostRowOfTheLastRunIsUnknownBecauseTheRecordShowsItsNumber() {
        ran(0, 1);
        assertThat(account(0, 4, present(1, 2))).containsExactly("RUN 0-1", "OPEN 1-4", "UNKNOWN 1-4");
    }

    @Test
    void aRunUnderWayIsOpen() {
        ran(0, 1);
        assertThat(account(0, 4, new Present(1, minute(1), 2, true))).containsExactly("RUN 0-1", "OPEN 1-4");
    }

    @Test
    void theFirstRunsOfAnItemThatBeganInThePeriodAreUnknown() {
        opened = 2;
        cursor(2, 2, SkipReason.ITEM_COUNT_CHANGED);
        number++;
        triggered(2, 4);
        assertThat(account(0, 5, present(2, 2))).containsExactly("UNKNOWN 2-4", "RUN 4-4", "OPEN 2-5");
    }

    @Test
    void theTimeBeforeTheFirstKnownCursorOfAnItemIsUnknown() {
        opens(2, 2);
        ran(2, 3);
        assertThat(account(0, 3, new Present(2, minute(3), 1, false))).containsExactly("UNKNOWN 0-2", "RUN 2-3");
    }

    @Test
    void withoutAnyRowTheFiresThatANewItemSkippedAreUnknown() {
        assertThat(account(0, 4, present(3, 0))).containsExactly("UNKNOWN 0-3", "OPEN 3-4");
    }

    @Test
    void aLostRowOfTwoThatWereWrittenTogetherIsUnknown() {
        ran(0, 1);
        skipped(1, 3, SkipReason.SKIPPED_BY_OPERATOR);
        ran(5, 6);
        assertThat(account(0, 6, present(6, 2))).containsExactly("RUN 0-1", "SKIPPED 1-3", "UNKNOWN 3-5", "RUN 5-6");
    }

    @Test
    void aCursorThatAdvancesWithoutAFireLeavesNothingUnknown() {
        ran(0, 1);
        opens(2, 3);
        cursor(1, 3, SkipReason.ITEM_COUNT_CHANGED);
        ran(3, 4);
        assertThat(account(0, 4, new Present(2, minute(4), 2, false))).containsExactly("RUN 0-1", "RUN 3-4");
    }

    @Test
    void aRowThatWasLostBeforeTheEndOfAnItemIsUnknown() {
        ran(0, 1);
        cursor(3, 3, SkipReason.REMOVED);
        assertThat(account(0, 5, null)).containsExactly("RUN 0-1", "UNKNOWN 1-3");
    }

    @Test
    void theLastCursorOfAnItemIsNotItsFirst() {
        ran(0, 1);
        opens(2, 3);
        cursor(3, 3, SkipReason.REMOVED);
        assertThat(account(0, 5, null)).containsExactly("RUN 0-1", "UNKNOWN 1-3");
    }

    @Test
    void aGapOutsideThePeriodDoesNotHideALostRunInThePeriod() {
        ran(0, 1);
        number++;
        ran(7, 8);
        assertThat(account(0, 4, present(8, 3))).containsExactly("RUN 0-1", "UNKNOWN 1-4");
    }

    /** The rows before may have been deleted because of their age. */
    @Test
    void theFirstKnownRowOfAnOlderItemLeavesNothingUnknown() {
        number += 7;
        ran(0, 1);
        assertThat(account(0, 1, present(1, 8))).containsExactly("RUN 0-1");
    }

    @Test
    void missingRunsBeforeThePeriodAreNotInIt() {
        ran(0, 1);
        number++;
        ran(1, 2);
        ran(2, 3);
        assertThat(account(2, 3, present(3, 4))).containsExactly("RUN 2-3");
    }

    @Test
    void aRunThatWasLostBeforeAChangeOfTheItemCountIsUnknown() {
        ran(0, 1);
        number++;
        opens(2, 1);
        ran(1, 2);
        assertThat(account(0, 2, new Present(2, minute(2), 3, false)))
                .containsExactly("RUN 0-1", "RUN 1-2", "UNKNOWN 1-2");
    }

    @Test
    void firesThatRanBeforeAChangeOfTheItemCountMayRunAgain() {
        ran(0, 1);
        ran(1, 2);
        opens(2, 1);
        ran(1, 2);
        assertThat(account(0, 2, new Present(2, minute(2), 3, false))).containsExactly("RUN 0-1", "RUN 1-2", "RUN 1-2");
    }

    @Test
    void firesWhoseSkipWasLostBeforeAChangeOfTheItemCountAreUnknown() {
        ran(0, 1);
        opens(2, 3);
        ran(3, 4);
        assertThat(account(0, 4, new Present(2, minute(4), 2, false)))
                .containsExactly("RUN 0-1", "UNKNOWN 1-3", "RUN 3-4");
    }

    @Test
    void accountShowsFiresThatAChangeOfTheItemCountSkips() {
        ran(0, 1);
        opens(2, 3);
        skipped(1, 3, SkipReason.ITEM_COUNT_CHANGED);
        ran(3, 4);
        assertThat(account(0, 4, new Present(2, minute(4), 2, false)))
                .containsExactly("RUN 0-1", "SKIPPED 1-3", "RUN 3-4");
    }

    @Test
    void theTimeInWhichAnItemWasNotPartOfTheJobIsNotUnknown() {
        ran(0, 1);
        cursor(1, 1, SkipReason.REMOVED);
        opens(3, 3);
        cursor(1, 3, SkipReason.ITEM_COUNT_CHANGED);
        ran(3, 4);
        assertThat(account(0, 4, new Present(3, minute(4), 2, false))).containsExactly("RUN 0-1", "RUN 3-4");
    }

    @Test
    void aSkipThatWasLostAtTheStartOfAnIncarnationIsUnknown() {
        ran(0, 1);
        opens(2, 1);
        skipped(2, 3, SkipReason.OVERLAPPED);
        assertThat(account(0, 3, new Present(2, minute(3), 1, false)))
                .containsExactly("RUN 0-1", "UNKNOWN 1-2", "SKIPPED 2-3");
    }

    @Test
    void decidedFiresOfANewIncarnationWithoutRowsAreUnknown() {
        ran(0, 1);
        assertThat(account(0, 4, new Present(2, minute(3), 2, false)))
                .containsExactly("RUN 0-1", "UNKNOWN 1-3", "OPEN 3-4");
    }

    @Test
    void aNewRecordCountsFromOne() {
        number = 40;
        ran(0, 1);
        opens(1, 1);
        opened = 1;
        number = 0;
        ran(1, 2);
        assertThat(account(0, 2, present(2, 1))).containsExactly("RUN 0-1", "RUN 1-2");
    }

    /** The job was purged and registered again: incarnations and run numbers begin again from 1. */
    private void ranUntilThePurge() {
        opens(2, 0);
        number = 5;
        ran(0, 1);
        ran(1, 2);
        cursor(2, 2, SkipReason.REMOVED);
        opens(1, 5);
        number = 0;
        cursor(5, 5, SkipReason.ITEM_COUNT_CHANGED);
    }

    @Test
    void rowsOfAnItemThatBeganAgainLeaveNothingUnknown() {
        ranUntilThePurge();
        for (int fire = 5; fire < 15; fire++) {
            ran(fire, fire + 1);
        }
        assertThat(unknown(0, 16, present(15, 10))).isEmpty();
        assertThat(account(13, 16, present(15, 10))).containsExactly("RUN 13-14", "RUN 14-15", "OPEN 15-16");
    }

    @Test
    void theLastRunsOfAnItemThatBeganAgainAreUnknown() {
        ranUntilThePurge();
        ran(5, 6);
        assertThat(account(4, 9, present(8, 3))).containsExactly("RUN 5-6", "UNKNOWN 6-8", "OPEN 8-9");
    }

    @Test
    void allRunsOfAnItemThatBeganAgainAreUnknown() {
        ranUntilThePurge();
        assertThat(account(4, 9, present(8, 3))).containsExactly("UNKNOWN 5-8", "OPEN 8-9");
        skipped.remove(skipped.size() - 1);
        assertThat(account(4, 9, present(8, 3))).containsExactly("UNKNOWN 4-8", "OPEN 8-9");
    }

    @Test
    void aTriggerOfAnItemThatBeganAgainIsUnknownIfItsRowWasLost() {
        ranUntilThePurge();
        number++;
        ran(5, 6);
        assertThat(unknown(0, 6, present(6, 2))).extracting(Entry::count).containsExactly(1L);
    }

    /** Otherwise the later incarnation would count as older, because its cursor is smaller. */
    @Test
    void anIncarnationAfterACursorWasSetBackIsLater() {
        opens(1, 9);
        triggered(9, 1);
        setBacks.add(new SetBack(1, 1, minute(2), minute(2)));
        opens(2, 2);
        ran(2, 3);
        assertThat(account(2, 6, new Present(2, minute(5), 2, false)))
                .containsExactly("RUN 2-3", "UNKNOWN 3-5", "OPEN 5-6");
    }

    @Test
    void fillersFromOutsideThePeriodLeaveNothingUnknown() {
        ran(0, 1);
        triggered(1, -500);
        ran(1, 2);
        assertThat(account(0, 2, present(2, 3))).containsExactly("RUN 0-1", "RUN 1-2");
    }

    @Test
    void numbersThatRowsOutsideThePeriodMayHaveAreHoles() {
        ran(0, 1);
        number += 2;
        ran(1, 2);
        number++;
        assertThat(ItemAccount.of("0", ZERO, minute(5), rows(), present(2, 5)).holes())
                .containsExactly(new ItemAccount.Hole(1, 4), new ItemAccount.Hole(4, 6));
        assertThat(ItemAccount.of("0", minute(2), minute(5), rows(), present(2, 4))
                        .holes())
                .isEmpty();
    }

    /** The item ran the fire of minute 9 ahead of its time; an operator set the cursor back to minute 2. */
    @Test
    void rowsFromBeforeACursorWasSetBackHideNoLaterGap() {
        ran(0, 1);
        ran(1, 9);
        skipped(9, 10, SkipReason.OVERLAPPED);
        setBacks.add(new SetBack(1, 2, minute(2), minute(11)));
        number++;
        runs.add(run(3, 4, "SUCCEEDED", false));
        assertThat(account(0, 6, present(5, 4)))
                .containsExactly("RUN 0-1", "UNKNOWN 2-3", "RUN 3-4", "UNKNOWN 4-5", "OPEN 5-6");
    }

    @Test
    void skipsAfterACursorWasSetBackCoverTheirFires() {
        ran(0, 1);
        ran(1, 9);
        setBacks.add(new SetBack(1, 2, minute(2), minute(2)));
        skipped(2, 4, SkipReason.MISFIRED);
        ran(4, 5);
        assertThat(account(0, 6, present(5, 3))).containsExactly("RUN 0-1", "SKIPPED 2-4", "RUN 4-5", "OPEN 5-6");
    }

    @Test
    void afterACursorWasSetBackTheNextFiresAreOpen() {
        ran(0, 9);
        setBacks.add(new SetBack(1, 1, minute(2), minute(2)));
        assertThat(account(0, 6, present(2, 1))).containsExactly("OPEN 2-6");
    }

    /** There is no event for a command through an observer. */
    @Test
    void aRunWithASmallerCursorThanTheRunBeforeShowsThatTheCursorWasSetBack() {
        ran(0, 1);
        ran(1, 9);
        ran(2, 3);
        number++;
        ran(4, 5);
        assertThat(account(0, 5, present(5, 5))).containsExactly("RUN 0-1", "RUN 2-3", "UNKNOWN 3-4", "RUN 4-5");
    }

    /** Deletes rows at random. Each fire of a deleted row must be in a gap, and no other fire may be. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void everyDeletedRowIsAGap(long seed) {
        var random = new Random(seed);
        boolean[] known = new boolean[201];
        long cursor = 0;
        while (cursor < 190) {
            boolean kept = random.nextInt(4) > 0;
            long after = cursor + 1;
            if (random.nextInt(3) == 0) {
                after = cursor + 1 + random.nextInt(5);
                if (kept) {
                    skipped(cursor, after, SkipReason.OVERLAPPED);
                }
            } else if (kept) {
                ran(cursor, after);
            } else {
                number++;
            }
            for (long fire = cursor + 1; fire <= after; fire++) {
                known[(int) fire] = kept;
            }
            cursor = after;
        }
        long end = cursor;
        List<Entry> entries = ItemAccount.of("0", ZERO, minute(end), rows(), present(end, number))
                .entries();
        for (long fire = 1; fire <= end; fire++) {
            Instant at = minute(fire);
            List<State> states = entries.stream()
                    .filter(entry -> entry.from().isBefore(at) && !entry.to().isBefore(at))
                    .map(Entry::state)
                    .toList();
            assertThat(states).as("fire %s", fire).hasSize(1);
            assertThat(states.get(0) == State.UNKNOWN).as("fire %s", fire).isEqualTo(!known[(int) fire]);
        }
    }
}
