package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.placement.StickyBalancedStrategy;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.TreeCoordination;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HighLatencyTest {
    /**
     * Delay of each request. Requests are sent one after the other, so the two requests of an election take longer than
     * the interval of the engine's checks.
     */
    private static final Duration LATENCY = Duration.ofSeconds(3);

    /**
     * Found by a soak run: after an outage the leader restarted its term at each check, and planned no job until
     * requests were fast again.
     */
    @Test
    void instanceWithSlowRequestsLeadsAndPlans() {
        ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"), 0);
        InMemoryCoordination tree = new InMemoryCoordination(time::now);
        Platform platform = time.platform(Duration.ZERO);
        InMemoryNodeStore store =
                tree.connect("far", request -> time.after(LATENCY, request), time.executor(), Duration.ofMinutes(1));
        StickyBalancedStrategy strategy = new StickyBalancedStrategy();
        JobEngine engine = new JobEngine(
                EngineSettings.of("host", 1),
                new TreeCoordination(store, platform.clock()),
                platform,
                Extensions.of(Map.of(strategy.type(), strategy)));
        engine.start();
        engine.register(
                (SimpleJob) context -> {},
                JobConfiguration.newBuilder("far", 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(30)))
                        .build());
        time.advance(Duration.ofMinutes(5));

        assertThat(engine.leading()).isTrue();
        assertThat(tree.read("/jobs/far/sharding")).isPresent();
    }
}
