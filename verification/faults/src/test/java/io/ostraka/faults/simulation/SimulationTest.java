package io.ostraka.faults.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.tree.NodeStore;
import io.ostraka.faults.history.Event;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests known seeds: no item runs twice, no fire is lost, the cluster recovers, and the simulation is repeatable. */
@Tag("faults")
@Timeout(600) // the tests use the processor all the time, so they take long on a busy machine
class SimulationTest {
    /**
     * Seeds that once found a defect, in the engine, the test kit or the simulation itself. After a change of the
     * scenarios or of the engine's steps, a seed no longer gives the scenario that found the defect.
     */
    @ParameterizedTest
    @ValueSource(
            longs = {
                13,
                27,
                28,
                33,
                48,
                89,
                168,
                221,
                497,
                539,
                836,
                1055,
                1077,
                1397,
                1563,
                1713,
                2981,
                2983,
                4417,
                4471,
                5161,
                5320,
                5417,
                5704,
                5875,
                10243,
                10535,
                12098,
                51962,
                7100067,
                733101246,
                733102265,
                736004676,
                37964,
                38582,
                39096,
                40493,
                301958,
                321859,
                307983,
                314382,
                314669,
                40802,
                42088,
                47206,
                731001302,
                736005489,
                736005700,
                736006194,
                736017041,
                736019405,
                760000358,
                777001089,
                777001984,
                777002245,
                888100036,
                918274835,
                918274976,
                2600000495L,
                8929395853801L,
                13046989535106L,
                14508095534759L,
                14508095534771L,
                19965716397607L,
                25393481248390L,
                120006214,
                120013267,
                120017606,
                120018150
            })
    void seedsThatOnceFoundDefectsFindNone(long seed) {
        assertThat(Simulation.run(Scenario.of(seed)).violations()).isEmpty();
    }

    /**
     * Covers a connection that was restored just when a full resync was due. It once left two periodic resyncs behind.
     */
    @Test
    void seedThatOnceReadTwiceAsMuchFindsNothing() {
        assertThat(Simulation.run(Scenario.of(6_474_764_928_758L)).violations()).isEmpty();
    }

    /**
     * Covers the restoration of a removed job. It once gave every instance the fires of the instance that was furthest
     * behind.
     */
    @Test
    void seedThatTakesBackARemovalFindsNothing() {
        Scenario scenario = Scenario.of(19_965_716_397_534L);
        List<Fault> first = scenario.faults().subList(0, 5);

        assertThat(Simulation.run(scenario).violations()).isEmpty();
        assertThat(Simulation.run(scenario.with(first)).violations()).isEmpty();
    }

    /** Covers a fire that a fast clock began under a schedule that was then replaced. Its other items once lost it. */
    @Test
    void seedThatReplacesTheScheduleOfABegunFireFindsNothing() {
        Scenario scenario = Scenario.of(8_929_395_853_801L);

        assertThat(Simulation.run(scenario.with(scenario.faults().subList(3, 6)))
                        .violations())
                .isEmpty();
    }

    /** Covers a deleted record whose owner did not know that its completion of a triggered fire was written. */
    @Test
    void seedThatDeletesARecordAfterALostReplyFindsNothing() {
        Scenario scenario = Scenario.of(5005);
        List<Fault> faults =
                List.of(0, 1, 5, 6, 8).stream().map(scenario.faults()::get).toList();

        assertThat(Simulation.run(scenario).violations()).isEmpty();
        assertThat(Simulation.run(scenario.with(faults)).violations()).isEmpty();
    }

    /** Covers a preferred instance that ends between its choice by the leader and the write of the plan. */
    @Test
    void seedThatPrefersAnInstanceThatHasJustEndedFindsNothing() {
        Scenario scenario = Scenario.of(110_001_993);
        List<Fault> faults = List.of(2, 3, 4, 5, 8, 22, 23, 25).stream()
                .map(scenario.faults()::get)
                .toList();

        assertThat(Simulation.run(scenario).violations()).isEmpty();
        assertThat(Simulation.run(scenario.with(faults)).violations()).isEmpty();
    }

    /**
     * Covers an eviction whose notice waits in a stopped process. The connection is lost before the process continues,
     * so the client cannot tell the server that it gives up its session. The session must expire all the same.
     */
    @Test
    void evictedSessionOfADisconnectedClientEnds() {
        long seed = 0; // the same instance each time; it is stopped for 3.8 s and disconnected for 9.4 s
        List<Fault> faults = List.of(
                new Fault(0, Fault.Kind.STOP, Duration.ofSeconds(60), 0, seed),
                new Fault(1, Fault.Kind.EVICT, Duration.ofSeconds(61), 0, seed),
                new Fault(2, Fault.Kind.CUT, Duration.ofSeconds(62), 0, seed));

        assertThat(Simulation.run(Scenario.of(6).with(faults)).violations()).isEmpty();
    }

    /** After 2^32 writes the version of a node is -1. As an expected version, this value matches every version. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void wrappingVersionsBreakNoInvariant(long seed) {
        assertThat(Simulation.run(Scenario.of(seed), CoordinationHooks.WRAPPING).violations())
                .isEmpty();
    }

    @Test
    void sameSeedGivesSameHistory() {
        List<Event> first = Simulation.run(Scenario.of(4)).history();

        assertThat(Simulation.run(Scenario.of(4)).history()).isEqualTo(first);
    }

    /** An exception during planning ends up in a {@code CompletionStage}, and only the leader's health shows it. */
    @Test
    void reportsEngineThatFailsAtPlanning() {
        CoordinationHooks failing = new CoordinationHooks() {
            @Override
            public NodeStore store(NodeStore store) {
                return (NodeStore) Proxy.newProxyInstance(
                        NodeStore.class.getClassLoader(), new Class<?>[] {NodeStore.class}, (proxy, method, given) -> {
                            boolean fails = method.getName().equals("children")
                                    && given[0].toString().endsWith("/sharding");
                            return fails
                                    ? CompletableFuture.failedStage(new IllegalStateException("on purpose"))
                                    : method.invoke(store, given);
                        });
            }
        };

        assertThat(Simulation.run(Scenario.of(1), failing).violations())
                .anySatisfy(violation -> assertThat(violation.toString())
                        .contains("I8", "the engine itself never fails", "IllegalStateException: on purpose"));
    }
}
