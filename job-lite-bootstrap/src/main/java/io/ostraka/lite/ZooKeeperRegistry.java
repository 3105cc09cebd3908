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
 * The connection of this process to ZooKeeper, and the engine that runs its jobs. With a registry the process is an
 * instance of the application. One registry per namespace and process is enough for any number of jobs.
 *
 * <p>The registry connects in the background and retries until it succeeds. Jobs that are registered before start when
 * it has connected. It keeps the process alive from the first hosted job until {@link #close}. Before the first job it
 * does not, so a {@code main} method that fails half-way ends the process, and a shutdown hook then closes the
 * registry.
 *
 * <p>Operators' settings, such as a pause, are stored in ZooKeeper apart from the job's definition. They apply to all
 * instances and survive restarts and deployments. The methods that change them wait for ZooKeeper, at most for {@link
 * RegistryBuilder#operationTimeout}. They throw a {@link CoordinationException} if the job does not exist, ZooKeeper
 * does not answer, or this registry is closed. If ZooKeeper did not answer, the change may have been made.
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

    /** Waits until the instance is registered; otherwise closes the registry and throws an exception. */
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
     * @param namespace name of the application. All its instances use the same namespace, which contains its jobs
     * @throws IllegalArgumentException if an argument is not accepted
     */
    public static ZooKeeperRegistry connect(String servers, String namespace) {
        return newBuilder(servers, namespace).connect();
    }

    /**
     * Returns the library's own strategies by type, for tests and tools that preview placements. All of them are
     * stateless and thread-safe. The map is unmodifiable.
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
     * Returns the health of this instance and of every job that it hosts, with the reasons for which a job does not
     * run. Needs no connection and does not block.
     */
    public Health health() {
        return engine().health();
    }

    /**
     * Returns the figures that this instance has measured: counts since its start, durations of the last minutes, and
     * its present load. Needs no connection, does not block and delays no run.
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
     * Hosts a job without a schedule on this instance; {@link JobHandle#trigger} runs it. Host the job on each instance
     * that should run its items; any of them can trigger it. Returns at once, like {@link #schedule(Job,
     * JobConfiguration, JobOptions)}.
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
     * Stops scheduled fires of a job on all instances until {@link #resume}. Running items continue, and manual
     * triggers still run.
     */
    public void pause(String job) {
        amend(job, override -> override.withPaused(true));
    }

    /**
     * Ends a pause, whether an operator or the definition has set it. The latest fire of the pause runs if it is
     * younger than the misfire threshold, whatever the policy. The misfire policy decides about the others.
     */
    public void resume(String job) {
        amend(job, override -> override.withPaused(false));
    }

    /**
     * Disables an item until {@link #enableItem}. No fire of the item starts. A running fire continues, but does not
     * run again if it is interrupted. Manual triggers record the item as skipped.
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
     * Enables a disabled item. Fires that became due while it was disabled are treated as after a pause. Does nothing
     * if the item is not disabled.
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
     * Excludes an instance from a job until {@link #enableInstance}. Its idle items move to other instances at once;
     * running items finish and are not cancelled. For a job with {@link io.ostraka.api.Scope#BROADCAST} the instance
     * takes no part in fires that begin from now on. Items that no other instance may have wait; {@link #health} and
     * {@link #explain} report them.
     *
     * @param instance name of an instance, which also covers its restarts; its id, {@code name@pid@session}, which
     *     covers all sessions of that process; or a host, which covers all instances on it. No such instance needs to
     *     exist now
     * @return the ids of the living instances that host the job and are excluded. If the set is empty, the exclusion
     *     applies to future instances, and the log warns about a possible typing mistake
     * @throws io.ostraka.api.JobConfigurationException if the text is not a valid name, id or host
     */
    public Set<String> disableInstance(String job, String instance) {
        return await("change job '" + job + "'", engine().disableInstance(job, instance, true));
    }

    /**
     * Ends the exclusion of an instance. Name it as it was disabled: by a name, an id or a host. Does nothing if a
     * living instance is not disabled.
     *
     * @return the ids of the living instances that host the job and match
     * @throws io.ostraka.api.JobConfigurationException if the text is neither disabled nor the name, id or host of a
     *     living instance
     */
    public Set<String> enableInstance(String job, String instance) {
        return await("change job '" + job + "'", engine().disableInstance(job, instance, false));
    }

    /**
     * Releases a quarantined item at once. Fires that became due during the quarantine are treated as after a pause.
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
     * @throws IllegalArgumentException if the text is not a valid item key
     */
    public void releaseItem(String job, String itemKey) {
        String item = ShardingPlan.requireKey(itemKey);
        await("release item " + item + " of job '" + job + "'", engine().release(job, item));
    }

    /**
     * Returns the latest progress of a job's items by item key, as their runs have reported it with {@link
     * io.ostraka.api.ShardingContext#progress(long, long, String)}. Items without a report have no entry. A report
     * stays until a later run reports.
     *
     * @throws CoordinationException if ZooKeeper does not answer, or this registry is closed
     */
    public Map<String, Progress> progress(String job) {
        return await("read the progress of job '" + job + "'", engine().progress(job));
    }

    /**
     * Explains in one sentence why an item is on its instance (by the strategy, after a failover, after a drain,
     * because of a constraint), or why it is on no instance. Any instance can explain any job of the namespace, since
     * only the plan is read.
     *
     * @param itemKey key as {@link io.ostraka.api.ShardingContext#itemKey()} returns it; for numbered items the number
     *     in digits
     * @throws CoordinationException if ZooKeeper does not answer, the job has no plan, or this registry is closed
     */
    public String explain(String job, String itemKey) {
        String item = ShardingPlan.requireKey(itemKey);
        return await("explain item " + item + " of job '" + job + "'", engine().explain(job, item));
    }

    /**
     * Overrides the item count of a job's definition. The change takes effect when all fires that began under the old
     * count have ended. If they take longer than ten minutes, the change is postponed and tried again later.
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
     * Runs every item of a job once, now, in addition to its schedule. Works like {@link JobHandle#trigger(Map)}, but
     * for any job of the namespace, hosted by this instance or not. Returns at once; the registry keeps the request
     * until ZooKeeper has accepted it.
     *
     * <p>If no instance has registered the job, the run fails with a {@link CoordinationException} as soon as ZooKeeper
     * has answered. If this instance hosts the job, the run waits until ZooKeeper has its definition.
     *
     * @param parameters parameters that every item receives; at most 16 Ki characters in total
     * @throws io.ostraka.api.JobConfigurationException if the parameters are too long
     * @throws io.ostraka.api.TooManyTriggersException if 1,000 triggers of the job, or 5,000 of all jobs, that this
     *     process has requested have not ended
     * @throws CoordinationException if this registry is closed
     */
    public JobRun trigger(String job, Map<String, String> parameters) {
        return engine().trigger(job, parameters, Set.of());
    }

    /**
     * Runs every item of a job once after a delay. Works like {@link JobHandle#triggerAfter(Duration, Map)}, but for
     * any job of the namespace, hosted by this instance or not.
     *
     * @return a stage that completes with the run when ZooKeeper has accepted the request; it fails for a job that no
     *     instance has registered
     * @throws io.ostraka.api.TooManyTriggersException as {@link #trigger} does; a waiting run counts as not ended
     * @throws CoordinationException if this registry is closed
     */
    public CompletionStage<JobRun> triggerAfter(String job, Duration delay, Map<String, String> parameters) {
        String runId = UUID.randomUUID().toString();
        return engine().triggerAfter(new Trigger.Request(job, runId, parameters, Set.of()), runId, delay);
    }

    /**
     * Runs every item of a job once after a delay and merges requests of the same key. Works like {@link
     * JobHandle#triggerAfter(String, Duration, Map)}, but for any job of the namespace.
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
     * Removes a job. No further fire of it starts, running items finish, interrupted fires do not run again, and
     * waiting triggers end without a run. A tombstone remains, so that instances that still host the job do not bring
     * it back. Registering the job anew does.
     */
    public void remove(String job) {
        amend(job, override -> override.withRemoved(true));
    }

    /**
     * Deletes the nodes of a removed job that has ended. The namespace then has no trace of the job.
     *
     * @throws CoordinationException if the job is not removed or has not ended, an instance hosts it, or ZooKeeper does
     *     not answer
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
     * it. Idle items move to other instances at once, including those of jobs with a {@link
     * io.ostraka.api.JobConfiguration#restartGrace()}. Running items finish and are not cancelled. {@link #health}
     * reports {@link io.ostraka.api.InstanceState#DRAINING}.
     *
     * <p>This method waits until this instance's node is updated, but not for the items. A fire that is due before the
     * leader has moved its item still runs here. Afterwards fires and manual triggers run on other instances; if all
     * instances are drained, they wait. The drain survives new sessions of this process and ends with the process.
     * Draining a drained instance does nothing.
     *
     * @throws CoordinationException if ZooKeeper does not answer, or this registry is closed. Without an answer the
     *     drain still applies, and the engine updates the node when it is connected
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
     * Shuts this instance down; further calls do nothing. A signal to the process does the same unless {@link
     * RegistryBuilder#shutdownHook} is off. Idle items move to other instances at once. Running items may finish within
     * their job's {@link io.ostraka.api.JobConfiguration#shutdownGrace()}; the engine then cancels them and hands them
     * over. Waits for all of this.
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
