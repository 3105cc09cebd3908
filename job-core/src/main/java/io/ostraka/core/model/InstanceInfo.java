package io.ostraka.core.model;

import io.ostraka.api.JobInstance;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What an instance says of itself.
 *
 * @param self its id and attributes
 * @param pid its process
 * @param state whether it takes items
 * @param clockAhead whether its clock is too far ahead of ZooKeeper's to say when a fire is due: items go to others
 * @param jobs which jobs it hosts
 * @param earlierIds ids of the same process under its earlier sessions, latest last
 * @param stillRunning items, by job, that it still runs for those; nobody gives them to it before they have returned
 * @param onceListeners of which of its jobs it has the once-listeners
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
    /** One that has no once-listeners. */
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

    /** Whether an instance takes items. */
    public enum State {
        /** It does. */
        WORKING,
        /** What it runs may end, nothing new comes: it is drained, or shuts down; then it hosts no jobs any more. */
        DRAINING
    }

    /** Copies, in order. */
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

    /** Returns the instance's id. */
    public String id() {
        return self.id();
    }

    /** Tells whether it may be given an item of a job. */
    public boolean takes(String job, String item) {
        return state == State.WORKING
                && jobs.contains(job)
                && !stillRunning.getOrDefault(job, Set.of()).contains(item);
    }
}
