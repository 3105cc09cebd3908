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

class FarServersTest {
    /** One request after the other: the two that it takes to lead take longer than from one look of the engine to the next. */
    private static final Duration LATENCY = Duration.ofSeconds(3);

    /** Seen in a soak: after an outage whoever led began anew with each look, and nobody planned until requests were quick. */
    @Test
    void anInstanceWhoseRequestsTakeLongLeadsAllTheSame() {
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
