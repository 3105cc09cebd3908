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

/** Tells the handler that a job has chosen of its failures. What one does, or throws, is harmless. Thread-safe. */
public final class ErrorHandlers {
    /** The type of the handler that a registry has only with a target for it. */
    public static final String WEBHOOK = "WEBHOOK";

    private static final Logger log = LoggerFactory.getLogger(ErrorHandlers.class);
    private static final JobErrorHandler LOG = new LogErrorHandler();

    private final Map<String, JobErrorHandler> all = new TreeMap<>();
    /** Types that were asked for and are not there, each said once. */
    private final Set<String> missed = ConcurrentHashMap.newKeySet();

    /** Does nothing. */
    private static final class Ignoring implements JobErrorHandler {
        @Override
        public String type() {
            return "IGNORE";
        }

        @Override
        public void handle(ItemFailure failure, Throwable error) {}
    }

    /**
     * Has LOG and IGNORE, and others.
     *
     * @param others further handlers
     * @throws IllegalArgumentException when two have the same type
     */
    public ErrorHandlers(Collection<? extends JobErrorHandler> others) {
        add(LOG);
        add(new Ignoring());
        others.forEach(this::add);
    }

    /**
     * Has the handlers that {@link ServiceLoader} finds besides.
     *
     * @param others further handlers
     * @throws IllegalArgumentException when two have the same type
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
     * Refuses a job whose handler isn't there.
     *
     * @throws JobConfigurationException naming those that are
     */
    public void require(JobConfiguration configuration) {
        String type = configuration.errorHandler();
        if (!all.containsKey(type)) {
            throw new JobConfigurationException(
                    configuration.jobName(),
                    "errorHandler",
                    type,
                    type.equals(WEBHOOK)
                            ? "this one only if the registry's builder was given a webhook(…); " + all.keySet()
                            : "one of " + all.keySet());
        }
    }

    /** Tells of a failure. Never throws. */
    void handle(ItemRun run, RunEnd end, Throwable error) {
        JobErrorHandler handler = all.get(run.errorHandler());
        if (handler == null) { // the definition in force is another instance's, which has it
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
        } catch (Throwable e) { // users' code
            log.error(
                    "job '{}': error handler '{}' failed: {}; it was told of {}",
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
        } catch (Throwable e) { // users' code
            return null;
        }
    }
}
