package io.ostraka.faults.simulation;

import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmHandler;
import io.ostraka.api.FireListener;
import io.ostraka.api.Health;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.Schedule;
import io.ostraka.api.UnknownOutcomeException;
import io.ostraka.core.coordination.Amendment;
import io.ostraka.core.coordination.Cancellation;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.time.Stages;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Write;
import io.ostraka.faults.recorder.RecordingListener;
import io.ostraka.faults.recorder.RecordingOnceListener;
import io.ostraka.fixtures.ForwardingStore;
import io.ostraka.operations.Commands;
import io.ostraka.testkit.InMemoryCoordination;
import io.ostraka.testkit.InMemoryNodeStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The instances of an application, which use an in-memory coordination, and their recorded history. */
final class Cluster {
    /** Time after which the server ends a session that has sent no heartbeat. */
    static final Duration SESSION_TIMEOUT = Duration.ofSeconds(15);

    /** Interval of the full resync, shorter than the default, so that even a short recovery includes a resync. */
    private static final Duration AUDIT = Duration.ofSeconds(20);

    /** Pause before a request whose outcome is unknown is repeated. */
    private static final Duration PAUSE = Duration.ofMillis(500);

    private static final int MOST_LISTEN_MILLIS = 2_000;
    /** Key of every delayed trigger, so that a job has at most one at a time. */
    private static final String KEY = "key";

    private static final Duration CANCEL_AGAIN = Duration.ofSeconds(1);

    /** Problems that a healthy engine never reports, under any fault. */
    private static final Set<JobHealth.Kind> DEFECTS =
            EnumSet.of(JobHealth.Kind.DEFECT, JobHealth.Kind.PLANNING_DEFECT);

    final Scheduler scheduler;
    final InMemoryCoordination tree;
    final FencedStore store = new FencedStore();
    final List<Instance> instances = new ArrayList<>();
    private final Map<Instance, Coordination> coordinations = new HashMap<>();
    final Map<String, JobConfiguration> jobs = new TreeMap<>();
    /** Configurations of jobs. The key consists of the revision and the name of the job. */
    private final Map<String, JobConfiguration> revisions = new HashMap<>();

    private final List<Event> history = new ArrayList<>();
    private final Scenario scenario;
    private final CoordinationHooks hooks;
    private final Executor threads;
    /** Defects recorded so far. */
    private final Set<String> defects = new HashSet<>();

    private int runs;
    private int requests;

    Cluster(Scenario scenario, CoordinationHooks hooks, Executor threads) {
        this.scenario = scenario;
        this.hooks = hooks;
        this.threads = threads;
        scheduler = new Scheduler(scenario.seed(), Scenario.START, this::recordDefects);
        tree = new InMemoryCoordination(scheduler::now);
        tree.setFirstVersion(hooks.firstVersion());
        tree.onCommit(transaction -> history.add(recorded(transaction)));
    }

    private static Event recorded(InMemoryCoordination.Transaction transaction) {
        List<Write> writes = new ArrayList<>();
        for (NodeOp operation : transaction.operations()) {
            if (operation instanceof NodeOp.Create create) {
                boolean ephemeral = create.kind() == NodeOp.Kind.EPHEMERAL;
                writes.add(new Write.Created(create.path(), text(create.data()), ephemeral));
            } else if (operation instanceof NodeOp.Set set) {
                var changed = new Write.Changed(set.path(), text(set.data()));
                if (!writes.isEmpty() && writes.get(writes.size() - 1).equals(changed)) {
                    continue; // a repeated write only skips a version of the node
                }
                writes.add(changed);
            } else if (operation instanceof NodeOp.Delete delete) {
                writes.add(new Write.Deleted(delete.path()));
            }
        }
        return new Event.Transaction(
                transaction.zxid(), transaction.at(), transaction.session(), transaction.endsSession(), writes);
    }

    private static String text(byte[] data) {
        return new String(data, StandardCharsets.UTF_8);
    }

    void record(Event event) {
        history.add(event);
    }

    List<Event> history() {
        return history;
    }

    List<Instance> living() {
        return instances.stream().filter(instance -> instance.alive).toList();
    }

