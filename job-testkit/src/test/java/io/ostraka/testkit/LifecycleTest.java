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

/** An instance from its start to its end: what comes before its first work, and what is told. */
@ExtendWith(OstrakaExtension.class)
class LifecycleTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final List<String> story = new ArrayList<>();

    /** Does something before work. */
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

    /** Those whose first runs met an empty cache, and whose requests of that time were lost. */
    @Test
    void nothingRunsBeforeAnInstanceIsPreparedAndTriggersThatComeBeforeRunInOrderAfterwards(
            @Instances(0) TestCluster cluster) {
        cluster.schedule(
                context -> story.add("run " + context.triggerParameters().get("number")),
                JobConfiguration.newBuilder("by-hand", 1).build());
        Hook warming = () -> {
            for (int i = 1; i <= 3; i++) {
                cluster.instances().get(0).engine().trigger("by-hand", Map.of("number", "" + i), Set.of());
                cluster.advance(MINUTE);
            }
            story.add("warm, " + state(cluster, 0));
        };
        cluster.join(warming);
        cluster.advance(MINUTE);

        assertThat(story).containsExactly("warm, STARTING", "run 1", "run 2", "run 3");
        assertThat(state(cluster, 0)).isEqualTo(InstanceState.WORKING);
    }

    @Test
    void scheduledFiresThatComeBeforeAnInstanceIsPreparedFollowThresholdAndPolicy(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> story.add("late by "
                        + Duration.between(context.fireTime(), cluster.now()).toSeconds()),
                JobConfiguration.newBuilder("minutely", 1)
                        .schedule(Schedule.fixedRate(MINUTE))
                        .misfireThreshold(SECOND.multipliedBy(10))
                        .misfire(MisfirePolicy.fireAll(2))
                        .build());
        cluster.advance(MINUTE.multipliedBy(2));
        cluster.instances().get(0).close();
        story.clear();
        Hook warming = () -> {
            cluster.advance(MINUTE.multipliedBy(5).plusSeconds(30)); // the latest is too late, too
            assertThat(story).isEmpty();
        };
        cluster.join(warming);
        cluster.advance(SECOND.multipliedBy(5));

        assertThat(story).hasSize(2).allMatch(line -> line.startsWith("late by "));
    }

    @Test
    void anInstanceThatPreparesGetsNoItemsWhileOthersRunThem(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> story.add(
                        cluster.instance(context.instanceId())
                                        == cluster.instances().get(0)
                                ? "old"
                                : "new"),
                JobConfiguration.newBuilder("secondly", 2)
                        .schedule(Schedule.fixedRate(SECOND))
                        .build());
        Hook warming = () -> {
            cluster.advance(MINUTE);
            assertThat(story).hasSizeGreaterThan(100).containsOnly("old");
        };
        cluster.join(warming);
        assertThat(state(cluster, 1)).isEqualTo(InstanceState.WORKING);
        cluster.advance(MINUTE);

        assertThat(story).contains("new");
    }

    @Test
    void whatFailsBeforeWorkIsTriedAgainUntilItSucceedsAndHealthSaysSo(@Instances(0) TestCluster cluster) {
        cluster.schedule(
                context -> story.add("run"),
                JobConfiguration.newBuilder("minutely", 1)
                        .schedule(Schedule.fixedRate(MINUTE))
                        .build());
        Hook first = () -> story.add("first");
        Hook second = () -> {
            story.add("second");
            if (story.size() < 5) {
                throw new IllegalStateException("no cache");
            }
        };
        cluster.join(first, second);
        assertThat(state(cluster, 0)).isEqualTo(InstanceState.STARTING);
        assertThat(cluster.instances().get(0).engine().health().problem()).contains("no cache");
        assertThat(cluster.instances().get(0).engine().health().good()).isFalse();
        cluster.advance(MINUTE.multipliedBy(3));

        assertThat(story).startsWith("first", "second", "second", "second", "second", "run");
        assertThat(cluster.instances().get(0).engine().health().problem()).isNull();
        assertThat(cluster.instances().get(0).engine().health().good()).isTrue();
    }

    @Test
    void whatTakesTooLongBeforeWorkIsNeverCalledTwiceAtOnce(@Instances(0) TestCluster cluster) {
        InstanceListener slow = new InstanceListener() {
            @Override
            public Duration timeLimit() {
                return SECOND.multipliedBy(3);
            }

            @Override
            public void beforeWork() {
                story.add("begins");
                if (story.size() == 1) {
                    cluster.advance(MINUTE);
                    Thread.interrupted(); // the interruption at its time limit
                }
                story.add("ends");
            }
        };
        cluster.join(slow);
        cluster.advance(MINUTE.multipliedBy(2));

        assertThat(story).containsExactly("begins", "ends", "begins", "ends");
        assertThat(state(cluster, 0)).isEqualTo(InstanceState.WORKING);
    }

    @Test
    void everyStateIsShownAndTold(@Instances(0) TestCluster cluster) {
        cluster.join(new InstanceListener() {
            @Override
            public void stateChanged(InstanceState now) {
                story.add(now.name());
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

        assertThat(story).containsExactly("WORKING", "SUSPENDED", "WORKING", "DRAINING", "STOPPED");
    }

    /** Tells what it is told, and lets time pass in between, in which anything could overtake it. */
    private InstanceListener teller(String name, int order, Supplier<TestCluster> cluster) {
        return new InstanceListener() {
            @Override
            public int order() {
                return order;
            }

            @Override
            public void beforeWork() {
                told("warm");
            }

            @Override
            public void stateChanged(InstanceState now) {
                told(now.name());
            }

            private void told(String what) {
                story.add(name + " " + what);
                cluster.get().advance(SECOND);
                story.add(name + " done");
            }
        };
    }

    @Test
    void listenersAreCalledInTheirOrderOneAfterTheOtherAtEachState(@Instances(0) TestCluster cluster) {
        cluster.join(teller("second", 2, () -> cluster), teller("first", 1, () -> cluster));
        cluster.advance(MINUTE);
        TestCluster.Instance instance = cluster.instances().get(0);
        instance.store().suspend(); // and back before the first has heard of it
        instance.store().reconnect();
        cluster.advance(MINUTE);

        List<String> expected = new ArrayList<>();
        for (String what : List.of("warm", "WORKING", "SUSPENDED", "WORKING")) {
            for (String name : List.of("first", "second")) {
                expected.add(name + " " + what);
                expected.add(name + " done");
            }
        }
        assertThat(story).containsExactlyElementsOf(expected);
    }

    @Test
    void anInstanceThatIsClosedWhileItPreparesTellsThatListenerAfterwards(@Instances(0) TestCluster cluster) {
        cluster.join(new InstanceListener() {
            @Override
            public void beforeWork() {
                story.add("begins");
                cluster.time().after(SECOND, () -> cluster.instances().get(0).close());
                cluster.advance(SECOND.multipliedBy(2));
                story.add("ends");
            }

            @Override
            public void stateChanged(InstanceState now) {
                story.add(now.name());
            }
        });
        cluster.advance(MINUTE);

        assertThat(story).containsExactly("begins", "ends", "DRAINING", "STOPPED");
    }
}
