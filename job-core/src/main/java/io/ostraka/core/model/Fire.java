package io.ostraka.core.model;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * One time that a job is to run: scheduled, or triggered by hand.
 *
 * @param id its name, unique within its job: the scheduled instant in milliseconds, or the trigger's run id
 * @param at the scheduled instant, or the server's clock when the trigger was accepted
 * @param triggerZxid transaction that created the trigger; 0 if scheduled
 * @param parameters what the trigger was given; empty if scheduled
 */
public record Fire(String id, Instant at, long triggerZxid, Map<String, String> parameters) {
    /** Copies the parameters, in order. */
    public Fire {
        Names.require("a fire's id", id);
        parameters = parameters.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(parameters));
    }

    /** Returns the fire of a schedule at an instant. */
    public static Fire scheduled(Instant at) {
        return new Fire(Long.toString(at.toEpochMilli()), at, 0, Map.of());
    }

    /** Tells whether it was triggered by hand. */
    public boolean triggered() {
        return triggerZxid != 0;
    }

    /** Returns how many characters the parameters have together. */
    public int parameterLength() {
        int length = 0;
        for (Map.Entry<String, String> parameter : parameters.entrySet()) {
            length += parameter.getKey().length() + parameter.getValue().length();
        }
        return length;
    }

    /** Returns the same without the parameters, which nobody needs once it has ended. */
    Fire withoutParameters() {
        return parameters.isEmpty() ? this : new Fire(id, at, triggerZxid, Map.of());
    }

    /** Returns the identity that users see: the same for all items and attempts. */
    public String runId(String jobName) {
        return triggered() ? id : jobName + "@" + at;
    }
}
