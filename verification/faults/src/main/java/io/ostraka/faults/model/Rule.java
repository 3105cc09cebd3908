package io.ostraka.faults.model;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rules of the protocol. The checker can run a model without a rule, to show which violation the rule prevents. */
enum Rule {
    CLAIM_VERSION(Check.CLAIM, "a claim writes the record only in the version that it was decided from"),
    RUNNING_IN_CLAIM(Check.CLAIM, "a claim creates the running node, in the same transaction"),
    UNKNOWN_IS_NOT_SUCCESS(Check.CLAIM, "a claim or completion without a reply does not count as done"),
    UNKNOWN_IS_NOT_FAILURE(Check.CLAIM, "a claim or completion without a reply does not count as refused"),
    COMPLETION_VERSION(Check.CLAIM, "a completion writes the record only in the version that its claim wrote"),
    OWN_NONCE(Check.CLAIM, "a run completes a record only if it reads its own claim there"),
    TAKEOVER_OF_OWN_FIRE(Check.CLAIM, "a takeover claims the unfinished fire of the record"),
    NEXT_ATTEMPT(Check.CLAIM, "a takeover increments the attempt"),
    FENCE_FIRST(Check.CLAIM, "a run shows its token to the resource before its first work"),
    CURSOR(Check.CLAIM, "a claim's fire is newer than the record's cursor"),
    RUNNING_AFTER_RECORD(Check.CLAIM_WITHOUT_FAILOVER, "an instance reads an item's running node after its record"),
    STOP_AFTER_TAKEOVER(Check.ONE_PROCESS_TWO_FIRES, "an instance that takes over a fire obeys the fire's stop"),
    STOP_WITHOUT_RECORD(Check.CLAIM_STOPPED, "a stop leaves the record to the owner"),

    TRIGGER_PLAN_CHECK(Check.FEWER_ITEMS, "a claim of a trigger checks that its plan is still in force"),
    SCHEDULED_PLAN_CHECK(Check.MORE_ITEMS, "a claim of a scheduled fire checks that its plan is still in force"),
    TRIGGER_CHECK(Check.FEWER_ITEMS, "a claim of a trigger checks that the trigger still exists"),
    BEGUN_GOES_ON(Check.FEWER_ITEMS, "a trigger that has begun continues under a closed plan"),
    OLDER_FIRST(Check.FEWER_ITEMS_TWO_TRIGGERS, "an item decides its triggers oldest first, also under a closed plan"),
    OLDER_MAY_BEGIN(
            Check.FEWER_ITEMS_TWO_TRIGGERS, "under a closed plan a trigger may begin if a later one of its item has"),
    TRIGGER_TOTAL(Check.FEWER_ITEMS_RERUN, "a trigger for items of one item count runs none of them under another"),
    SKIP_KEPT(Check.MORE_ITEMS_SKIP, "a change of the item count keeps the time to which an operator skipped fires"),
    NOBODYS_TRIGGER(Check.MORE_ITEMS, "any instance ends a trigger for items that the job does not have"),
    DRAIN(Check.MORE_ITEMS, "the leader rewrites records only after all fires of the old item count have ended"),
    OWN_TOTAL(Check.FEWER_ITEMS, "a takeover runs the fire with its own item count, not with the plan's"),
    /**
     * The model has no leader election. Any instance may take the epoch at any time, and the check of a leader's own
     * election node always passes. The invariants therefore do not depend on that check; in the protocol, it only stops
     * the writes of a former leader sooner.
     */
    EPOCH(Check.MORE_ITEMS, "a leader's write checks its epoch, not only its election node"),
    NEW_INCARNATION(Check.FEWER_AND_MORE_NO_TRIGGER, "every change of target takes a new incarnation"),
    SMALLEST_CURSOR(Check.FEWER_ITEMS, "all items continue from the smallest cursor of the old ones"),
    SMALLEST_TRIGGER_CURSOR(
            Check.FEWER_ITEMS_TWO_TRIGGERS, "all items continue from the smallest trigger cursor of the old ones"),
    FIRST_BATCH_DECIDES(
            Check.FEWER_ITEMS_FAILOVER_TOGGLED, "the first rewritten records decide where all items continue"),
    RETIRED_COUNTS(Check.FEWER_ITEMS_TWO_TRIGGERS, "the cursor of a record that this change has retired counts"),
    RETIRED_BEFORE(
            Check.FEWER_AND_MORE_NO_TRIGGER,
            "the cursor of a record that an earlier change has retired does not count"),

