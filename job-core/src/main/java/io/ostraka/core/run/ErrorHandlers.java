package io.ostraka.core.run;

import io.ostraka.api.ItemFailure;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobErrorHandler;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the error handlers of this process, by type. Passes a failure to the handler that the job names. If a handler
 * throws an exception, it is logged and has no other effect. Thread-safe.
 */
public final class ErrorHandlers {
    /** Type of the webhook handler. The handler exists only if the registry's builder sets a target for it. */
    public static final String WEBHOOK = "WEBHOOK";

    private static final Logger log = LoggerFactory.getLogger(ErrorHandlers.class);
    private static final JobErrorHandler LOG = new LogErrorHandler();

    private final Map<String, JobErrorHandler> all = new TreeMap<>();
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

    /**
     * Creates the built-in handlers {@code LOG} and {@code IGNORE}, and adds the given handlers.
     *
     * @param others further handlers
     * @throws IllegalArgumentException if two handlers have the same type
     */
    public ErrorHandlers(Collection<? extends JobErrorHandler> others) {
        add(LOG);
        add(new Ignoring());
        others.forEach(this::add);
    }

    /**
     * Returns the built-in handlers, the handlers that {@link ServiceLoader} finds, and the given handlers.
     *
     * @param others further handlers
     * @throws IllegalArgumentException if two handlers have the same type
     */
    public static ErrorHandlers found(Collection<? extends JobErrorHandler> others) {
        List<JobErrorHandler> all = new ArrayList<>(others);
        ServiceLoader.load(JobErrorHandler.class).forEach(all::add);
        return new ErrorHandlers(all);
    }

    private void add(JobErrorHandler handler) {
        JobErrorHandler other = all.put(handler.type(), handler);
        if (other != null) {
            throw new IllegalArgumentException("Two error handlers have the type '" + handler.type() + "': "
                    + other.getClass().getName() + " and " + handler.getClass().getName());
        }
    }

    /**
     * Checks that this process has the error handler that a job names.
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
                            ? "WEBHOOK only if the registry's builder sets webhook(…); " + all.keySet()
                            : "one of " + all.keySet());
        }
    }

    /** Passes a failure to the job's handler, or to {@code LOG} if this process lacks that handler. Never throws. */
    void handle(ItemRun run, RunEnd end, Throwable error) {
        JobErrorHandler handler = all.get(run.errorHandler());
        if (handler == null) { // the definition of another instance names a handler that this process lacks
            handler = LOG;
            if (missed.add(run.errorHandler())) {
                log.warn(
                        "job '{}': this instance has no error handler '{}'; failures are logged instead",
                        run.jobName(),
                        run.errorHandler());
            }
        }
        ItemFailure failure = failure(run, end.outcome(), error);
        try {
            handler.handle(failure, error);
        } catch (Throwable e) { // user code may throw anything
            log.error(
                    "job '{}': error handler '{}' failed: {}; it handled {}",
                    run.jobName(),
                    run.errorHandler(),
                    RunEnd.text(e),
                    end.error());
        }
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
