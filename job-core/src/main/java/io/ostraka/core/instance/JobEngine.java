package io.ostraka.core.instance;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.FireListener;
import io.ostraka.api.Health;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.OnceListener;
import io.ostraka.api.Schedule;
import io.ostraka.api.TooManyTriggersException;
import io.ostraka.api.metrics.Metrics;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.job.HostedJob;
import io.ostraka.core.job.Session;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.run.Interceptors;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.JobBody;
import io.ostraka.core.run.UserCode;
import io.ostraka.core.schedule.FireSchedules;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of one instance of the application: its session, its jobs, and its part in the leader election.
 * Thread-safe. Only {@link #unregister} and {@link #close} block the caller.
 */
public final class JobEngine implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JobEngine.class);
    /** Time that the first connection may take before a warning is logged. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration DEFECT_PAUSE = Duration.ofSeconds(5);

    private final EngineParts parts;
    private volatile boolean closing;

    /**
     * Creates an instance. The instance does nothing until {@link #start} is called.
     *
     * @param strategies all sharding strategies by type, including the default one
     */
    public JobEngine(
            EngineSettings settings,
            Coordination coordination,
            Platform platform,
            Map<String, JobShardingStrategy> strategies) {
        this(settings, coordination, platform, Extensions.of(strategies));
    }

    /**
     * Creates an instance with extensions of the application. The instance does nothing until {@link #start} is called.
     */
    public JobEngine(EngineSettings settings, Coordination coordination, Platform machine, Extensions extensions) {
        this(
                settings,
                coordination,
                machine,
                extensions,
                (job, plan) -> FireSchedules.inForce(job.jobName(), job.schedule(), plan));
    }

    /** Creates an instance that computes the fire times of its jobs in the given way. */
    public JobEngine(
            EngineSettings settings,
            Coordination coordination,
            Platform machine,
            Extensions extensions,
            FireTimes.Source schedule) {
        this.parts = new EngineParts(settings, coordination, machine, extensions, schedule);
    }

    /** Starts connecting in the background. Retries until ZooKeeper answers. */
    public void start() {
        parts.events.start(
                parts.settings.namespace(),
                parts::load,
                (name, problem) -> parts.health.extension("event subscriber " + name, problem),
                parts.health::lostHistory);
        parts.coordination.membership().followOrders(); // first, so that the first connection misses no change
        parts.coordination.start(new StoreEvents(parts));
        parts.coordination.fires().followTriggers();
        parts.coordination.fires().followStops();
        parts.executor.execute(parts.watchdog::start);
        parts.platform.timer().after(PATIENCE, () -> {
            if (parts.registration.session() == null) {
                log.warn("no connection to ZooKeeper for {}; retrying until it answers; jobs start then", PATIENCE);
            }
        });
    }

    /**
     * Registers a job and hosts it. Returns at once; the engine sends the requests when it has a connection.
     *
     * @return a stage that completes on a worker when ZooKeeper has stored the definition and this instance has read a
     * plan of the job. Fails with a {@link CoordinationException} if the job is unregistered before that
     * @throws JobConfigurationException if the configuration is invalid, or this instance hosts the job already
     * @throws CoordinationException if this instance is closed
     */
    public CompletionStage<Void> register(Job job, JobConfiguration configuration) {
        return register(job, configuration, JobOptions.none());
    }

    /**
     * Registers a job with its own interceptors and listeners; otherwise like {@link #register(Job, JobConfiguration)}.
     */
    public CompletionStage<Void> register(Job job, JobConfiguration configuration, JobOptions options) {
        requireOpen();
        List<FireListener> listeners = options.listeners();
        Definition definition =
                new Definition(configuration, listeners.stream().anyMatch(OnceListener.class::isInstance));
        String name = configuration.jobName();
        requireValid(configuration);
        JobBody body = new JobBody(
                job,
                configuration,
                parts.extensions.types(),
                new Interceptors(parts.extensions.interceptors(), options.interceptors()),
                parts.errors,
                () -> parts.meters.tasks(name));
        List<FireListener> all = new ArrayList<>(parts.extensions.listeners().jobs());
        all.addAll(listeners);
        HostedJob hosted = new HostedJob(definition, body, all, parts.context);
        jobs().add(hosted);
        parts.health.hosted(name);
        repeatUntilDone(() -> {
            parts.coordination.jobs().follow(name, true);
            parts.definitions.add(definition);
            hosted.triggersChanged(parts.waiting.of(name)); // later events report only changes
            hosted.stopsChanged(parts.stops.of(name));
            Session current = parts.registration.session();
            if (current != null && parts.registration.established()) {
                hosted.connected(current);
            }
        });
        return hosted.scheduled();
    }

    /**
     * Replaces the configurations of jobs that this instance hosts, without an effect on their code and their runs.
     * Returns at once; the engine stores each configuration when it has a connection, unless ZooKeeper has a higher
     * revision. A removed job stays removed. Either all configurations are accepted or none.
     *
     * @throws JobConfigurationException if a configuration is invalid, if its revision is not higher than the present
     *     one, if a field has changed that must stay the same while the job is hosted, or if this instance does not
     *     host the job
     * @throws CoordinationException if this instance is closed
     */
    public synchronized void redefine(Collection<JobConfiguration> configurations) {
        requireOpen();
        Map<HostedJob, Definition> next = jobs().redefinitions(configurations);
        next.values().forEach(definition -> requireValid(definition.configuration()));
        next.forEach((hosted, definition) -> {
            hosted.redefine(definition);
            repeatUntilDone(() -> {
                parts.definitions.replace(hosted.definition());
                hosted.redefined();
            });
        });
    }

    private void requireValid(JobConfiguration configuration) {
        // checked again, because the version of job-api may differ
        FireSchedules.validate(configuration.jobName(), configuration.schedule());
        parts.errors.require(configuration);
    }

    private HostedJobs jobs() {
        return parts.jobs;
    }

    /**
     * Runs an idempotent step on the instance's executor, and repeats the step until it throws no exception. Without
     * the repetition, the step would be lost, because no event starts it again.
     *
     * @return a stage that completes on the instance's executor after the step
     */
    private CompletionStage<Void> repeatUntilDone(Runnable step) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        repeatUntilDone(step, done);
        return done;
    }

    private void repeatUntilDone(Runnable step, CompletableFuture<Void> done) {
        parts.executor.execute(() -> {
            try {
                step.run();
            } catch (Throwable e) {
                log.error("a step of the engine failed; retrying; this is a defect, please report it", e);
                parts.platform.timer().after(DEFECT_PAUSE, () -> repeatUntilDone(step, done));
                return;
            }
            done.complete(null);
        });
    }

    /**
     * Stops hosting a job. No item of the job starts here after this call. Running items may end within the job's
     * shutdown grace. Items that still run after the grace are stopped and handed over.
     *
     * <p>Waits for a bounded time. If user code still runs after that time, the job stays hosted, with its items, until
     * the code returns. If a run's code calls this method, the method waits only for the other runs. If other code that
     * the engine calls does so, such as a listener, the method does not wait. Has no effect if the job is not hosted or
     * is being unregistered already.
     */
    public void unregister(String name) {
        HostedJob hosted = jobs().get(name);
        if (hosted == null || hosted.shutdown().draining()) {
            return;
        }
        // an item stays here while its code runs, and the job keeps draining during that time
        CompletionStage<Void> ended = hosted.shutdown()
                .drain()
                .thenCompose(drained -> hosted.letGo())
                .thenCompose(letGo -> repeatUntilDone(() -> forget(name, hosted)))
                .thenCompose(removed -> hosted.close());
        awaitFromOutside(ended.toCompletableFuture(), List.of(hosted), () -> {
            parts.shutdown.drain(List.of(hosted));
            parts.executor.execute(parts.registration::announce);
        });
    }

    /**
     * Begins a shutdown and waits for its end, but never for the code that calls this method.
     *
     * @param ended completes at the end of the shutdown
     */
    private void awaitFromOutside(CompletableFuture<Void> ended, List<HostedJob> closed, Runnable begin) {
        UserCode code = UserCode.current();
        ItemRun caller = code == null ? null : code.run();
        CompletableFuture<?> awaited = ended;
        if (parts.workers.isCurrent()) {
            awaited = caller == null
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.anyOf(ended, othersEnded(closed));
        }
        if (caller != null) {
            caller.closing(true);
            lookForExits(); // another run that is closing must not wait for this one
        }
        try {
            begin.run();
            parts.shutdown.awaitEnd(awaited, closed);
        } finally {
            if (caller != null) {
                caller.closing(false);
            }
        }
    }

    private static CompletableFuture<Void> othersEnded(List<HostedJob> closed) {
        return CompletableFuture.allOf(
                closed.stream().map(job -> job.shutdown().othersEnded()).toArray(CompletableFuture[]::new));
    }

    /**
     * Returns whether the calling thread executes code that this engine calls, such as a job's or a listener's. If such
     * code closes the engine, the shutdown ends only after the code has returned.
     */
    public boolean callsThisThread() {
        return parts.workers.isCurrent();
    }

    /** Looks for runs that have called {@link Runtime#exit}, for which a shutdown does not wait. */
    public void lookForExits() {
        jobs().all().forEach(job -> job.shutdown().lookForExits());
    }

    /**
     * Forgets a job that this instance no longer hosts. Its name becomes free last: another thread may register the job
     * again at that moment, and nothing of that registration may be forgotten.
     */
    private void forget(String name, HostedJob hosted) {
        parts.definitions.remove(name);
        parts.coordination.jobs().follow(name, false);
        parts.health.unhosted(name);
        parts.meters.forget(name);
        jobs().remove(hosted);
    }

    /**
     * Triggers a job manually: each item runs once in the cluster. Returns at once; the engine retries until ZooKeeper
     * has stored the trigger.
     *
     * @param parameters parameters of the run, at most 16,384 characters in total
     * @param items keys of the items to run; empty for all
     * @throws TooManyTriggersException if this instance has 1,000 unfinished triggers of the job, or 5,000 of all jobs
     */
    public JobRun trigger(String job, Map<String, String> parameters, Set<String> items) {
        return trigger(new Trigger.Request(job, UUID.randomUUID().toString(), parameters, items));
    }

    /** Triggers a job manually. The run id of the request must be unique among all past and future triggers. */
    public JobRun trigger(Trigger.Request request) {
        requireAcceptable(request);
        TriggeredRun run = new TriggeredRun(request, parts.platform.waiting());
        parts.triggers.admit(request.job());
        parts.executor.execute(() -> parts.triggers.add(run));
        return run;
    }

    /**
     * Triggers a job manually after a delay. If a delayed trigger with the same key is waiting already, this trigger is
     * merged into it.
     *
     * @param key key of the trigger, up to {@value DelayedTrigger#LONGEST_KEY} characters
     * @param delay zero or more; begins when ZooKeeper has stored the trigger
     * @return a stage that completes when ZooKeeper has stored the trigger. Its value is the run of this trigger, or of
     *     the trigger into which this one was merged. Fails if this instance is closed before that
     * @throws TooManyTriggersException under the same conditions as {@link #trigger(String, Map, Set)}; delayed
     *     triggers count as well
     */
    public CompletionStage<JobRun> triggerAfter(Trigger.Request request, String key, Duration delay) {
        requireAcceptable(request);
        if (delay.isNegative() || delay.compareTo(Schedule.LONGEST) > 0) {
            throw new JobConfigurationException(request.job(), "trigger delay", delay, "zero to 36500 days");
        }
        DelayedTrigger unused = new DelayedTrigger(key, delay, request);
        TriggeredRun.Later later = new TriggeredRun.Later(key, delay, new CompletableFuture<>());
        TriggeredRun run = new TriggeredRun(request, parts.platform.waiting(), later);
        parts.triggers.admit(request.job());
        parts.executor.execute(() -> parts.triggers.add(run));
        return later.accepted().minimalCompletionStage();
    }

    private void requireAcceptable(Trigger.Request request) {
        requireOpen();
        Trigger.requireSize(request.job(), request.parameters(), request.items());
    }

    /** Returns what the operator's views and commands need. Their requests wait for a connection of this instance. */
    public OperationsPort operations() {
        return new OperationsPort(
                parts.coordination,
                parts.operators,
                parts.platform.clock(),
                parts.platform.workers(),
                new EventSource(parts::selfId, parts.platform.clock(), parts.events::publish));
    }

    /** Returns a stage that completes when this instance's node has been written for the first time. */
    public CompletionStage<Void> registered() {
        return parts.registered.minimalCompletionStage();
    }

    /** Returns this instance's id in its current session; empty before the first session. */
    public Optional<String> instanceId() {
        return Optional.ofNullable(parts.registration.session()).map(Session::instanceId);
    }

    /** Returns the health of this instance and its jobs, from local knowledge only. Never waits for ZooKeeper. */
    public Health health() {
        return parts.health.health();
    }

    /** Returns the metrics of this instance. Never waits for ZooKeeper, and does not block runs. */
    public Metrics metrics() {
        return parts.meters.read(parts.load(), parts.status());
    }

    /** Returns whether this instance leads, as far as it knows. */
    public boolean leading() {
        return parts.reconciler.leading();
    }

    /**
     * Drains this instance, or ends the drain. A drained instance gets no items. Its idle items move to other instances
     * at once, and its running items move after their runs have ended. The drain continues in later sessions of this
     * process. An operator can drain the instance independently; the instance works only if neither drain is in effect.
     * A drained instance leads only while no other instance works.
     *
     * @return a stage that completes when the instance's node shows the change, which needs a connection; fails if this
     *     instance is closed
     */
    public CompletionStage<Void> drain(boolean drained) {
        requireOpen();
        CompletableFuture<Void> shown = new CompletableFuture<>();
        parts.executor.execute(() -> {
            if (closing) {
                shown.completeExceptionally(Refusals.closed());
                return;
            }
            parts.orders.drainHere(drained);
            parts.registration.shown().whenComplete((done, error) -> Stages.complete(shown, done, error));
        });
        return shown;
    }

    /**
     * Shuts the instance down; further calls only wait. Idle items move to other instances at once. Running items may
     * end within the shutdown grace of their job. Items that still run after the grace are stopped and handed over.
     * Finally, the instance's node is removed.
     *
     * <p>Waits at most for the longest shutdown grace of the jobs. If that grace is shorter than ten seconds, the limit
     * is half of it plus five seconds. If a run's code calls this method, the method waits only for the other runs; the
     * instance is removed after that run has ended. If other code that the engine calls does so, such as a listener,
     * the method does not wait.
     */
    @Override
    public void close() {
        List<HostedJob> hosted = List.copyOf(jobs().all());
        awaitFromOutside(parts.shutdown.left(), hosted, () -> parts.executor.execute(this::beginClosing));
    }

    private void beginClosing() {
        if (!closing) {
            closing = true;
            parts.lifecycle.closing();
            CompletionStage<Void> ended = parts.shutdown.drainAll(List.copyOf(jobs().all()));
            // All jobs drain already, so the node lists none. The node now also shows that the instance is closing,
            // so the leader knows that a restart may follow.
            parts.registration.close();
            ended.thenRunAsync(this::leave, parts.executor);
        }
    }

    /** Returns how much of the jobs' shutdown grace is left for later closing steps. Call it after {@link #close}. */
    public Duration timeLeft() {
        return parts.shutdown.timeLeft();
    }

    /** Returns the number of failed runs that error handlers of the application have not handled. */
    public int unhandledFailures() {
        return parts.errors.unhandled();
    }

    /** Returns the report of the shutdown. Call it after {@link #close}. */
    public ShutdownReport shutdownReport() {
        return parts.shutdown.report(jobs().all());
    }

    private void leave() {
        parts.watchdog.close();
        parts.triggers.close();
        parts.operators.close();
        parts.publisher.close();
        parts.shutdown.leave(jobs().all());
    }

    private void requireOpen() {
        if (closing) {
            throw Refusals.closed();
        }
    }
}
