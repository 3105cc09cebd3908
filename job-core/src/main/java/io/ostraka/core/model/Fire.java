package io.ostraka.core.model;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One due time of a job, caused by its schedule or by a manual trigger.
 *
 * @param id name of the fire, unique within its job: the scheduled instant in milliseconds, or the trigger's run id
 * @param at the scheduled instant, or the time on the server's clock when the trigger was accepted
 * @param triggerZxid zxid (number) of the ZooKeeper transaction that created the trigger; 0 for a scheduled fire
 * @param parameters parameters of the trigger; empty for a scheduled fire
 * @param fireTime fire time that the trigger's requester chose for user code; null if user code receives {@code at}.
 *     Fires are always ordered by {@code at}
 * @param omitted total length of the parameters in characters, if they are too long for the record of an ended run and
 *     {@code parameters} is therefore empty; null otherwise
 */
public record Fire(
        String id,
        Instant at,
        long triggerZxid,
        Map<String, String> parameters,
        @Nullable Instant fireTime,
        @Nullable Integer omitted) {
    /** Total length of the parameters that the records of all items of a job together keep after a run. */
    private static final int KEPT_BY_A_JOB = 256 << 10;
    /** Total length of the parameters that each record keeps in any case. */
    private static final int KEPT_BY_A_RECORD = 256;

    /** Copies the parameters. */
    public Fire {
        Names.require("a fire's id", id);
        if (omitted != null) {
            Names.requireRange("omitted", omitted, 1, Integer.MAX_VALUE);
        }
        parameters = parameters.isEmpty() ? Map.of() : Collections.unmodifiableMap(new TreeMap<>(parameters));
    }

    /** Creates a fire with all its parameters. */
    public Fire(String id, Instant at, long triggerZxid, Map<String, String> parameters, @Nullable Instant fireTime) {
        this(id, at, triggerZxid, parameters, fireTime, null);
    }

    /** Creates a fire whose user code receives {@code at} as the fire time. */
    public Fire(String id, Instant at, long triggerZxid, Map<String, String> parameters) {
        this(id, at, triggerZxid, parameters, null, null);
    }

    /** Returns the logical time of the fire, which user code receives. */
    public Instant logicalTime() {
        return fireTime == null ? at : fireTime;
    }

    /**
     * Returns the logical time of the previous fire that an item ran. Returns null if a requester chose the fire time
     * of either fire, because the two times then say nothing about the period between the fires.
     */
    public @Nullable Instant following(Fire previous) {
        return fireTime == null && previous.fireTime == null ? previous.at : null;
    }

    /** Returns the scheduled fire at an instant. */
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

    /**
     * Returns the fire as the record of an ended run keeps it, from which an operator may run it again. Long parameters
     * are omitted, because each item of the job keeps a copy until its next run.
     *
     * @param total item count of the fire
     */
    Fire ended(int total) {
        int length = parameterLength();
        return length <= Math.max(KEPT_BY_A_RECORD, KEPT_BY_A_JOB / total)
                ? this
                : new Fire(id, at, triggerZxid, Map.of(), fireTime, length);
    }

    /** Returns the run id that users see. All items and attempts of the fire have the same run id. */
    public String runId(String jobName) {
        return triggered() ? id : jobName + "@" + at;
    }
}
