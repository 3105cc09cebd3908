package io.ostraka.lite;

import io.ostraka.api.AlarmHandler;
import io.ostraka.api.InstanceListener;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.EngineThreads;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.run.JobTypes;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.QuartzAlarm;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.http.HttpGuard;
import io.ostraka.types.AlarmWebhook;
import io.ostraka.types.Heartbeats;
import io.ostraka.types.HttpJobExecutor;
import io.ostraka.types.ScriptJobExecutor;
import io.ostraka.types.WebhookErrorHandler;
import io.ostraka.zk.ZooKeeperNodeStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    private final Senders senders;

    /** Components that send HTTP requests on their own threads; null if they are not configured. */
    private record Senders(@Nullable WebhookErrorHandler webhook, @Nullable Heartbeats heartbeats) {}

    private Process(
            InstanceName name,
            Clock clock,
            ZooKeeperNodeStore store,
            Coordination coordination,
            JobEngine engine,
            EngineThreads machine,
            Senders senders) {
        this.name = name;
        this.clock = clock;
        this.store = store;
        this.coordination = coordination;
        this.engine = engine;
        this.machine = machine;
        this.senders = senders;
    }

    static Process start(RegistryBuilder builder) {
        Clock clock = new SystemClock();
        Senders senders = new Senders(webhook(builder, clock), heartbeats(builder, clock));
        Extensions extensions = new Extensions(
                BuiltInStrategies.and(Extensions.found(JobShardingStrategy.class, builder.strategies)),
                types(builder),
                Extensions.found(JobErrorHandler.class, errorHandlers(builder, senders.webhook)),
                Extensions.found(RunInterceptor.class, builder.interceptors),
                new Extensions.Listeners(
                        Extensions.found(JobListener.class, builder.jobListeners),
                        Extensions.found(InstanceListener.class, builder.instanceListeners),
                        builder.healthListeners,
                        subscribers(builder, senders.heartbeats),
                        Extensions.found(AlarmHandler.class, alarmHandlers(builder, clock)),
                        List.of()));
        EngineThreads machine = new EngineThreads(clock, new QuartzAlarm(), builder.virtualThreads);
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
        return new Process(name, clock, store, coordination, engine, machine, senders);
    }

    private static JobTypes types(RegistryBuilder builder) {
        List<JobItemExecutor<?>> own = new ArrayList<>(builder.jobItemExecutors);
        own.add(new ScriptJobExecutor(builder.scriptJobs));
        own.add(new HttpJobExecutor(new HttpGuard(builder.httpHosts, builder.privateHosts)));
        return JobTypes.found(own);
    }

    private static List<JobErrorHandler> errorHandlers(RegistryBuilder builder, @Nullable WebhookErrorHandler webhook) {
        List<JobErrorHandler> own = new ArrayList<>(builder.errorHandlers);
        if (webhook != null) {
            own.add(webhook);
        }
        return own;
    }

    private static @Nullable WebhookErrorHandler webhook(RegistryBuilder builder, Clock clock) {
        RegistryBuilder.Webhook to = builder.webhook;
        return to == null
                ? null
                : new WebhookErrorHandler(
                        to.target(), to.secret(), HttpGuard.of(to.target(), builder.privateHosts), clock);
    }

    private static List<AlarmHandler> alarmHandlers(RegistryBuilder builder, Clock clock) {
        List<AlarmHandler> own = new ArrayList<>(builder.alarmHandlers);
        RegistryBuilder.AlarmTarget to = builder.alarmWebhook;
        if (to != null) {
            HttpGuard guard = HttpGuard.of(to.target(), builder.privateHosts);
            own.add(new AlarmWebhook(to.target(), to.secret(), to.template(), guard, clock));
        }
        return own;
    }

    private static List<EventSubscriber> subscribers(RegistryBuilder builder, @Nullable Heartbeats heartbeats) {
        List<EventSubscriber> own = new ArrayList<>(builder.eventSubscribers);
        if (heartbeats != null) {
            own.add(heartbeats);
        }
        return own;
    }

    private static @Nullable Heartbeats heartbeats(RegistryBuilder builder, Clock clock) {
        return builder.heartbeat == null && builder.jobHeartbeats.isEmpty()
                ? null
                : new Heartbeats(
                        builder.heartbeat,
                        builder.jobHeartbeats,
                        builder.heartbeatInterval,
                        builder.privateHosts,
                        clock);
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
        WebhookErrorHandler webhook = senders.webhook;
        if (webhook != null) {
            long droppedBefore = webhook.dropped();
            webhook.close(engine.timeLeft()); // last, because cancelled runs can still report failures
            if (webhook.dropped() > droppedBefore) {
                late.add((webhook.dropped() - droppedBefore) + " unsent webhook reports");
            }
        }
        if (senders.heartbeats != null) {
            senders.heartbeats.close(engine.timeLeft());
        }
        engine.shutdownReport()
                .log(Duration.ofNanos(clock.monotonicNanos() - begun).truncatedTo(ChronoUnit.MILLIS), late);
    }
}
