package io.ostraka.core.model;

import io.ostraka.api.Schedule;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

/**
 * A manual trigger for a later time. A delayed trigger is ignored if another one with the same job and key is already
 * waiting.
 *
 * @param key identity of the trigger within its job
 * @param delay time from the write of the node until the trigger is due, at most {@link Schedule#LONGEST}
 * @param request request of the later {@link Trigger}
 */
public record DelayedTrigger(String key, Duration delay, Trigger.Request request) {
    /** Largest length of a key, in characters. */
    public static final int LONGEST_KEY = 256;

    /** Checks that the key has 1 to {@link #LONGEST_KEY} characters, and that the delay is in its range. */
    public DelayedTrigger {
        if (key.isEmpty() || key.length() > LONGEST_KEY) {
            throw new IllegalArgumentException(
                    "trigger key has " + key.length() + " characters; accepted: 1 to " + LONGEST_KEY + " characters");
        }
        Names.requireStorable("trigger key", key);
        if (delay.isNegative() || delay.compareTo(Schedule.LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "trigger delay is " + delay + "; accepted: zero to " + Schedule.LONGEST.toDays() + " days");
        }
    }

    /** Returns the time on the server's clock at which a stored delayed trigger becomes a {@link Trigger}. */
    public static Instant due(Versioned<DelayedTrigger> stored) {
        return stored.modified().plus(stored.value().delay);
    }

    /**
     * Returns the request of the {@link Trigger} that replaces this delayed trigger. The request's time limit applies
     * to the write of the delayed trigger: if that write was in time, the returned request has no limit.
     *
     * @param written time at which the node was written, on the server's clock
     */
    public Trigger.Request released(Instant written) {
        Instant limit = request.notAfter();
        return limit == null || written.isAfter(limit) ? request : request.within(null);
    }

    /** Returns the name of the trigger's node: the job and the URL-encoded key. */
    public String name() {
        return prefix(request.job()) + URLEncoder.encode(key, StandardCharsets.UTF_8);
    }

    /**
     * Returns the prefix of the names of a job's delayed triggers. Its last character occurs in no job name, so the
     * prefix of one job never fits a trigger of another job.
     */
    public static String prefix(String job) {
        return job + "~";
    }
}
