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
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.TreeCoordination;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Instances of an application in one thread, with the real engine, on coordination in memory and time driven by hand: a
 * test of a job, its sharding and its failover takes milliseconds and is the same every time. Nothing happens but inside
 * {@link #advance} and what calls it. Jobs run on the calling thread and take no time, unless they let some pass by
 * {@link #advance} themselves. Not thread-safe.
 *
 * <p>Each call that changes the cluster ({@link #join()}, {@link #schedule}, {@link #trigger}, {@link #pause}, {@link
 * Instance#close}, {@link Instance#expireSession}) lets one second pass, in which elections, plans and announcements happen.
 * So a cluster of three instances is three seconds old at first: {@link #now} tells the time.
 */
public final class TestCluster implements AutoCloseable {
    /** After this long without a sign of life an instance's session is over. */
    public static final Duration SESSION_TIMEOUT = Duration.ofSeconds(15);

    private final ManualTime time;
    private final InMemoryCoordination tree;
    private final List<Instance> instances = new ArrayList<>();
    private final List<Hosted> jobs = new ArrayList<>();
    private final Map<String, JobShardingStrategy> strategies = new HashMap<>();
    private final List<EventSubscriber> subscribers = new CopyOnWriteArrayList<>();
    private @Nullable IllegalStateException subscriberFailure;

    private record Hosted(Job job, JobConfiguration configuration, JobOptions options) {
        void on(Instance instance) {
            instance.engine.register(job, configuration, options);
        }
    }

    /** One instance of the application. Valid as long as its cluster. */
    public final class Instance {
        private final InMemoryNodeStore store;
        private final JobEngine engine;
        private final Platform platform;
        private boolean alive = true;
        private final String host;
        private Duration clockAhead;
        private UnaryOperator<Executor> threads = UnaryOperator.identity();
        private final FailingPorts ports = new FailingPorts();

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
                    whole.withWorkers(task -> threads.apply(whole.workers()).execute(task)));
            store = tree.connect("instance-" + number, time.executor(), time.executor(), SESSION_TIMEOUT);
            engine = new JobEngine(
                    EngineSettings.of(host, number).withAttributes(zone, Map.of(), 1),
                    new TreeCoordination(ports.around(store), platform.clock()),
                    platform,
                    Extensions.of(strategies)
                            .withInstanceListeners(listeners)
                            .withMeters(List.of(TestCluster.this::published)));
            if (!reachable) {
                store.suspend();
            }
            engine.start();
        }

        /** Returns its id, as {@link io.ostraka.api.ShardingContext#instanceId()} names it. */
        public String id() {
            return engine.instanceId().orElseThrow(() -> new IllegalStateException("not connected yet"));
        }

        /** Tells whether it is neither killed nor closed. */
        public boolean alive() {
            return alive;
        }

        /**
         * Ends it as kill -9 does: nothing it does from now on reaches anyone, and its session ends after its timeout. May
         * be called by a job that it runs.
         */
        public void kill() {
            alive = false;
            platform.alarm().close();
            platform.timer().close();
            long session = store.session();
            store.suspend();
            time.after(SESSION_TIMEOUT, () -> tree.expire(session));
        }

        /** Sets its wall clock so far ahead of the true time; behind it if negative. */
        public void setClock(Duration ahead) {
            clockAhead = ahead;
        }

        /** Lets it start no more threads for users' code, or some again. */
        public void setThreadless(boolean now) {
            setThreads(
                    !now
                            ? UnaryOperator.identity()
                            : threads -> task -> {
                                throw new OutOfMemoryError("unable to create native thread");
                            });
        }

        /** Sets what is between users' code and the threads that it runs on. */
        void setThreads(UnaryOperator<Executor> between) {
            threads = between;
        }

        /** Ends its session at once, as ZooKeeper does after a long pause; it goes on under a new one. */
        public void expireSession() {
            store.expire();
            store.reconnect();
            settle();
        }

        /** Shuts it down in good order. */
        public void close() {
            if (alive) {
                alive = false;
                engine.close();
                settle();
                platform.alarm().close();
                platform.timer().close();
            }
        }

        /** Returns what lets a call of its machine or its store throw. */
        FailingPorts ports() {
            return ports;
        }

        /** Returns its store, whose faults are on command. */
        public InMemoryNodeStore store() {
            return store;
        }

        /** Returns how it is, and of every job that it hosts whether it runs, and if it doesn't, why. */
        public Health health() {
            return engine.health();
        }

        /** Returns what it has measured. */
        public Metrics metrics() {
            return engine.metrics();
        }

        /** Returns its engine. */
        JobEngine engine() {
            return engine;
        }
    }

    /**
     * Starts a cluster.
     *
     * @param instances how many
     * @param start the time that it begins at
     * @param seed of the order in which things happen that could happen in any
     * @param own sharding strategies, besides those built in
     */
    public TestCluster(int instances, Instant start, long seed, JobShardingStrategy... own) {
        strategies.putAll(BuiltInStrategies.all());
        List.of(own).forEach(strategy -> strategies.put(strategy.type(), strategy));
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
     * Adds an instance, which hosts every job scheduled so far.
     *
     * @param clockAhead how far its wall clock is ahead of the true time; negative if behind
     */
    public Instance join(Duration clockAhead) {
        return join(clockAhead, true, List.of());
    }

    /** Adds an instance, which hosts every job scheduled so far, on the host of another, as a process that is restarted. */
    public Instance joinOnHostOf(Instance other) {
        return join(other.host, "", Duration.ZERO, true, List.of());
    }

    /** Adds an instance, which hosts every job scheduled so far, in a zone. */
    public Instance joinIn(String zone) {
        return join("host-" + instances.size(), zone, Duration.ZERO, true, List.of());
    }

    /** Adds an instance that can't connect before its store {@link InMemoryNodeStore#reconnect reconnects}. */
    public Instance joinCutOff() {
        return join(Duration.ZERO, false, List.of());
    }

    /** Adds an instance, which hosts every job scheduled so far, with listeners that go along with its life. */
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
     * Registers a job on every instance, and on those that {@link #join()} adds later.
     *
     * @param options interceptors and listeners, which all instances share
     */
    public void schedule(Job job, JobConfiguration configuration, JobOptions options) {
        Hosted hosted = new Hosted(job, configuration, options);
        jobs.add(hosted);
        instances.stream().filter(Instance::alive).forEach(hosted::on);
        settle();
    }

    /** Registers a job on every instance, without options: see {@link #schedule(Job, JobConfiguration, JobOptions)}. */
    public void schedule(Job job, JobConfiguration configuration) {
        schedule(job, configuration, JobOptions.none());
    }

    /** Registers a job that can be written as a lambda: see {@link #schedule(Job, JobConfiguration, JobOptions)}. */
    public void schedule(SimpleJob job, JobConfiguration configuration, JobOptions options) {
        schedule((Job) job, configuration, options);
    }

    /** Registers a job that can be written as a lambda on every instance. */
    public void schedule(SimpleJob job, JobConfiguration configuration) {
        schedule((Job) job, configuration);
    }

    /**
     * Has a subscriber receive the events of all instances from now on, in the order in which they are published. In a test
     * cluster this happens on the publishing thread, so that the events are there when {@link #advance} returns. All kinds are
     * published; {@link EventSubscriber#receives} is not asked. What a subscriber throws, {@link #advance} throws at its end.
     */
    public void subscribe(EventSubscriber subscriber) {
        subscribers.add(subscriber);
    }

    private void published(Event event) {
        for (EventSubscriber subscriber : subscribers) {
            try {
                subscriber.on(event);
            } catch (Throwable e) { // users' code, on a thread of the engine
                subscriberFailure = new IllegalStateException("an event subscriber failed at " + event, e);
            }
        }
    }

    /** Triggers a job by hand, by way of any instance that is alive. */
    public JobRun trigger(String job, Map<String, String> parameters) {
        JobRun run = living().engine.trigger(job, parameters, Set.of());
        settle();
        return run;
    }

    /** Pauses a job: scheduled fires wait from now on. */
    public void pause(String job) {
        amend(job, override -> override.withPaused(true));
    }

    /** Resumes a job. */
    public void resume(String job) {
        amend(job, override -> override.withPaused(false));
    }

    /** Changes what an operator wants of a job. */
    void amend(String job, UnaryOperator<JobOverride> change) {
        CompletableFuture<Void> done = living().engine.amend(job, change).toCompletableFuture();
        settle();
        if (!done.isDone()) {
            throw new IllegalStateException("the change of job '" + job + "' waits for a connection");
        }
        done.join();
    }

    /** Lets time pass; whatever comes due meanwhile happens. */
    public void advance(Duration duration) {
        time.advance(duration);
        IllegalStateException failure = subscriberFailure;
        subscriberFailure = null;
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns the present time. */
    public Instant now() {
        return time.now();
    }

    /** Returns all instances ever started, in that order. */
    public List<Instance> instances() {
        return List.copyOf(instances);
    }

    /** Returns the instance of an id, as {@link io.ostraka.api.ShardingContext#instanceId()} names it. */
    public Instance instance(String id) {
        return instances.stream()
                .filter(instance ->
                        instance.engine.instanceId().filter(id::equals).isPresent())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no instance has the id " + id));
    }

    /** Returns the instance that leads. */
    public Instance leader() {
        return instances.stream()
                .filter(instance -> instance.alive && instance.engine.health().leading())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nobody leads"));
    }

    /** Returns the nodes that the instances coordinate by. */
    public InMemoryCoordination tree() {
        return tree;
    }

    /** Returns the scheduler that drives the instances. */
    public ManualTime time() {
        return time;
    }

    /** Shuts every instance down. */
    @Override
    public void close() {
        instances.forEach(Instance::close);
    }

    private Instance living() {
        return instances.stream()
                .filter(Instance::alive)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no instance is alive"));
    }

    /** Gives what has just begun the second that it takes with everyone connected: election, plan, announcements. */
    private void settle() {
        time.advance(Duration.ofSeconds(1));
    }
}
