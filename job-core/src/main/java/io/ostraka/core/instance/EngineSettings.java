package io.ostraka.core.instance;

import java.time.Duration;
import java.util.Map;

/**
 * Settings of an instance. Immutable.
 *
 * @param namespace namespace of the application, for event subscribers; empty if the instance has none
 */
public record EngineSettings(String namespace, Identity identity, Slots slots, Intervals intervals) {
    private static final Slots DEFAULT_SLOTS = new Slots(256, 128, 256);
    private static final Intervals DEFAULT_INTERVALS =
            new Intervals(Duration.ofSeconds(5), Duration.ofSeconds(60), Duration.ofMinutes(10));

    /**
     * Attributes that the instance's node publishes.
     *
     * @param name name of the instance, which stays the same after a restart. Several instances may share a name
     * @param host name of the machine
     * @param pid process id
     * @param zone zone of the machine; empty if not set
     * @param tags attributes that the application defines
     * @param weight capacity relative to other instances, from 1
     */
    public record Identity(String name, String host, long pid, String zone, Map<String, String> tags, int weight) {
        /** Copies the tags. */
        public Identity {
            tags = Map.copyOf(tags);
        }
    }

    /**
     * Numbers of slots in this process.
     *
     * @param quick number of items of quick jobs that may run at once; default 256
     * @param slow number of items of slow jobs that may run at once; default 128
     * @param tasks number of child tasks that may run at once; default 256
     */
    public record Slots(int quick, int slow, int tasks) {}

    /**
     * Intervals of the periodic work.
     *
     * @param reconcile interval at which the leader computes all plans again from its local copy of the state; default
     *     5 s
     * @param audit interval at which the instance reads everything again from ZooKeeper; default 60 s
     * @param drainDeadline maximum time that a change of a job's item count waits for running items; default 10 min
     */
    public record Intervals(Duration reconcile, Duration audit, Duration drainDeadline) {}

    /** Returns the default settings of a process. The instance is named after the host. */
    public static EngineSettings of(String host, long pid) {
        return new EngineSettings("", new Identity(host, host, pid, "", Map.of(), 1), DEFAULT_SLOTS, DEFAULT_INTERVALS);
    }

    /** Returns a copy of these settings with the given namespace. */
    public EngineSettings withNamespace(String name) {
        return new EngineSettings(name, identity, slots, intervals);
    }

    /** Returns a copy of these settings with the given name. */
    public EngineSettings withName(String name) {
        return new EngineSettings(
                namespace,
                new Identity(name, identity.host, identity.pid, identity.zone, identity.tags, identity.weight),
                slots,
                intervals);
    }

    /** Returns a copy of these settings with the given zone, tags and weight. */
    public EngineSettings withAttributes(String zone, Map<String, String> tags, int weight) {
        return new EngineSettings(
                namespace,
                new Identity(identity.name, identity.host, identity.pid, zone, tags, weight),
                slots,
                intervals);
    }

    /** Returns a copy of these settings with the given numbers of items that may run at once. */
    public EngineSettings withRuns(int quick, int slow) {
        return new EngineSettings(namespace, identity, new Slots(quick, slow, slots.tasks), intervals);
    }

    /** Returns a copy of these settings with the given number of child tasks that may run at once. */
    public EngineSettings withTaskRuns(int tasks) {
        return new EngineSettings(namespace, identity, new Slots(slots.quick, slots.slow, tasks), intervals);
    }

    /** Returns a copy of these settings with the given intervals. */
    public EngineSettings withIntervals(Duration reconcile, Duration audit, Duration drainDeadline) {
        return new EngineSettings(namespace, identity, slots, new Intervals(reconcile, audit, drainDeadline));
    }
}
