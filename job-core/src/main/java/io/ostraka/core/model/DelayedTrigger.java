package io.ostraka.core.model;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * A manual trigger for a later time. It is ignored if one of the same job and key already waits.
 *
 * @param key identity of the trigger within its job
 * @param due time on the server's clock at which it becomes a trigger
 * @param request request of that trigger
 */
public record DelayedTrigger(String key, Instant due, Trigger.Request request) {
    /** Largest length of a key, in characters. */
    public static final int LONGEST_KEY = 256;

    /** Refuses an empty key, and one that is too long. */
    public DelayedTrigger {
        if (key.isEmpty() || key.length() > LONGEST_KEY) {
            throw new IllegalArgumentException(
                    "trigger key has " + key.length() + " characters; accepted: 1 to " + LONGEST_KEY + " characters");
        }
    }

    /** Returns the name of the trigger's node: unique per job and key, and readable if the key is. */
    public String name() {
        return request.job() + "~" + URLEncoder.encode(key, StandardCharsets.UTF_8);
    }
}
