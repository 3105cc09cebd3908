package io.ostraka.lite;

import io.ostraka.api.AlarmHandler;
import io.ostraka.api.InstanceListener;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobListener;
import io.ostraka.api.RunInterceptor;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.EngineThreads;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.run.JobTypes;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.QuartzFireTimer;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.zk.ZooKeeperNodeStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The engine together with its clocks, threads and ZooKeeper connection. {@link ZooKeeperRegistry} delegates to this
 * class.
 */
final class Process implements AutoCloseable {
    /** Maximum time to wait for the threads after the engine has been closed. */
    private static final Duration LAST_OF_THREADS = Duration.ofSeconds(1);

    private final InstanceName name;
    private final Clock clock;
    private final ZooKeeperNodeStore store;
    private final Coordination coordination;
    private final JobEngine engine;
    private final EngineThreads machine;
    private final ProcessExtension.Parts parts;

    private Process(
            InstanceName name,
            Clock clock,
            ZooKeeperNodeStore store,
            Coordination coordination,
            JobEngine engine,
            EngineThreads machine,
            ProcessExtension.Parts parts) {
        this.name = name;
        this.clock = clock;
        this.store = store;
        this.coordination = coordination;
        this.engine = engine;
        this.machine = machine;
        this.parts = parts;
    }

    static Process start(RegistryBuilder builder) {
        Clock clock = new SystemClock();
        ProcessExtension.Parts parts = ProcessExtension.parts(builder.powers);
        Extensions extensions = new Extensions(
                builder.allStrategies(),
                JobTypes.found(joined(builder.jobItemExecutors, parts.jobItemExecutors())),
                Extensions.found(JobErrorHandler.class, joined(builder.errorHandlers, parts.errorHandlers())),
                Extensions.found(RunInterceptor.class, builder.interceptors),
                new Extensions.Listeners(
                        Extensions.found(JobListener.class, builder.jobListeners),
                        Extensions.found(InstanceListener.class, builder.instanceListeners),
                        builder.healthListeners,
                        joined(builder.eventSubscribers, parts.eventSubscribers()),
                        Extensions.found(AlarmHandler.class, joined(builder.alarmHandlers, parts.alarmHandlers())),
                        List.of()));
        EngineThreads machine = new EngineThreads(clock, new QuartzFireTimer(), builder.virtualThreads);
        String host = host();
        InstanceName name = builder.instanceName == null
                ? InstanceName.onHost(Path.of(System.getProperty("java.io.tmpdir")), builder.namespace, host)
                : InstanceName.given(builder.instanceName);
        EngineSettings settings = EngineSettings.of(
                        host, ProcessHandle.current().pid())
                .withNamespace(builder.namespace)
                .withName(name.toString())
                .withAttributes(builder.zone, builder.tags, builder.weight)
                .withRuns(builder.quickRuns, builder.slowRuns)
                .withTaskRuns(builder.taskRuns);
        ZooKeeperNodeStore store = new ZooKeeperNodeStore(builder.connection(builder.namespace));
        Coordination coordination = new TreeCoordination(store, clock);
        JobEngine engine;
        try {
            engine = new JobEngine(settings, coordination, machine.platform(), extensions);
            engine.start();
        } catch (RuntimeException | Error e) { // the engine has refused an extension, or no thread could be started
            coordination.close();
            machine.close();
            name.close();
            throw e;
        }
        return new Process(name, clock, store, coordination, engine, machine, parts);
    }

    /** Returns the builder's extensions of one kind, followed by those that its powers have added. */
    private static <T> List<T> joined(List<T> own, List<T> added) {
        return Stream.concat(own.stream(), added.stream()).toList();
    }

    /** Returns the name of the machine. Characters that an instance id cannot contain are replaced. */
    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9._-]", "-");
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    JobEngine engine() {
        return engine;
    }

    String name() {
        return name.toString();
    }

    /** Keeps the process alive until this object is closed. */
    void keepAlive() {
        machine.keepProcessAlive();
    }

    /**
     * Describes why ZooKeeper cannot be used and suggests an action; empty if no reason is known. May block for up to 30
     * seconds.
     */
    String trouble() {
        return store.trouble();
    }

    private static Duration atMost(Duration limit, Duration some) {
        return some.compareTo(limit) < 0 ? some : limit;
    }

    @Override
    public void close() {
        long begun = clock.monotonicNanos();
        engine.close();
        coordination.close(); // ends the session if the engine ran out of time; otherwise has no effect
        name.close();
        // threads that still run at this point execute code that has exceeded its shutdown grace
        List<String> late = new ArrayList<>(machine.stop(atMost(LAST_OF_THREADS, engine.timeLeft())));
        if (engine.unhandledFailures() > 0) {
            late.add(engine.unhandledFailures() + " calls of error handlers");
        }
        late.addAll(parts.close(engine::timeLeft)); // last, because cancelled runs can still report failures
        engine.shutdownReport()
                .log(Duration.ofNanos(clock.monotonicNanos() - begun).truncatedTo(ChronoUnit.MILLIS), late);
    }
}
