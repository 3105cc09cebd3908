package io.ostraka.history;

import io.ostraka.api.event.Claim;
import java.time.Instant;

/** Claims for tests. */
final class Claims {
    private static final Instant FIRE = Instant.parse("2026-11-26T12:00:00Z");

    private Claims() {}

    /** Returns the claim of a scheduled fire. */
    static Claim claim(String job, String item, long number) {
        return new Claim(
                job,
                item,
                1,
                job + "@" + FIRE,
                FIRE,
                false,
                1,
                (int) number,
                number,
                "nonce-" + number,
                100 + number,
                FIRE.minusSeconds(60),
                FIRE.minusSeconds(60),
                "i" + number,
                FIRE);
    }
}
