package io.ostraka.faults.mutants;

import io.ostraka.faults.simulation.Scenario;
import io.ostraka.faults.simulation.Simulation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/**
 * Result of the search for a mutant.
 *
 * @param found true if a seed found it
 * @param seeds number of seeds that were run, counted from the simulation's first seed
 * @param violation first violation that revealed it; empty if not found
 */
record MutantSearch(boolean found, int seeds, String violation) {
    private static final Properties KNOWN = known();

    /** Runs the simulation's first seeds until one finds the mutant, at most {@link Mutant#seeds}. */
    static MutantSearch of(Mutant mutant) {
        for (int seed = 0; seed < mutant.seeds(); seed++) {
            MutantSearch search = with(mutant, seed);
            if (search.found) {
                return search;
            }
        }
        return new MutantSearch(false, mutant.seeds(), "");
    }

    /**
     * Does the same, but begins with the seed that found the mutant when {@code seeds.properties} was written. If the
     * engine has changed, another seed may find the mutant, and the search then takes longer.
     */
    static MutantSearch quick(Mutant mutant) {
        String known = KNOWN.getProperty(mutant.name());
        if (known != null && Integer.parseInt(known) < mutant.seeds()) {
            MutantSearch search = with(mutant, Integer.parseInt(known));
            if (search.found) {
                return search;
            }
        }
        return of(mutant);
    }

    private static MutantSearch with(Mutant mutant, int seed) {
        return Simulation.run(Scenario.of(seed), mutant.seam()).violations().stream()
                .findFirst()
                .map(violation -> new MutantSearch(true, seed + 1, violation.invariant() + ": " + violation.what()))
                .orElseGet(() -> new MutantSearch(false, seed + 1, ""));
    }

    private static Properties known() {
        Properties known = new Properties();
        try (InputStream file = MutantSearch.class.getResourceAsStream("seeds.properties")) {
            known.load(Objects.requireNonNull(file, "seeds.properties"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return known;
    }
}
