package io.ostraka.core.decide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobInstance;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.InstanceInfo.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PlacementTest {
    private static final List<String> ITEMS = List.of("0", "1", "2");

    private final List<JobShardingStrategy.Request> requests = new ArrayList<>();

    static Stream<Arguments> badAnswers() {
        Map<String, List<String>> nullItems = new HashMap<>();
        nullItems.put("a", null);
        return Stream.of(
                Arguments.of("did not place items [2]", Map.of("a", List.of("0", "1"))),
                Arguments.of("placed item '0' twice", Map.of("a", List.of("0", "1", "2", "0"))),
                Arguments.of("placed item '1' twice", Map.of("a", List.of("0", "1"), "b", List.of("1", "2"))),
                Arguments.of(
                        "placed item '3' twice, or the job does not have it", Map.of("a", List.of("0", "1", "2", "3"))),
                Arguments.of(
                        "named 'c', which is not one of the given instances",
                        Map.of("a", List.of("0", "1"), "c", List.of("2"))),
                Arguments.of("named 'c', which is not one of the given instances", Map.of("a", ITEMS, "c", List.of())),
                Arguments.of("gave instance 'a' null", nullItems),
                Arguments.of("returned null", null));
    }

    @ParameterizedTest
    @MethodSource("badAnswers")
    void invalidAnswerIsRefused(String reason, Map<String, List<String>> answer) {
        assertThatThrownBy(() -> place(Map.of(), request -> answer, working("a"), working("b")))
                .isInstanceOf(PlacementRefusedException.class)
                .hasMessageStartingWith("strategy TEST ")
                .hasMessageContaining(reason);
    }

    @Test
    void anyThrowableOfAStrategyIsRefused() {
        assertThatThrownBy(() -> place(
                        Map.of(),
                        request -> {
                            throw new StackOverflowError("deep");
                        },
                        working("a")))
                .isInstanceOf(PlacementRefusedException.class)
                .hasMessage("strategy TEST threw java.lang.StackOverflowError: deep");
    }

    @Test
    void throwableWithoutTextIsRefused() {
        RuntimeException mute = new RuntimeException() {
            private static final long serialVersionUID = 1L;

            @Override
            public String toString() {
                throw new IllegalStateException("says nothing");
            }
        };
        assertThatThrownBy(() -> place(
                        Map.of(),
                        request -> {
                            throw mute;
                        },
                        working("a")))
                .isInstanceOf(PlacementRefusedException.class)
                .hasMessage("strategy TEST threw " + mute.getClass().getName());
    }

    @Test
    void answerIsReadOnce() {
        Map<String, List<String>> fickle = new HashMap<>(Map.of("a", ITEMS)) {
            private static final long serialVersionUID = 1L;

            @Override
            public List<String> getOrDefault(Object key, List<String> instead) {
                throw new IllegalStateException("read again");
            }
        };

        assertThat(place(Map.of(), request -> fickle, working("a"))).containsOnly(Map.entry("a", ITEMS));
    }

    @Test
    void anInstanceWithoutItemsMayBeLeftOutOrNamed() {
        assertThat(place(Map.of(), request -> Map.of("a", ITEMS, "b", List.of()), working("a"), working("b")))
                .containsOnly(Map.entry("a", ITEMS));
    }

    @Test
    void strategySeesEligibleInstancesAndTheirItems() {
        place(
                Map.of("0", "b", "1", "gone", "2", "draining", "7", "a"),
                request -> Map.of("a", ITEMS),
                working("b"),
                instance("draining", State.DRAINING, Set.of("job"), List.of(), Set.of()),
                instance("stranger", State.WORKING, Set.of("another"), List.of(), Set.of()),
                working("a"));

        assertThat(requests).hasSize(1);
        JobShardingStrategy.Request request = requests.get(0);
        assertThat(request.jobName()).isEqualTo("job");
        assertThat(request.instances()).extracting(JobInstance::id).containsExactly("a", "b");
        assertThat(request.items()).isEqualTo(ITEMS);
        assertThat(request.owners()).containsOnly(Map.entry("0", "b"));
    }

    @Test
    void strategyIsNotAskedWithoutInstancesOrItems() {
        assertThat(place(Map.of(), request -> Map.of())).isEmpty();
        assertThat(place(
                        Map.of(),
                        request -> Map.of(),
                        instance("a", State.DRAINING, Set.of("job"), List.of(), Set.of())))
                .isEmpty();
        assertThat(PlacedJob.of("job", List.of()).place(List.of(working("a")), strategy(request -> Map.of())))
                .isEmpty();
        assertThat(requests).isEmpty();
    }

    @Test
    void aProcessInheritsTheItemsOfItsEarlierSessions() {
        place(
                Map.of("0", "a1", "1", "a2", "2", "b"),
                request -> Map.of("b", ITEMS),
                instance("a3", State.WORKING, Set.of("job"), List.of("a1", "a2"), Set.of()),
                working("b"));

        assertThat(requests.get(0).owners())
                .containsOnly(Map.entry("0", "a3"), Map.entry("1", "a3"), Map.entry("2", "b"));
    }

    @Test
    void registeredEarlierSessionKeepsItsItems() {
        // the result must not depend on which id is the smaller one
        for (String later : List.of("a0", "a9")) {
            requests.clear();
            place(
                    Map.of("0", "a5"),
                    request -> Map.of("a5", ITEMS),
                    working("a5"),
                    instance(later, State.WORKING, Set.of("job"), List.of("a5"), Set.of()));

            assertThat(requests.get(0).owners()).containsOnly(Map.entry("0", "a5"));
        }
    }

    @Test
    void unreturnedItemGoesToInstanceWithFewest() {
        assertThat(place(
                        Map.of(),
                        request -> Map.of("a", List.of("0"), "b", List.of("1", "2")),
                        instance("a", State.WORKING, Set.of("job"), List.of(), Set.of("0")),
                        working("b"),
                        working("c")))
                .containsOnly(Map.entry("b", List.of("1", "2")), Map.entry("c", List.of("0")));
    }

    @Test
    void unreturnedItemStaysWithoutAlternative() {
        assertThat(place(
                        Map.of(),
                        request -> Map.of("a", ITEMS),
                        instance("a", State.WORKING, Set.of("job"), List.of(), Set.of("0")),
                        instance("b", State.DRAINING, Set.of("job"), List.of(), Set.of()),
                        instance("c", State.WORKING, Set.of("job"), List.of(), Set.of("0"))))
                .containsOnly(Map.entry("a", ITEMS));
    }

    @Test
    void unstableStrategyIsAskedALimitedNumberOfTimes() {
        assertThat(place(
                        Map.of(),
                        request -> requests.size() % 2 == 0
                                ? Map.of("a", List.of("0", "1"), "b", List.of("2"))
                                : Map.of("b", List.of("0", "1"), "a", List.of("2")),
                        instance("a", State.WORKING, Set.of("job"), List.of(), Set.of("0")),
                        working("b")))
                .hasSize(2);
        assertThat(requests).hasSizeBetween(2, 20);
    }

    @Test
    void instanceWithClockAheadGetsNoItems() {
        place(Map.of("0", "ahead"), request -> Map.of("a", ITEMS), working("a"), ahead("ahead"));

        assertThat(requests.get(0).instances()).extracting(JobInstance::id).containsExactly("a");
        assertThat(requests.get(0).owners()).isEmpty();
    }

    @Test
    void itemsStayIfAllClocksAreAhead() {
        place(
                Map.of("0", "b", "1", "a"),
                request -> Map.of("a", ITEMS),
                ahead("a"),
                ahead("b"),
                instance("draining", State.DRAINING, Set.of("job"), List.of(), Set.of()),
                instance("stranger", State.WORKING, Set.of("another"), List.of(), Set.of()));

        assertThat(requests.get(0).instances()).extracting(JobInstance::id).containsExactly("a", "b");
        assertThat(requests.get(0).owners()).containsOnly(Map.entry("0", "b"), Map.entry("1", "a"));
    }

    private Map<String, List<String>> place(
            Map<String, String> owners,
            Function<JobShardingStrategy.Request, Map<String, List<String>>> answer,
            InstanceInfo... instances) {
        return PlacedJob.of("job", ITEMS).ownedBy(owners).place(List.of(instances), strategy(answer));
    }

    private JobShardingStrategy strategy(Function<JobShardingStrategy.Request, Map<String, List<String>>> answer) {
        return new JobShardingStrategy() {
            @Override
            public String type() {
                return "TEST";
            }

            @Override
            public Map<String, List<String>> shard(Request request) {
                requests.add(request);
                return answer.apply(request);
            }
        };
    }

    private static InstanceInfo ahead(String id) {
        return new InstanceInfo(
                new JobInstance(id, "host", "", Map.of(), 1),
                1,
                State.WORKING,
                true,
                Set.of("job"),
                List.of(),
                Map.of());
    }

    private static InstanceInfo working(String id) {
        return instance(id, State.WORKING, Set.of("job"), List.of(), Set.of());
    }

    private static InstanceInfo instance(
            String id, State state, Set<String> jobs, List<String> earlier, Set<String> stillRunning) {
        return new InstanceInfo(
                new JobInstance(id, "host", "", Map.of(), 1),
                1,
                state,
                false,
                jobs,
                earlier,
                Map.of("job", stillRunning));
    }
}
