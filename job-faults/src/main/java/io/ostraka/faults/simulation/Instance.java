package io.ostraka.faults.simulation;

import io.ostraka.api.Health;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.recorder.Recorder;
import io.ostraka.testkit.InMemoryNodeStore;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One instance of the application: a process with the real engine. */
final class Instance {
    final String name;
    final String host;
    final long pid;
    final Machine machine;
    final InMemoryNodeStore store;
    final JobEngine engine;
    final Counts counts;
    final Recorder recorder;
    /** Neither killed nor told to shut down. */
    boolean alive = true;

    boolean killed;
    /** How long requests gather before they go to the server. */
    Duration latency = Duration.ZERO;
    /** Its health when that was looked at last. */
    @Nullable Health seen;

    Instance(
            String name,
            String host,
            long pid,
            Machine machine,
            InMemoryNodeStore store,
            JobEngine engine,
            Counts counts,
            Consumer<Event> history) {
        this.name = name;
        this.host = host;
        this.pid = pid;
        this.machine = machine;
        this.store = store;
        this.engine = engine;
        this.counts = counts;
        recorder = new Recorder(name, machine.platform().clock(), event -> {
            if (!killed) { // code of a killed process only unwinds
                history.accept(event);
            }
        });
    }

    @Override
    public String toString() {
        return name;
    }
}
