package io.ostraka.core.instance;

import io.ostraka.core.coordination.Fires;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.time.Refresh;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Keeps a local copy of the stops in ZooKeeper. A stop is an operator's request to end a fire. Reads the stops on each
 * new connection and after each change. Confined to the instance's executor.
 */
final class FireStops {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Engine engine;
    private final Refresh<List<FireStop>> refresh;
    private List<FireStop> present = List.of();

    /** Callbacks to the engine of this instance. */
    interface Engine {
        /** Returns whether the instance is connected and has written its node. */
        boolean established();

        /**
         * Called after the stops have been read.
         *
         * @param stops all stops
         * @param changed jobs whose stops differ from those of the previous read
         */
        void stopsRead(List<FireStop> stops, Set<String> changed);
    }

    FireStops(Fires fires, InstanceExecutor executor, Engine engine) {
        this.engine = engine;
        this.refresh = new Refresh<>(
                "the read of the stops", executor, PAUSE, engine::established, fires::stops, this::take);
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
        Set<String> changed = new HashSet<>();
        differing.forEach(stop -> changed.add(stop.job()));
        engine.stopsRead(present, changed);
    }
}
