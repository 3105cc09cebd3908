package io.ostraka.core.leader;

import io.ostraka.core.coordination.Jobs;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Jobs whose configuration this instance watches as the leader. The watches outlast a term: after a lost connection a
 * new term begins, and usually this instance leads again. Confined to the leader's executor.
 */
final class WatchedConfigurations {
    private final Jobs jobs;
    private final Set<String> watched = new HashSet<>();

    WatchedConfigurations(Jobs jobs) {
        this.jobs = jobs;
    }

    void watch(String job) {
        if (watched.add(job)) {
            jobs.followConfiguration(job, true);
        }
    }

    void unwatch(String job) {
        if (watched.remove(job)) {
            jobs.followConfiguration(job, false);
        }
    }

    void unwatchAll() {
        without(Set.of()).forEach(this::unwatch);
    }

    /** Returns the watched jobs that are not among the given ones. */
    List<String> without(Set<String> others) {
        return watched.stream().filter(job -> !others.contains(job)).toList();
    }
}
