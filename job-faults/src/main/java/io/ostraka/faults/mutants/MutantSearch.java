package io.ostraka.faults.mutants;

import io.ostraka.faults.history.Violation;
import io.ostraka.faults.simulation.Scenario;
import io.ostraka.faults.simulation.Simulation;

/**
 * Result of the search for a mutant.
 *
 * @param found true if a seed found it
 * @param seeds number of seeds that were run
 * @param violation first violation that revealed it; empty if not found
 */
record MutantSearch(boolean found, int seeds, String violation) {
    /** Runs the simulation's first seeds until one finds the mutant, at most {@link Mutant#seeds}. */
    static MutantSearch of(Mutant mutant) {
        for (int seed = 0; seed < mutant.seeds(); seed++) {
            for (Violation violation :
                    Simulation.run(Scenario.of(seed), mutant.seam()).violations()) {
                return new MutantSearch(true, seed + 1, violation.invariant() + ": " + violation.what());
            }
        }
        return new MutantSearch(false, mutant.seeds(), "");
    }
}
