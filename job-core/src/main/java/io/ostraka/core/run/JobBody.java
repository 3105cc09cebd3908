package io.ostraka.core.run;

import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A user's job in this process: begun before its first run, ended after its last. Thread-safe. */
public final class JobBody {
    private static final Logger log = LoggerFactory.getLogger(JobBody.class);

    private final String name;
    private final Job job;
    private final JobTypes.Runner runner;
    private final Interceptors interceptors;
    private final Pace pace = new Pace();
    private boolean initialized;

    /**
     * Takes a user's job.
     *
     * @throws JobConfigurationException when its type is none that can be run, or it can't be run as it is
     */
    public JobBody(Job job, JobConfiguration configuration, JobTypes types, Interceptors interceptors) {
        this.name = configuration.jobName();
        this.job = job;
        this.interceptors = interceptors;
        this.runner = types.runner(job, configuration);
    }

    /** How quick its runs are in this process. */
    Pace pace() {
        return pace;
    }

    /** What stands around its runs. */
    Interceptors interceptors() {
        return interceptors;
    }

    /** Runs the user's code for one item, on the calling thread; whatever it throws comes out. */
    void run(ItemRun run) throws Exception {
        initialize();
        runner.execute(run);
    }

    private synchronized void initialize() throws Exception {
        if (!initialized) {
            job.init();
            initialized = true;
        }
    }

    /** Ends the job in this process; called once, after its last run. What it throws is logged. */
    public synchronized void destroy() {
        if (initialized) {
            initialized = false;
            try {
                job.destroy();
            } catch (Throwable e) { // users' code
                log.error("job '{}': destroy() failed", name, e);
            }
        }
    }
}
