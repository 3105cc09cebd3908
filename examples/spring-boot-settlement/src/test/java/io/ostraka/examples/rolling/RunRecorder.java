package io.ostraka.examples.rolling;

import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** Records each attempt of a run, and makes it take as long as a call of another service. */
final class RunRecorder implements RunInterceptor {
    private static final Map<String, Integer> CALL_MILLIS = Map.of("settle-orders", 300, "receive-orders", 1_200);

    private final JdbcTemplate database;

    RunRecorder(JdbcTemplate database) {
        this.database = database;
    }

    @Override
    public void before(ShardingContext run) throws InterruptedException {
        Recording.begin(database, run);
        Thread.sleep(CALL_MILLIS.get(run.jobName()));
    }

    @Override
    public void completion(ShardingContext run, @Nullable Throwable failure) {
        Recording.end(
                database, run, run.isCancelled() ? "cancelled" : failure == null ? Run.COMPLETED : failure.toString());
    }
}
