package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DatabaseFaultsTest {
    private static final Duration LENGTH = Duration.ofMinutes(9);

    @Test
    void otherFaultsOfTheSeedStayTheSame() {
        FaultPlan plan = FaultPlan.of(1, LENGTH, FaultPlan.ALL);

        assertThat(DatabaseFaults.addTo(plan).faults().stream()
                        .filter(fault -> fault.kind().layer() != Fault.Layer.DATABASE))
                .isEqualTo(plan.faults());
    }

    @Test
    void everyKindOccursOneAtATimeWithinThePlan() {
        for (long seed = 0; seed < 20; seed++) {
            List<Fault> faults = DatabaseFaults.addTo(FaultPlan.of(seed, LENGTH, FaultPlan.ALL)).faults().stream()
                    .filter(fault -> fault.kind().layer() == Fault.Layer.DATABASE)
                    .toList();

            assertThat(faults)
                    .extracting(Fault::kind)
                    .contains(Fault.Kind.DATABASE_KILLED, Fault.Kind.DATABASE_FROZEN, Fault.Kind.DATABASE_FULL);
            for (int i = 1; i < faults.size(); i++) {
                assertThat(faults.get(i).at()).isGreaterThan(faults.get(i - 1).until());
            }
            assertThat(faults.get(faults.size() - 1).until()).isLessThan(LENGTH);
        }
    }

    @Test
    void thePlanNeedsADatabase() {
        FaultPlan plan = FaultPlan.of(1, LENGTH, FaultPlan.ALL);

        assertThat(plan.needsDatabase()).isFalse();
        assertThat(DatabaseFaults.addTo(plan).needsDatabase()).isTrue();
    }
}
