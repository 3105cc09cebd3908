package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobInstance;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.SimpleJob;
import io.ostraka.core.coordination.Amendment;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.operations.Commands;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HighLatencyTest {
    /**
     * Delay of each request. Requests are sent one after the other, so the two requests of an election take longer than
     * the interval of the engine's checks.
     */
    private static final Duration SLOW = Duration.ofSeconds(3);
    /** Delay of each request in a network that is not slow. */
    private static final Duration USUAL = Duration.ofMillis(3);

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"), 0);
    private final InMemoryCoordination tree = new InMemoryCoordination(time::now);
    private final List<String> runs = new ArrayList<>();
    private int instances;

    private JobEngine start(Duration latency) {
        Platform platform = time.platform(Duration.ZERO);
        InMemoryNodeStore store = tree.connect("far", request -> time.after(latency, request), time.executor(), MINUTE);
        JobEngine engine = new JobEngine(
                EngineSettings.of("host-" + instances, ++instances),
                new TreeCoordination(store, platform.clock()),
                platform,
                Extensions.of(BuiltInStrategies.all()));
        engine.start();
        return engine;
    }

    private void register(JobConfiguration.Builder job, JobEngine... engines) {
        for (JobEngine engine : engines) {
            engine.register((SimpleJob) context -> runs.add(JobInstance.name(context.instanceId())), job.build());
        }
        time.advance(MINUTE);
    }

    private JobConfiguration.Builder onceNow(Scope scope) {
        return JobConfiguration.newBuilder("once", 1).scope(scope).schedule(Schedule.once(time.now()));
    }

    /**
     * Found by a soak run: after an outage the leader restarted its term at each check, and planned no job until
     * requests were fast again.
     */
    @Test
    void instanceWithSlowRequestsLeadsAndPlans() {
        JobEngine engine = start(SLOW);
        register(JobConfiguration.newBuilder("far", 1).schedule(Schedule.fixedRate(Duration.ofSeconds(30))), engine);
        time.advance(MINUTE.multipliedBy(4));

        assertThat(engine.leading()).isTrue();
        assertThat(tree.read("/jobs/far/sharding")).isPresent();
    }

    @ParameterizedTest
    @EnumSource(Scope.class)
    void fireDueAtTheRegistrationRunsAfterEachStart(Scope scope) {
        for (int starts = 1; starts < 4; starts++) {
            JobEngine engine = start(USUAL);
            time.advance(MINUTE);
            register(onceNow(scope), engine);
            assertThat(runs).hasSize(starts);
            engine.close();
            time.advance(MINUTE);
        }
    }

    @Test
    void allInstancesThatRegisterTheJobTogetherRunABroadcastFire() {
        JobEngine[] all = {start(USUAL), start(USUAL), start(USUAL)};
        time.advance(MINUTE);
        JobConfiguration.Builder job = onceNow(Scope.BROADCAST);
        register(job, all);
        register(job, start(USUAL)); // a later instance does not run the fire

        assertThat(runs).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void removedJobThatIsRegisteredAgainRunsItsFire() {
        JobEngine engine = start(USUAL);
        register(onceNow(Scope.SHARDED), engine);
        new Commands(engine.operations()).amend("once", Amendment.of(override -> override.withRemoved(true)));
        time.advance(MINUTE);
        engine.close();
        register(onceNow(Scope.SHARDED), start(USUAL));

        assertThat(runs).hasSize(2);
    }
}
