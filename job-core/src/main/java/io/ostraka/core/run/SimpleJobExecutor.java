package io.ostraka.core.run;

import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;

/** Runs an item of a simple job with a single call. */
final class SimpleJobExecutor implements JobItemExecutor<SimpleJob> {
    @Override
    public Class<SimpleJob> type() {
        return SimpleJob.class;
    }

    @Override
    public void execute(SimpleJob job, ShardingContext context) throws Exception {
        job.execute(context);
    }
}