    /** Starts an additional instance, which hosts every job. */
    Instance join(String host, long pid, Duration skew) {
        String name = "process-" + instances.size();
        var machine = new Machine(scheduler, threads, skew);
        InMemoryNodeStore client = tree.connect(name, machine.network(), machine.client(), SESSION_TIMEOUT);
        var told = new ToldStore(hooks.store(client));
        Coordination coordination =
                hooks.coordination(new TreeCoordination(told, machine.platform().clock()));
        var counts = new Counts();
        var reports = new Reports(name, event -> {
            if (instances.stream().noneMatch(instance -> instance.name.equals(name) && instance.killed)) {
                history.add(event);
            }
        });
        var engine = new JobEngine(
                settings(host, pid),
                coordination,
                machine.platform(),
                Extensions.of(strategies())
                        .withMeters(List.of(counts, reports))
                        .withAlarmHandlers(List.of(new AlarmRecorder(name))));
        var instance = new Instance(name, host, pid, machine, client, engine, counts, history::add);
        instances.add(instance);
        coordinations.put(instance, coordination);
        told.instance = instance;
        engine.start();
        jobs.keySet().forEach(job -> register(instance, job));
        return instance;
    }

    private static Map<String, JobShardingStrategy> strategies() {
        Map<String, JobShardingStrategy> strategies = new TreeMap<>(BuiltInStrategies.all());
        strategies.put(FailingStrategy.TYPE, new FailingStrategy());
        return strategies;
    }

    /** Records the messages about alarms. Every fourth call fails; half of the failed calls fail after the receipt. */
    private final class AlarmRecorder implements AlarmHandler {
        private final String process;
        private int calls;

        AlarmRecorder(String process) {
            this.process = process;
        }

        @Override
        public void handle(Alarm alarm) {
            calls++;
            if (instances.stream().anyMatch(instance -> instance.name.equals(process) && instance.killed)) {
                return;
            }
            if (calls % 8 != 4) {
                history.add(new Event.Alarmed(
                        scheduler.now(),
                        process,
                        alarm.job() == null ? "~namespace" : alarm.job(),
                        alarm.kind().name(),
                        alarm.state().name(),
                        alarm.id()));
            }
            if (calls % 4 == 0) {
                throw new IllegalStateException("fails on purpose");
            }
        }

        @Override
        public String name() {
            return Event.ALARM_HANDLER;
        }
    }

    /** Records a defect if an instance sends a claim although it knows that the namespace is frozen. */
    private static final class ToldStore extends ForwardingStore {
        @Nullable Instance instance;

        ToldStore(NodeStore real) {
            super(real);
        }

        @Override
        public CompletionStage<Outcome> commit(List<NodeOp> operations) {
            Instance sender = instance;
            if (sender != null && operations.stream().anyMatch(ToldStore::claims)) {
                sender.engine.health().jobs().values().stream()
                        .filter(job -> job.reason(JobHealth.Kind.FROZEN).isPresent())
                        .findFirst()
                        .ifPresent(job -> sender.recorder.defect(job.job(), "claims while frozen: " + operations));
            }
            return super.commit(operations);
        }

        private static boolean claims(NodeOp operation) {
            return operation instanceof NodeOp.Create && operation.path().endsWith("/running");
        }
    }

    /** Returns whether a host has the tag. Hosts are numbered, and every second host has the tag. */
    static boolean hasTag(String host) {
        return Integer.parseInt(host.substring(host.indexOf('-') + 1)) % 2 == 0;
    }

    /**
     * Returns the settings of an instance. In a scenario that limits the concurrent runs of a job, the instance also
     * has few slots.
     */
    private EngineSettings settings(String host, long pid) {
        boolean tagged = hasTag(host);
        EngineSettings defaults = EngineSettings.of(host, pid)
                .withAttributes(tagged ? "a" : "b", tagged ? Map.of(Scenario.TAG, "ssd") : Map.of(), tagged ? 2 : 1);
        boolean narrow = scenario.jobs().stream().anyMatch(job -> job.concurrency() > 0);
        return (narrow ? defaults.withRuns(3, 2).withTaskRuns(2) : defaults)
                .withIntervals(defaults.intervals().reconcile(), AUDIT, scenario.drainDeadline());
    }

    void schedule(JobConfiguration job) {
        jobs.put(job.jobName(), job);
        living().forEach(instance -> register(instance, job.jobName()));
    }

