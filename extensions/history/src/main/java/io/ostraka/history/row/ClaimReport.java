package io.ostraka.history.row;

import io.ostraka.api.ItemOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A report about one claim, which is the right of an instance to run one fire of one item, including all retries. A
 * claim can have several reports, in any order and repeatedly: from the instance that ran it, from an instance that
 * took it over, and from an instance that read its end in the item's record. {@link #merge} combines two reports. The
 * table {@code item_run} has one row for each claim, with all its reports combined.
 *
 * @param job name of the job
 * @param item key of the item
 * @param nonce unique identifier of the claim; together with namespace, job and item the key of the row
 * @param incarnation number of the job's set of item records
 * @param opened latest scheduled fire that counted as completed or skipped when the item's record became part of this
 *     set; null if only a record of a later set, which does not show it, has reported the run
 * @param runId identity of the fire, the same for all its items and claims
 * @param fireTime scheduled instant of the fire, or the fire time of a manual trigger
 * @param triggered true for a manual trigger
 * @param shardingTotalCount number of items that the fire is split into
 * @param runNumber number of the claim among the claims of the item, from 1
 * @param fencingToken fencing token of the claim; 0 if unknown
 * @param instance id of the instance that made the claim
 * @param claimedAt time of the claim by that instance's clock
 * @param cursorBefore latest scheduled fire that the item had completed or skipped before the claimed fire
 * @param cursorAfter latest scheduled fire that the item had completed or skipped after this claim. Equal to {@code
 *     cursorBefore} if the claimed fire is not a scheduled one, or is not ended by this claim
 * @param fenced true if the claim lost its item before its end was recorded
 * @param decision source of {@code fenced} and {@code cursorAfter}
 * @param attempts number of attempts under this claim; 0 if unknown
 * @param attempt number of the fire's last attempt under this claim, counted over all its claims
 * @param outcome name of an {@link ItemOutcome}, {@link #LOST}, or an outcome that a later version of the library has
 *     added
 * @param error short description of the failure; null if there was none or if it is unknown
 * @param startedAt start of the job's code; null if it did not start or if this is unknown
 * @param endedAt end of the run. If the end is unknown, the time of the report
 * @param ran total run time of the code, without the pauses between attempts; null if unknown
 * @param source source of the outcome, the attempts, the error and the times
 */
public record ClaimReport(
        String job,
        String item,
        String nonce,
        long incarnation,
        @Nullable Instant opened,
        String runId,
        Instant fireTime,
        boolean triggered,
        int shardingTotalCount,
        long runNumber,
        long fencingToken,
        String instance,
        Instant claimedAt,
        Instant cursorBefore,
        Instant cursorAfter,
        boolean fenced,
        Decision decision,
        int attempts,
        int attempt,
        String outcome,
        @Nullable String error,
        @Nullable Instant startedAt,
        Instant endedAt,
        @Nullable Duration ran,
        Source source)
        implements Row {
    /** Outcome of a claim whose instance died or shut down, and whose fire another claim ran again. */
    public static final String LOST = "LOST";

    /** Source of the facts about a run. A later constant stands for a source that knows more. */
    public enum Source {
        /** The instance that took the claim over, or that recorded its loss. It does not know when the code ended. */
        TAKER,
        /** An instance that read the end of the run in the item's record. */
        RECORD,
        /** The instance that ran the code. */
        OWNER,
        /** A source that a later version of the library has added. Only a row of the database has it. */
        OTHER
    }

    /** Source of the protocol's decision about a claim. A later constant stands for a more certain decision. */
    public enum Decision {
        /** The owner, when it was about to record the end. */
        OWNER,
        /** The owner, when it learnt that it had lost the item. */
        FENCED,
        /** The item's record, which shows the end. */
        RECORD,
        /**
         * The instance that took the claim over, or that recorded its loss. From then on, the item's record shows this
         * end in the same way as any other end.
         */
        TAKER,
        /** A source that a later version of the library has added. Only a row of the database has it. */
        OTHER
    }

    /**
     * Orders the facts of two reports. Only identical facts are equal in this order, so the order of the reports does
     * not matter.
     */
    private static final Comparator<ClaimReport> FACTS = Comparator.comparing(ClaimReport::source)
            .thenComparing(report -> !report.outcome.equals(LOST))
            .thenComparing(ClaimReport::endedAt, Comparator.reverseOrder())
            .thenComparing(ClaimReport::attempts)
            .thenComparing(ClaimReport::attempt)
            .thenComparing(ClaimReport::outcome)
            .thenComparing(ClaimReport::error, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(ClaimReport::startedAt, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(ClaimReport::ran, Comparator.nullsFirst(Comparator.naturalOrder()));

    private static final Comparator<ClaimReport> DECISIONS = Comparator.comparing(ClaimReport::decision)
            .thenComparing(report -> !report.fenced)
            .thenComparing(ClaimReport::cursorAfter);

    /**
     * Returns whether this version of the library knows all values of the row. Otherwise a later version has written
     * the row, and this version concludes nothing from it.
     */
    public boolean understood() {
        return decision != Decision.OTHER
                && source != Source.OTHER
                && (outcome.equals(LOST)
                        || Arrays.stream(ItemOutcome.values())
                                .anyMatch(each -> each.name().equals(outcome)));
    }

    /**
     * Combines two reports about the same claim. The facts of the run come from the report with the better source. If
     * the sources are the same, an outcome other than {@link #LOST} is better, and then the earlier end. The decision
     * comes from the report with the more certain one. The order of the reports does not matter.
     *
     * @throws IllegalArgumentException if the reports are about different claims
     */
    public ClaimReport merge(ClaimReport other) {
        if (!job.equals(other.job) || !item.equals(other.item) || !nonce.equals(other.nonce)) {
            throw new IllegalArgumentException("reports about different claims: " + nonce + " and " + other.nonce);
        }
        ClaimReport facts = FACTS.compare(other, this) > 0 ? other : this;
        ClaimReport decided = DECISIONS.compare(other, this) > 0 ? other : this;
        return new ClaimReport(
                job,
                item,
                nonce,
                incarnation,
                opened == null ? other.opened : opened,
                runId,
                fireTime,
                triggered,
                shardingTotalCount,
                runNumber,
                Math.max(fencingToken, other.fencingToken),
                instance,
                claimedAt,
                cursorBefore,
                decided.cursorAfter,
                decided.fenced,
                decided.decision,
                facts.attempts,
                facts.attempt,
                facts.outcome,
                facts.error,
                facts.startedAt,
                facts.endedAt,
                facts.ran,
                facts.source);
    }
}
