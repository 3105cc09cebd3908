package io.ostraka.faults.mutants;

import io.ostraka.faults.history.Violation;
import io.ostraka.faults.simulation.Scenario;
import io.ostraka.faults.simulation.Simulation;

/**
 * What became of the search for a mutant.
 *
 * @param found whether it was
 * @param seeds how many were run
 * @param violation by which it was found first; of no meaning if it wasn't
 */
record Hunt(boolean found, int seeds, String violation) {
    /** Looks for it in the simulation's first seeds, until it is found or there are no more. */
    static Hunt of(Mutant mutant) {
        for (int seed = 0; seed < mutant.seeds(); seed++) {
            for (Violation violation :
                    Simulation.run(Scenario.of(seed), mutant.seam()).violations()) {
                return new Hunt(true, seed + 1, violation.invariant() + ": " + violation.what());
            }
        }
        return new Hunt(false, mutant.seeds(), "");
    }
}
