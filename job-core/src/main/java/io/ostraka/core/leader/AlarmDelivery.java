package io.ostraka.core.leader;

import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmHandler;
import io.ostraka.core.model.LogContext;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutor;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes alarms to the handlers of this instance. Each handler has its own queue, so a slow or failing handler does not
 * delay the others. The queues remain when a term of leadership ends. Thread-safe.
 */
public final class AlarmDelivery {
    private static final Logger log = LoggerFactory.getLogger(AlarmDelivery.class);
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);
    /** Time after which a handler that has not returned is reported. */
    private static final Duration LONG = Duration.ofMinutes(1);

    /** Shortest time between two log lines about different failures of a handler. */
    private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);

    private static final String LOG = "log";

    private final String namespace;
    private final Platform platform;
    private final Map<String, Queue> queues;

    private static final class Queue {
        final AlarmHandler handler;
        final SerialExecutor executor;
        int failures;
        /** Latest failure that was logged; empty if the handler works. */
        String logged = "";

        /** Time at which {@link #logged} was logged, in monotonic nanoseconds. */
        long loggedAt;

        Queue(AlarmHandler handler, SerialExecutor executor) {
            this.handler = handler;
            this.executor = executor;
        }
    }

    /**
     * Creates the queues of the handlers. The log always receives all alarms.
     *
     * @param handlers handlers of the application
     * @throws IllegalArgumentException if two handlers have the same name, or a name is too long or unprintable
     */
    public AlarmDelivery(String namespace, List<AlarmHandler> handlers, Platform platform) {
        this.namespace = namespace;
        this.platform = platform;
        Map<String, Queue> all = new LinkedHashMap<>();
        all.put(LOG, queue(AlarmDelivery::log));
        for (int i = 0; i < handlers.size(); i++) {
            AlarmHandler handler = handlers.get(i);
            String given = handler.name();
            String name = "".equals(given) ? "handler-" + (i + 1) : given;
            if (name == null || !name.matches("[\\x21-\\x7e]{1,200}")) {
                throw new IllegalArgumentException("the name of alarm handler "
                        + handler.getClass().getName() + " is '" + name
                        + "'; accepted: 1 to 200 printable ASCII characters without spaces");
            }
            if (all.put(name, queue(handler)) != null) {
                throw new IllegalArgumentException(
                        "two alarm handlers have the name '" + name
                                + "'; accepted: a different name for each handler; override name(), or set it on the handler's builder");
            }
        }
        this.queues = Collections.unmodifiableMap(all);
    }

    private Queue queue(AlarmHandler handler) {
        return new Queue(handler, platform.serialUserCode());
    }

    private static void log(Alarm alarm) {
        if (alarm.state() == Alarm.State.FIRING) {
            log.warn("alarm {} [{}]", alarm.line(), alarm.id());
        } else {
            log.info("alarm {} [{}]", alarm.line(), alarm.id());
        }
    }

    String namespace() {
        return namespace;
    }

    /** Returns the names of all handlers. */
    Collection<String> names() {
        return queues.keySet();
    }

    /**
     * Passes an alarm to a handler. The stage completes on a worker: with null if the handler has handled the alarm,
     * and with the pause before the next attempt if the handler has failed.
     *
     * @param wanted returns false if the alarm must not be delivered any more: this instance no longer leads, or an
     *     operator has silenced the alarm meanwhile. Called on a worker when the handler is free
     */
    CompletionStage<@Nullable Duration> deliver(String name, Alarm alarm, BooleanSupplier wanted) {
        Queue queue = queues.get(name);
        CompletableFuture<@Nullable Duration> done = new CompletableFuture<>();
        if (queue != null) {
            queue.executor.execute(
                    () -> done.complete(wanted.getAsBoolean() ? handle(name, queue, alarm) : SHORTEST_PAUSE));
        }
        return done;
    }

    private @Nullable Duration handle(String name, Queue queue, Alarm alarm) {
        Runnable warning = () -> {};
        try {
            warning = platform.timer()
                    .after(
                            LONG,
                            () -> log.warn(
                                    "alarm handler {} has not returned for {}; later alarms wait for it, so limit the time of its"
                                            + " requests",
                                    name,
                                    LONG));
            LogContext before = LogContext.of(alarm.job()).apply();
            try {
                queue.handler.handle(alarm);
            } finally {
                before.apply();
            }
            if (queue.failures > 0) {
                log.info("alarm handler {} works again after {} failed attempts", name, queue.failures);
            }
            queue.failures = 0;
            queue.logged = "";
            return null;
        } catch (Throwable e) { // user code may throw anything
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            queue.failures++;
            String failure = text(e);
            long now = platform.clock().monotonicNanos();
            if (queue.logged.isEmpty()
                    || (!failure.equals(queue.logged) && now - queue.loggedAt >= BETWEEN_LINES.toNanos())) {
                queue.logged = failure;
                queue.loggedAt = now;
                log.error(
                        "alarm handler {} failed to handle alarm {}; the alarm is delivered again until the handler succeeds",
                        name,
                        alarm.idempotencyKey(),
                        e);
            }
            Duration pause = SHORTEST_PAUSE.multipliedBy(1L << Math.min(queue.failures - 1, 10));
            return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
        } finally {
            warning.run();
        }
    }

    private static String text(Throwable e) {
        try {
            return String.valueOf(e);
        } catch (Throwable withoutText) { // user code may throw anything
            return e.getClass().getName();
        }
    }
}
