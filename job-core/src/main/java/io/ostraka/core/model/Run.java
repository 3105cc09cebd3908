package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import java.time.Instant;

/**
 * A claim of one fire of an item, kept in the item's record.
 *
 * @param fire the claimed fire
 * @param total number of items that the fire is split into
 * @param attempt number of the attempt, from 1; retries and takeovers count
 * @param crashes number of owners that died running the fire
 * @param owner instance that claimed the fire
 * @param nonce unique value of this claim
 * @param startedAt time of the claim on the owner's clock
 * @param busySince instant, on owners' clocks, since which the item has worked through fires without a pause; fires from
 *     then to the end of the run are overlapped
 * @param number number of the claim among all claims of its item
 * @param fenceEpoch high bits of the claim's fencing token
 * @param token fencing token of the claim, written when the run ends or is handed over; 0 before, while the transaction that
 *     wrote the record gives the token
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
        long token) {
    /** Refuses an invalid owner or item count. */
    public Run {
        Names.require("owner", owner);
        Names.requireRange("total", total, 1, JobConfiguration.MAX_ITEMS);
    }

    /** Returns the run once its code has returned, with the number of its last attempt and its fencing token. */
    Run returned(int lastAttempt, long fencingToken) {
        return with(fire, lastAttempt, fencingToken);
    }

    /** Returns the part of an ended run that the record keeps. */
    Run ended() {
        return with(fire.withoutParameters(), attempt, token);
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
                fencingToken);
    }
}
