package io.ostraka.core.instance;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.FireListener;
import io.ostraka.api.Health;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobField;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.OnceListener;
import io.ostraka.api.Schedule;
import io.ostraka.api.TooManyTriggersException;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.Metrics;
import io.ostraka.api.metrics.Status;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.event.Events;
import io.ostraka.core.job.HostedJob;
import io.ostraka.core.job.JobContext;
import io.ostraka.core.job.Session;
import io.ostraka.core.leader.AlarmDelivery;
import io.ostraka.core.leader.LeaderContext;
import io.ostraka.core.leader.LeaderEvents;
import io.ostraka.core.leader.Reconciler;
import io.ostraka.core.metrics.InstanceMeters;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.OrdersView;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ErrorHandlers;
import io.ostraka.core.run.Interceptors;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.JobBody;
import io.ostraka.core.run.RunSlots;
import io.ostraka.core.run.UserCode;
import io.ostraka.core.schedule.FireSchedules;
import io.ostraka.core.time.ClockCheck;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutorStatistics;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of one instance of the application: its session, its jobs, and its part in the leader election.
 * Thread-safe. Only {@link #unregister} and {@link #close} block the caller.
 */
public final class JobEngine implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JobEngine.class);
    /** Fields that belong to a job's code, so they stay the same while the job is hosted. */
    private static final List<JobField<?>> OF_CODE = JobConfiguration.fields().stream()
            .filter(field -> field.name().equals("scope") || field.name().equals("streaming"))
            .toList();

    /** Time that the first connection may take before a warning is logged. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** Maximum total length of a manual trigger's parameters, in characters. */
    private static final int MAX_PARAMETERS = 16 << 10;
    /** Maximum total length of the item keys in a manual trigger, in characters. */
    private static final int MAX_ITEM_NAMES = 64 << 10;

    private static final Duration DEFECT_PAUSE = Duration.ofSeconds(5);

    private final Coordination coordination;
    private final Platform platform;
    private final Extensions extensions;
    private final InstanceExecutor executor;
    private final Reconciler reconciler;
    private final InstanceRegistration registration;
    private final DefinitionRegistrar definitions;
    private final ManualTriggers triggers;
    private final FireStops stops;
    private final RequestGate operators;
    private final OrdersState orders;
    private final GracefulShutdown shutdown;
    private final JobContext context;
    private final InstanceHealth health;
    private final HealthPublisher publisher;
    private final InstanceMeters meters;
    private final Events events;
    private final ErrorHandlers errors;
    private final String namespace;
    private final SerialExecutorStatistics executors = new SerialExecutorStatistics();
    private final WorkerStatistics workers;
    private final Lifecycle lifecycle;
    private final Watchdog watchdog;
    private final Map<String, HostedJob> jobs = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> registered = new CompletableFuture<>();
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
        this.namespace = settings.namespace();
        this.extensions = extensions;
        this.coordination = coordination;
        this.workers = new WorkerStatistics(machine.workers());
        this.platform = machine.withWorkers(workers);
        this.meters = new InstanceMeters(platform.clock()::monotonicNanos);
        this.health = new InstanceHealth(
                platform,
                coordination.membership()::serverTime,
                extensions.listeners().health());
        this.events = new Events(
                Stream.concat(Stream.of(meters, health), extensions.listeners().meters().stream())
                        .toList(),
                extensions.listeners().subscribers(),
                platform.workers());
        this.errors = new ErrorHandlers(
                extensions.errorHandlers(),
                platform,
                (type, problem) -> health.extension("error handler '" + type + "'", problem));
        this.executor = new InstanceExecutor(platform.serialExecutor(executors), platform.timer());
        this.lifecycle =
                new Lifecycle(platform, executor, extensions.listeners().instances(), health, this::prepared);
        Callbacks callbacks = new Callbacks();
        this.reconciler = new Reconciler(
                new LeaderContext(
                        coordination,
                        platform,
                        platform.serialExecutor(executors),
                        extensions.strategies(),
                        schedule,
                        new AlarmDelivery(namespace, extensions.listeners().alarms(), platform),
                        settings.intervals().drainDeadline()),
                callbacks,
                new LeaderEvents(events, this::selfId, platform.clock()),
                settings.intervals().audit());
        ClockCheck clock = new ClockCheck(coordination.membership()::serverTime, platform.clock());
        this.registration = new InstanceRegistration(
                settings.identity(), coordination.membership(), executor, clock, health, callbacks);
        this.orders = new OrdersState(coordination.membership(), executor, health, callbacks);
        this.publisher = new HealthPublisher(coordination.membership(), executor, registration, health);
        health.afterChanges(() -> executor.execute(publisher::publish));
        health.afterAlarms(() -> executor.execute(publisher::publishAlarms));
        this.definitions = new DefinitionRegistrar(coordination.jobs(), executor, registration, jobs, this::defined);
        this.triggers = new ManualTriggers(coordination.fires(), executor, platform, callbacks);
        this.stops = new FireStops(coordination.fires(), executor, callbacks);
        this.operators = new RequestGate(executor, registration::established);
        this.shutdown = new GracefulShutdown(coordination, platform, executor, registration, lifecycle, this::settled);
        EngineSettings.Slots slots = settings.slots();
        InstanceRunSession runs = new InstanceRunSession(
                coordination,
                platform.waiting(),
                registration::session,
                settings.identity().zone());
        this.context = new JobContext(
                coordination,
                platform,
                new RunSlots(platform, slots.quick(), slots.slow(), slots.tasks()),
                runs,
                schedule,
                callbacks,
                clock,
                events,
                executors,
                new AtomicLong());
        this.watchdog = new Watchdog(settings.intervals(), executor, registration, runs, jobs, callbacks);
    }

    /** Starts connecting in the background. Retries until ZooKeeper answers. */
    public void start() {
        events.start(
                namespace,
                this::load,
                (name, problem) -> health.extension("event subscriber " + name, problem),
                health::lostHistory);
        coordination.membership().followOrders(); // first, so that the first connection misses no change
        coordination.start(new Signals());
        coordination.fires().followTriggers();
        coordination.fires().followStops();
        executor.execute(watchdog::start);
        platform.timer().after(PATIENCE, () -> {
            if (registration.session() == null) {
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
        // checked again, because the version of job-api may differ
        FireSchedules.validate(name, configuration.schedule());
        errors.require(configuration);
        JobBody body = new JobBody(
                job,
                configuration,
                extensions.types(),
                new Interceptors(extensions.interceptors(), options.interceptors()),
                errors,
                () -> meters.tasks(name));
        List<FireListener> all = new ArrayList<>(extensions.listeners().jobs());
        all.addAll(listeners);
        HostedJob hosted = new HostedJob(definition, body, all, context);
        if (jobs.putIfAbsent(name, hosted) != null) {
            throw new JobConfigurationException(name, "jobName", name, "a job that this instance does not host yet");
        }
        health.hosted(name);
        repeatUntilDone(() -> {
            coordination.jobs().follow(name, true);
            definitions.add(definition);
            hosted.triggersChanged(triggers.waiting(name)); // later events report only changes
            hosted.stopsChanged(stops.of(name));
            Session current = registration.session();
            if (current != null && registration.established()) {
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
        Map<HostedJob, Definition> next = new LinkedHashMap<>();
        for (JobConfiguration configuration : configurations) {
            String name = configuration.jobName();
            HostedJob hosted = jobs.get(name);
            if (hosted == null) {
                throw new JobConfigurationException(name, "jobName", name, "a job that this instance hosts");
            }
            next.put(hosted, redefinition(hosted.definition(), configuration));
        }
        next.forEach((hosted, definition) -> {
            hosted.redefine(definition);
            repeatUntilDone(() -> {
                definitions.replace(hosted.definition());
                hosted.redefined();
            });
        });
    }

    private Definition redefinition(Definition present, JobConfiguration configuration) {
        String name = configuration.jobName();
        OF_CODE.stream()
                .filter(field -> !Objects.equals(
                        configuration.value(field), present.configuration().value(field)))
                .findFirst()
                .ifPresent(field -> {
                    throw new JobConfigurationException(
                            name,
                            field.name(),
                            configuration.value(field),
                            present.configuration().value(field)
                                    + ", because it cannot change while the job is hosted");
                });
        if (configuration.revision() <= present.revision()) {
            throw new JobConfigurationException(
                    name, "revision", configuration.revision(), "more than the present " + present.revision());
        }
        Definition next = new Definition(configuration, present.onceListeners());
        FireSchedules.validate(name, configuration.schedule());
        errors.require(configuration);
        return next;
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
        executor.execute(() -> {
            try {
                step.run();
            } catch (Throwable e) {
                log.error("a step of the engine failed; retrying; this is a defect, please report it", e);
                platform.timer().after(DEFECT_PAUSE, () -> repeatUntilDone(step, done));
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
        HostedJob hosted = jobs.get(name);
        if (hosted == null || hosted.draining()) {
            return;
        }
        // an item stays here while its code runs, and the job keeps draining during that time
        CompletionStage<Void> ended = hosted.drain()
                .thenCompose(drained -> hosted.letGo())
                .thenCompose(letGo -> repeatUntilDone(() -> forget(name, hosted)))
                .thenCompose(removed -> hosted.close());
        awaitFromOutside(ended.toCompletableFuture(), List.of(hosted), () -> {
            shutdown.drain(List.of(hosted));
            executor.execute(registration::announce);
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
        if (workers.isCurrent()) {
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
            shutdown.awaitEnd(awaited, closed);
        } finally {
            if (caller != null) {
                caller.closing(false);
            }
        }
    }

    private static CompletableFuture<Void> othersEnded(List<HostedJob> closed) {
        return CompletableFuture.allOf(
                closed.stream().map(HostedJob::othersEnded).toArray(CompletableFuture[]::new));
    }

    /**
     * Returns whether the calling thread executes code that this engine calls, such as a job's or a listener's. If such
     * code closes the engine, the shutdown ends only after the code has returned.
     */
    public boolean callsThisThread() {
        return workers.isCurrent();
    }

    /** Looks for runs that have called {@link Runtime#exit}, for which a shutdown does not wait. */
    public void lookForExits() {
        jobs.values().forEach(HostedJob::lookForExits);
    }

    /**
     * Forgets a job that this instance no longer hosts. Its name becomes free last: another thread may register the job
     * again at that moment, and nothing of that registration may be forgotten.
     */
    private void forget(String name, HostedJob hosted) {
        definitions.remove(name);
        coordination.jobs().follow(name, false);
        health.unhosted(name);
        meters.forget(name);
        jobs.remove(name, hosted);
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
        TriggeredRun run = new TriggeredRun(request, platform.waiting());
        triggers.admit(request.job());
        executor.execute(() -> triggers.add(run));
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
        TriggeredRun run = new TriggeredRun(request, platform.waiting(), later);
        triggers.admit(request.job());
        executor.execute(() -> triggers.add(run));
        return later.accepted().minimalCompletionStage();
    }

    private void requireAcceptable(Trigger.Request request) {
        requireOpen();
        int size = request.parameters().entrySet().stream()
                .mapToInt(entry -> entry.getKey().length() + entry.getValue().length())
                .sum();
        if (size > MAX_PARAMETERS) {
            throw new JobConfigurationException(
                    request.job(), "trigger parameters", size + " characters", MAX_PARAMETERS + " characters at most");
        }
        int named = request.items().stream().mapToInt(String::length).sum();
        if (named > MAX_ITEM_NAMES) {
            throw new JobConfigurationException(
                    request.job(),
                    "trigger items",
                    request.items().size() + " items of " + named + " characters",
                    MAX_ITEM_NAMES + " characters at most, or no items for all");
        }
    }

    /** Returns what the operator's views and commands need. Their requests wait for a connection of this instance. */
    public OperationsPort operations() {
        return new OperationsPort(
                coordination,
                operators,
                platform.clock(),
                platform.workers(),
                new EventSource(this::selfId, platform.clock(), events::publish));
    }

    /** Returns a stage that completes when this instance's node has been written for the first time. */
    public CompletionStage<Void> registered() {
        return registered.minimalCompletionStage();
    }

    private String selfId() {
        return instanceId().orElse("");
    }

    /** Returns this instance's id in its current session; empty before the first session. */
    public Optional<String> instanceId() {
        return Optional.ofNullable(registration.session()).map(Session::instanceId);
    }

    /** Returns the health of this instance and its jobs, from local knowledge only. Never waits for ZooKeeper. */
    public Health health() {
        return health.health();
    }

    /** Returns the metrics of this instance. Never waits for ZooKeeper, and does not block runs. */
    public Metrics metrics() {
        return meters.read(load(), status());
    }

    private Status status() {
        Map<String, Status.Hosted> hosted = new TreeMap<>();
        jobs.forEach(
                (name, job) -> job.status(meters.tasks(name).read()).ifPresent(status -> hosted.put(name, status)));
        return reconciler.status(hosted);
    }

    private Load load() {
        return new Load(
                context.slots().load(),
                workers.load(),
                new Load.SerialExecutors(
                        executors.active(), executors.queued(), executors.longest(), executors.completed()),
                WorkerStatistics.pool(platform.engineThreads()).orElse(Load.Pool.NONE),
                events.load());
    }

    /** Returns whether this instance leads, as far as it knows. */
    public boolean leading() {
        return reconciler.leading();
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
        executor.execute(() -> {
            if (closing) {
                shown.completeExceptionally(Refusals.closed());
                return;
            }
            orders.drainHere(drained);
            registration.shown().whenComplete((done, error) -> Stages.complete(shown, done, error));
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
        List<HostedJob> hosted = List.copyOf(jobs.values());
        awaitFromOutside(shutdown.left(), hosted, () -> executor.execute(this::beginClosing));
    }

    private void beginClosing() {
        if (!closing) {
            closing = true;
            lifecycle.closing();
            CompletionStage<Void> ended = shutdown.drainAll(List.copyOf(jobs.values()));
            // All jobs drain already, so the node lists none. The node now also shows that the instance is closing,
            // so the leader knows that a restart may follow.
            registration.close();
            ended.thenRunAsync(this::leave, executor);
        }
    }

    /** Returns how much of the jobs' shutdown grace is left for later closing steps. Call it after {@link #close}. */
    public Duration timeLeft() {
        return shutdown.timeLeft();
    }

    /** Returns the number of failed runs that error handlers of the application have not handled. */
    public int unhandledFailures() {
        return errors.unhandled();
    }

    /** Returns the report of the shutdown. Call it after {@link #close}. */
    public ShutdownReport shutdownReport() {
        return shutdown.report(jobs.values());
    }

    private void leave() {
        watchdog.close();
        triggers.close();
        operators.close();
        publisher.close();
        shutdown.leave(jobs.values());
    }

    private CompletionStage<Void> settled() {
        return reconciler.close().thenCompose(closed -> {
            events.status(() -> Status.NONE);
            return events.delivered();
        });
    }

    private void requireOpen() {
        if (closing) {
            throw Refusals.closed();
        }
    }

    // ---- events of the store

    private final class Signals implements Coordination.Listener {
        @Override
        public void connected(long sessionId, Duration sessionTimeout) {
            executor.execute(() -> {
                health.reached();
                registration.connected(sessionId, sessionTimeout);
                orders.connected();
                watchdog.connected();
            });
        }

        @Override
        public void suspended() {
            executor.execute(this::disconnected);
        }

        @Override
        public void lost() {
            executor.execute(() -> {
                disconnected();
                watchdog.doubt("the session with ZooKeeper is lost");
            });
        }

        private void disconnected() {
            registration.disconnected();
            health.disconnected();
            lifecycle.disconnected();
            jobs.values().forEach(HostedJob::suspended);
        }

        @Override
        public void hindered(String why) {
            executor.execute(() -> health.refused(why));
        }

        @Override
        public void limited(@Nullable String what) {
            health.limited(what);
        }

        @Override
        public void leadership(Optional<String> candidate) {
            reconciler.leadership(candidate);
        }

        @Override
        public void instancesChanged() {
            reconciler.instancesChanged();
        }

        @Override
        public void planChanged(String job) {
            JobEngine.this.planChanged(job);
        }

        @Override
        public void configurationChanged(String job) {
            reconciler.configurationChanged(job);
            JobEngine.this.planChanged(
                    job); // if the override is damaged, this instance may restore the last state that it has read
        }

        @Override
        public void itemChanged(String job, String item) {
            HostedJob hosted = jobs.get(job);
            if (hosted != null) {
                hosted.itemChanged(item);
            }
            reconciler.itemChanged(job);
        }

        @Override
        public void triggersChanged() {
            executor.execute(triggers::read);
        }

        @Override
        public void triggerChanged(String name, boolean gone) {
            executor.execute(() -> triggers.triggerChanged(name, gone));
            if (gone) {
                reconciler.triggerDeleted();
            }
        }

        @Override
        public void delayedTriggersChanged() {
            reconciler.delayedTriggersChanged();
        }

        @Override
        public void backfillsChanged() {
            reconciler.backfillsChanged();
        }

        @Override
        public void healthChanged() {
            reconciler.healthChanged();
        }

        @Override
        public void stopsChanged() {
            executor.execute(stops::read);
        }

        @Override
        public void ordersChanged() {
            executor.execute(orders::changed);
        }

        @Override
        public void fireChanged(String job, String fire) {
            HostedJob hosted = jobs.get(job);
            if (hosted == null) {
                executor.execute(() -> triggers.fireChanged(fire));
            } else {
                hosted.fireChanged(fire);
            }
        }
    }

    private void planChanged(String job) {
        HostedJob hosted = jobs.get(job);
        if (hosted != null) {
            hosted.planChanged();
        }
    }

    /** Receives the callbacks from the parts of the engine, from its jobs and from its leader. */
    private final class Callbacks
            implements JobContext.Instance,
                    LeaderContext.LeadingInstance,
                    InstanceRegistration.Engine,
                    OrdersState.Engine,
                    ManualTriggers.Engine,
                    FireStops.Engine,
                    Watchdog.Engine {
        @Override
        public Collection<HostedJob> jobs() {
            return jobs.values();
        }

        @Override
        public boolean prepared() {
            return lifecycle.prepared();
        }

        @Override
        public boolean ordersKnown() {
            return orders.current();
        }

        @Override
        public boolean connected() {
            return registration.connected();
        }

        @Override
        public Stream<String> names() {
            return registration.names();
        }

        @Override
        public boolean startsItems() {
            return orders.startsItems();
        }

        @Override
        public boolean drained() {
            return orders.drained();
        }

        @Override
        public void startsChanged() {
            jobs.values().forEach(HostedJob::decideAgain);
        }

        @Override
        public void drainChanged(boolean drained) {
            lifecycle.drained(drained);
            registration.drained(drained);
        }

        @Override
        public void ordersRead(OrdersView read, @Nullable Optional<Versioned<Orders>> known) {
            if (!registration.established()) {
                registration.announce(); // the node could not be written before the orders were read
            }
            reconciler.orders(read, known);
        }

        @Override
        public void registered(Session session) {
            health.connected(session.instanceId());
            registered.complete(null);
            lifecycle.connected();
            reconciler.connected();
            definitions.connected();
            jobs.values().forEach(job -> job.connected(session));
            triggers.connected();
            stops.read();
            operators.connected();
        }

        @Override
        public boolean established() {
            return registration.established();
        }

        @Override
        public boolean hosts(String job) {
            return jobs.containsKey(job);
        }

        @Override
        public boolean lacksDefinition(String job) {
            return definitions.lacks(job);
        }

        @Override
        public void triggersChanged(String job, Triggers ofJob) {
            HostedJob hosted = jobs.get(job);
            if (hosted != null) {
                hosted.triggersChanged(ofJob);
            }
        }

        @Override
        public void stopsRead(List<FireStop> all, Set<String> changed) {
            for (String job : changed) {
                HostedJob hosted = jobs.get(job);
                if (hosted != null) {
                    hosted.stopsChanged(stops.of(job));
                }
            }
            reconciler.stopsRead(all);
        }

        @Override
        public void alive() {
            health.alive();
            orders.check();
            events.status(JobEngine.this::status);
        }

        @Override
        public void resync(Duration elapsed, boolean full) {
            if (full) {
                triggers.look();
                stops.read();
                registration.checkNode();
                orders.changed();
                publisher.publish();
            }
            reconciler.reconcileAll(elapsed, full);
        }

        @Override
        public void announceAgain() {
            executor.execute(registration::announce);
        }

        @Override
        public void nodeMissing() {
            executor.execute(registration::missing);
        }

        @Override
        public void restore(Definition definition) {
            executor.execute(() -> definitions.restore(definition));
        }

        @Override
        public void reclaim(Definition definition) {
            executor.execute(() -> definitions.reclaim(definition));
        }

        @Override
        public void readPlan(String job) {
            planChanged(job);
        }

        @Override
        public void fireChanged(String fire) {
            executor.execute(() -> triggers.fireChanged(fire));
        }

        @Override
        public void fireEnded(String fire, Map<String, ItemOutcome> outcomes) {
            executor.execute(() -> triggers.fireEnded(fire, outcomes));
        }

        @Override
        public void reasonsChanged(String job, Map<JobHealth.Kind, String> reasons) {
            health.job(job, reasons);
        }

        @Override
        public Instant ordersChangedAt() {
            return orders.ordersChangedAt();
        }

        @Override
        public void alarmsChanged(String job, Set<AlarmKind> kinds) {
            health.alarms(job, kinds);
        }

        @Override
        public void readTriggers() {
            executor.execute(triggers::read);
        }

        @Override
        public void rejoinElection() {
            executor.execute(registration::campaignAgain);
        }

        @Override
        public void planned(String job, Map<JobHealth.Kind, String> problems) {
            health.planning(job, problems);
        }
    }

    /** Called after the preparation for the first work. The instance's node can now list the jobs. */
    private void prepared() {
        registration.announce();
    }

    private void defined(String job) {
        triggers.defined(job);
    }
}
