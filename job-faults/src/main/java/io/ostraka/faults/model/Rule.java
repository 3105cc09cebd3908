package io.ostraka.faults.model;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A rule of the protocol that can be taken out of a model, to see what it is there for. */
enum Rule {
    CLAIM_VERSION(Check.CLAIM, "a claim writes the record only in the version that it was decided from"),
    RUNNING_IN_CLAIM(Check.CLAIM, "a claim creates the running node, in the same transaction"),
    UNKNOWN_IS_NOT_SUCCESS(Check.CLAIM, "a claim or completion without an answer is not taken to have gone through"),
    UNKNOWN_IS_NOT_FAILURE(Check.CLAIM, "a claim or completion without an answer is not taken to have failed"),
    COMPLETION_VERSION(Check.CLAIM, "a completion writes the record only in the version that its claim has left"),
    OWN_NONCE(Check.CLAIM, "what was read is completed only if the claim in it is the run's own"),
    TAKEOVER_OF_OWN_FIRE(Check.CLAIM, "a takeover takes the record's own unfinished fire"),
    NEXT_ATTEMPT(Check.CLAIM, "a takeover counts one attempt more"),
    FENCE_FIRST(Check.CLAIM, "a run shows its token to the resource before it begins its work"),
    CURSOR(Check.CLAIM, "a fire that is not newer than the record's cursor is never claimed"),
    RUNNING_AFTER_RECORD(Check.CLAIM_WITHOUT_FAILOVER, "an item's running node is read after its record"),

    TRIGGER_PLAN_CHECK(Check.FEWER_ITEMS, "a claim of a trigger checks that the plan it was decided from is in force"),
    SCHEDULED_PLAN_CHECK(Check.MORE_ITEMS, "a claim of a scheduled fire checks that plan, too"),
    TRIGGER_CHECK(Check.FEWER_ITEMS, "a claim of a trigger checks that the trigger still exists"),
    BEGUN_GOES_ON(Check.FEWER_ITEMS, "a trigger that has begun goes on under a closed plan"),
    OLDER_FIRST(Check.FEWER_ITEMS_TWO_TRIGGERS, "an item decides its triggers oldest first, under a closed plan too"),
    OLDER_MAY_BEGIN(
            Check.FEWER_ITEMS_TWO_TRIGGERS, "under a closed plan a trigger may begin if a later one of its item has"),
    NOBODYS_TRIGGER(Check.MORE_ITEMS, "a trigger of items that the job does not have is ended by whoever sees it"),
    DRAIN(Check.MORE_ITEMS, "records are rewritten only once nothing of the old item count is left"),
    OWN_TOTAL(Check.FEWER_ITEMS, "a takeover runs the fire under its own item count, not under the plan's"),
    /**
     * The model has no latch: anybody may take the epoch at any time, and the check of one's own latch node always
     * passes. So what holds there holds without that check, which only ends a leader's writes sooner.
     */
    EPOCH(Check.MORE_ITEMS, "what a leader writes checks its epoch, and not only its place in the latch"),
    NEW_INCARNATION(Check.FEWER_AND_MORE_NO_TRIGGER, "every change of target takes a new incarnation"),
    SMALLEST_CURSOR(Check.FEWER_ITEMS, "all items go on from the smallest cursor of the old ones"),
    SMALLEST_TRIGGER_CURSOR(
            Check.FEWER_ITEMS_TWO_TRIGGERS, "all items go on from the smallest trigger cursor of the old ones"),
    FIRST_BATCH_DECIDES(
            Check.FEWER_ITEMS_FAILOVER_TOGGLED, "the first records that are rewritten decide where all items go on"),
    RETIRED_COUNTS(
            Check.FEWER_ITEMS_TWO_TRIGGERS, "a record that this change has retired counts with the cursor it shows"),
    RETIRED_BEFORE(Check.FEWER_AND_MORE_NO_TRIGGER, "a record that an earlier change has retired does not count"),

    /** There is one leader by the epoch, and it knows what it has written itself. */
    PLAN_VERSION(
            Check.MORE_ITEMS, EPOCH, "what a leader writes is refused once the plan it was decided from has changed"),
    INCARNATION(Check.MORE_ITEMS, TRIGGER_PLAN_CHECK, "a claim needs the record's incarnation to be the plan's"),
    REWRITE_VERSION(Check.FEWER_ITEMS, TRIGGER_PLAN_CHECK, "a record is rewritten only in the version that was read"),
    REOPEN_BEFORE_REWRITE(
            Check.FEWER_ITEMS,
            TRIGGER_PLAN_CHECK,
            "the old item count opens again only before the first record was rewritten"),

    WAIT_FOR_OPEN(Check.ONCE, "the code of a fire with once-listeners starts once its node is seen to be open"),
    OPEN_VERSION(Check.ONCE, "that beforeFirst has been called is written only in the version that names the caller"),
    END_VERSION(Check.ONCE, "that afterLast has been called is written only in the version that names the caller"),
    CALLER_GONE(Check.ONCE, "a caller's place is taken only once its instance is gone"),
    TAKEOVER_VERSION(Check.ONCE, "a caller's place is taken only in the version that was read"),
    CALL_ONCE(Check.ONCE, "an instance that has called does not call again for want of a reply"),
    LAST_CLOSES(Check.ONCE, "whoever takes the last item off a fire names who is to call afterLast, in the same write"),
    CLOSE_AFTER_BEGINNING(
            Check.ONCE_WITHOUT_FAILOVER,
            "a fire whose items end without a run is closed once beforeFirst has been called"),
    SWEEP(Check.ONCE, "the leader takes off a fire what its items have left out"),
    DECIDED_WITH_RECORD(Check.ONCE, "an undecided item is taken off a fire together with a write of its record"),
    PASS_OVER(Check.ONCE_ONE_LISTENING, "a fire goes on without its listener where nobody who lives has it");

    private final Check shownBy;
    private final @Nullable Rule firstLine;
    private final String text;

    Rule(Check shownBy, String text) {
        this(shownBy, null, text);
    }

    Rule(Check shownBy, @Nullable Rule firstLine, String text) {
        this.shownBy = shownBy;
        this.firstLine = firstLine;
        this.text = text;
    }

    /** Returns the name by which it is taken out. */
    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns what it demands. */
    String text() {
        return text;
    }

    /** Returns the smallest check that shows what it is there for. */
    Check shownBy() {
        return shownBy;
    }

    /** Returns the rule behind which it stands: as long as that one is kept, this one has nothing to do. Or null. */
    @Nullable Rule firstLine() {
        return firstLine;
    }

    /** Returns what must be missing for a violation to be found. */
    Set<Rule> toBreak() {
        return firstLine == null ? EnumSet.of(this) : EnumSet.of(this, firstLine);
    }
}