    /**
     * A second safeguard in addition to the epoch. The epoch alone is enough, because it admits only one leader, and a
     * leader knows its own writes.
     */
    PLAN_VERSION(Check.MORE_ITEMS, EPOCH, "a leader's write is refused if its plan has changed"),
    INCARNATION(Check.MORE_ITEMS, TRIGGER_PLAN_CHECK, "a claim requires the plan's incarnation in the record"),
    REWRITE_VERSION(
            Check.FEWER_ITEMS, TRIGGER_PLAN_CHECK, "the leader rewrites a record only in the version that it read"),
    REOPEN_BEFORE_REWRITE(
            Check.FEWER_ITEMS,
            TRIGGER_PLAN_CHECK,
            "the leader reopens the old item count only before the first record is rewritten"),

    WAIT_FOR_OPEN(Check.ONCE, "the code of a fire with once-listeners starts after its node was read as open"),
    OPEN_VERSION(Check.ONCE, "the end of beforeFirst is written only in the version that names the caller"),
    END_VERSION(Check.ONCE, "the end of afterLast is written only in the version that names the caller"),
    CALLER_GONE(Check.ONCE, "another instance becomes the caller only after the caller's session ended"),
    TAKEOVER_VERSION(Check.ONCE, "another instance becomes the caller only in the version that it read"),
    CALL_ONCE(Check.ONCE, "an instance does not call the listener again after a lost reply"),
    LAST_CLOSES(Check.ONCE, "the write that takes the last item off a fire names the caller of afterLast"),
    CLOSE_AFTER_BEGINNING(Check.ONCE_WITHOUT_FAILOVER, "a fire whose items end without a run closes after beforeFirst"),
    SWEEP(Check.ONCE, "the leader takes items off a fire that they have skipped"),
    DECIDED_WITH_RECORD(Check.ONCE, "the write that takes an undecided item off a fire also writes its record"),
    PASS_OVER(Check.ONCE_ONE_LISTENING, "a fire continues without its listener if no live instance has its code"),

    TRIGGER_WITH_NODE(Check.BACKFILL, "the transaction that writes a backfill's node also creates its triggers"),
    BACKFILL_VERSION(Check.BACKFILL, "a leader writes a backfill's node only in the version that it read"),
    NODE_BEFORE_TRIGGERS(Check.BACKFILL, "a leader reads a backfill's node before the list of triggers"),
    TRIGGERS_BEFORE_PROGRESS(Check.BACKFILL, "a leader reads the list of triggers before the progress of the fires"),
    UNKNOWN_OUTCOME(Check.BACKFILL, "a fire in flight without trigger and progress counts, with an unknown outcome"),
    HALTED_COUNTS(Check.BACKFILL, "the leader counts the ended fires of a backfill that has halted"),
    READ_AFTER_NO_REPLY(Check.BACKFILL, "a leader without a reply to its step reads the node before the next step"),
    RESUME_HALTED(Check.BACKFILL_TWO_FAILURES, "only a stopped or failed backfill can be resumed"),
    REQUEST_ONCE(Check.BACKFILL, "the backfill's node lists the requests that changed it; none changes it twice"),
    BACKFILL_DEFINITION(
            Check.BACKFILL_PURGED, "a backfill triggers fires only while its job has the definition of the request"),
    NO_DEFINITION(Check.BACKFILL_PURGED, "a leader that reads no definition of the job ends its backfill"),
    BACKFILL_EPOCH(Check.BACKFILL_PURGED, "a step of a backfill for a job that may be purged checks the epoch"),
    /**
     * Backs up {@code NO_DEFINITION}. A leader that has read a definition writes its step before it writes the plan
     * that a purge requires.
     */
    BACKFILL_REGISTERED(Check.BACKFILL_PURGED, NO_DEFINITION, "a step of a backfill checks that the job is registered"),
    NODE_OUTLIVES_JOB(
            Check.BACKFILL_PURGED, "the leader does not delete a backfill's node, since node versions would restart"),

