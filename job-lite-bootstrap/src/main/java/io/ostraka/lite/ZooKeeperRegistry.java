package io.ostraka.lite;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Health;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.Schedule;
import io.ostraka.api.metrics.Metrics;
import io.ostraka.api.operations.Operations;
import io.ostraka.core.instance.Answers;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.instance.OperationsFactory;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.time.Platform;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Connects this process to ZooKeeper and runs jobs in it. Creating a registry makes the process an instance of the
 * application. One registry per namespace is enough for any number of jobs in a process.
 *
 * <p>The registry connects in the background and retries until it succeeds. Jobs can be registered before the
 * connection exists; they start once it exists. From the first hosted job until {@link #close}, the registry keeps the
 * process alive. Before the first job it does not, so a process whose {@code main} method fails at the start ends, and
 * a shutdown hook closes the registry.
 *
 * <p>{@link #operations} returns the operator's views and commands, which act on the whole namespace. Operators'
 * settings, such as a pause, are stored in ZooKeeper separately from the job's definition. They apply to all instances
 * and survive restarts and deployments.
 *
 * <p>Thread-safe.
 */
public final class ZooKeeperRegistry implements AutoCloseable {
    private final String servers;
    private final Set<String> shardingStrategies;
    private final Answers answers;
    private final Process process;
    private final @Nullable EmbeddedZooKeeper server;
    private final @Nullable Thread shutdownHook;
    private final AtomicBoolean closed = new AtomicBoolean();
    /** Null before the first use. Guarded by this. */
    private @Nullable Operations operations;

    /** Completes at the end of the shutdown. */
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    ZooKeeperRegistry(RegistryBuilder builder, @Nullable EmbeddedZooKeeper server) {
        this.servers = builder.servers;
        this.shardingStrategies = Set.copyOf(builder.allStrategies().keySet());
        this.server = server;
        this.process = Process.start(builder);
        this.answers = new Answers(Platform.Waiting.BLOCKING, builder.operationTimeout, servers, process::trouble);
        this.shutdownHook = builder.shutdownHook ? new Thread(this::close, "ostraka-shutdown") : null;
        if (shutdownHook != null) {
            Runtime.getRuntime().addShutdownHook(shutdownHook);
        }
    }

    /**
     * Waits until the instance is registered. If this takes longer than the limit, closes the registry and throws an
     * exception.
     */
    ZooKeeperRegistry required(Duration limit) {
        try {
            process.engine().registered().toCompletableFuture().get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return this;
        } catch (TimeoutException e) {
            String trouble = process.trouble();
            close();
            throw new CoordinationException(
                    "could not register with ZooKeeper at " + servers + " within " + limit + ": " + trouble, e);
        } catch (ExecutionException e) {
            close();
            throw new IllegalStateException(
                    "the stage of the registration completed exceptionally, which is a defect", e);
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new CoordinationException("could not register with ZooKeeper at " + servers + ": interrupted", e);
        }
    }

    /**
     * Connects with the default settings, in the background.
     *
     * @param servers ZooKeeper servers in the form {@code host:port,host:port}
     * @param namespace name of the application. All its instances use the same namespace, which contains the
     *     application's jobs
     * @throws IllegalArgumentException if an argument is not accepted
     */
    public static ZooKeeperRegistry connect(String servers, String namespace) {
        return newBuilder(servers, namespace).connect();
    }

    /**
     * Returns the built-in sharding strategies by type, for tests and for tools that preview the assignment of items.
     * All of them are stateless and thread-safe. The map is unmodifiable.
     */
    public static Map<String, JobShardingStrategy> builtInStrategies() {
        return Map.copyOf(BuiltInStrategies.all());
    }

    /**
     * Returns a builder for a registry with other settings.
     *
     * @param servers ZooKeeper servers in the form {@code host:port,host:port}
     * @param namespace name of the application. All its instances use the same namespace, which contains its jobs
     * @throws IllegalStateException if a library on the class path is missing or too old for this version of Ostraka;
     *     the message names its jar, its version and the oldest accepted version
     */
    public static RegistryBuilder newBuilder(String servers, String namespace) {
        return new RegistryBuilder(servers, namespace);
    }

    /**
     * Starts a ZooKeeper server in this process, for development and demonstrations, and connects to it with the
     * namespace {@code ostraka}. The server accepts connections from this machine only; other processes connect to
     * {@link #servers()}. Its data and port survive a restart.
     *
     * @param dataDir data directory of the server; created if missing
     * @throws CoordinationException if the directory or the port is in use, or the directory is not writable
     */
    public static ZooKeeperRegistry embedded(Path dataDir) {
        Libraries.require(); // before the server starts
        EmbeddedZooKeeper server = EmbeddedZooKeeper.start(dataDir, 0);
        return new ZooKeeperRegistry(newBuilder(server.connectString(), "ostraka"), server);
    }

    /** Returns the ZooKeeper servers that this registry connects to. */
    public String servers() {
        return servers;
    }

    /** Returns the types of all sharding strategies that this instance has. */
    public Set<String> shardingStrategies() {
        return shardingStrategies;
    }

    /** Returns the name of this instance. See {@link RegistryBuilder#instanceName}. */
    public String instanceName() {
        return process.name();
    }

    /** Returns the id of this instance, {@code name@pid@session}; empty before the first connection. */
    public Optional<String> instanceId() {
        return process.engine().instanceId();
    }

    /**
     * Returns the health of this instance and of every job that it hosts, with the reasons why a job does not run as
     * configured. Needs no connection and does not block.
     */
    public Health health() {
        return engine().health();
    }

    /**
     * Returns the figures that this instance has measured: counts since its start, durations of the current minute and
     * the four minutes before it, and its current load. Needs no connection, does not block and delays no run.
     */
    public Metrics metrics() {
        return engine().metrics();
    }

    /**
     * Returns the operator's views and commands for the whole namespace, such as a pause or the list of jobs. They need
     * a connection, and work until this registry is closed. They are in the artifact {@code ostraka-job-operations},
     * which the starters of Spring Boot bring along. Without it, this instance still carries out operators' orders.
     *
     * @throws IllegalStateException if the artifact is not on the class path
     */
    public synchronized Operations operations() {
        if (operations == null) {
            operations = OperationsFactory.find().create(engine().operations(), answers);
        }
        return operations;
    }

    /**
     * Hosts a job with a schedule on this instance. Returns at once: the engine registers the job as soon as ZooKeeper
     * answers, and {@link JobHandle#scheduled()} completes when the job has a plan. From the first job on, this
     * registry keeps the process alive.
     *
     * @throws JobConfigurationException if the configuration is not accepted or has no schedule, or if this registry
     *     already hosts the job
     * @throws CoordinationException if this registry is closed
     */
    public JobHandle schedule(Job job, JobConfiguration configuration, JobOptions options) {
        requireSchedule(configuration);
        return host(job, configuration, options);
    }

    /**
     * Hosts a job with a schedule on this instance, without options. See {@link #schedule(Job, JobConfiguration,
     * JobOptions)}.
     */
    public JobHandle schedule(Job job, JobConfiguration configuration) {
        return schedule(job, configuration, JobOptions.none());
    }

    /**
     * Hosts a job without a schedule on this instance; {@link JobHandle#trigger} runs the job. Host the job on each
     * instance that should run its items; each of these instances can trigger the job. Returns at once, like {@link
     * #schedule(Job, JobConfiguration, JobOptions)}.
     *
     * @throws JobConfigurationException if the configuration is not accepted or has a schedule, or if this registry
     *     already hosts the job
     * @throws CoordinationException if this registry is closed
     */
    public JobHandle oneOff(Job job, JobConfiguration configuration, JobOptions options) {
        if (!(configuration.schedule() instanceof Schedule.OnDemand)) {
            throw new JobConfigurationException(
                    configuration.jobName(),
                    "schedule",
                    configuration.schedule(),
                    "Schedule.onDemand() here; use schedule(), or a ScheduleJobBootstrap, for a job with a schedule");
        }
        return host(job, configuration, options);
    }

    /** Hosts a job without a schedule, without options. See {@link #oneOff(Job, JobConfiguration, JobOptions)}. */
    public JobHandle oneOff(Job job, JobConfiguration configuration) {
        return oneOff(job, configuration, JobOptions.none());
    }

    static void requireSchedule(JobConfiguration configuration) {
        if (configuration.schedule() instanceof Schedule.OnDemand) {
            throw new JobConfigurationException(
                    configuration.jobName(),
                    "schedule",
                    configuration.schedule(),
                    "any other schedule here; use oneOff(), or a OneOffJobBootstrap, for a job that runs on demand");
        }
    }

    private JobHandle host(Job job, JobConfiguration configuration, JobOptions options) {
        CompletionStage<Void> scheduled = engine().register(job, configuration, options);
        process.keepAlive();
        return new JobHandle(this, configuration.jobName(), scheduled);
    }

    /**
     * Replaces the configurations of jobs that this instance hosts, for example because a configuration platform has
     * published new ones. Running items finish under the old configuration; the code and the listeners of a job stay
     * the same. Returns at once: the engine stores the configurations when ZooKeeper answers. Operators' overrides stay
     * in effect, and a removed job stays removed. If several instances call this method with the same configuration,
     * the first of them changes the job for all instances.
     *
     * @param configurations complete new configurations of jobs, each with a {@link JobConfiguration#revision()} that
     *     is higher than the current one
     * @throws JobConfigurationException if a configuration is not accepted; if its revision is not higher; if {@code
     *     scope} or {@code streaming} differs; or if this registry does not host the job. No configuration is then
     *     replaced
     * @throws CoordinationException if this registry is closed
     */
    public void redefine(Collection<JobConfiguration> configurations) {
        engine().redefine(configurations);
    }

    /**
     * Runs every item of a job once, now, in addition to the job's schedule. Works like {@link JobHandle#trigger(Map)},
     * but also for jobs of the namespace that this instance does not host. Returns at once; the registry keeps the
     * request until ZooKeeper has accepted it.
     *
     * <p>If no instance has registered the job, the stages of the run complete exceptionally with a {@link
     * CoordinationException} as soon as ZooKeeper has answered. If this instance hosts the job, the run waits until the
     * job is registered.
     *
     * @param parameters parameters that every item receives; at most 16 Ki characters in total
     * @throws io.ostraka.api.JobConfigurationException if the parameters are too long
     * @throws io.ostraka.api.TooManyTriggersException if too many triggers of this process have not ended yet: 1,000 of
     *     this job, or 5,000 of all jobs
     * @throws CoordinationException if this registry is closed
     */
    public JobRun trigger(String job, Map<String, String> parameters) {
        return engine().trigger(job, parameters, Set.of());
    }

    /**
     * Runs every item of a job once after a delay. Works like {@link JobHandle#triggerAfter(Duration, Map)}, but also
     * for jobs of the namespace that this instance does not host.
     *
     * @return a stage that completes with the run when ZooKeeper has accepted the request, and exceptionally if no
     *     instance has registered the job
     * @throws io.ostraka.api.TooManyTriggersException under the conditions of {@link #trigger}; a run that waits for
     *     its delay counts as not ended
     * @throws CoordinationException if this registry is closed
     */
    public CompletionStage<JobRun> triggerAfter(String job, Duration delay, Map<String, String> parameters) {
        String runId = UUID.randomUUID().toString();
        return engine().triggerAfter(new Trigger.Request(job, runId, parameters, Set.of()), runId, delay);
    }

    /**
     * Runs every item of a job once after a delay and merges requests with the same key. Works like {@link
     * JobHandle#triggerAfter(String, Duration, Map)}, but also for jobs of the namespace that this instance does not
     * host.
     *
     * @return a stage that completes with the run of this request or, if this request was merged, of the earlier
     *     request
     * @throws io.ostraka.api.TooManyTriggersException under the conditions of {@link #trigger}; a run that waits for
     *     its delay counts as not ended
     * @throws CoordinationException if this registry is closed
     */
    public CompletionStage<JobRun> triggerAfter(
            String job, String key, Duration delay, Map<String, String> parameters) {
        return engine().triggerAfter(
                        new Trigger.Request(job, UUID.randomUUID().toString(), parameters, Set.of()), key, delay);
    }

    /**
     * Drains this instance: the instance gets no further items, but stays open, for example until a deployment stops
     * it. Idle items move to other instances at once, even in jobs with a {@link
     * io.ostraka.api.JobConfiguration#restartGrace()}. Running items finish first. {@link #health} reports {@link
     * io.ostraka.api.InstanceState#DRAINING}.
     *
     * <p>This method returns when the drain is stored in ZooKeeper, and does not wait for the items. A fire that is due
     * before the leader has moved its item still runs here. Later fires and manual triggers run on other instances; if
     * all instances are drained, they wait. The drain stays in effect in new sessions of this process and ends with the
     * process. A call on a drained instance does nothing.
     *
     * @throws CoordinationException if ZooKeeper does not answer, or this registry is closed. If ZooKeeper does not
     *     answer, the drain is still in effect in this instance, and the engine stores it in ZooKeeper when it is
     *     connected
     */
    public void drain() {
        answers.await("drain this instance", engine().drain(true));
    }

    /**
     * Ends a {@link #drain}: the leader assigns items to this instance again.
     *
     * @throws CoordinationException under the conditions of {@link #drain}
     */
    public void undrain() {
        answers.await("have this instance take items again", engine().drain(false));
    }

    JobEngine engine() {
        return process.engine();
    }

    /**
     * Returns whether the calling thread executes code that this registry calls, such as a job's run or a listener. If
     * such code closes the registry, {@link #close} does not wait for the code itself.
     */
    public boolean callsThisThread() {
        return engine().callsThisThread();
    }

    /**
     * Shuts this instance down, and returns when the shutdown is complete. Idle items move to other instances at once.
     * Running items may finish within the {@link io.ostraka.api.JobConfiguration#shutdownGrace()}; then the engine
     * cancels them and hands them over. Unless {@link RegistryBuilder#shutdownHook} is off, a signal that ends the
     * process also shuts the instance down. A second call does nothing.
     *
     * <p>A run may close its own registry. This method then returns when all other runs have ended, and the shutdown is
     * complete some time after the run has returned. If a listener, a subscriber or a callback calls this method, it
     * returns at once. The shutdown does not wait for a run that has called {@link System#exit}.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            if (Thread.currentThread() == shutdownHook) { // otherwise the process would end during the shutdown
                engine().lookForExits();
                ended.join();
            }
        } else if (callsThisThread()) {
            closeAfterCaller();
        } else {
            shutDown();
        }
    }

    /** Begins the shutdown. A thread of its own waits for the code that calls this method, and completes it. */
    private void closeAfterCaller() {
        Thread closing = new Thread(null, this::shutDown, "ostraka-close", 0, false);
        closing.setDaemon(false); // the process ends after the shutdown, although the caller's thread is a daemon
        try {
            closing.start();
        } catch (OutOfMemoryError e) { // without a further thread, the shutdown is limited by the grace
            shutDown();
            return;
        }
        engine().close();
    }

    private void shutDown() {
        try {
            process.close();
            if (server != null) {
                server.close();
            }
        } finally {
            ended.complete(null);
            forgetHook();
        }
    }

    private void forgetHook() {
        if (shutdownHook != null && Thread.currentThread() != shutdownHook) {
            try {
                Runtime.getRuntime().removeShutdownHook(shutdownHook);
            } catch (IllegalStateException e) {
                // the process is ending, and the hook finds that the registry is closed
            }
        }
    }
}
