package io.ostraka.faults.simulation;

import io.ostraka.api.Health;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.recorder.Recorder;
import io.ostraka.testkit.InMemoryNodeStore;
import java.time.Duration;
import java.time.Instant;
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
    /** False after the instance was killed or has begun to shut down. */
    boolean alive = true;

    boolean killed;
    /** Period during which requests are collected before they are sent to the server. */
    Duration latency = Duration.ZERO;
    /** Health at the last check. */
    @Nullable Health seen;
    /** Time of the check that first found this health. */
    Instant seenAt = Scenario.START;

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
            if (!killed) { // the code of a killed process only unwinds its stack
                history.accept(event);
            }
        });
    }

    @Override
    public String toString() {
        return name;
    }
}
