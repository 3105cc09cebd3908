package io.ostraka.core.model;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * A manual trigger that is to come later, unless one of the same job and key waits already.
 *
 * @param key by which triggers of a job are told to mean the same
 * @param due the server's clock when it is to become a trigger
 * @param request what it is to be then
 */
public record DelayedTrigger(String key, Instant due, Trigger.Request request) {
    /** How long a key may be, in characters. */
    public static final int LONGEST_KEY = 256;

    /** Refuses a key that can't be. */
    public DelayedTrigger {
        if (key.isEmpty() || key.length() > LONGEST_KEY) {
            throw new IllegalArgumentException(
                    "trigger key has " + key.length() + " characters; accepted: 1 to " + LONGEST_KEY + " characters");
        }
    }

    /** Returns the name of its node: readable where the key is, and one for each job and key. */
    public String name() {
        return request.job() + "~" + URLEncoder.encode(key, StandardCharsets.UTF_8);
    }
}
