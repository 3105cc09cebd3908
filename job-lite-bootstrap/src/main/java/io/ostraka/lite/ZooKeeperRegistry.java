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
 * This process as an instance of an application: its connection to ZooKeeper, and everything that its jobs share. One
 * per namespace and process is enough, however many jobs.
 *
 * <p>Connecting happens in the background and is tried for ever; jobs registered meanwhile start when it has succeeded.
 * What an operator wants of a job, such as a pause, is desired state kept in ZooKeeper, apart from the job's definition:
 * it holds for all instances and survives restarts and deployments. The methods that change it wait for ZooKeeper, up to
 * {@link RegistryBuilder#operationTimeout}, and throw {@link CoordinationException} when the job is not known, there is no answer,
 * or this registry is closed; without an answer the change may have been made.
 *
 * <p>Thread-safe. From the first job that is hosted it keeps the process alive until {@link #close}; before that it doesn't, so
 * that a {@code main} that fails half-way ends its process, which shuts this registry down in good order.
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

    /** Waits until the instance is registered, or closes it and throws. */
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
            throw new IllegalStateException("Never completed so", e);
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new CoordinationException("could not register with ZooKeeper at " + servers + ": interrupted", e);
        }
    }

    /**
     * Connects with defaults.
     *
     * @param servers {@code host:port,host:port}
     * @param namespace the application's name: its instances and jobs are those of this name
     * @throws IllegalArgumentException when one of them can't be accepted
     */
    public static ZooKeeperRegistry connect(String servers, String namespace) {
        return newBuilder(servers, namespace).connect();
    }

    /**
     * Returns the strategies that come with the library, by type, for tests and tools that ask what one of them would do. None
     * has a state; each may be asked by any thread.
     */
    public static Map<String, JobShardingStrategy> builtInStrategies() {
        return Map.copyOf(BuiltInStrategies.all());
    }

    /** Starts a registry whose timeouts and attributes are set one by one. */
    public static RegistryBuilder newBuilder(String servers, String namespace) {
        return new RegistryBuilder(servers, namespace);
    }

    /**
     * Starts a real ZooKeeper server in this process, for development and demonstrations, and connects to it, with the
     * namespace {@code ostraka}. It listens on the loopback interface only; other processes reach it by {@link #servers()}.
     * Data and port survive a restart.
     *
     * @param dataDir the server's directory, created if missing
     * @throws CoordinationException when the directory or the port is taken, or the directory can't be written
     */
    public static ZooKeeperRegistry embedded(Path dataDir) {
        EmbeddedZooKeeper server = EmbeddedZooKeeper.start(dataDir, 0);
        return new ZooKeeperRegistry(newBuilder(server.connectString(), "ostraka"), server);
    }

    /** Returns the servers that it connects to. */
    public String servers() {
        return servers;
    }

    /** Returns what this instance is called: see {@link RegistryBuilder#instanceName}. */
    public String instanceName() {
        return process.name();
    }

    /** Returns this instance's id, {@code name@pid@session}; empty before the first connection. */
    public Optional<String> instanceId() {
        return process.engine().instanceId();
    }

    /**
     * Returns how this instance is, and of every job that it hosts whether it runs, and if it doesn't, why. Needs no
     * connection and waits for nothing.
     */
    public Health health() {
        return engine().health();
    }

    /**
     * Returns what this instance has measured: counts since it began, times of the last minutes, and how much is under way.
     * Needs no connection, waits for nothing and holds up no run.
     */
    public Metrics metrics() {
        return engine().metrics();
    }

    /**
     * Schedules a job on this instance. Returns at once: the engine registers the job as soon as ZooKeeper answers, and {@link
     * JobHandle#scheduled()} tells when the job has a plan. From the first job on, this registry keeps the process alive.
     *
     * @throws JobConfigurationException when the configuration is not accepted or has no schedule, or this registry hosts the
     *     job already
     * @throws CoordinationException when this registry is closed
     */
    public JobHandle schedule(Job job, JobConfiguration configuration, JobOptions options) {
        requireSchedule(configuration);
        return host(job, configuration, options);
    }

    /** Schedules a job on this instance, without options: see {@link #schedule(Job, JobConfiguration, JobOptions)}. */
    public JobHandle schedule(Job job, JobConfiguration configuration) {
        return schedule(job, configuration, JobOptions.none());
    }

    /**
     * Hosts a job without a schedule on this instance, which runs when {@link JobHandle#trigger} asks for it. Each instance
     * that is to take part hosts it, and any of them can trigger it. Returns at once, as {@link #schedule} does.
     *
     * @throws JobConfigurationException when the configuration is not accepted or has a schedule, or this registry hosts the
     *     job already
     * @throws CoordinationException when this registry is closed
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

    /** Hosts a job without a schedule, without options: see {@link #oneOff(Job, JobConfiguration, JobOptions)}. */
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

    /** Stops scheduled fires of a job, on all instances, until {@link #resume}. What runs goes on; triggers are served. */
    public void pause(String job) {
        amend(job, override -> override.withPaused(true));
    }

    /**
     * Ends a pause, of an operator or of the definition. Of the fires that came meanwhile the latest is run if it is
     * younger than the misfire threshold, whatever the policy; the misfire policy decides on the others.
     */
    public void resume(String job) {
        amend(job, override -> override.withPaused(false));
    }

    /**
     * Lets nothing of an item start, until {@link #enableItem}. What runs goes on, and isn't run again if it is interrupted;
     * triggers record the item as skipped.
     */
    public void disableItem(String job, int item) {
        disableItem(job, Integer.toString(item));
    }

    /**
     * The same by {@link io.ostraka.api.ShardingContext#itemKey()}, for jobs of any {@link io.ostraka.api.Scope}.
     *
     * @throws IllegalArgumentException when the job has no such item; it says which there are
     */
    public void disableItem(String job, String itemKey) {
        disableItem(job, itemKey, true);
    }

    /**
     * Lets an item start again; what came meanwhile is dealt with as after a pause. Of an item that isn't disabled it does
     * nothing.
     */
    public void enableItem(String job, int item) {
        enableItem(job, Integer.toString(item));
    }

    /**
     * The same by {@link io.ostraka.api.ShardingContext#itemKey()}, for jobs of any {@link io.ostraka.api.Scope}.
     *
     * @throws IllegalArgumentException when it is neither disabled nor one of the job's items
     */
    public void enableItem(String job, String itemKey) {
        disableItem(job, itemKey, false);
    }

    private void disableItem(String job, String itemKey, boolean disabled) {
        await("change job '" + job + "'", engine().disableItem(job, ShardingPlan.requireKey(itemKey), disabled));
    }

    /**
     * Gives an instance no items of a job, until {@link #enableInstance}: idle ones go to others at once, what runs ends and
     * isn't cancelled. Of a job that every instance runs it takes no part in fires that begin from now on. Items that no other
     * instance may have wait; {@link #health} and {@link #explain} say so.
     *
     * @param instance an instance's name, which holds over its restarts; its id, {@code name@pid@session}, which holds for that
     *     process whatever sessions it has; or a host, which holds for all of its instances. There needn't be one now
     * @return the ids of the living instances that host the job and are meant. If there are none, it holds for those to come,
     *     and the log says so: it may be a typing mistake
     * @throws io.ostraka.api.JobConfigurationException when it can be none of them
     */
    public Set<String> disableInstance(String job, String instance) {
        return await("change job '" + job + "'", engine().disableInstance(job, instance, true));
    }

    /**
     * Lets an instance have items of a job again, in the words by which it was disabled: a name, an id, or a host. Of one that isn't
     * disabled it does nothing.
     *
     * @return the ids of the living instances that host the job and are meant
     * @throws io.ostraka.api.JobConfigurationException when it is neither disabled nor a living instance's name, id or host
     */
    public Set<String> enableInstance(String job, String instance) {
        return await("change job '" + job + "'", engine().disableInstance(job, instance, false));
    }

    /**
     * Lets a quarantined item start again, at once; what came meanwhile is dealt with as after a pause.
     *
     * @throws CoordinationException when the item is not quarantined, or there is no answer
     */
    public void releaseItem(String job, int item) {
        releaseItem(job, Integer.toString(item));
    }

    /**
     * The same by {@link io.ostraka.api.ShardingContext#itemKey()}, for jobs of any {@link io.ostraka.api.Scope}.
     *
     * @throws CoordinationException when the item is not quarantined, or there is no answer
     * @throws IllegalArgumentException when it can't be a key
     */
    public void releaseItem(String job, String itemKey) {
        String item = ShardingPlan.requireKey(itemKey);
        await("release item " + item + " of job '" + job + "'", engine().release(job, item));
    }

    /**
     * Returns how far the latest runs of a job's items are, as they said by {@link
     * io.ostraka.api.ShardingContext#progress(long, long, String)}, by the item's key; without items whose runs have never
     * said so. What a run said last stays until a later one says something.
     *
     * @throws CoordinationException when there is no answer, or this registry is closed
     */
    public Map<String, Progress> progress(String job) {
        return await("read the progress of job '" + job + "'", engine().progress(job));
    }

    /**
     * Says in one sentence why an item is where it is: by the strategy, failed over, drained, moved because of a constraint, or
     * on no instance and why. From the plan alone, so any instance may be asked, of any job of the namespace.
     *
     * @param itemKey as {@link io.ostraka.api.ShardingContext#itemKey()} has it; the number of an item in digits
     * @throws CoordinationException when there is no answer, the job has no plan, or this registry is closed
     */
    public String explain(String job, String itemKey) {
        String item = ShardingPlan.requireKey(itemKey);
        return await("explain item " + item + " of job '" + job + "'", engine().explain(job, item));
    }

    /**
     * Changes the item count of a job, over its definition's. It begins when all that runs under the old count has ended;
     * what takes longer than ten minutes puts it off.
     *
     * @param count from 1; null gives the definition's back
     * @throws io.ostraka.api.JobConfigurationException when it can't be accepted
     */
    public void overrideShardingTotalCount(String job, @Nullable Integer count) {
        amend(job, override -> override.withShardingTotalCount(count));
    }

    /**
     * Changes the schedule of a job, over its definition's, from now on.
     *
     * @param schedule null gives the definition's back
     * @throws io.ostraka.api.JobConfigurationException when it can't be accepted
     */
    public void overrideSchedule(String job, @Nullable Schedule schedule) {
        amend(job, override -> override.withSchedule(schedule));
    }

    /**
     * Changes the parameter of a job, over its definition's, for items that start from now on.
     *
     * @param parameter null gives the definition's back
     */
    public void overrideJobParameter(String job, @Nullable String parameter) {
        amend(job, override -> override.withJobParameter(parameter));
    }

    /**
     * Runs every item of a job once, now, besides its schedule: as {@link JobHandle#trigger(Map)}, for any job, whether
     * this instance hosts it or not. Returns at once; the request is kept until ZooKeeper has it.
     *
     * <p>For a job that nobody has registered the run fails, as soon as ZooKeeper has been asked, with a {@link
     * CoordinationException}. For one that this instance hosts it waits until ZooKeeper has its definition.
     *
     * @param parameters given to every item, at most 16 Ki characters together
     * @throws io.ostraka.api.JobConfigurationException when they are more
     * @throws io.ostraka.api.TooManyTriggersException if 1,000 triggers of the job, or 5,000 of all jobs, that this process
     *     has asked for have not ended
     * @throws CoordinationException when this registry is closed
     */
    public JobRun trigger(String job, Map<String, String> parameters) {
        return engine().trigger(job, parameters, Set.of());
    }

    /**
     * Runs every item of a job once, later: as {@link JobHandle#triggerAfter(Duration, Map)}, for any job, whether this instance
     * hosts it or not.
     *
     * @return the run, once ZooKeeper has it; it fails for a job that nobody has registered
     * @throws io.ostraka.api.TooManyTriggersException as {@link #trigger} does; a run that waits counts
     * @throws CoordinationException when this registry is closed
     */
    public CompletionStage<JobRun> triggerAfter(String job, Duration delay, Map<String, String> parameters) {
        String runId = UUID.randomUUID().toString();
        return engine().triggerAfter(new Trigger.Request(job, runId, parameters, Set.of()), runId, delay);
    }

    /**
     * The same, at most once at a time for a key: as {@link JobHandle#triggerAfter(String, Duration, Map)}.
     *
     * @return the run that it comes to, which may be the one that waited, once ZooKeeper has it
     * @throws io.ostraka.api.TooManyTriggersException as {@link #trigger} does; a run that waits counts
     * @throws CoordinationException when this registry is closed
     */
    public CompletionStage<JobRun> triggerAfter(
            String job, String key, Duration delay, Map<String, String> parameters) {
        return engine().triggerAfter(
                        new Trigger.Request(job, UUID.randomUUID().toString(), parameters, Set.of()), key, delay);
    }

    /**
     * Removes a job: nothing more of it starts, what runs ends, what is interrupted is not run again, and triggers that wait
     * end with nothing run. A tombstone stays, so that instances which still host it don't bring it back; registering it
     * anew does.
     */
    public void remove(String job) {
        amend(job, override -> override.withRemoved(true));
    }

    /**
     * Deletes the nodes of a job that is removed and has ended; it is not known any more then.
     *
     * @throws CoordinationException until then, while an instance hosts it, or when there is no answer
     */
    public void purge(String job) {
        await("purge job '" + job + "'", process.engine().purge(job));
    }

    private void amend(String job, UnaryOperator<JobOverride> change) {
        await("change job '" + job + "'", process.engine().amend(job, change));
    }

    private <T> T await(String what, CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(operationTimeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            stage.toCompletableFuture().cancel(false); // what could not be sent yet is not sent any more
            throw new CoordinationException(
                    "could not " + what + ": no answer from ZooKeeper at " + servers + " within " + operationTimeout
                            + "; check that it serves",
                    e);
        } catch (ExecutionException | CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            cause = cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
            if (cause instanceof IllegalArgumentException refused) {
                throw refused;
            }
            throw cause instanceof OstrakaException known
                    ? known
                    : new CoordinationException("could not " + what + " at " + servers, cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CoordinationException("could not " + what + ": interrupted", e);
        }
    }

    /**
     * Has this instance take no more items, of any job, without closing it: before a deployment stops it, say. Idle items go to
     * others at once, also those of jobs with a {@link io.ostraka.api.JobConfiguration#restartGrace()}; what runs ends, and
     * isn't cancelled; {@link #health} says {@link io.ostraka.api.InstanceState#DRAINING}. Waits until this instance's node says
     * so, and not for the items: a fire that is due before the leading instance has given them to others still runs here.
     *
     * <p>Fires and manual triggers run on other instances from then on, those that are triggered here too; if all are drained,
     * they wait. It holds under new sessions of this process, and is forgotten with it. Done again, it does nothing.
     *
     * @throws CoordinationException when there is no answer, or this registry is closed; if only the answer is missing, it
     *     holds all the same, and the node is written once there is a connection
     */
    public void drain() {
        await("drain this instance", engine().drain(true));
    }

    /**
     * Takes {@link #drain} back: this instance is given items again.
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
     * Shuts this instance down, once; a signal to the process does the same unless {@link RegistryBuilder#shutdownHook} is off.
     * Idle items go to other instances at once; running ones may end within their job's {@link
     * io.ostraka.api.JobConfiguration#shutdownGrace()}, are then told to end, and are handed over. Waits for that.
     */
    @Override
    public void close() {
        if (shutdownHook != null && Thread.currentThread() != shutdownHook) {
            try {
                Runtime.getRuntime().removeShutdownHook(shutdownHook);
            } catch (IllegalStateException e) {
                // the process is ending: the hook is closing this registry, or will
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
