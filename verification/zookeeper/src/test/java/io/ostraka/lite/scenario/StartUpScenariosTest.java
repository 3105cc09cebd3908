package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests an application that fails to start. */
@Tag("cluster")
class StartUpScenariosTest {
    @TempDir
    Path directory;

    private static final class Counted implements SimpleJob {
        final CountDownLatch ran = new CountDownLatch(3);
        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger destroyed = new AtomicInteger();
        final AtomicInteger late = new AtomicInteger();

        @Override
        public void execute(ShardingContext context) {
            running.incrementAndGet();
            if (destroyed.get() > 0) {
                late.incrementAndGet();
            }
            ran.countDown();
            running.decrementAndGet();
        }

        @Override
        public void destroy() {
            destroyed.incrementAndGet();
        }
    }

    private static JobConfiguration often(String job) {
        return JobConfiguration.newBuilder(job, 2)
                .schedule(Schedule.fixedRate(Duration.ofMillis(50)))
                .build();
    }

    /** Scenario 16. Guards against two jobs that continue after their application failed to start the third. */
    @Test
    void failedStartUpStopsJobsAlreadyStarted() throws Exception {
        try (Server server = new Server(directory)) {
            Counted first = new Counted();
            Counted second = new Counted();
            JobConfiguration broken =
                    often("third").toBuilder().errorHandler("MISSING").build();

            assertThatThrownBy(() -> {
                        try (ZooKeeperRegistry registry = ZooKeeperRegistry.connect(server.servers(), "startup")) {
                            new ScheduleJobBootstrap(registry, first, often("first")).schedule();
                            new ScheduleJobBootstrap(registry, second, often("second")).schedule();
                            assertThat(first.ran.await(60, TimeUnit.SECONDS)).isTrue();
                            assertThat(second.ran.await(60, TimeUnit.SECONDS)).isTrue();
                            assertThat(threads()).isNotEmpty();
                            new ScheduleJobBootstrap(registry, new Counted(), broken).schedule();
                        }
                    })
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContaining("third");

            for (Counted job : new Counted[] {first, second}) {
                assertThat(job.running).hasValue(0);
                assertThat(job.destroyed).hasValue(1);
                assertThat(job.late).hasValue(0);
            }
            Eventually.holds(
                    "the end of the registry's threads", () -> threads().isEmpty());
            try (Server.Bystander bystander = server.bystander("startup")) {
                assertThat(bystander.paths("/instances")).containsExactly("/instances");
                assertThat(bystander.paths("/leader/latch")).containsExactly("/leader/latch");
            }
        }
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("ostraka-"))
                .toList();
    }
}
