package io.ostraka.api.event;

import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * An operator has changed a job through this instance, and ZooKeeper has stored the change. Changes that were made
 * directly in ZooKeeper cause no event.
 *
 * @param job name of the job
 * @param fields names of the changed fields, such as {@code paused} or {@code schedule}, without their values, which
 *     may be secret; unmodifiable
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record OverrideChanged(String job, Set<String> fields, String instanceId, Instant at) implements JobEvent {
    /** Copies the fields. */
    public OverrideChanged {
        fields = Collections.unmodifiableSet(new TreeSet<>(fields));
    }
}
