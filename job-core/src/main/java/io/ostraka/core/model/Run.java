package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import java.time.Instant;

/**
 * A claim of one fire of an item, in the item's record.
 *
 * @param fire which fire
 * @param total how many items the fire is split into
 * @param attempt 1, and one more for each time that the fire was tried again or taken over
 * @param crashes how many owners died running it
 * @param owner instance that claimed it
 * @param nonce tells this claim from every other, whoever reads it
 * @param startedAt the owner's clock at the claim
 * @param busySince since when, on owners' clocks, the item has worked off fires without a pause; fires from then to the
 *     end of the run are overlapped
 * @param number number of the claim among all of its item: that of the claim before, plus one
 * @param fenceEpoch high bits of the claim's fencing token
 * @param token fencing token of the claim, written when the run ends or is handed over; 0 before, when the record's own
 *     transaction number gives it
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
    /** Refuses an owner that can't be an instance, and a count that can't be. */
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
