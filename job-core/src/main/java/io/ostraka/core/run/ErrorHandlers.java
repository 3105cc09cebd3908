package io.ostraka.core.run;

import io.ostraka.api.ItemFailure;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.core.model.LogContext;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutor;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the error handlers of an instance, by type. Passes a failure to the handler that the job names. Each handler of
 * the application has its own queue, so a slow handler delays no other and blocks only one thread. If a handler throws
 * an exception, it is logged and has no other effect. Thread-safe.
 */
public final class ErrorHandlers {
    /** Type of the webhook handler. The handler exists only if the registry's builder sets a target for it. */
    public static final String WEBHOOK = "WEBHOOK";

    /** Maximum number of failures in a queue, including the one that its handler handles. */
    private static final int CAPACITY = 500;

    private static final Logger log = LoggerFactory.getLogger(ErrorHandlers.class);
    private static final JobErrorHandler LOG = new LogErrorHandler();

    private final Map<String, JobErrorHandler> all = new TreeMap<>();
    private final Map<String, Queue> queues = new HashMap<>();
    /** Types of missing handlers for which a warning was logged already. */
    private final Set<String> missed = ConcurrentHashMap.newKeySet();

    private static final class Ignoring implements JobErrorHandler {
        @Override
        public String type() {
            return "IGNORE";
        }

        @Override
        public void handle(ItemFailure failure, Throwable error) {}
    }

    /** Queue of a handler of the application. If it is full, new failures are dropped. */
    private static final class Queue {
        private final SerialExecutor executor;
        private final Consumer<@Nullable String> problem;
        private int waiting;
        /** Number of failures that were dropped since the queue was last empty. */
        private long dropped;

        Queue(SerialExecutor executor, Consumer<@Nullable String> problem) {
            this.executor = executor;
            this.problem = problem;
        }

        void add(Runnable call) {
            synchronized (this) {
                if (waiting == CAPACITY) {
                    dropped++;
                    problem.accept("it is too slow: " + CAPACITY + " failed runs wait for it, and " + dropped
                            + " further ones were not reported to it");
                    return;
                }
                waiting++;
            }
            executor.execute(() -> {
                try {
                    call.run();
                } finally {
                    handled();
                }
            });
        }

        synchronized int waiting() {
            return waiting;
        }

        private synchronized void handled() {
            waiting--;
            if (waiting == 0 && dropped > 0) {
                dropped = 0;
                problem.accept(null);
            }
        }
    }

    /**
     * Creates the built-in handlers {@code LOG} and {@code IGNORE}, and adds the given handlers.
     *
     * @param others further handlers, each of which gets a queue
     * @param problems receives the problems of handlers, on any thread: the type of the handler, and a description of
     *     the problem, or null when the problem has ended
     * @throws IllegalArgumentException if two handlers have the same type
     */
    public ErrorHandlers(
            Collection<? extends JobErrorHandler> others,
            Platform platform,
            BiConsumer<String, @Nullable String> problems) {
        add(LOG);
        add(new Ignoring());
        for (JobErrorHandler handler : others) {
            add(handler);
            String type = handler.type();
            queues.put(type, new Queue(platform.serialUserCode(), text -> problems.accept(type, text)));
        }
    }

    private void add(JobErrorHandler handler) {
        JobErrorHandler other = all.put(handler.type(), handler);
        if (other != null) {
            throw new IllegalArgumentException("Two error handlers have the type '" + handler.type() + "': "
                    + other.getClass().getName() + " and " + handler.getClass().getName());
        }
    }

    /**
     * Checks that this instance has the error handler that a job names.
     *
     * @throws JobConfigurationException if the handler does not exist; the message names the existing ones
     */
    public void require(JobConfiguration configuration) {
        String type = configuration.errorHandler();
        if (!all.containsKey(type)) {
            throw new JobConfigurationException(
                    configuration.jobName(),
                    "errorHandler",
                    type,
                    type.equals(WEBHOOK)
                            ? "WEBHOOK only if the registry's builder sets webhook(…), which needs ostraka-job-types; "
                                    + all.keySet()
                            : "one of " + all.keySet());
        }
    }

    /**
     * Passes a failure to the job's handler, or to {@code LOG} if this instance lacks that handler. Does not wait for a
     * handler of the application. Called on a worker. Never throws.
     */
    void handle(ItemRun run, RunEnd end, Throwable error) {
        String type = run.errorHandler();
        if (!all.containsKey(type) && missed.add(type)) {
            // the definition of another instance names a handler that this instance lacks
            log.warn(
                    "job '{}': this instance has no error handler '{}'; failures are logged instead",
                    run.jobName(),
                    type);
        }
        JobErrorHandler handler = all.getOrDefault(type, LOG);
        ItemFailure failure = failure(run, end.outcome(), error);
        LogContext context = LogContext.of(run);
        Runnable call = () -> context.around(() -> call(type, handler, failure, error));
        Queue queue = queues.get(type);
        if (queue == null) {
            call.run();
        } else {
            queue.add(call);
        }
    }

    private static void call(String type, JobErrorHandler handler, ItemFailure failure, Throwable error) {
        try {
            handler.handle(failure, error);
        } catch (Throwable e) { // user code may throw anything
            log.error(
                    "job '{}': error handler '{}' failed: {}; it handled {}",
                    failure.jobName(),
                    type,
                    RunEnd.text(e),
                    RunEnd.text(error));
        }
    }

    /** Returns the number of failures in all queues. */
    public int unhandled() {
        return queues.values().stream().mapToInt(Queue::waiting).sum();
    }

    private static ItemFailure failure(ItemRun run, ItemOutcome outcome, Throwable error) {
        return new ItemFailure(
                run.jobName(),
                run.item(),
                run.runId(),
                run.fireTime(),
                run.attempt(),
                run.instanceId(),
                outcome,
                error.getClass().getName(),
                message(error));
    }

    private static @Nullable String message(Throwable error) {
        try {
            return error.getMessage();
        } catch (Throwable e) { // user code may throw anything
            return null;
        }
    }
}
