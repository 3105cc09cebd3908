package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.Schedule;
import io.ostraka.fixtures.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(300)
class WrongClockScenarioTest {
    private static final String JOB = "punctual";

    @TempDir
    Path directory;

    /** Guards against jobs that run too early on a host with a wrong clock. */
    @Test
    void instanceWithClockAheadReportsItAndGetsNoItems() throws Exception {
        Runs runs = new Runs();
        try (Server server = new Server(directory);
                SingleEngine right = engine(server, Duration.ZERO, runs);
                SingleEngine wrong = engine(server, Duration.ofSeconds(15), runs)) {
            Eventually.holds(
                    "a report that the clock is ahead", () -> clockAhead(wrong).isPresent());
            assertThat(clockAhead(wrong).orElseThrow().text()).contains("ahead of ZooKeeper's", "set it");
            try (Server.Bystander bystander = server.bystander("clock")) {
                Eventually.holds("a plan without it", () -> {
                    String plan = bystander.text("/jobs/" + JOB + "/sharding");
                    return plan.contains(id(right)) && !plan.contains(id(wrong));
                });
            }
            runs.awaitMore(8, run -> true);
            assertThat(runs.all()).noneMatch(run -> run.instance().equals(id(wrong)));
            assertThat(clockAhead(right)).isEmpty();

            wrong.setClock(Duration.ZERO);
            runs.awaitMore(2, run -> run.instance().equals(id(wrong)));
            Eventually.holds("good health", () -> wrong.engine().health().good());
        }
        runs.assertNothingRanTwice();
    }

    private static SingleEngine engine(Server server, Duration skew, Runs runs) {
        SingleEngine engine =
                new SingleEngine(server.store("clock", Duration.ofSeconds(6)), skew, Duration.ofSeconds(1));
        engine.start();
        engine.engine()
                .register(
                        runs.recording(),
                        JobConfiguration.newBuilder(JOB, 4)
                                .schedule(Schedule.fixedRate(Duration.ofMillis(200)))
                                .build());
        return engine;
    }

    private static String id(SingleEngine engine) {
        return engine.engine().instanceId().orElseThrow();
    }

    private static Optional<JobHealth.Reason> clockAhead(SingleEngine engine) {
        return engine.engine().health().jobs().values().stream()
                .flatMap(job -> job.reason(Kind.CLOCK_AHEAD).stream())
                .findFirst();
    }
}
