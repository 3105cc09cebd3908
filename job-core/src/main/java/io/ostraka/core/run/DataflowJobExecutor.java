package io.ostraka.core.run;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.ShardingContext;
import java.util.List;

/**
 * Runs an item of a dataflow job: fetches data and processes it. A streaming job repeats this until there is no more
 * data or the run must end; other dataflow jobs do this once.
 */
final class DataflowJobExecutor implements JobItemExecutor<DataflowJob<?>> {
    @Override
    @SuppressWarnings("unchecked") // a class literal cannot name a type argument
    public Class<DataflowJob<?>> type() {
        return (Class<DataflowJob<?>>) (Class<?>) DataflowJob.class;
    }

    @Override
    public void execute(DataflowJob<?> job, ShardingContext context) throws Exception {
        flow(job, context);
    }

    private static <T> void flow(DataflowJob<T> job, ShardingContext context) throws Exception {
        boolean first = true;
        do {
            List<T> data = job.fetchData(context);
            if (data == null || data.isEmpty()) {
                if (first) {
                    context.idle();
                }
                return;
            }
            first = false;
            job.processData(context, data);
        } while (context.goesOn());
    }
}
