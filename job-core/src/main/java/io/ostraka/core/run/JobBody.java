package io.ostraka.core.run;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.core.metrics.TaskMeter;
import io.ostraka.core.model.LogContext;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The user's job object in this process. Initialized before the first run of the job and destroyed after the last.
 * Thread-safe.
 */
public final class JobBody {
    private static final Logger log = LoggerFactory.getLogger(JobBody.class);

    private final String name;
    private final Job job;
    private final JobItemExecutor<Job> executor;
    private final @Nullable Interceptors interceptors;
    private final ErrorHandlers errors;
    private final Supplier<TaskMeter> tasks;
    private final RunSlots.Speed speed = new RunSlots.Speed();
    private boolean initialized;

    /**
     * Wraps the user's job object.
     *
     * @param tasks returns the meter of the child tasks of the job's runs
     * @throws JobConfigurationException if no executor supports the job type, if several are equally specific, or if
     * the executor rejects the job
     */
    public JobBody(
            Job job,
            JobConfiguration configuration,
            JobTypes types,
            Interceptors interceptors,
            ErrorHandlers errors,
            Supplier<TaskMeter> tasks) {
        this.name = configuration.jobName();
        this.job = job;
        this.executor = types.executor(job, configuration);
        this.interceptors = interceptors.none() ? null : interceptors;
        this.errors = errors;
        this.tasks = tasks;
    }

    /** Returns the measured speed of the job's runs in this process. */
    public RunSlots.Speed speed() {
        return speed;
    }

    ErrorHandlers errors() {
        return errors;
    }

    TaskMeter tasks() {
        return tasks.get();
    }

    /**
     * Calls the user's code for one item on the calling thread, with the interceptors' calls before and after it.
     * Exceptions propagate to the caller.
     *
     * @param tasks creates the child tasks when the code first uses them
     */
    void run(ItemRun run, Supplier<ItemRun.Children> tasks) throws Throwable {
        if (interceptors == null) {
            run.execute(() -> code(run), tasks);
        } else {
            interceptors.around(run, () -> run.execute(() -> code(run), tasks));
        }
    }

    /** Returns a child task of a run, with the actions of the interceptors around it. Called on the submitting thread. */
    Runnable aroundTask(ItemRun run, Runnable task) {
        return interceptors == null ? task : interceptors.aroundTask(run, task);
    }

    private void code(ItemRun run) throws Exception {
        initialize();
        executor.execute(job, run);
    }

    private synchronized void initialize() throws Exception {
        if (!initialized) {
            job.init();
            initialized = true;
        }
    }

    /** Destroys the job object if it was initialized. Called once, after the last run. Exceptions are logged. */
    public synchronized void destroy() {
        if (initialized) {
            initialized = false;
            LogContext before = LogContext.of(name).apply();
            try {
                job.destroy();
            } catch (Throwable e) { // user code may throw anything
                log.error("job '{}': destroy() failed", name, e);
            } finally {
                before.apply();
            }
        }
    }
}