    /**
     * Registers a job. This has no effect if the instance still hosts the job, for example because a run has not
     * returned yet.
     */
    void register(Instance instance, String job) {
        instance.machine.execute(() -> {
            try {
                JobConfiguration configuration = configuration(job);
                List<RecordingListener> heard = configuration.jobParameter().equals(Event.HEARD)
                        ? List.of(new RecordingListener(instance.recorder))
                        : List.of();
                List<FireListener> listeners = new ArrayList<>(heard);
                List<RunInterceptor> interceptors = new ArrayList<>(heard);
                if (hasTasks(configuration)) {
                    interceptors.add(instance.recorder.tries());
                }
                if (configuration.labels().equals(Event.TOLD_ONCE)) {
                    UserCode userCode = new UserCode(this, instance);
                    listeners.add(
                            new RecordingOnceListener(instance.recorder, fire -> userCode.listen(MOST_LISTEN_MILLIS)));
                }
                instance.engine.register(
                        code(instance, configuration),
                        configuration,
                        JobOptions.none().interceptors(interceptors).listeners(listeners));
            } catch (JobConfigurationException e) {
                // The instance still hosts the job.
            } catch (OstrakaException e) {
                // The instance is already closed.
            }
        });
    }

    /** Gives a job another schedule under the next revision. Instances that join later register this revision. */
    long redefine(String job, Schedule schedule) {
        JobConfiguration present = configuration(job);
        JobConfiguration next = present.toBuilder()
                .schedule(schedule)
                .revision(present.revision() + 1)
                .build();
        jobs.put(job, next);
        revisions.put(next.revision() + job, next);
        return next.revision();
    }

    /** Replaces an instance's configuration of a job, unless the instance has a newer one or does not host the job. */
    void follow(Instance instance, String job, long revision) {
        JobConfiguration next = Objects.requireNonNull(revisions.get(revision + job));
        instance.machine.execute(() -> {
            try {
                instance.engine.redefine(List.of(next));
            } catch (OstrakaException e) {
                // The instance hosts the job with a newer revision, does not host it, or is closed.
            }
        });
    }

    /** Records a defect for each job whose stored definition is older than the newest one that an instance has. */
    void recordDefinitions() {
        jobs.forEach((job, newest) -> {
            String stored = new String(
                    tree.read("/jobs/" + job + "/config").orElseThrow().data(), StandardCharsets.UTF_8);
            if (!stored.contains("\"revision\":" + newest.revision() + ",")
                    && !stored.contains("\"revision\":" + newest.revision() + "}")) {
                living().get(0).recorder.defect(job, "revision " + newest.revision() + " was not stored: " + stored);
            }
        });
    }

    private JobConfiguration configuration(String job) {
        JobConfiguration found = jobs.get(job);
        if (found == null) {
            throw new IllegalArgumentException("no job " + job);
        }
        return found;
    }

    private Job code(Instance instance, JobConfiguration job) {
        UserCode userCode = new UserCode(this, instance);
        if (job.jobName().equals(Scenario.FLOW)) {
            return new SimulatedDataflow(userCode);
        }
        return hasTasks(job) ? new TaskedJob(userCode) : new SimulatedJob(userCode);
    }

    private static boolean hasTasks(JobConfiguration job) {
        return job.description().equals(Scenario.TASKS);
    }

    void unregister(Instance instance, String job) {
        instance.machine.execute(() -> instance.engine.unregister(job));
    }

    /** Returns a client's store, wrapped by the hooks of this cluster. */
    NodeStore hooked(NodeStore client) {
        return hooks.store(client);
    }

