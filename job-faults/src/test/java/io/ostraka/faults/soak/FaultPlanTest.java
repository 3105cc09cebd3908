package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FaultPlanTest {
    private static final Duration LENGTH = Duration.ofMinutes(9);
    private static final Duration STEP = Duration.ofMillis(50);

    @Test
    void theSameSeedGivesTheSamePlanAndAnotherSeedAnother() {
        assertThat(plan(1)).isEqualTo(plan(1)).isNotEqualTo(plan(2));
    }

    @Test
    void faultsOfEveryKindOccurInAnHour() {
        Set<Fault.Kind> kinds = EnumSet.noneOf(Fault.Kind.class);
        int number = 0;
        for (int seed = 1; seed <= 6; seed++) {
            plan(seed).faults().forEach(fault -> kinds.add(fault.kind()));
            number += plan(seed).faults().size();
        }

        assertThat(kinds).isEqualTo(FaultPlan.ALL);
        assertThat(number).isGreaterThan(800);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void oneWorkerIsAlwaysUp(long seed) {
        FaultPlan plan = plan(seed);
        Predicate<Fault> away =
                fault -> fault.kind().layer() == Fault.Layer.PROCESS && fault.kind() != Fault.Kind.WORKER_JOINS;

        for (Duration at = Duration.ZERO; at.compareTo(LENGTH) < 0; at = at.plus(STEP)) {
            assertThat(at(plan, at, away)).as("away at %s", at).hasSizeLessThan(plan.members());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theServersLackAMajorityOnlyWhereAllAreMeantToBeDown(long seed) {
        FaultPlan plan = plan(seed);

        for (Duration at = Duration.ZERO; at.compareTo(LENGTH) < 0; at = at.plus(STEP)) {
            assertThat(at(plan, at, fault -> fault.kind().layer() == Fault.Layer.ENSEMBLE))
                    .as("servers at %s", at)
                    .hasSizeLessThan(2);
        }
        assertThat(plan.faults()).filteredOn(fault -> fault.kind().isOutage()).allSatisfy(fault -> assertThat(
                        fault.until().minus(fault.at()))
                .isLessThanOrEqualTo(Duration.ofSeconds(10)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatBefallsTheSameComesOneAfterTheOtherAndEndsInTime(long seed) {
        Map<String, Duration> ends = new HashMap<>();
        for (Fault fault : plan(seed).faults()) {
            assertThat(fault.at()).isGreaterThanOrEqualTo(ends.getOrDefault(fault.lane(), Duration.ZERO));
            assertThat(fault.until()).isGreaterThan(fault.at()).isLessThanOrEqualTo(LENGTH);
            ends.put(fault.lane(), fault.until());
        }
    }

    @Test
    void aPlanOfSomeKindsHasNoOthers() {
        Set<Fault.Kind> some = EnumSet.of(Fault.Kind.REPLIES_LOST, Fault.Kind.OVERTAKEN);

        assertThat(FaultPlan.of(1, LENGTH, some).faults()).isNotEmpty().allMatch(fault -> some.contains(fault.kind()));
    }

    private static FaultPlan plan(long seed) {
        return FaultPlan.of(seed, LENGTH, FaultPlan.ALL);
    }

    private static List<Fault> at(FaultPlan plan, Duration at, Predicate<Fault> which) {
        return plan.faults().stream()
                .filter(which)
                .filter(fault -> fault.at().compareTo(at) <= 0 && fault.until().compareTo(at) > 0)
                .toList();
    }
}
