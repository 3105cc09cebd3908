package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.lite.Operator;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests typing errors of an operator. */
@Tag("cluster")
class RefusedOverrideTest {
    @TempDir
    Path directory;

    /** Guards against an invalid cron expression or item count that stops a job on every instance. */
    @Test
    void invalidOverrideIsRefusedWithRemedyAndWritesNothing() throws Exception {
        try (Server server = new Server(directory);
                ZooKeeperRegistry registry = ZooKeeperRegistry.connect(server.servers(), "typed");
                Server.Bystander bystander = server.bystander("typed")) {
            new ScheduleJobBootstrap(
                            registry,
                            (SimpleJob) context -> {},
                            JobConfiguration.newBuilder("mistyped", 2)
                                    .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                                    .build())
                    .schedule();
            Attempts.succeeds(() -> Operator.override(registry, "mistyped", "jobParameter", "right"));
            var before = bystander.node("/jobs/mistyped/override").orElseThrow();

            assertRefused(
                    () -> Operator.override(registry, "mistyped", "schedule", Schedule.cron("every now and then")),
                    "schedule is 'every now and then'",
                    "Quartz");
            assertRefused(
                    () -> Operator.override(registry, "mistyped", "schedule", Schedule.cron("0 0 0 30 2 ?")),
                    "schedule is '0 0 0 30 2 ?'",
                    "fires at some time");
            assertRefused(
                    () -> Operator.override(registry, "mistyped", "shardingTotalCount", 0),
                    "shardingTotalCount is '0'",
                    "1 to");
            assertRefused(
                    () -> Operator.override(registry, "mistyped", "shardingTotalCount", -1),
                    "shardingTotalCount is '-1'",
                    "1 to");

            var after = bystander.node("/jobs/mistyped/override").orElseThrow();
            assertThat(after.version()).isEqualTo(before.version());
            assertThat(after.data()).isEqualTo(before.data());
        }
    }

    private static void assertRefused(ThrowingCallable override, String field, String remedy) {
        assertThatThrownBy(override)
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContainingAll("job 'mistyped'", field, "accepted: ", remedy);
    }
}
