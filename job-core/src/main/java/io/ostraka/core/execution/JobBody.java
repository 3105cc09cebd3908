package io.ostraka.core.execution;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A user's job in this process: begun before its first run, ended after its last. Thread-safe. */
public final class JobBody {
    private static final Logger log = LoggerFactory.getLogger(JobBody.class);

    private final String name;
    private final Job job;
    private final boolean streaming;
    private boolean initialized;

    /**
     * Takes a user's job.
     *
     * @throws JobConfigurationException when its type is none that can be run
     */
    public JobBody(String name, Job job, boolean streaming) {
        if (!(job instanceof SimpleJob || job instanceof DataflowJob<?>)) {
            throw new JobConfigurationException(name, "job", job.getClass().getName(), "a SimpleJob or a DataflowJob");
        }
        this.name = name;
        this.job = job;
        this.streaming = streaming;
    }

    /** Runs the user's code for one item, on the calling thread; whatever it throws comes out. */
    void run(ItemRun run) throws Exception {
        initialize();
        if (job instanceof SimpleJob simple) {
            simple.execute(run);
        } else if (job instanceof DataflowJob<?> dataflow) {
            flow(dataflow, run);
        }
    }

    private <T> void flow(DataflowJob<T> dataflow, ItemRun run) throws Exception {
        ShardingContext context = run;
        do {
            List<T> data = dataflow.fetchData(context);
            if (data == null || data.isEmpty()) {
                return;
            }
            dataflow.processData(context, data);
        } while (streaming && run.goesOn());
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
