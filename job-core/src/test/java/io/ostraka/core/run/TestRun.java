package io.ostraka.core.run;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Progress;
import io.ostraka.api.Scope;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.schedule.FireSchedules;
import io.ostraka.core.time.FireTimer;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.time.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Creates runs of item 0 without an instance. */
public final class TestRun {
    public static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private TestRun() {}

    /** Returns a run of a scheduled fire. */
    public static ItemRun of(JobConfiguration job) {
        return of(job, Fire.scheduled(NOW));
    }

    /** Returns a run of a manual trigger. */
    public static ItemRun of(JobConfiguration job, Map<String, String> parameters) {
        return of(job, new Fire("run-1", NOW, 1, parameters));
    }

    private static ItemRun of(JobConfiguration job, Fire fire) {
        ShardingPlan plan = ShardingPlan.of(job.shardingTotalCount(), 1, Scope.SHARDED, job.schedule(), NOW, 1)
                .madeFrom(1, 0, 0);
        JobSnapshot snapshot = new JobSnapshot(
                job,
                JobOverride.NONE,
                plan,
                0,
                FireSchedules.of("job", job.schedule(), NOW),
                Duration.ofSeconds(30),
                false);
        Run claim = new Run(fire, job.shardingTotalCount(), 1, 0, "a@1@1", "nonce", NOW, NOW, 1, 0, 0);
        ItemRecord record = ItemRecord.fresh(NOW, 1, 1).claimed(claim, NOW, List.of());
        return new ItemRun(snapshot, "0", record, null, new ItemRun.Claimed(1, 7, 7, 5), new NoSession(), () -> true);
    }

    private static final class NoSession implements RunSession {
        @Override
        public Optional<String> doubt() {
            return Optional.empty();
        }

        @Override
        public Optional<byte[]> checkpoint(String job, String item) {
            return Optional.empty();
        }

        @Override
        public boolean saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint) {
            return false;
        }

        @Override
        public Instant now() {
            return NOW;
        }

        @Override
        public String zone() {
            return "north";
        }

        @Override
        public Optional<Progress> progress(String job, String item) {
            return Optional.empty();
        }

        @Override
        public void saveProgress(String job, String item, int recordVersion, Progress progress) {}
    }

    /** Returns a platform that executes everything at once and on which no time limit passes. */
    public static Platform onCallersThread() {
        Timer never = new Timer() {
            @Override
            public Runnable after(Duration delay, Runnable wake) {
                return () -> {};
            }

            @Override
            public void close() {}
        };
        FireTimer silent = new FireTimer() {
            @Override
            public void wakeAt(String key, Instant at, Runnable wake) {}

            @Override
            public void cancel(String key) {}

            @Override
            public void close() {}
        };
        return new Platform(new SystemClock(), silent, never, Runnable::run, Runnable::run, (answer, timeout) -> {});
    }
}
