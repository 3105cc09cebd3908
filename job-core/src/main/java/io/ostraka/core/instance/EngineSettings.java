package io.ostraka.core.instance;

import java.time.Duration;
import java.util.Map;

/**
 * What an instance is, and how often it looks after things that events should have told it.
 *
 * @param name the instance's name, stable over restarts; several may share one
 * @param host name of the machine
 * @param pid number of the process
 * @param zone where it runs; empty text when not set
 * @param tags free attributes
 * @param weight strength relative to other instances, from 1
 * @param quickRuns how many items of quick jobs run at once in this process; default 256
 * @param slowRuns how many items of slow jobs run at once in this process; default 128
 * @param taskRuns how many child tasks of runs run at once in this process; default 256
 * @param reconcileInterval how often the leader decides anew from what it knows; default 5 s
 * @param auditInterval how often everything is read again, whatever is known; default 60 s
 * @param drainDeadline how long a change of an item count waits for running items; default 10 min
 */
public record EngineSettings(
        String name,
        String host,
        long pid,
        String zone,
        Map<String, String> tags,
        int weight,
        int quickRuns,
        int slowRuns,
        int taskRuns,
        Duration reconcileInterval,
        Duration auditInterval,
        Duration drainDeadline) {
    /** Copies the tags. */
    public EngineSettings {
        tags = Map.copyOf(tags);
    }

    /** Returns the defaults for a process, whose name is the host's. */
    public static EngineSettings of(String host, long pid) {
        return new EngineSettings(
                host,
                host,
                pid,
                "",
                Map.of(),
                1,
                256,
                128,
                256,
                Duration.ofSeconds(5),
                Duration.ofSeconds(60),
                Duration.ofMinutes(10));
    }

    /** Returns the same with another name. */
    public EngineSettings withName(String newName) {
        return new EngineSettings(
                newName,
                host,
                pid,
                zone,
                tags,
                weight,
                quickRuns,
                slowRuns,
                taskRuns,
                reconcileInterval,
                auditInterval,
                drainDeadline);
    }

    /** Returns the same with other attributes of the instance. */
    public EngineSettings withAttributes(String newZone, Map<String, String> newTags, int newWeight) {
        return new EngineSettings(
                name,
                host,
                pid,
                newZone,
                newTags,
                newWeight,
                quickRuns,
                slowRuns,
                taskRuns,
                reconcileInterval,
                auditInterval,
                drainDeadline);
    }

    /** Returns the same with other numbers of items that run at once. */
    public EngineSettings withRuns(int quick, int slow) {
        return new EngineSettings(
                name,
                host,
                pid,
                zone,
                tags,
                weight,
                quick,
                slow,
                taskRuns,
                reconcileInterval,
                auditInterval,
                drainDeadline);
    }

    /** Returns the same with another number of child tasks that run at once. */
    public EngineSettings withTaskRuns(int tasks) {
        return new EngineSettings(
                name,
                host,
                pid,
                zone,
                tags,
                weight,
                quickRuns,
                slowRuns,
                tasks,
                reconcileInterval,
                auditInterval,
                drainDeadline);
    }

    /** Returns the same with other intervals. */
    public EngineSettings withIntervals(Duration reconcile, Duration audit, Duration drain) {
        return new EngineSettings(
                name, host, pid, zone, tags, weight, quickRuns, slowRuns, taskRuns, reconcile, audit, drain);
    }
}
