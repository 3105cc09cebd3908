package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import java.nio.file.Path;
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
    private static final Duration SESSION = Duration.ofSeconds(4);
    private static final Duration STEP = Duration.ofMillis(50);

    @Test
    void planDependsOnSeedOnly() {
        assertThat(plan(1)).isEqualTo(plan(1)).isNotEqualTo(plan(2));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void tenMinutesContainEveryKindOfFault(long seed) {
        List<Fault> faults = new Part(seed, 10, Path.of("unused")).plan().faults();

        assertThat(faults).hasSizeGreaterThanOrEqualTo(110);
        assertThat(faults).extracting(Fault::kind).containsAll(FaultPlan.ALL);
        assertThat(faults)
                .as("stops shorter and longer than a session")
                .anyMatch(is(Fault.Kind.WORKER_STOPPED, fault -> fault.length().compareTo(SESSION) < 0))
                .anyMatch(is(Fault.Kind.WORKER_STOPPED, fault -> fault.length().compareTo(SESSION) > 0));
        for (Fault.Kind clock : List.of(Fault.Kind.CLOCK_OFF, Fault.Kind.CLOCK_JUMP)) {
            assertThat(faults)
                    .as("ahead and behind")
                    .anyMatch(is(clock, fault -> fault.amount() > 0))
                    .anyMatch(is(clock, fault -> fault.amount() < 0));
        }
        assertThat(faults)
                .as("all items and some")
                .anyMatch(is(Fault.Kind.TRIGGERED, fault -> fault.amount() == 0))
                .anyMatch(is(Fault.Kind.TRIGGERED, fault -> fault.amount() != 0));
        assertThat(faults)
                .as("triggers during an operator's change of their job")
                .anyMatch(is(Fault.Kind.TRIGGERED, trigger -> faults.stream()
                        .anyMatch(change -> change.kind().layer() == Fault.Layer.JOB
                                && change.target() == trigger.target()
                                && change.at().compareTo(trigger.at()) < 0
                                && change.until().compareTo(trigger.until()) > 0)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyFaultChangesSomething(long seed) {
        for (Fault fault : plan(seed).faults()) {
            JobConfiguration job = FaultPlan.JOBS.get(fault.target());
            switch (fault.kind()) {
                case RESIZED -> {
                    assertThat(fault.amount()).isPositive().isNotEqualTo(job.shardingTotalCount());
                    assertThat(job.scope()).isEqualTo(Scope.SHARDED);
                }
                case RESCHEDULED ->
                    assertThat(Schedule.fixedRate(Duration.ofMillis(fault.amount())))
                            .isNotEqualTo(job.schedule());
                case ITEM_DISABLED -> {
                    assertThat(fault.amount()).isLessThan(job.shardingTotalCount());
                    assertThat(job.scope()).isIn(Scope.SHARDED, Scope.SINGLETON);
                }
                case TRIGGERED ->
                    assertThat(FaultActions.items(fault.amount()))
                            .allMatch(item -> FaultPlan.isNumbered(fault.target())
                                    && Integer.parseInt(item) < job.shardingTotalCount());
                case PAUSED -> assertThat(job.schedule()).isNotInstanceOf(Schedule.OnDemand.class);
                case CLOCK_OFF, CLOCK_JUMP ->
                    assertThat(Math.abs(fault.amount())).isBetween(500, 5_000);
                default -> {}
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void planContainsIsolatedKillAndOutage(long seed) {
        assertThat(alone(FaultPlan.of(seed, Duration.ofMinutes(2), FaultPlan.ALL)))
                .contains(Fault.Kind.WORKER_KILLED);
        assertThat(alone(FaultPlan.of(seed, Duration.ofMinutes(4), FaultPlan.ALL)))
                .contains(Fault.Kind.WORKER_KILLED, Fault.Kind.ALL_STOPPED);
    }

    /**
     * Returns the kinds of isolated faults: no other fault is active from the beginning of such a fault until eight
     * seconds later, or for an outage until eight seconds after its end.
     */
    private static List<Fault.Kind> alone(FaultPlan plan) {
        return plan.faults().stream()
                .filter(fault -> {
                    Duration clear = (fault.kind().isOutage() ? fault.until() : fault.at()).plusSeconds(8);
                    return plan.faults().stream()
                            .allMatch(other -> other == fault
                                    || other.until().compareTo(fault.at()) <= 0
                                    || other.at().compareTo(clear) >= 0);
                })
                .map(Fault::kind)
                .toList();
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
    void serversLoseMajorityOnlyInPlannedOutages(long seed) {
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
    void faultsWithSameTargetDoNotOverlapAndEndInTime(long seed) {
        Map<String, Duration> ends = new HashMap<>();
        for (Fault fault : plan(seed).faults()) {
            assertThat(fault.at()).isGreaterThanOrEqualTo(ends.getOrDefault(fault.targetName(), Duration.ZERO));
            assertThat(fault.until()).isGreaterThan(fault.at()).isLessThanOrEqualTo(LENGTH);
            ends.put(fault.targetName(), fault.until());
        }
    }

    @Test
    void planContainsOnlyRequestedKinds() {
        Set<Fault.Kind> some = EnumSet.of(Fault.Kind.REPLIES_LOST, Fault.Kind.OVERTAKEN);

        assertThat(FaultPlan.of(1, LENGTH, some).faults()).isNotEmpty().allMatch(fault -> some.contains(fault.kind()));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shortestSoakTriggersTheUnscheduledJob(long seed) {
        assertThat(new Part(seed, Part.FEWEST_MINUTES, Path.of("unused")).plan().faults())
                .anyMatch(is(
                        Fault.Kind.TRIGGERED,
                        fault -> FaultPlan.JOBS.get(fault.target()).schedule() instanceof Schedule.OnDemand));
    }

    private static Predicate<Fault> is(Fault.Kind kind, Predicate<Fault> and) {
        return fault -> fault.kind() == kind && and.test(fault);
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
