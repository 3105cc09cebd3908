package io.ostraka.types;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Progress;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.Tasks;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** The context of a run of item 0 without an instance. */
record TestContext(JobConfiguration job, Map<String, String> triggerParameters) implements ShardingContext {
    static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    static ShardingContext of(JobConfiguration job) {
        return of(job, Map.of());
    }

    static ShardingContext of(JobConfiguration job, Map<String, String> parameters) {
        return new TestContext(job, parameters);
    }

    @Override
    public String jobName() {
        return job.jobName();
    }

    @Override
    public String runId() {
        return "run-1";
    }

    @Override
    public Instant fireTime() {
        return NOW;
    }

    @Override
    public Optional<Instant> previousFireTime() {
        return Optional.empty();
    }

    @Override
    public int shardingItem() {
        return 0;
    }

    @Override
    public String itemKey() {
        return "0";
    }

    @Override
    public int shardingTotalCount() {
        return job.shardingTotalCount();
    }

    @Override
    public String shardingItemParameter() {
        return job.shardingItemParameters().getOrDefault(0, "");
    }

    @Override
    public String jobParameter() {
        return job.jobParameter();
    }

    @Override
    public int attempt() {
        return 1;
    }

    @Override
    public String instanceId() {
        return "a@1@1";
    }

    @Override
    public String zone() {
        return "north";
    }

    @Override
    public long fencingToken() {
        return 7;
    }

    @Override
    public long generationToken() {
        return 5;
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public boolean goesOn() {
        return false;
    }

    @Override
    public void idle() {}

    @Override
    public void checkOwnership() {}

    @Override
    public void progress(long done, long total, String message) {}

    @Override
    public Optional<Progress> progress() {
        return Optional.empty();
    }

    @Override
    public Optional<byte[]> checkpoint() {
        return Optional.empty();
    }

    @Override
    public void saveCheckpoint(byte[] checkpoint) {}

    @Override
    public Tasks tasks() {
        throw new UnsupportedOperationException();
    }
}
