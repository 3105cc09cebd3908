package io.ostraka.core.model;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * A manual trigger for a later time. A delayed trigger is ignored if another one with the same job and key is already
 * waiting.
 *
 * @param key identity of the delayed trigger within its job
 * @param due time on the server's clock at which the delayed trigger becomes a {@link Trigger}
 * @param request the request that the trigger will carry
 */
public record DelayedTrigger(String key, Instant due, Trigger.Request request) {
    /** Largest length of a key, in characters. */
    public static final int LONGEST_KEY = 256;

    /** Checks that the key is not empty and at most {@link #LONGEST_KEY} characters long. */
    public DelayedTrigger {
        if (key.isEmpty() || key.length() > LONGEST_KEY) {
            throw new IllegalArgumentException(
                    "trigger key has " + key.length() + " characters; accepted: 1 to " + LONGEST_KEY + " characters");
        }
    }

    /** Returns the name of the trigger's node: the job and the URL-encoded key. */
    public String name() {
        return request.job() + "~" + URLEncoder.encode(key, StandardCharsets.UTF_8);
    }
}