    /** Changes an override. Repeats the request until its outcome is known. */
    CompletableFuture<Void> amend(Instance instance, String job, UnaryOperator<JobOverride> change) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        amend(instance, job, new Amendment(change, null, "request-" + ++requests), done);
        return done;
    }

    private void amend(Instance instance, String job, Amendment amendment, CompletableFuture<Void> done) {
        instance.machine.execute(() -> new Commands(instance.engine.operations())
                .amend(job, amendment)
                .whenComplete((result, error) -> {
                    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
                    if (cause instanceof UnknownOutcomeException) {
                        scheduler.after(PAUSE, () -> {
                            if (instance.alive) {
                                amend(instance, job, amendment, done);
                            }
                        });
                    } else if (cause == null) {
                        done.complete(null);
                    } else {
                        done.completeExceptionally(cause);
                    }
                }));
    }

    void trigger(Instance instance, String job, Set<String> items) {
        instance.machine.execute(() -> {
            try {
                instance.recorder.asked(job, items, instance.engine.trigger(request(job, items)));
            } catch (OstrakaException e) {
                // The instance is already closed.
            }
        });
    }

    /** Requests that items run again for an earlier fire. The new fire has the time of the earlier fire. */
    void rerun(Instance instance, String job, Set<String> items, Instant fireTime, int total) {
        instance.machine.execute(() -> {
            try {
                Trigger.Request request = request(job, items).at(fireTime).rerunning(job + "@" + fireTime, total);
                instance.recorder.asked(job, items, instance.engine.trigger(request));
            } catch (OstrakaException e) {
                // The instance is already closed.
            }
        });
    }

    /** Cancels the delayed trigger of a job. Repeats the request until its result is known. */
    void cancel(Instance instance, String job) {
        instance.machine.execute(() -> Stages.of(() -> Objects.requireNonNull(coordinations.get(instance))
                        .fires()
                        .cancel(job, KEY, instance.name, null))
                .whenComplete((result, error) -> {
                    if (instance.alive && (error != null || result instanceof Cancellation.Unknown)) {
                        scheduler.after(CANCEL_AGAIN, () -> cancel(instance, job));
                    }
                }));
    }

    /** Requests a trigger after a delay. A job has at most one delayed trigger at a time. */
    void triggerAfter(Instance instance, String job, Duration delay) {
        instance.machine.execute(() -> {
            try {
                instance.engine
                        .triggerAfter(request(job, Set.of()), KEY, delay)
                        .thenAccept(run -> instance.recorder.asked(job, Set.of(), run));
            } catch (OstrakaException e) {
                // The instance is already closed.
            }
        });
    }

    private Trigger.Request request(String job, Set<String> items) {
        return new Trigger.Request(job, "run-" + ++runs, Map.of(), items);
    }

    /**
     * Slows down the requests of an instance. All requests that it sends within one period of the latency arrive
     * together at the end of the period.
     */
    void slow(Instance instance, Duration latency) {
        boolean begins = instance.latency.isZero() && !latency.isZero();
        instance.latency = latency;
        if (begins) {
            gather(instance);
        }
    }

    private void gather(Instance instance) {
        if (!instance.latency.isZero() && !instance.killed) {
            instance.store.holdRequests();
            scheduler.after(instance.latency, () -> {
                instance.store.releaseRequests();
                gather(instance);
            });
        }
    }

    /**
     * Ends a process like kill -9. Its session ends after the timeout. Code that runs in the process may call this
     * method itself.
     */
    void kill(Instance instance) {
        instance.alive = false;
        instance.killed = true;
        record(new Event.Killed(scheduler.now(), instance.name));
        long session = instance.store.session();
        instance.store.suspend();
        instance.machine.kill();
        expireLater(session);
    }

    /** Shuts an instance down gracefully. */
    void close(Instance instance) {
        if (instance.alive) {
            instance.alive = false;
            instance.machine.execute(instance.engine::close);
        }
    }

    /** Ends a session after its timeout. */
    void expireLater(long session) {
        scheduler.after(SESSION_TIMEOUT, () -> tree.expire(session));
    }

    /** Records the defects that engines report. This check is not a step, so it does not change the order of steps. */
    private void recordDefects() {
        for (Instance instance : instances) {
            Health health = instance.engine.health();
            if (!instance.alive || health == instance.seen) {
                continue;
            }
            instance.seen = health;
            instance.seenAt = scheduler.now();
            for (JobHealth job : health.jobs().values()) {
                for (JobHealth.Reason reason : job.reasons()) {
                    String text = reason.text();
                    if (DEFECTS.contains(reason.kind()) && defects.add(instance.name + " " + job.job() + " " + text)) {
                        instance.recorder.defect(job.job(), text);
                    }
                }
            }
        }
    }

    /** Records the health that each living instance reports. */
    void recordHealth() {
        recordDefects(); // the health may have just changed, and this call then updates seenAt
        living().forEach(instance ->
                instance.recorder.health(instance.engine.health(), Duration.between(instance.seenAt, scheduler.now())));
    }

    /** Records the counts of each instance, including dead ones. */
    void recordCounts() {
        for (Instance instance : instances) {
            record(new Event.Counted(
                    scheduler.now(), instance.name, scenario.faults().isEmpty(), instance.counts.read()));
        }
    }

    /** Records the number of requests that each living instance has sent so far. */
    void recordRequests() {
        for (Instance instance : living()) {
            InMemoryNodeStore.Operations all = instance.store.operations();
            instance.recorder.requests(
                    all.commits(),
                    all.reads() + all.children(),
                    settings(instance.host, instance.pid).slots().quick());
        }
    }

    /** Frees the threads of code that has not returned yet. */
    void discard() {
        instances.forEach(instance -> instance.machine.kill());
    }
}
