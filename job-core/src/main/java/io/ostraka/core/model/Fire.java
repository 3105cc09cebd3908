package io.ostraka.core.model;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * One due time of a job, caused by its schedule or by a manual trigger.
 *
 * @param id name of the fire, unique within its job: the scheduled instant in milliseconds, or the trigger's run id
 * @param at the scheduled instant, or the time on the server's clock when the trigger was accepted
 * @param triggerZxid zxid (number) of the ZooKeeper transaction that created the trigger; 0 for a scheduled fire
 * @param parameters parameters of the trigger; empty for a scheduled fire
 */
public record Fire(String id, Instant at, long triggerZxid, Map<String, String> parameters) {
    public Fire {
        Names.require("a fire's id", id);
        parameters = parameters.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(parameters));
    }

    /** Returns the scheduled fire of an instant. */
    public static Fire scheduled(Instant at) {
        return new Fire(Long.toString(at.toEpochMilli()), at, 0, Map.of());
    }

    /** Returns whether a manual trigger caused the fire. */
    public boolean triggered() {
        return triggerZxid != 0;
    }

    /** Returns the total length of the parameters in characters. */
    public int parameterLength() {
        int length = 0;
        for (Map.Entry<String, String> parameter : parameters.entrySet()) {
            length += parameter.getKey().length() + parameter.getValue().length();
        }
        return length;
    }

    /** Returns the same fire without parameters. Records of ended runs omit them to save space. */
    Fire withoutParameters() {
        return parameters.isEmpty() ? this : new Fire(id, at, triggerZxid, Map.of());
    }

    /** Returns the run id that users see. All items and attempts of the fire have the same run id. */
    public String runId(String jobName) {
        return triggered() ? id : jobName + "@" + at;
    }
}
