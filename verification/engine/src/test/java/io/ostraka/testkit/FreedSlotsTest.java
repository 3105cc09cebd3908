package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.FireTimer;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.TreeCoordination;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests, with a single slot, that a slot which a job does not use becomes free for other jobs. */
class FreedSlotsTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration PERIOD = Duration.ofSeconds(10);

    private final ManualTime time = new ManualTime(START, 1);
    private final InMemoryCoordination tree = new InMemoryCoordination(time::now);
    /** Latest wake-up of each job, which a fire timer may still have to make when the job has ended. */
    private final Map<String, Runnable> wakes = new HashMap<>();

    private final List<String> ran = new ArrayList<>();
    private boolean failing;
    private final JobEngine engine = engine();

    private JobEngine engine() {
        Platform plain = time.platform(Duration.ZERO);
        Platform platform = new Platform(
                        new FailingClock(plain.clock()),
                        new RecordingFireTimer(plain.fireTimer()),
                        plain.timer(),
                        plain.engineThreads(),
                        plain.workers(),
                        plain.waiting())
                .withTurn(1);
        return new JobEngine(
                EngineSettings.of("host", 1).withRuns(1, 1),
                new TreeCoordination(
                        tree.connect("one", time.executor(), time.executor(), TestCluster.SESSION_TIMEOUT),
                        platform.clock()),
                platform,
                BuiltInStrategies.all());
    }

    @BeforeEach
    void start() {
        engine.start();
        register("brief");
        register("other");
        time.advance(PERIOD.multipliedBy(3));
        assertThat(ran).contains("brief", "other");
    }

    private void register(String name) {
        engine.register(
                (SimpleJob) context -> ran.add(context.jobName()),
                JobConfiguration.newBuilder(name, 1)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
    }

    @Test
    void wakeUpAfterTheEndOfAJobTakesNoSlot() {
        engine.unregister("brief");
        wakes.get("brief").run();
        ran.clear();
        time.advance(PERIOD.multipliedBy(3));

        assertThat(ran).hasSize(3).containsOnly("other");
    }

    @Test
    void claimThatFailsBeforeItIsSentFreesItsSlot() {
        failing = true;
        time.advance(PERIOD);
        assertThat(failing).isFalse();
        ran.clear();
        time.advance(PERIOD.multipliedBy(3));

        assertThat(ran).contains("brief", "other");
        assertThat(engine.metrics().load().slots().get("quick").taken()).isZero();
    }

    /** Throws an Error once, in a step that has taken a slot and has not sent the claim yet. */
    private final class FailingClock implements Clock {
        private final Clock clock;

        FailingClock(Clock clock) {
            this.clock = clock;
        }

        @Override
        public Instant now() {
            if (failing
                    && StackWalker.getInstance()
                            .walk(frames -> frames.anyMatch(
                                    frame -> frame.getMethodName().equals("sendPart")))) {
                failing = false;
                throw new OutOfMemoryError("injected");
            }
            return clock.now();
        }

        @Override
        public long monotonicNanos() {
            return clock.monotonicNanos();
        }
    }

    private final class RecordingFireTimer implements FireTimer {
        private final FireTimer fireTimer;

        RecordingFireTimer(FireTimer fireTimer) {
            this.fireTimer = fireTimer;
        }

        @Override
        public void wakeAt(String key, Instant at, Runnable wake) {
            wakes.put(key, wake);
            fireTimer.wakeAt(key, at, wake);
        }

        @Override
        public void cancel(String key) {
            fireTimer.cancel(key);
        }

        @Override
        public void close() {
            fireTimer.close();
        }
    }
}
