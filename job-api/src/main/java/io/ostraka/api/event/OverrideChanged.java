package io.ostraka.api.event;

import java.time.Instant;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * An operator has changed a job through this instance, and ZooKeeper has the change. A change that was made in ZooKeeper by
 * other means has no event.
 *
 * @param job name of the job
 * @param fields names of what has changed, such as {@code paused} or {@code schedule}; without values, which may be secret;
 *     unmodifiable
 * @param instanceId id of the instance
 * @param at time of the event
 */
public record OverrideChanged(String job, Set<String> fields, String instanceId, Instant at) implements JobEvent {
    /** Copies the fields. */
    public OverrideChanged {
        fields = Collections.unmodifiableSet(new TreeSet<>(fields));
    }
}
