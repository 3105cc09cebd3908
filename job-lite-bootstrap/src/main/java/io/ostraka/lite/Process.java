package io.ostraka.lite;

import io.ostraka.api.JobShardingStrategy;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.decide.AverageAllocationStrategy;
import io.ostraka.core.decide.StickyBalancedStrategy;
import io.ostraka.core.facade.EngineSettings;
import io.ostraka.core.facade.JobEngine;
import io.ostraka.core.time.Alarm;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.time.Timer;
import io.ostraka.core.trigger.QuartzAlarm;
import io.ostraka.core.trigger.WheelTimer;
import io.ostraka.zk.ZooKeeperConfig;
import io.ostraka.zk.ZooKeeperNodeStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The engine on this machine's own clocks, threads and network: what a registry is made of. */
final class Process implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Process.class);
    /** Threads for the engine's own short tasks; they never block. */
    private static final int LANE_THREADS = 2;

    private static final Duration IDLE_WORKER = Duration.ofSeconds(30);

    private final ZooKeeperNodeStore store;
    private final Coordination coordination;
    private final JobEngine engine;
    private final Alarm alarm;
    private final Timer timer;
    private final ExecutorService lanes;
    private final ExecutorService workers;

    private Process(
            ZooKeeperNodeStore store,
            Coordination coordination,
            JobEngine engine,
            Alarm alarm,
            Timer timer,
            ExecutorService lanes,
            ExecutorService workers) {
        this.store = store;
        this.coordination = coordination;
        this.engine = engine;
        this.alarm = alarm;
        this.timer = timer;
        this.lanes = lanes;
        this.workers = workers;
    }

    static Process start(ZookeeperRegistry.Builder builder) {
        ZooKeeperConfig config = new ZooKeeperConfig(
                builder.servers + builder.chroot,
                builder.namespace,
                builder.sessionTimeout,
                // an attempt that outlasts the session is of no use
                builder.connectionTimeout.compareTo(builder.sessionTimeout) < 0
                        ? builder.connectionTimeout
                        : builder.sessionTimeout,
                builder.retryPause,
                builder.security);
        Alarm alarm = new QuartzAlarm();
        Timer timer = new WheelTimer();
        ThreadPoolExecutor lanes = new ThreadPoolExecutor(
                LANE_THREADS, LANE_THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads("ostraka-lane-"));
        ExecutorService workers = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_WORKER.toSeconds(),
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                threads("ostraka-worker-"));
        SystemClock clock = new SystemClock();
        Platform platform = new Platform(clock, alarm, timer, lanes, workers, Process::await);
        EngineSettings settings = EngineSettings.of(
                        host(), ProcessHandle.current().pid())
                .withAttributes(builder.zone, builder.tags, builder.weight);
        ZooKeeperNodeStore store = new ZooKeeperNodeStore(config);
        Coordination coordination = Coordination.over(store, clock);
        JobEngine engine = new JobEngine(
                settings, coordination, platform, strategies(builder.strategies), builder.healthListeners);
        engine.start();
        return new Process(store, coordination, engine, alarm, timer, lanes, workers);
    }

    private static Map<String, JobShardingStrategy> strategies(List<JobShardingStrategy> own) {
        Map<String, JobShardingStrategy> all = new HashMap<>();
        List<JobShardingStrategy> builtIn = List.of(new StickyBalancedStrategy(), new AverageAllocationStrategy());
        builtIn.forEach(strategy -> all.put(strategy.type(), strategy));
        ServiceLoader.load(JobShardingStrategy.class).forEach(strategy -> all.put(strategy.type(), strategy));
        own.forEach(strategy -> all.put(strategy.type(), strategy));
        return all;
    }

    private static ThreadFactory threads(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setUncaughtExceptionHandler((failed, error) ->
                    log.error("{} failed; this is a defect, please report it", failed.getName(), error));
            return thread;
        };
    }

    private static void await(CompletableFuture<?> answer, Duration timeout)
            throws TimeoutException, InterruptedException {
        try {
            answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | CancellationException e) {
            // whoever asked looks at how it came out
        }
    }

    /** The machine's name as far as it can stand in an instance's id. */
    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9._-]", "-");
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    JobEngine engine() {
        return engine;
    }

    /** Says what keeps it from ZooKeeper and what to do; blocks for some seconds. */
    String trouble() {
        return store.trouble();
    }

    @Override
    public void close() {
        engine.close();
        coordination.close(); // ends the session even if the engine's end has outlasted its time; else it does nothing
        alarm.close();
        timer.close();
        lanes.shutdown();
        // a run that ignores its cancellation must not keep the process alive by threads that nobody waits for
        workers.shutdown();
    }
}
