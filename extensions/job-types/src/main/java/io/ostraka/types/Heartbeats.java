package io.ostraka.types;

import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.RunEnded;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.DaemonThreads;
import io.ostraka.http.HttpGuard;
import io.ostraka.http.HttpSender;
import io.ostraka.lite.Powers;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Sends GET requests to a monitoring service after successful runs, so that the service notices when runs no longer
 * succeed in any instance. Has up to four threads of its own, which end when they have been idle for 30 seconds.
 */
final class Heartbeats implements EventSubscriber, AutoCloseable {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration CLOSING = Duration.ofSeconds(5);
    private static final int THREADS = 4;
    private static final int IDLE_SECONDS = 30;

    private final Map<Heartbeat, HeartbeatSender> all = new LinkedHashMap<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final ThreadPoolExecutor threads;

    /**
     * Creates a subscriber.
     *
     * @param privates hosts whose addresses need not be public
     */
    Heartbeats(Powers.HeartbeatTargets to, Collection<String> privates, Clock clock) {
        this(to, PAUSE, privates, clock);
    }

    Heartbeats(Powers.HeartbeatTargets to, Duration pause, Collection<String> privates, Clock clock) {
        URI namespace = to.namespace();
        List<URI> targets = new ArrayList<>(to.jobs().values());
        Map<Heartbeat, URI> heartbeats = new LinkedHashMap<>();
        if (namespace != null) {
            targets.add(namespace);
            heartbeats.put(new Heartbeat(null), namespace);
        }
        to.jobs().forEach((job, target) -> heartbeats.put(new Heartbeat(job), target));
        HttpSender sender = new HttpSender(HttpGuard.of(targets, privates));
        heartbeats.forEach((heartbeat, target) -> all.put(
                heartbeat, new HeartbeatSender(heartbeat.subject(), target, to.interval(), pause, sender, clock)));
        threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.named("ostraka-heartbeat"));
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public boolean receives(Class<? extends Event> kind) {
        return kind == RunEnded.class;
    }

    @Override
    public void on(Event event) {
        if (event instanceof RunEnded ended) {
            all.forEach((heartbeat, sender) -> {
                if (heartbeat.beats(ended.job(), ended.claim().item(), ended.outcome())) {
                    sender.beat(threads, closing);
                }
            });
        }
    }

    /** Returns how many heartbeats the targets have accepted. */
    long successes() {
        return all.values().stream().mapToLong(HeartbeatSender::successes).sum();
    }

    /** Returns how many heartbeats the targets have not accepted. */
    long failures() {
        return all.values().stream().mapToLong(HeartbeatSender::failures).sum();
    }

    /** Ends the pauses between attempts, and waits up to five seconds for the heartbeats that are being sent. */
    @Override
    public void close() {
        close(CLOSING);
    }

    /** Closes as {@link #close()} does, but within the given limit if that is shorter than five seconds. */
    void close(Duration limit) {
        Duration atMost = limit.compareTo(CLOSING) < 0 ? limit : CLOSING;
        closing.countDown();
        threads.shutdown();
        try {
            if (!threads.awaitTermination(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
