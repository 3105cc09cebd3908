package io.ostraka.core.event;

import io.ostraka.api.event.BatchSubscriber;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.api.event.SubscriberContext;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.Status;
import io.ostraka.core.time.SerialExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queue of one event subscriber of the application. A worker thread passes the events to the subscriber one after the
 * other, or in batches to a {@link BatchSubscriber}. If the queue is full, new events are dropped. Thread-safe.
 */
final class EventQueue implements EventSubscriber {
    /**
     * Maximum number of queued events. A fire of 100,000 items in one instance publishes 300,000 events within seconds,
     * and one event takes about 200 bytes.
     */
    static final int CAPACITY = 100_000;

    /** Largest number of events in a batch. */
    static final int LARGEST_BATCH = 1_000;

    /**
     * Pause after a batch that is not full. Without this pause, the worker would be woken for each event of a job with
     * short runs.
     */
    private static final Duration PAUSE = Duration.ofMillis(10);

    private static final Logger log = LoggerFactory.getLogger(EventQueue.class);

    private final String name;
    private final EventSubscriber subscriber;
    private final int largestBatch;
    private final SerialExecutor executor;
    /** Events that the subscriber receives next. Only tasks of the executor use this list. */
    private final List<Event> batch = new ArrayList<>();

    private final AtomicInteger waiting = new AtomicInteger();
    private final LongAdder dropped = new LongAdder();
    /** True from the first dropped event until the queue is empty again. */
    private final AtomicBoolean full = new AtomicBoolean();
    /** Number of dropped events that were reported to the subscriber. Only tasks of the executor use this field. */
    private long reported;

    private final AtomicBoolean failed = new AtomicBoolean();
    /** Latest state that the subscriber has not received yet; null if there is none. */
    private final AtomicReference<@Nullable Status> latest = new AtomicReference<>();

    /** @param name name of the subscriber in logs and problems */
    EventQueue(String name, EventSubscriber subscriber, Executor workers) {
        this.name = name;
        this.subscriber = subscriber;
        this.largestBatch = subscriber instanceof BatchSubscriber ? LARGEST_BATCH : 1;
        this.executor = new SerialExecutor(workers, Math.max(largestBatch, SerialExecutor.TURN), null);
    }

    void started(String namespace, Supplier<Load> load, BiConsumer<String, @Nullable String> problems, Runnable lost) {
        call(() -> subscriber.started(new SubscriberContext() {
            @Override
            public String namespace() {
                return namespace;
            }

            @Override
            public Load load() {
                return load.get();
            }

            @Override
            public void problem(@Nullable String text) {
                problems.accept(name, text);
            }

            @Override
            public void historyLost() {
                lost.run();
            }
        }));
    }

    @Override
    public boolean receives(Class<? extends Event> kind) {
        boolean[] receives = {false};
        call(() -> receives[0] = subscriber.receives(kind));
        return receives[0];
    }

    @Override
    public void on(Event event) {
        if (waiting.incrementAndGet() > CAPACITY) {
            waiting.decrementAndGet();
            dropped.increment();
            if (full.compareAndSet(false, true)) {
                log.error(
                        "event subscriber {} is too slow: {} events are queued for it, and new events are dropped until there is space",
                        name,
                        CAPACITY);
            }
            return;
        }
        executor.execute(() -> {
            batch.add(event);
            if (batch.size() == largestBatch) {
                handOver();
            } else if (!executor.hasWaitingTasks()) {
                handOver();
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        });
    }

    private void handOver() {
        long lost = dropped() - reported;
        if (lost > 0) {
            reported += lost;
            call(() -> subscriber.dropped(lost));
        }
        List<Event> events = List.copyOf(batch);
        batch.clear();
        call(() -> {
            if (subscriber instanceof BatchSubscriber batches && !events.isEmpty()) {
                batches.on(events);
            } else {
                events.forEach(subscriber::on);
            }
        });
        if (waiting.addAndGet(-events.size()) == 0 && full.compareAndSet(true, false)) {
            log.info("event subscriber {} has caught up; {} events were dropped in all", name, dropped());
        }
    }

    @Override
    public void status(Status status) {
        if (latest.getAndSet(status) == null) {
            executor.execute(() -> {
                handOver(); // the batch still contains events, because this task was waiting behind them
                Status received = latest.getAndSet(null);
                if (received != null) {
                    call(() -> subscriber.status(received));
                }
            });
        }
    }

    int waiting() {
        return waiting.get();
    }

    long dropped() {
        return dropped.sum();
    }

    CompletableFuture<Void> delivered() {
        CompletableFuture<Void> all = new CompletableFuture<>();
        executor.execute(() -> {
            handOver(); // the batch still contains events, because this task was waiting behind them
            all.complete(null);
        });
        return all;
    }

    private void call(Runnable call) {
        try {
            call.run();
        } catch (Throwable e) { // user code
            if (failed.compareAndSet(false, true)) {
                log.error(
                        "event subscriber {} failed and may have missed events; this is logged once, and the engine continues"
                                + " calling it",
                        name,
                        e);
            }
        }
    }
}
