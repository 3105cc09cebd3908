package io.ostraka.core.facade;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobInstance;
import io.ostraka.api.JobRun;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Verdict;
import io.ostraka.core.execution.ItemExecutor;
import io.ostraka.core.execution.JobBody;
import io.ostraka.core.execution.RunSession;
import io.ostraka.core.leader.Reconciler;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.time.Lane;
import io.ostraka.core.time.Platform;
import io.ostraka.core.trigger.Schedules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An instance of the application: its session, its jobs, its part in leading. Thread-safe; nothing it does for its jobs
 * blocks a caller, {@link #close} apart.
 */
public final class JobEngine implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JobEngine.class);
    /** How far apart two writes of the instance's node are at least: what changes meanwhile goes into the next. */
    private static final Duration ANNOUNCE_PAUSE = Duration.ofMillis(200);
    /** How long code may take to return once it was told to end at shutdown, and ZooKeeper to take the last writes. */
    private static final Duration LAST_WAIT = Duration.ofSeconds(5);
    /** How many earlier ids an instance keeps naming. */
    private static final int EARLIER_IDS = 16;
    /** The largest parameters of a manual trigger, in characters. */
    private static final int MAX_PARAMETERS = 16 << 10;

    private final EngineSettings settings;
    private final Coordination coordination;
    private final Platform platform;
    private final Reconciler reconciler;
    private final Wiring wiring;
    private final Lane lane;
    private final Map<String, JobFacade> jobs = new ConcurrentHashMap<>();
    private final Map<String, JobConfiguration> undefined = new HashMap<>();
    private final Map<String, RunHandle> runs = new HashMap<>();

    private volatile @Nullable Session session;
    private volatile boolean connected;
    private volatile boolean doubted;
    private boolean announced;
    /** The id under which this instance stands for leader; null while it does not. */
    private @Nullable String candidate;

    private boolean announcing;
    private boolean announceStale;
    private boolean draining;
    private boolean readingTriggers;
    private boolean triggersStale;
    private List<Trigger> triggers = List.of();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private boolean closing;
    private Runnable nextTick = () -> {};
    private Duration sinceAudit = Duration.ZERO;

    /**
     * Wires an instance; {@link #start} brings it to life.
     *
     * @param strategies the sharding strategies there are, by type; the default among them
     */
    public JobEngine(
            EngineSettings settings,
            Coordination coordination,
            Platform platform,
            Map<String, JobShardingStrategy> strategies) {
        this.settings = settings;
        this.coordination = coordination;
        this.platform = platform;
        this.reconciler = new Reconciler(coordination, platform, strategies, settings.drainDeadline());
        this.lane = new Lane(platform.lanes());
        this.wiring = new Wiring(
                coordination, platform, new ItemExecutor(platform.workers()), new Runs(), new Wiring.Instance() {
                    @Override
                    public void announceAgain() {
                        lane.execute(JobEngine.this::announce);
                    }

                    @Override
                    public void nodeMissing() {
                        lane.execute(() -> {
                            announced = false;
                            announce();
                        });
                    }

                    @Override
                    public void readTriggers() {
                        lane.execute(JobEngine.this::readTriggers);
                    }
                });
    }

    /** Starts connecting, in the background and for ever. */
    public void start() {
        coordination.start(new Signals());
        lane.execute(this::tickLater);
    }

    /**
     * Registers a job and hosts it. Returns at once; what needs ZooKeeper happens when it is there.
     *
     * @throws JobConfigurationException when the configuration can't be accepted, or this instance hosts the job already
     */
    public void register(Job job, JobConfiguration configuration) {
        String name = configuration.jobName();
        Schedules.validate(name, configuration.schedule());
        JobFacade facade = new JobFacade(configuration, new JobBody(name, job, configuration.streaming()), wiring);
        if (jobs.putIfAbsent(name, facade) != null) {
            throw new JobConfigurationException(name, "jobName", name, "a job that this instance does not host yet");
        }
        lane.execute(() -> {
            undefined.put(name, configuration);
            coordination.jobs().follow(name, true);
            define(name);
            announce();
            Session current = session;
            if (announced && current != null) {
                facade.triggersChanged(triggers);
                facade.connected(current);
            }
        });
    }

    /**
     * Stops hosting a job: nothing more of it starts here, what runs may end within the job's grace, the rest is told to
     * end and given up. Waits for that; another call for the same job, or one for a job that isn't hosted, does nothing.
     */
    public void unregister(String name) {
        JobFacade facade = jobs.get(name);
        if (facade == null || facade.draining()) {
            return;
        }
        await(
                drain(List.of(facade))
                        .thenRunAsync(
                                () -> {
                                    facade.close();
                                    jobs.remove(name, facade);
                                    undefined.remove(name);
                                    coordination.jobs().follow(name, false);
                                },
                                lane),
                facade.shutdownGrace().plus(LAST_WAIT.multipliedBy(2)));
    }

    /**
     * Triggers a job by hand: every item once, cluster-wide. Returns at once; the trigger is kept until ZooKeeper has it.
     *
     * @param parameters for the run, at most 16 Ki characters together
     * @param items which items; empty for all
     */
    public JobRun trigger(String job, Map<String, String> parameters, Set<String> items) {
        int size = parameters.entrySet().stream()
                .mapToInt(entry -> entry.getKey().length() + entry.getValue().length())
                .sum();
        if (size > MAX_PARAMETERS) {
            throw new JobConfigurationException(
                    job, "trigger parameters", size + " characters", MAX_PARAMETERS + " characters at most");
        }
        RunHandle run = new RunHandle(
                new Trigger.Request(job, UUID.randomUUID().toString(), parameters, items), platform.waiting());
        lane.execute(() -> {
            runs.put(run.runId(), run);
            coordination.fires().follow(job, run.runId(), true);
            submit(run);
        });
        return run;
    }

    /** Changes what an operator wants of a job. It fails when the job is not known or ZooKeeper does not answer. */
    public CompletionStage<Void> amend(String job, UnaryOperator<JobOverride> change) {
        return coordination.jobs().amend(job, change);
    }

    /** Deletes every node of a removed job. It fails while the job is not removed, or an instance hosts it. */
    public CompletionStage<Void> purge(String job) {
        return coordination.jobs().purge(job);
    }

    /** Returns this instance's id under its present session, empty before the first. */
    public Optional<String> instanceId() {
        return Optional.ofNullable(session).map(Session::instanceId);
    }

    /** Tells whether this instance leads, as far as it knows. */
    public boolean leading() {
        return reconciler.leading();
    }

    /**
     * Shuts down, once: idle items go to others at once, running ones may end within their job's grace, the rest is told
     * to end and handed over; then the instance leaves. Waits for all of it, a bounded time.
     */
    @Override
    public void close() {
        Duration longest = jobs.values().stream()
                .map(JobFacade::shutdownGrace)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        lane.execute(() -> {
            if (!closing) {
                closing = true;
                draining = true;
                drain(List.copyOf(jobs.values())).thenRunAsync(this::leave, lane);
            }
        });
        await(closed, longest.plus(LAST_WAIT.multipliedBy(3)));
    }

    // ---- ending

    /** Completed once nothing of the jobs runs here, or what ran was told to end and had time to. */
    private CompletableFuture<Void> drain(List<JobFacade> facades) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (JobFacade facade : facades) {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            Runnable deadline = platform.timer().after(facade.shutdownGrace(), () -> {
                facade.cancelRuns();
                platform.timer().after(LAST_WAIT, () -> ended.complete(null));
            });
            facade.drain().whenComplete((done, error) -> {
                deadline.run();
                ended.complete(null);
            });
            all.add(ended);
        }
        lane.execute(this::announce);
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    }

    private void leave() {
        nextTick.run();
        jobs.values().forEach(JobFacade::close);
        runs.values()
                .forEach(run -> run.end.completeExceptionally(
                        new CoordinationException("the registry was closed before run " + run.runId() + " ended")));
        Session current = session;
        CompletableFuture<Verdict> left = current == null || !connected
                ? CompletableFuture.completedFuture(new Verdict.Unknown())
                : coordination.membership().withdraw(current.instanceId()).toCompletableFuture();
        Runnable deadline = platform.timer().after(LAST_WAIT, () -> left.complete(new Verdict.Unknown()));
        left.whenComplete((verdict, error) -> {
            deadline.run();
            coordination.membership().resign();
            // closing waits for the server, and must not do so on the store's own thread
            platform.workers().execute(() -> {
                coordination.close();
                closed.complete(null);
            });
        });
    }

    private void await(CompletableFuture<?> stage, Duration timeout) {
        try {
            platform.waiting().await(stage, timeout);
        } catch (TimeoutException e) {
            log.warn("shutdown has not ended within {}; what still runs is left to failover", timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the instance's own node, and the session

    private final class Signals implements Coordination.Listener {
        @Override
        public void connected(long sessionId, Duration sessionTimeout) {
            lane.execute(() -> {
                begin(sessionId, sessionTimeout);
                connected = true;
                doubted = false;
                announced = false;
                announce();
            });
        }

        @Override
        public void suspended() {
            lane.execute(() -> {
                connected = false;
                jobs.values().forEach(JobFacade::suspended);
            });
        }

        @Override
        public void lost() {
            lane.execute(() -> {
                connected = false;
                jobs.values().forEach(JobFacade::suspended);
                doubt("the session with ZooKeeper is lost");
            });
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
            JobFacade facade = jobs.get(job);
            if (facade != null) {
                facade.planChanged();
            }
        }

        @Override
        public void configurationChanged(String job) {
            reconciler.configurationChanged(job);
        }

        @Override
        public void runningGone(String job, String item) {
            JobFacade facade = jobs.get(job);
            if (facade != null) {
                facade.runningGone(item);
            }
            reconciler.runningGone(job);
        }

        @Override
        public void triggersChanged() {
            lane.execute(JobEngine.this::readTriggers);
        }

        @Override
        public void fireChanged(String job, String fire) {
            lane.execute(() -> {
                RunHandle run = runs.get(fire);
                if (run != null) {
                    look(run);
                }
            });
        }
    }

    private void begin(long sessionId, Duration timeout) {
        Session before = session;
        if (before != null && before.id() == sessionId) {
            return;
        }
        List<String> earlier = new ArrayList<>();
        if (before != null) {
            earlier.addAll(before.earlierIds());
            earlier.add(before.instanceId());
        }
        String id = settings.host() + "@" + settings.pid() + "@" + Long.toHexString(sessionId);
        session = new Session(
                id, sessionId, timeout, earlier.subList(Math.max(0, earlier.size() - EARLIER_IDS), earlier.size()));
    }

    private void announce() {
        Session current = session;
        if (announcing) {
            announceStale = true;
            return;
        }
        if (current == null || !connected) {
            return;
        }
        announcing = true;
        announceStale = false;
        coordination
                .membership()
                .announce(self(current))
                .whenComplete((verdict, error) -> lane.execute(() -> {
                    if (error == null
                            && verdict instanceof Verdict.Done
                            && session == current
                            && connected
                            && !announced) {
                        announced = true;
                        present(current);
                    } else if (error != null || !(verdict instanceof Verdict.Done)) {
                        announceStale = true;
                    }
                    platform.timer()
                            .after(
                                    ANNOUNCE_PAUSE,
                                    () -> lane.execute(() -> {
                                        announcing = false;
                                        if (announceStale || session != current) {
                                            announce();
                                        }
                                    }));
                }));
    }

    private InstanceInfo self(Session current) {
        Map<String, Set<String>> stillRunning = new HashMap<>();
        if (!current.earlierIds().isEmpty()) {
            jobs.values().forEach(job -> {
                Set<String> items = job.executingFromBefore(current.instanceId());
                if (!items.isEmpty()) {
                    stillRunning.put(job.name(), items);
                }
            });
        }
        return new InstanceInfo(
                new JobInstance(
                        current.instanceId(), settings.host(), settings.zone(), settings.tags(), settings.weight()),
                settings.pid(),
                draining ? InstanceInfo.State.DRAINING : InstanceInfo.State.WORKING,
                jobs.values().stream()
                        .filter(job -> !job.draining())
                        .map(JobFacade::name)
                        .collect(Collectors.toSet()),
                current.earlierIds(),
                stillRunning);
    }

    /** The instance's node is there: everything begins, or goes on. */
    private void present(Session current) {
        log.info("instance {} is registered", current.instanceId());
        if (!draining && !current.instanceId().equals(candidate)) {
            if (candidate != null) {
                coordination.membership().resign();
            }
            candidate = current.instanceId();
            coordination.membership().campaign(candidate);
        }
        reconciler.connected();
        List.copyOf(undefined.keySet()).forEach(this::define);
        readTriggers();
        jobs.values().forEach(job -> job.connected(current));
        List.copyOf(runs.values()).forEach(run -> {
            if (run.accepted) {
                look(run);
            } else {
                submit(run);
            }
        });
    }

    private void define(String job) {
        JobConfiguration configuration = undefined.get(job);
        if (configuration == null || !announced) {
            return;
        }
        coordination
                .jobs()
                .define(configuration)
                .whenComplete((replaced, error) -> lane.execute(() -> {
                    if (error != null) {
                        log.warn("job '{}' is not registered yet: {}", job, reason(error));
                        later(() -> define(job));
                        return;
                    }
                    undefined.remove(job, configuration);
                    replaced.ifPresent(other -> log.warn(
                            "job '{}': definition {} replaces {} of the same or a lower revision",
                            job,
                            configuration,
                            other));
                    announce();
                    JobFacade facade = jobs.get(job);
                    if (facade != null) {
                        facade.planChanged();
                    }
                }));
    }

    private static String reason(Throwable error) {
        Throwable cause = error.getCause() == null ? error : error.getCause();
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    private void later(Runnable task) {
        platform.timer().after(Duration.ofSeconds(1), () -> lane.execute(task));
    }

    // ---- manual triggers

    private void submit(RunHandle run) {
        if (!announced || !connected || run.end.isDone()) {
            return;
        }
        coordination
                .fires()
                .trigger(run.request)
                .whenComplete((done, error) -> lane.execute(() -> {
                    if (error == null) {
                        run.accepted = true;
                        look(run);
                    } else {
                        log.debug("run {} is not accepted yet: {}", run.runId(), reason(error));
                        later(() -> submit(run));
                    }
                }));
    }

    private void look(RunHandle run) {
        String job = run.request.job();
        coordination
                .fires()
                .progress(job, run.runId())
                .whenComplete((progress, error) -> lane.execute(() -> {
                    if (error == null
                            && progress.isPresent()
                            && progress.get().value().done()) {
                        runs.remove(run.runId());
                        coordination.fires().follow(job, run.runId(), false);
                        run.end.complete(progress.get().value().outcomes());
                    }
                }));
    }

    private void readTriggers() {
        if (readingTriggers) {
            triggersStale = true;
            return;
        }
        if (!announced || !connected) {
            return;
        }
        readingTriggers = true;
        triggersStale = false;
        coordination
                .fires()
                .triggers()
                .whenComplete((read, error) -> lane.execute(() -> {
                    readingTriggers = false;
                    if (error == null) {
                        tellTriggers(read);
                    } else {
                        later(this::readTriggers);
                    }
                    if (triggersStale) {
                        readTriggers();
                    }
                }));
    }

    /** Tells the jobs whose triggers have changed. */
    private void tellTriggers(List<Trigger> read) {
        List<Trigger> changed = new ArrayList<>(read);
        changed.removeAll(triggers);
        triggers.stream().filter(trigger -> !read.contains(trigger)).forEach(changed::add);
        triggers = read;
        changed.stream()
                .map(trigger -> jobs.get(trigger.request().job()))
                .distinct()
                .forEach(job -> {
                    if (job != null) {
                        job.triggersChanged(read);
                    }
                });
    }

    // ---- looking after things

    private void tickLater() {
        Session current = session;
        Duration interval = settings.reconcileInterval();
        Duration third = current == null ? interval : current.timeout().dividedBy(4);
        Duration next = third.compareTo(interval) < 0 ? third : interval;
        nextTick = platform.timer()
                .after(
                        next,
                        () -> lane.execute(() -> {
                            sinceAudit = sinceAudit.plus(next);
                            boolean audit = sinceAudit.compareTo(settings.auditInterval()) >= 0;
                            sinceAudit = audit ? Duration.ZERO : sinceAudit;
                            tick(audit);
                            tickLater();
                        }));
    }

    private void tick(boolean audit) {
        Session current = session;
        boolean running = jobs.values().stream().anyMatch(job -> job.busy());
        if (current != null && running) {
            if (connected
                    && coordination
                                    .membership()
                                    .lastAnswerAge()
                                    .compareTo(current.timeout().dividedBy(4))
                            > 0) {
                coordination.membership().ping();
            }
            Optional<String> doubt = wiring.runs().doubt();
            doubted &= doubt.isPresent();
            doubt.ifPresent(this::doubt);
        }
        if (announced && connected) {
            reconciler.look(audit);
            jobs.values().forEach(job -> job.look(audit));
            List.copyOf(runs.values()).stream()
                    .filter(run -> run.accepted && audit)
                    .forEach(this::look);
            if (audit) {
                readTriggers();
            }
        }
    }

    /** This instance can no longer be sure of its items. */
    private void doubt(String reason) {
        if (!doubted) {
            doubted = true;
            log.warn("{}; running items are no longer this instance's for sure", reason);
            jobs.values().forEach(job -> job.lost(reason));
        }
    }

    /** What runs ask: the local ownership clock, and their checkpoints. */
    private final class Runs implements RunSession {
        @Override
        public Optional<String> doubt() {
            Session current = session;
            Duration age = coordination.membership().lastAnswerAge();
            Duration limit = current == null
                    ? Duration.ZERO
                    : current.timeout().multipliedBy(2).dividedBy(3);
            return age.compareTo(limit) <= 0
                    ? Optional.empty()
                    : Optional.of("ZooKeeper has not answered for " + age.toMillis() + " ms, two thirds of the session "
                            + "timeout are " + limit.toMillis() + " ms");
        }

        @Override
        public Optional<byte[]> checkpoint(String job, String item) {
            return answer("read the checkpoint", job, item, coordination.items().checkpoint(job, item));
        }

        @Override
        public boolean saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint) {
            Verdict verdict = answer(
                    "save the checkpoint",
                    job,
                    item,
                    coordination.items().saveCheckpoint(job, item, recordVersion, checkpoint));
            if (verdict instanceof Verdict.Done || verdict instanceof Verdict.Outdated) {
                return verdict instanceof Verdict.Done;
            }
            throw new CoordinationException("could not save the checkpoint of item " + item + " of job '" + job + "': "
                    + (verdict instanceof Verdict.Unknown ? "no answer from ZooKeeper" : "refused"));
        }

        private <T> T answer(String what, String job, String item, CompletionStage<T> stage) {
            CompletableFuture<T> future = stage.toCompletableFuture();
            Session current = session;
            Duration timeout = current == null ? LAST_WAIT : current.timeout();
            String whose = what + " of item " + item + " of job '" + job + "'";
            try {
                platform.waiting().await(future, timeout);
                return future.join();
            } catch (TimeoutException e) {
                throw new CoordinationException("could not " + whose + ": no answer within " + timeout, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CoordinationException("could not " + whose + ": interrupted", e);
            } catch (java.util.concurrent.CompletionException e) {
                throw new CoordinationException("could not " + whose + ": " + reason(e), e);
            }
        }
    }
}
