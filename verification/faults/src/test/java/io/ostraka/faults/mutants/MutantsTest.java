package io.ostraka.faults.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.simulation.Scenario;
import io.ostraka.faults.simulation.Shrinker;
import io.ostraka.faults.simulation.Simulation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the simulation finds each mutant. */
@Tag("faults")
@Timeout(600) // the tests use the processor all the time, so they take long on a busy machine
class MutantsTest {
    @ParameterizedTest
    @EnumSource
    void simulationFindsEveryMutant(Mutant mutant) {
        MutantSearch search = MutantSearch.quick(mutant);

        assertThat(search.found())
                .as("%s, with seeds 0 to %d", mutant, mutant.seeds() - 1)
                .isTrue();
    }

    @Test
    void shrinkerRemovesFaultsUnrelatedToTheDefect() {
        Mutant mutant = Mutant.UNKNOWN_AS_SUCCESS;
        long seed = MutantSearch.quick(mutant).seeds() - 1;

        Scenario shrunk = Shrinker.shrink(Scenario.of(seed), mutant.seam());

        assertThat(shrunk.faults().size()).isLessThan(Scenario.of(seed).faults().size());
        assertThat(Simulation.run(shrunk, mutant.seam()).violations()).isNotEmpty();
        assertThat(Simulation.run(shrunk).violations()).isEmpty();
    }
}