    CANCEL_WAITING(Check.DELAYED, "a cancellation deletes the nodes of the delayed trigger, which must exist"),
    CANCELLED_FIRE(Check.DELAYED, "a cancellation creates the fire's node as cancelled, in the same transaction"),
    CANCEL_READS_FIRE(
            Check.DELAYED, "a cancellation that finds neither the delayed trigger nor the trigger reads the fire"),
    CANCEL_READS_IN_ORDER(
            Check.DELAYED, "a cancellation reads the delayed triggers, then the triggers, and then the fire"),
    UNKNOWN_CANCELLATION(Check.DELAYED, "a cancellation without a reply does not count as done"),
    SECOND_NODE(
            Check.DELAYED,
            "a release and a cancellation also delete a node named by the run, as the key may be used again"),
    RELEASE_TOGETHER(Check.DELAYED, "the transaction that deletes a delayed trigger creates its trigger"),
    SWEEP_AGAIN(
            Check.DELAYED_SWEPT, "the leader creates a missing node named by a run only after it has read both again"),
    SWEEP_EPOCH(Check.DELAYED_SWEPT, "the creation of a missing node named by a run checks the epoch"),

    EXPIRY_VERSION(
            Check.OVERRIDE, "the leader takes ended fields of an override back only in the version that it read"),
    ENDED_FIELDS(Check.OVERRIDE, "the leader takes back no field of an override but those that have ended"),
    EXPIRY_KEEPS_REQUESTS(
            Check.OVERRIDE,
            "the write that takes back ended fields keeps the list of requests that changed the override"),
    SERVER_CLOCK(Check.OVERRIDE, "a field of an override ends by the server's clock, not by that of an instance"),
    OVERRIDE_REQUEST_ONCE(Check.OVERRIDE, "the override lists the requests that changed it; none changes it twice"),
    EXPIRY_PLAN(Check.OVERRIDE_PURGED, "the write that takes back ended fields checks the plan, which a purge deletes"),
    EXPIRY_EPOCH(
            Check.OVERRIDE_PURGED,
            "the write that takes back ended fields of a job that may be purged checks the epoch"),

    ROW_OF_NONCE(Check.HISTORY, "the row of a claim is found by its nonce, not by its token, which may repeat"),
    PREVIOUS_RUN(Check.HISTORY, "a claim keeps the end of the run before it in the record"),
    PREVIOUS_AT_TAKEOVER(Check.HISTORY, "a takeover keeps the end of the run before the interrupted one"),
    ENDS_OF_EVERY_READ(Check.HISTORY, "an instance reports the ends in every record that it reads, not only the first"),
    REPORTS_IN_TIME(
            Check.HISTORY, "the reports about a run are safe before the record no longer shows the end of the run"),
    OWNER_FACTS(Check.HISTORY, "the owner's facts about its run replace those of the record and of a taker"),
    TAKER_DECIDES(
            Check.HISTORY, "what the record or a taker says about the fire of a claim replaces what the owner says"),
    TAKER_BEFORE_RECORD(Check.HISTORY, "a taker that has ended a fire knows more than a reader of the record"),
    RECORD_BEFORE_FENCED(
            Check.HISTORY, "an end in the record counts more than an owner's belief that it has lost the item"),
    CURSOR_OF_NEXT_CLAIM(
            Check.HISTORY, "the account reads off the cursor of the next claim whether a run has decided its fire"),
    RUN_NUMBERS(Check.HISTORY_LATE, "the account shows a missing run number as a gap"),

    ALARM_WRITTEN_FIRST(Check.ALARM, "an alarm is written to its node before users receive it"),
    ALARM_MARKED_LAST(Check.ALARM, "an alarm is marked as delivered only after users have received it"),
    ALARM_EPOCH(Check.ALARM, "a leader writes an alarm's node only in its own term"),
    ALARM_FROM_RECORD(Check.ALARM, "the leader decides about an alarm from the item's record, not from a digest"),
    ALARM_CONTINUES(Check.ALARM, "an alarm that lasts continues for a later cause, and is not replaced");

    private final Check shownBy;
    private final @Nullable Rule backsUp;
    private final String text;

    Rule(Check shownBy, String text) {
        this(shownBy, null, text);
    }

    Rule(Check shownBy, @Nullable Rule backsUp, String text) {
        this.shownBy = shownBy;
        this.backsUp = backsUp;
        this.text = text;
    }

    /** Returns the name that {@code --without} accepts. */
    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the requirement of the rule, in one sentence. */
    String text() {
        return text;
    }

    /** Returns the smallest model in which the rule is needed. */
    Check shownBy() {
        return shownBy;
    }

    /**
     * Returns the rule that this rule backs up; null if there is none. A rule that backs up another rule matters only
     * if that rule is left out.
     */
    @Nullable Rule backsUp() {
        return backsUp;
    }

    /** Returns the rules that must be left out to show a violation. */
    Set<Rule> toBreak() {
        return backsUp == null ? EnumSet.of(this) : EnumSet.of(this, backsUp);
    }
}
