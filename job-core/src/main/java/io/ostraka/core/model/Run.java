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
 */
public record Run(
        Fire fire,
        int total,
        int attempt,
        int crashes,
        String owner,
        String nonce,
        Instant startedAt,
        Instant busySince) {
    /** Refuses an owner that can't be an instance, and a count that can't be. */
    public Run {
        Names.require("owner", owner);
        Names.requireRange("total", total, 1, JobConfiguration.MAX_ITEMS);
    }

    /** Returns the same once it was tried again. */
    Run atAttempt(int last) {
        return new Run(fire, total, last, crashes, owner, nonce, startedAt, busySince);
    }

    /** Returns what is kept of it once it has ended. */
    Run over() {
        return new Run(fire.withoutParameters(), total, attempt, crashes, owner, nonce, startedAt, busySince);
    }
}
