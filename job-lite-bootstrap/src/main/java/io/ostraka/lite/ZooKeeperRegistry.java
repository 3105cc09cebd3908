package io.ostraka.lite;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Health;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.Progress;
import io.ostraka.api.Schedule;
import io.ostraka.api.metrics.Metrics;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Connects this process to ZooKeeper and runs jobs in it. Creating a registry makes the process an instance of the
 * application. One registry per namespace is enough for any number of jobs in a process.
 *
 * <p>The registry connects in the background and retries until it succeeds. Jobs can be registered before the
 * connection exists; they start when it does. From the first hosted job until {@link #close}, the registry keeps the
 * process alive. Before the first job it does not, so that a {@code main} method that fails at the start ends the
 * process. A shutdown hook then closes the registry.
 *
 * <p>Operators' settings, such as a pause, are stored in ZooKeeper separately from the job's definition. They apply to
 * all instances and survive restarts and deployments. Methods that change these settings wait for ZooKeeper, at most
 * for {@link RegistryBuilder#operationTimeout}. They throw a {@link CoordinationException} if the job does not exist,
 * ZooKeeper does not answer, or this registry is closed. If ZooKeeper does not answer, the change may have been made
 * nevertheless.
 *
 * <p>Thread-safe.
 */
public final class ZooKeeperRegistry implements AutoCloseable {
    private final String servers;
    private final Duration operationTimeout;
    private final Process process;
    private final @Nullable EmbeddedZooKeeper server;
    private final @Nullable Thread shutdownHook;
    private final AtomicBoolean closed = new AtomicBoolean();

    ZooKeeperRegistry(RegistryBuilder builder, @Nullable EmbeddedZooKeeper server) {
        this.servers = builder.servers;
        this.operationTimeout = builder.operationTimeout;
        this.server = server;
        this.process = Process.start(builder);
        this.shutdownHook = builder.shutdownHook ? new Thread(this::shutDown, "ostraka-shutdown") : null;
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
        EmbeddedZooKeeper server = EmbeddedZooKeeper.start(dataDir, 0);
        return new ZooKeeperRegistry(newBuilder(server.connectString(), "ostraka"), server);
    }

    /** Returns the ZooKeeper servers that this registry connects to. */
    public String servers() {
        return servers;
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
     * Returns the figures that this instance has measured: counts since its start, durations of the last minutes, and
     * its current load. Needs no connection, does not block and delays no run.
     */
    public Metrics metrics() {
        return engine().metrics();
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
     * Pauses a job on all instances: no scheduled fire starts until {@link #resume}. Running items continue, and manual
     * triggers still run.
     */
    public void pause(String job) {
        amend(job, override -> override.withPaused(true));
    }

    /**
     * Ends a pause that an operator or the job's definition has set. The latest fire that became due during the pause
     * runs if it is younger than the misfire threshold. The misfire policy of the job decides about the other fires.
     */
    public void resume(String job) {
        amend(job, override -> override.withPaused(false));
    }

    /**
     * Disables an item until {@link #enableItem}: no fire of the item starts. A fire that already runs continues, but
     * does not run again if it is interrupted. In manual triggers the outcome of the item is {@code SKIPPED}.
     */
    public void disableItem(String job, int item) {
        disableItem(job, Integer.toString(item));
    }

    /**
     * Disables an item by its {@link io.ostraka.api.ShardingContext#itemKey()}, for jobs of any {@link
     * io.ostraka.api.Scope}. See {@link #disableItem(String, int)}.
     *
     * @throws IllegalArgumentException if the job has no such item; the message names the existing items
     */
    public void disableItem(String job, String itemKey) {
        disableItem(job, itemKey, true);
    }

    /**
     * Enables a disabled item. Fires that became due while the item was disabled are treated as after a pause; see
     * {@link #resume}. Does nothing if the item is not disabled.
     */
    public void enableItem(String job, int item) {
        enableItem(job, Integer.toString(item));
    }

    /**
     * Enables a disabled item by its {@link io.ostraka.api.ShardingContext#itemKey()}, for jobs of any {@link
     * io.ostraka.api.Scope}. See {@link #enableItem(String, int)}.
     *
     * @throws IllegalArgumentException if the item is neither disabled nor an item of the job
     */
    public void enableItem(String job, String itemKey) {
        disableItem(job, itemKey, false);
    }

    private void disableItem(String job, String itemKey, boolean disabled) {
        await("change job '" + job + "'", engine().disableItem(job, ShardingPlan.requireKey(itemKey), disabled));
    }

    /**
     * Excludes an instance from a job until {@link #enableInstance}. The job's idle items move from this instance to
     * other instances at once; running items finish first. Items for which no other instance is eligible wait; {@link
     * #health} and {@link #explain} report them. In a job with {@link io.ostraka.api.Scope#BROADCAST} the instance
     * takes no part in fires that begin from now on.
     *
     * @param instance the name of an instance, which also covers its restarts; the id of an instance, {@code
     *     name@pid@session}, which covers all sessions of that process; or the name of a host, which covers all
     *     instances on the host. A matching instance need not exist now
     * @return the ids of the live instances that host the job and are now excluded. If the set is empty, the exclusion
     *     applies to future instances only, and the log warns about a possible typing mistake
     * @throws io.ostraka.api.JobConfigurationException if the argument is not a valid name, id or host
     */
    public Set<String> disableInstance(String job, String instance) {
        return await("change job '" + job + "'", engine().disableInstance(job, instance, true));
    }

    /**
     * Ends the exclusion of an instance. Pass the same name, id or host as to {@link #disableInstance}. Does nothing if
     * a live instance matches but is not disabled.
     *
     * @return the ids of the live instances that host the job and match the argument
     * @throws io.ostraka.api.JobConfigurationException if the argument is neither disabled nor the name, id or host of
     *     a live instance
     */
    public Set<String> enableInstance(String job, String instance) {
        return await("change job '" + job + "'", engine().disableInstance(job, instance, false));
    }

    /**
     * Releases a quarantined item, whose fires then start again. Fires that became due during the quarantine are
     * treated as after a pause; see {@link #resume}.
     *
     * @throws CoordinationException if the item is not quarantined, or ZooKeeper does not answer
     */
    public void releaseItem(String job, int item) {
        releaseItem(job, Integer.toString(item));
    }

    /**
     * Releases a quarantined item by its {@link io.ostraka.api.ShardingContext#itemKey()}, for jobs of any {@link
     * io.ostraka.api.Scope}. See {@link #releaseItem(String, int)}.
     *
     * @throws CoordinationException if the item is not quarantined, or ZooKeeper does not answer
     * @throws IllegalArgumentException if the argument is not a valid item key
     */
    public void releaseItem(String job, String itemKey) {
        String item = ShardingPlan.requireKey(itemKey);
        await("release item " + item + " of job '" + job + "'", engine().release(job, item));
    }

    /**
     * Returns the latest progress of a job's items by item key, which their runs have reported with {@link
     * io.ostraka.api.ShardingContext#progress(long, long, String)}. Items without a report have no entry. A report is
     * kept until a later run of the item reports progress.
     *
     * @throws CoordinationException if ZooKeeper does not answer, or this registry is closed
     */
    public Map<String, Progress> progress(String job) {
        return await("read the progress of job '" + job + "'", engine().progress(job));
    }

    /**
     * Explains in one sentence why an item is assigned to its instance (for example by the strategy, after a failover
     * or after a drain), or why it is assigned to no instance. Any instance can explain any job of the namespace, since
     * the explanation only needs the job's plan.
     *
     * @param itemKey key of the item, see {@link io.ostraka.api.ShardingContext#itemKey()}; for numbered items the
     *     number in digits
     * @throws CoordinationException if ZooKeeper does not answer, the job has no plan, or this registry is closed
     */
    public String explain(String job, String itemKey) {
        String item = ShardingPlan.requireKey(itemKey);
        return await("explain item " + item + " of job '" + job + "'", engine().explain(job, item));
    }

    /**
     * Overrides the item count of a job's definition. The change takes effect when all fires that began with the old
     * count have ended. If these fires take longer than ten minutes, the change is postponed and tried again later.
     *
     * @param count new count, from 1; null removes the override
     * @throws io.ostraka.api.JobConfigurationException if the count is not accepted
     */
    public void overrideShardingTotalCount(String job, @Nullable Integer count) {
        amend(job, override -> override.withShardingTotalCount(count));
    }

    /**
     * Overrides the schedule of a job's definition from now on.
     *
     * @param schedule new schedule; null removes the override
     * @throws io.ostraka.api.JobConfigurationException if the schedule is not accepted
     */
    public void overrideSchedule(String job, @Nullable Schedule schedule) {
        amend(job, override -> override.withSchedule(schedule));
    }

    /**
     * Overrides the parameter of a job's definition for items that start from now on.
     *
     * @param parameter new parameter; null removes the override
     */
    public void overrideJobParameter(String job, @Nullable String parameter) {
        amend(job, override -> override.withJobParameter(parameter));
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
     * @throws io.ostraka.api.TooManyTriggersException if 1,000 triggers of the job, or 5,000 triggers of all jobs, that
     *     this process has requested have not ended yet
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
     * @throws io.ostraka.api.TooManyTriggersException as {@link #trigger} does; a waiting run counts as not ended
     * @throws CoordinationException if this registry is closed
     */
    public CompletionStage<JobRun> triggerAfter(String job, Duration delay, Map<String, String> parameters) {
        String runId = UUID.randomUUID().toString();
        return engine().triggerAfter(new Trigger.Request(job, runId, parameters, Set.of()), runId, delay);
    }

    /**
     * Runs every item of a job once after a delay and merges requests of the same key. Works like {@link
     * JobHandle#triggerAfter(String, Duration, Map)}, but also for jobs of the namespace that this instance does not
     * host.
     *
     * @return a stage that completes with the run of this request or, if this request was merged, of the earlier
     *     request
     * @throws io.ostraka.api.TooManyTriggersException as {@link #trigger} does; a waiting run counts as not ended
     * @throws CoordinationException if this registry is closed
     */
    public CompletionStage<JobRun> triggerAfter(
            String job, String key, Duration delay, Map<String, String> parameters) {
        return engine().triggerAfter(
                        new Trigger.Request(job, UUID.randomUUID().toString(), parameters, Set.of()), key, delay);
    }

    /**
     * Removes a job: no further fire of the job starts, interrupted fires do not run again, and waiting triggers end
     * without a run. Running items finish. ZooKeeper keeps a mark of the removal, so that instances that still host the
     * job do not register it again. A new registration of the job, for example at a restart, brings it back.
     */
    public void remove(String job) {
        amend(job, override -> override.withRemoved(true));
    }

    /**
     * Deletes all nodes of a removed job whose runs have ended, including the mark of the removal.
     *
     * @throws CoordinationException if the job was not removed, if runs of the job have not ended, if an instance still
     *     hosts the job, or if ZooKeeper does not answer
     */
    public void purge(String job) {
        await("purge job '" + job + "'", process.engine().purge(job));
    }

    private void amend(String job, UnaryOperator<JobOverride> change) {
        await("change job '" + job + "'", process.engine().amend(job, change));
    }

    private <T> T await(String action, CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(operationTimeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            stage.toCompletableFuture().cancel(false); // a request that was not sent yet is not sent any more
            throw new CoordinationException(
                    "could not " + action + ": no answer from ZooKeeper at " + servers + " within " + operationTimeout
                            + "; check that ZooKeeper serves requests",
                    e);
        } catch (ExecutionException | CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            cause = cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
            if (cause instanceof IllegalArgumentException refused) {
                throw refused;
            }
            throw cause instanceof OstrakaException known
                    ? known
                    : new CoordinationException("could not " + action + " at " + servers, cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CoordinationException("could not " + action + ": interrupted", e);
        }
    }

    /**
     * Drains this instance: it gets no further items of any job, but stays open, for example until a deployment stops
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
        await("drain this instance", engine().drain(true));
    }

    /**
     * Ends a {@link #drain}: the leader assigns items to this instance again.
     *
     * @throws CoordinationException as {@link #drain} does
     */
    public void undrain() {
        await("have this instance take items again", engine().drain(false));
    }

    JobEngine engine() {
        return process.engine();
    }

    /**
     * Shuts this instance down, and returns when the shutdown is complete. Idle items move to other instances at once.
     * Running items may finish within the {@link io.ostraka.api.JobConfiguration#shutdownGrace()}; then the engine
     * cancels them and hands them over. Unless {@link RegistryBuilder#shutdownHook} is off, a signal that ends the
     * process also shuts the instance down. A second call does nothing.
     */
    @Override
    public void close() {
        if (shutdownHook != null && Thread.currentThread() != shutdownHook) {
            try {
                Runtime.getRuntime().removeShutdownHook(shutdownHook);
            } catch (IllegalStateException e) {
                // the process is ending, and the shutdown hook closes this registry
            }
        }
        shutDown();
    }

    private void shutDown() {
        if (closed.compareAndSet(false, true)) {
            process.close();
            if (server != null) {
                server.close();
            }
        }
    }
}
