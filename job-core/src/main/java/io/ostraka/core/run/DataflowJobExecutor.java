package io.ostraka.core.run;

import io.ostraka.api.DataflowJob;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.ShardingContext;
import java.util.List;

/** Runs an item by fetching and processing data, once or, in streaming mode, until the run ends. */
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
