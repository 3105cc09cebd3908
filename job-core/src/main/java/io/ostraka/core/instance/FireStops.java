package io.ostraka.core.instance;

import io.ostraka.core.coordination.Fires;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.time.Refresh;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Keeps a local copy of the stops in ZooKeeper. A stop is an operator's request to end a fire. Reads the stops on each
 * new connection and after each change. Confined to the instance's executor.
 */
final class FireStops {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final HostedJobs jobs;
    private final Consumer<List<FireStop>> taken;
    private final Refresh<List<FireStop>> refresh;
    private List<FireStop> present = List.of();

    /** @param taken called with all stops after each read, when the jobs have received theirs */
    FireStops(
            Fires fires,
            InstanceExecutor executor,
            InstanceRegistration registration,
            HostedJobs jobs,
            Consumer<List<FireStop>> taken) {
        this.jobs = jobs;
        this.taken = taken;
        this.refresh = new Refresh<>(
                "the read of the stops", executor, PAUSE, registration::established, fires::stops, this::take);
    }

    /** Returns the stops of a job's fires. */
    List<FireStop> of(String job) {
        return present.stream().filter(stop -> stop.job().equals(job)).toList();
    }

    /** Reads the stops. */
    void read() {
        refresh.demand();
    }

    private void take(List<FireStop> read) {
        List<FireStop> before = present;
        present = List.copyOf(read);
        Set<FireStop> differing = new HashSet<>(before);
        differing.addAll(read);
        differing.removeIf(stop -> before.contains(stop) && read.contains(stop));
        differing.stream()
                .map(FireStop::job)
                .distinct()
                .forEach(job -> jobs.ifHosted(job, hosted -> hosted.stopsChanged(of(job))));
        taken.accept(present);
    }
}
