package io.ostraka.testkit;

import io.ostraka.api.Health;
import io.ostraka.api.InstanceListener;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobOptions;
import io.ostraka.api.JobRun;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.metrics.Metrics;
import io.ostraka.api.operations.Operations;
import io.ostraka.core.coordination.Amendment;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.instance.Answers;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.instance.Observer;
import io.ostraka.core.instance.OperationsPort;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.schedule.FireSchedules;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.operations.Commands;
import io.ostraka.operations.NamespaceOperations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of instances in a single thread, for tests of jobs, their sharding and their failover. It uses the real
 * engine, in-memory coordination and manually driven time, so a test takes milliseconds and behaves the same in every
 * run. All actions of the cluster happen during {@link #advance} and the methods that call it. Jobs run on the calling
 * thread and take no time, unless a job itself calls {@link #advance}. Not thread-safe.
 *
 * <p>Each call that changes the cluster ({@link #join()}, {@link #schedule}, {@link #trigger}, {@link #pause}, {@link
 * Instance#close}, {@link Instance#expireSession}) advances the time by one second. Elections, plans and registrations
 * take place within this second. For example, a new cluster of three instances is already three seconds old; {@link
 * #now} returns the current time.
 */
public final class TestCluster implements AutoCloseable {
    /** Session timeout of the cluster. After this time without a sign of life from an instance, its session ends. */
    public static final Duration SESSION_TIMEOUT = Duration.ofSeconds(15);

    private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(20);

    private final ManualTime time;
    private final InMemoryCoordination tree;
    private final List<Instance> instances = new ArrayList<>();
    private final List<Hosted> jobs = new ArrayList<>();
    private final Extensions extensions;
    private final List<EventSubscriber> subscribers = new CopyOnWriteArrayList<>();
    private @Nullable IllegalStateException subscriberFailure;
    private int observers;
    private UnaryOperator<FireTimes> schedules = UnaryOperator.identity();

    private record Hosted(Job job, JobConfiguration configuration, JobOptions options) {
        void on(Instance instance) {
            instance.engine.register(job, configuration, options);
        }
    }

    /** An instance of the application. Valid while its cluster is open. */
    public final class Instance {
        private final InMemoryNodeStore store;
        private final JobEngine engine;
        private final Platform platform;
        private boolean alive = true;
        private final String host;
        private Duration clockAhead;
        private UnaryOperator<Executor> threads = UnaryOperator.identity();
        private final FailingPorts ports = new FailingPorts();
        /** Tasks that wait while the engine is wedged; null while the engine makes progress. */
        private @Nullable List<Runnable> wedged;

        private Instance(
                int number,
                String host,
                String zone,
                Duration clockAhead,
                boolean reachable,
                List<InstanceListener> listeners) {
            this.host = host;
            this.clockAhead = clockAhead;
            Platform whole = time.platform(() -> this.clockAhead);
            platform = ports.around(
                    whole.withWorkers(task -> threads.apply(whole.workers()).execute(task))
                            .withEngineThreads(task -> {
                                if (wedged == null) {
                                    whole.engineThreads().execute(task);
                                } else {
                                    wedged.add(task);
                                }
                            }));
            store = tree.connect("instance-" + number, time.executor(), time.executor(), SESSION_TIMEOUT);
            engine = new JobEngine(
                    EngineSettings.of(host, number).withAttributes(zone, Map.of(), 1),
                    new TreeCoordination(ports.around(store), platform.clock()),
                    platform,
                    extensions
                            .withInstanceListeners(
                                    Stream.concat(extensions.listeners().instances().stream(), listeners.stream())
                                            .toList())
                            .withMeters(List.of(TestCluster.this::published)),
                    (job, plan) -> schedules.apply(FireSchedules.inForce(job.jobName(), job.schedule(), plan)));
            if (!reachable) {
                store.suspend();
            }
            engine.start();
        }

        /** Returns the id of the instance, as {@link io.ostraka.api.ShardingContext#instanceId()} returns it. */
        public String id() {
            return engine.instanceId().orElseThrow(() -> new IllegalStateException("not connected yet"));
        }

        /** Returns whether the instance is neither killed nor closed. */
        public boolean alive() {
            return alive;
        }

        /**
         * Kills the instance, like {@code kill -9}. Further actions of the instance have no effect on the cluster, and
         * its session ends after the session timeout. A job may call this method, even on the instance that runs the
         * job.
         */
        public void kill() {
            alive = false;
            platform.fireTimer().close();
            platform.timer().close();
            long session = store.session();
            store.suspend();
            time.after(SESSION_TIMEOUT, () -> tree.expire(session));
        }

        /**
         * Sets the difference between this instance's wall clock and the true time; negative if the wall clock is
         * behind.
         */
        public void setClock(Duration ahead) {
            clockAhead = ahead;
        }

        /** Makes the instance unable to start threads for users' code, or able again. */
        public void setThreadless(boolean now) {
            setThreads(
                    !now
                            ? UnaryOperator.identity()
                            : threads -> task -> {
                                throw new OutOfMemoryError("unable to create native thread");
                            });
        }

        /**
         * Makes the engine hang, or continue, although the process is alive. While the engine hangs, the session stays
         * alive, but the engine handles no event.
         */
        public void setWedged(boolean now) {
            List<Runnable> tasks = wedged;
            wedged = now ? new ArrayList<>() : null;
            if (tasks != null) {
                tasks.forEach(platform.engineThreads()::execute);
            }
        }

        /** Wraps the executor that runs users' code, for tests that delay or refuse this code. */
        void setThreads(UnaryOperator<Executor> between) {
            threads = between;
        }

        /**
         * Ends the session at once, as ZooKeeper does after a long pause. The instance continues with a new session.
         */
        public void expireSession() {
            store.expire();
            store.reconnect();
            settle();
        }

        /** Shuts the instance down gracefully. */
        public void close() {
            if (alive) {
                alive = false;
                engine.close();
                settle();
                stop();
            }
        }

        private void stop() {
            platform.fireTimer().close();
            platform.timer().close();
        }

        /**
         * Returns the object that can make calls of this instance fail: calls to its fire timer, timer, threads,
         * workers and store.
         */
        FailingPorts ports() {
            return ports;
        }

        /** Returns the store, which can simulate faults. */
        public InMemoryNodeStore store() {
            return store;
        }

        /** Returns the health of the instance and of every job that it hosts. */
        public Health health() {
            return engine.health();
        }

        /** Returns the operator's views and commands. Their requests go through this instance. */
        public Operations operations() {
            return TestCluster.this.operations(this);
        }

        /** Returns the figures that the instance has measured. */
        public Metrics metrics() {
            return engine.metrics();
        }

        /** Returns the operator's commands, which do not wait for their results. */
        Commands commands() {
            return new Commands(engine.operations());
        }

        /** Returns the engine. */
        JobEngine engine() {
            return engine;
        }
    }

    /**
     * Starts a cluster.
     *
     * @param instances number of instances
     * @param start initial time
     * @param seed seed of the random order of concurrent steps
     * @param own sharding strategies of the test, in addition to the built-in strategies
     */
    public TestCluster(int instances, Instant start, long seed, JobShardingStrategy... own) {
        this(instances, start, seed, Extensions.of(BuiltInStrategies.and(List.of(own))));
    }

    /**
     * Starts a cluster whose instances share the given extensions. Each instance has its own meters.
     *
     * @param instances number of instances
     * @param start initial time
     * @param seed seed of the random order of concurrent steps
     */
    public TestCluster(int instances, Instant start, long seed, Extensions extensions) {
        this.extensions = extensions;
        time = new ManualTime(start, seed);
        tree = new InMemoryCoordination(time::now);
        for (int i = 0; i < instances; i++) {
            join();
        }
    }

    /** Adds an instance, which hosts every job scheduled so far. */
    public Instance join() {
        return join(Duration.ZERO);
    }

    /**
     * Adds an instance with a wrong clock, which hosts every job scheduled so far.
     *
     * @param clockAhead difference between its wall clock and the true time; negative if the wall clock is behind
     */
    public Instance join(Duration clockAhead) {
        return join(clockAhead, true, List.of());
    }

    /** Wraps the fire times of all jobs, for tests that count how often a schedule is evaluated. */
    void setSchedules(UnaryOperator<FireTimes> around) {
        schedules = around;
    }

    /**
     * Adds an instance on the host of another instance, like a restarted process. It hosts every job scheduled so far.
     */
    public Instance joinOnHostOf(Instance other) {
        return join(other.host, "", Duration.ZERO, true, List.of());
    }

    /** Adds an instance in the given zone, which hosts every job scheduled so far. */
    public Instance joinIn(String zone) {
        return join("host-" + instances.size(), zone, Duration.ZERO, true, List.of());
    }

    /** Adds an instance that stays disconnected until its store {@link InMemoryNodeStore#reconnect reconnects}. */
    public Instance joinCutOff() {
        return join(Duration.ZERO, false, List.of());
    }

    /** Adds an instance with listeners for its life cycle, which hosts every job scheduled so far. */
    public Instance join(InstanceListener... listeners) {
        return join(Duration.ZERO, true, List.of(listeners));
    }

    private Instance join(Duration clockAhead, boolean reachable, List<InstanceListener> listeners) {
        return join("host-" + instances.size(), "", clockAhead, reachable, listeners);
    }

    private Instance join(
            String host, String zone, Duration clockAhead, boolean reachable, List<InstanceListener> listeners) {
        Instance instance = new Instance(instances.size(), host, zone, clockAhead, reachable, listeners);
        instances.add(instance);
        jobs.forEach(job -> job.on(instance));
        settle();
        return instance;
    }

    /**
     * Registers a job on every instance, including those that {@link #join()} adds later.
     *
     * @param options interceptors and listeners, which all instances share
     */
    public void schedule(Job job, JobConfiguration configuration, JobOptions options) {
        schedule(List.of(new Hosted(job, configuration, options)));
    }

    /**
     * Registers jobs that share their code, without options, on every instance at the same time. See {@link
     * #schedule(Job, JobConfiguration, JobOptions)}.
     */
    public void schedule(Job job, JobConfiguration... configurations) {
        schedule(Arrays.stream(configurations)
                .map(configuration -> new Hosted(job, configuration, JobOptions.none()))
                .toList());
    }

    /** Registers a job written as a lambda. See {@link #schedule(Job, JobConfiguration, JobOptions)}. */
    public void schedule(SimpleJob job, JobConfiguration configuration, JobOptions options) {
        schedule((Job) job, configuration, options);
    }

    /**
     * Registers jobs that share their code, written as a lambda, without options, on every instance at the same time.
     * See {@link #schedule(Job, JobConfiguration, JobOptions)}.
     */
    public void schedule(SimpleJob job, JobConfiguration... configurations) {
        schedule((Job) job, configurations);
    }

    private void schedule(List<Hosted> hosted) {
        jobs.addAll(hosted);
        List<Instance> living = instances.stream().filter(Instance::alive).toList();
        hosted.forEach(job -> living.forEach(job::on));
        settle();
    }

    /**
     * Adds a subscriber, which receives the events of all instances in the order of publication. In a test cluster, the
     * thread that publishes an event calls the subscriber directly, so all events have arrived when {@link #advance}
     * returns. The subscriber receives events of all kinds: the cluster does not call {@link EventSubscriber#receives}.
     * If the subscriber throws an exception, {@link #advance} throws an {@code IllegalStateException} when it has
     * finished.
     */
    public void subscribe(EventSubscriber subscriber) {
        subscribers.add(subscriber);
    }

    private void published(Event event) {
        for (EventSubscriber subscriber : subscribers) {
            try {
                subscriber.on(event);
            } catch (Throwable e) { // users' code runs on a thread of the engine here
                subscriberFailure = new IllegalStateException("an event subscriber failed at " + event, e);
            }
        }
    }

    /** Triggers a job manually, through one of the live instances. */
    public JobRun trigger(String job, Map<String, String> parameters) {
        JobRun run = living().engine.trigger(job, parameters, Set.of());
        settle();
        return run;
    }

    /** Pauses a job. Its scheduled fires wait until {@link #resume}. */
    public void pause(String job) {
        amend(job, override -> override.withPaused(true));
    }

    /** Resumes a job. */
    public void resume(String job) {
        amend(job, override -> override.withPaused(false));
    }

    /**
     * Returns the operator's views and commands. They use the live instance that was started first, and they advance
     * the time until ZooKeeper has answered.
     */
    public Operations operations() {
        return operations(living());
    }

    /** Connects an observer, and returns its views and commands. The observer does not affect the instances. */
    public Operations observe() {
        return observe(Duration.ZERO);
    }

    /** Connects an observer whose wall clock differs from the true time. See {@link #observe()}. */
    Operations observe(Duration clockAhead) {
        InMemoryNodeStore store =
                tree.connect("observer-" + observers++, time.executor(), time.executor(), SESSION_TIMEOUT);
        Platform platform = time.platform(() -> clockAhead);
        Coordination coordination = new TreeCoordination(store, platform.clock());
        Observer observer = new Observer(time.executor());
        coordination.start(observer);
        return operations(observer.port(coordination, platform.clock()), platform);
    }

    private Operations operations(Instance through) {
        return operations(through.engine.operations(), through.platform);
    }

    private static Operations operations(OperationsPort port, Platform platform) {
        return new NamespaceOperations(
                port, new Answers(platform.waiting(), OPERATION_TIMEOUT, "the test cluster", () -> ""));
    }

    /** Changes the operator's settings of a job. */
    void amend(String job, UnaryOperator<JobOverride> change) {
        amend(job, Amendment.of(change));
    }

    /** Changes the operator's settings of a job. */
    Amendment.Result amend(String job, Amendment amendment) {
        CompletableFuture<Amendment.Result> done =
                living().commands().amend(job, amendment).toCompletableFuture();
        settle();
        if (!done.isDone()) {
            throw new IllegalStateException("the change of job '" + job + "' waits for a connection");
        }
        return done.join();
    }

    /** Advances the time and runs everything that becomes due. */
    public void advance(Duration duration) {
        time.advance(duration);
        IllegalStateException failure = subscriberFailure;
        subscriberFailure = null;
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns the current time. */
    public Instant now() {
        return time.now();
    }

    /** Returns all instances that were started so far, in the order of their start. */
    public List<Instance> instances() {
        return List.copyOf(instances);
    }

    /** Returns the instance with the given id, as {@link io.ostraka.api.ShardingContext#instanceId()} returns it. */
    public Instance instance(String id) {
        return instances.stream()
                .filter(instance ->
                        instance.engine.instanceId().filter(id::equals).isPresent())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no instance has the id " + id));
    }

    /** Returns the leader. */
    public Instance leader() {
        return instances.stream()
                .filter(instance -> instance.alive && instance.engine.health().leading())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nobody leads"));
    }

    /** Returns the node tree that the instances share. */
    public InMemoryCoordination tree() {
        return tree;
    }

    /** Returns the time that drives the instances. */
    public ManualTime time() {
        return time;
    }

    /** Shuts all instances down. */
    @Override
    public void close() {
        List<Instance> closing = instances.stream().filter(Instance::alive).toList();
        closing.forEach(instance -> {
            instance.alive = false;
            instance.engine.close();
        });
        if (!closing.isEmpty()) {
            settle();
            closing.forEach(Instance::stop);
        }
    }

    private Instance living() {
        return instances.stream()
                .filter(Instance::alive)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no instance is alive"));
    }

    /**
     * Advances the time by a second. While all instances are connected, this is enough for an election, a plan and
     * registrations.
     */
    private void settle() {
        time.advance(Duration.ofSeconds(1));
    }
}
