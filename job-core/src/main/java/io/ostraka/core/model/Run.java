package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A claim of one fire of an item, as the item's record stores it.
 *
 * @param fire the claimed fire
 * @param total number of items that the fire is split into
 * @param attempt number of the attempt, from 1; each retry and each takeover adds one
 * @param crashes number of owners that crashed while they ran this fire
 * @param owner instance that claimed the fire
 * @param nonce unique value of this claim
 * @param startedAt time of the claim on the owner's clock
 * @param busySince start of the item's uninterrupted series of runs that ends with this run, on the clock of the
 *     instance that began the series. Fires that became due between this instant and the end of this run are overlapped
 * @param number number of the claim among all claims of its item
 * @param fenceEpoch high bits of the claim's fencing token
 * @param token fencing token of the claim. It is 0 until the run ends or is handed over; before that, the token is
 *     derived from the transaction that wrote the record
 * @param cursor the record's cursor at the claim, which includes the fires that the claim skipped but not the claimed
 *     fire; null until a record contains the claim
 * @param incarnation the record's incarnation at the claim; 0 if {@code cursor} is null
 */
public record Run(
        Fire fire,
        int total,
        int attempt,
        int crashes,
        String owner,
        String nonce,
        Instant startedAt,
        Instant busySince,
        long number,
        int fenceEpoch,
        long token,
        @Nullable Instant cursor,
        long incarnation) {
    /** Checks the owner and the item count. */
    public Run {
        Names.require("owner", owner);
        Names.requireRange("total", total, 1, JobConfiguration.MAX_ITEMS);
    }

    /** Creates a claim that no record contains yet. */
    public Run(
            Fire fire,
            int total,
            int attempt,
            int crashes,
            String owner,
            String nonce,
            Instant startedAt,
            Instant busySince,
            long number,
            int fenceEpoch,
            long token) {
        this(fire, total, attempt, crashes, owner, nonce, startedAt, busySince, number, fenceEpoch, token, null, 0);
    }

    /** Returns the claim with the cursor and the incarnation of the record that will contain it. */
    Run within(Instant recordCursor, long recordIncarnation) {
        return new Run(
                fire,
                total,
                attempt,
                crashes,
                owner,
                nonce,
                startedAt,
                busySince,
                number,
                fenceEpoch,
                token,
                recordCursor,
                recordIncarnation);
    }

    /**
     * Returns the cursor of the record at the claim.
     *
     * @throws NullPointerException if no record contains the claim yet
     */
    Instant requireCursor() {
        return Objects.requireNonNull(cursor, "cursor");
    }

    /** Returns the run with only the values that a record keeps of the run before its latest claim. */
    Run past() {
        Fire past = new Fire(fire.id(), fire.at(), fire.triggerZxid(), Map.of(), fire.fireTime());
        return new Run(
                past, total, attempt, 0, owner, nonce, startedAt, startedAt, number, 0, token, cursor, incarnation);
    }

    /**
     * Returns the run with the values that are known when its code has returned: the number of its last attempt, and
     * its fencing token.
     */
    Run returned(int lastAttempt, long fencingToken) {
        return with(fire, lastAttempt, fencingToken);
    }

    /** Returns the run as the record stores it after its end: without parameters that are too long. */
    Run ended() {
        return with(fire.ended(total), attempt, token);
    }

    private Run with(Fire kept, int lastAttempt, long fencingToken) {
        return new Run(
                kept,
                total,
                lastAttempt,
                crashes,
                owner,
                nonce,
                startedAt,
                busySince,
                number,
                fenceEpoch,
                fencingToken,
                cursor,
                incarnation);
    }
}
