package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.InstanceListener;
import io.ostraka.api.InstanceState;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests an instance from its start to its end: the callbacks before its first work, and the notifications of its
 * states.
 */
@ExtendWith(OstrakaExtension.class)
class LifecycleTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<String> calls = new ArrayList<>();

    /** A listener with a callback before the first work. */
    private interface Hook extends InstanceListener {
        @Override
        void beforeWork() throws Exception;

        @Override
        default Duration timeLimit() {
            return MINUTE.multipliedBy(10);
        }
    }

    private static InstanceState state(TestCluster cluster, int instance) {
        return cluster.instances().get(instance).engine().health().state();
    }

    /**
     * Guards against first runs that find an empty cache, and against triggers that are lost during the preparation.
     */
    @Test
    void earlyTriggersRunInOrderOnceTheInstanceIsPrepared(@Instances(0) TestCluster cluster) {
        cluster.schedule(
                context -> calls.add("run " + context.triggerParameters().get("number")),
                JobConfiguration.newBuilder("by-hand", 1).build());
        Hook warming = () -> {
            for (int i = 1; i <= 3; i++) {
                cluster.instances().get(0).engine().trigger("by-hand", Map.of("number", "" + i), Set.of());
                cluster.advance(MINUTE);
            }
            calls.add("warm, " + state(cluster, 0));
        };
        cluster.join(warming);
        cluster.advance(MINUTE);

        assertThat(calls).containsExactly("warm, STARTING", "run 1", "run 2", "run 3");
        assertThat(state(cluster, 0)).isEqualTo(InstanceState.WORKING);
    }

    @Test
    void firesMissedDuringPreparationFollowTheMisfirePolicy(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> calls.add("late by "
                        + Duration.between(context.fireTime(), cluster.now()).toSeconds()),
                JobConfiguration.newBuilder("minutely", 1)
                        .schedule(Schedule.fixedRate(MINUTE))
                        .misfireThreshold(SECOND.multipliedBy(10))
                        .misfire(MisfirePolicy.fireAll(2))
                        .build());
        cluster.advance(MINUTE.multipliedBy(2));
        cluster.instances().get(0).close();
        calls.clear();
        Hook warming = () -> {
            cluster.advance(MINUTE.multipliedBy(5).plusSeconds(30)); // the latest fire exceeds the threshold, too
            assertThat(calls).isEmpty();
        };
        cluster.join(warming);
        cluster.advance(SECOND.multipliedBy(5));

        assertThat(calls).hasSize(2).allMatch(line -> line.startsWith("late by "));
    }

    @Test
    void preparingInstanceGetsNoItems(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> calls.add(
                        cluster.instance(context.instanceId())
                                        == cluster.instances().get(0)
                                ? "old"
                                : "new"),
                JobConfiguration.newBuilder("secondly", 2)
                        .schedule(Schedule.fixedRate(SECOND))
                        .build());
        Hook warming = () -> {
            cluster.advance(MINUTE);
            assertThat(calls).hasSizeGreaterThan(100).containsOnly("old");
        };
        cluster.join(warming);
        assertThat(state(cluster, 1)).isEqualTo(InstanceState.WORKING);
        cluster.advance(MINUTE);

        assertThat(calls).contains("new");
    }

    @Test
    void failingPreparationIsRetriedAndReportedInHealth(@Instances(0) TestCluster cluster) {
        cluster.schedule(
                context -> calls.add("run"),
                JobConfiguration.newBuilder("minutely", 1)
                        .schedule(Schedule.fixedRate(MINUTE))
                        .build());
        Hook first = () -> calls.add("first");
        Hook second = () -> {
            calls.add("second");
            if (calls.size() < 5) {
                throw new IllegalStateException("no cache");
            }
        };
        cluster.join(first, second);
        assertThat(state(cluster, 0)).isEqualTo(InstanceState.STARTING);
        assertThat(cluster.instances().get(0).engine().health().problem()).contains("no cache");
        assertThat(cluster.instances().get(0).engine().health().good()).isFalse();
        cluster.advance(MINUTE.multipliedBy(3));

        assertThat(calls).startsWith("first", "second", "second", "second", "second", "run");
        assertThat(cluster.instances().get(0).engine().health().problem()).isNull();
        assertThat(cluster.instances().get(0).engine().health().good()).isTrue();
    }

    @Test
    void slowPreparationIsNeverCalledTwiceAtOnce(@Instances(0) TestCluster cluster) {
        InstanceListener slow = new InstanceListener() {
            @Override
            public Duration timeLimit() {
                return SECOND.multipliedBy(3);
            }

            @Override
            public void beforeWork() {
                calls.add("begins");
                if (calls.size() == 1) {
                    cluster.advance(MINUTE);
                    Thread.interrupted(); // clears the interruption at the time limit
                }
                calls.add("ends");
            }
        };
        cluster.join(slow);
        cluster.advance(MINUTE.multipliedBy(2));

        assertThat(calls).containsExactly("begins", "ends", "begins", "ends");
        assertThat(state(cluster, 0)).isEqualTo(InstanceState.WORKING);
    }

    @Test
    void everyStateIsShownAndNotified(@Instances(0) TestCluster cluster) {
        cluster.join(new InstanceListener() {
            @Override
            public void stateChanged(InstanceState now) {
                calls.add(now.name());
                throw new IllegalStateException("harmless");
            }
        });
        TestCluster.Instance instance = cluster.instances().get(0);
        assertThat(state(cluster, 0)).isEqualTo(InstanceState.WORKING);
        instance.store().suspend();
        cluster.advance(SECOND);
        assertThat(state(cluster, 0)).isEqualTo(InstanceState.SUSPENDED);
        instance.store().reconnect();
        cluster.advance(SECOND.multipliedBy(2));
        assertThat(state(cluster, 0)).isEqualTo(InstanceState.WORKING);
        instance.close();
        assertThat(state(cluster, 0)).isEqualTo(InstanceState.STOPPED);

        assertThat(calls).containsExactly("WORKING", "SUSPENDED", "WORKING", "DRAINING", "STOPPED");
    }

    /** Records each call and advances time inside it, so that an overlapping call would show. */
    private InstanceListener recorder(String name, int order, Supplier<TestCluster> cluster) {
        return new InstanceListener() {
            @Override
            public int order() {
                return order;
            }

            @Override
            public void beforeWork() {
                record("warm");
            }

            @Override
            public void stateChanged(InstanceState now) {
                record(now.name());
            }

            private void record(String event) {
                calls.add(name + " " + event);
                cluster.get().advance(SECOND);
                calls.add(name + " done");
            }
        };
    }

    @Test
    void listenersAreCalledOneAfterTheOtherInOrder(@Instances(0) TestCluster cluster) {
        cluster.join(recorder("second", 2, () -> cluster), recorder("first", 1, () -> cluster));
        cluster.advance(MINUTE);
        TestCluster.Instance instance = cluster.instances().get(0);
        instance.store().suspend(); // reconnects before the first listener is notified
        instance.store().reconnect();
        cluster.advance(MINUTE);

        List<String> expected = new ArrayList<>();
        for (String event : List.of("warm", "WORKING", "SUSPENDED", "WORKING")) {
            for (String name : List.of("first", "second")) {
                expected.add(name + " " + event);
                expected.add(name + " done");
            }
        }
        assertThat(calls).containsExactlyElementsOf(expected);
    }

    @Test
    void listenerIsNotifiedOfACloseAfterItsPreparation(@Instances(0) TestCluster cluster) {
        cluster.join(new InstanceListener() {
            @Override
            public void beforeWork() {
                calls.add("begins");
                cluster.time().after(SECOND, () -> cluster.instances().get(0).close());
                cluster.advance(SECOND.multipliedBy(2));
                calls.add("ends");
            }

            @Override
            public void stateChanged(InstanceState now) {
                calls.add(now.name());
            }
        });
        cluster.advance(MINUTE);

        assertThat(calls).containsExactly("begins", "ends", "DRAINING", "STOPPED");
    }
}
