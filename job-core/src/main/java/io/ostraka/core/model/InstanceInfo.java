package io.ostraka.core.model;

import io.ostraka.api.JobInstance;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The registration of an instance.
 *
 * @param self id and attributes of the instance
 * @param pid id of its process
 * @param state state of the instance, which shows whether the instance takes new items
 * @param clockAhead true if the instance's clock is too far ahead of ZooKeeper's clock to decide when a fire is due.
 *     The instance's items then move to other instances
 * @param jobs jobs that the instance hosts
 * @param earlierIds ids of the same process under its earlier sessions, oldest first
 * @param stillRunning items, by job, whose run began in an earlier session of the process and has not ended. The
 *     instance is not assigned these items until those runs have ended
 * @param onceListeners hosted jobs for which the instance has registered once-listeners
 */
public record InstanceInfo(
        JobInstance self,
        long pid,
        State state,
        boolean clockAhead,
        Set<String> jobs,
        List<String> earlierIds,
        Map<String, Set<String>> stillRunning,
        Set<String> onceListeners) {
    /** Creates the registration of an instance without once-listeners. */
    public InstanceInfo(
            JobInstance self,
            long pid,
            State state,
            boolean clockAhead,
            Set<String> jobs,
            List<String> earlierIds,
            Map<String, Set<String>> stillRunning) {
        this(self, pid, state, clockAhead, jobs, earlierIds, stillRunning, Set.of());
    }

    /** State of an instance. */
    public enum State {
        /** The instance takes items. */
        WORKING,
        /** Running items may finish, but the instance gets no new items: it is drained or shuts down. */
        DRAINING
    }

    public InstanceInfo {
        Names.require("id", self.id());
        jobs.forEach(Names::requireJob);
        jobs = sorted(jobs);
        earlierIds = List.copyOf(earlierIds);
        Map<String, Set<String>> copy = new TreeMap<>();
        stillRunning.forEach((job, items) -> copy.put(job, sorted(items)));
        stillRunning = Collections.unmodifiableMap(copy);
        onceListeners = sorted(onceListeners);
    }

    private static Set<String> sorted(Collection<String> names) {
        return Collections.unmodifiableSet(new TreeSet<>(names));
    }

    public String id() {
        return self.id();
    }

    /** Returns the same registration with the state {@link State#DRAINING}. */
    public InstanceInfo draining() {
        return new InstanceInfo(self, pid, State.DRAINING, clockAhead, jobs, earlierIds, stillRunning, onceListeners);
    }

    /**
     * Returns all names by which an operator may refer to the instance: its host, its name and all ids of its process.
     */
    public Stream<String> names() {
        return names(self.host(), self.id(), earlierIds);
    }

    /**
     * Returns all names of an instance, as {@link #names()} does.
     *
     * @param id id in the current session
     */
    public static Stream<String> names(String host, String id, List<String> earlierIds) {
        return Stream.concat(Stream.of(host, JobInstance.name(id), id), earlierIds.stream());
    }

    /** Returns the instances that an operator calls by this name, see {@link #names()}, in the given order. */
    public static List<InstanceInfo> called(String name, Collection<InstanceInfo> instances) {
        return instances.stream()
                .filter(instance -> instance.names().anyMatch(name::equals))
                .toList();
    }

    /** Returns the instances that host a job, in the given order. */
    public static List<InstanceInfo> hosting(String job, Collection<InstanceInfo> instances) {
        return instances.stream()
                .filter(instance -> instance.jobs.contains(job))
                .toList();
    }

    /** Returns whether the instance may own an item of a job. */
    public boolean takes(String job, String item) {
        return state == State.WORKING
                && jobs.contains(job)
                && !stillRunning.getOrDefault(job, Set.of()).contains(item);
    }
}
