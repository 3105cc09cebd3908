package io.ostraka.faults.mutants;

import io.ostraka.faults.simulation.Scenario;
import io.ostraka.faults.simulation.Simulation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/**
 * Result of the search for a mutant in the simulation.
 *
 * @param found true if the run of a seed revealed the mutant
 * @param seeds number of seeds that were run
 * @param violation first violation that revealed the mutant; empty if not found
 */
record MutantSearch(boolean found, int seeds, String violation) {
    private static final Properties KNOWN = known();

    /**
     * Runs the simulation with its first seeds until one reveals the mutant, but with at most {@link Mutant#seeds}
     * seeds.
     */
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
     * Searches in the same way, but begins with the seed that found the mutant when {@code seeds.properties} was
     * written. If the engine has changed since then, another seed may find the mutant, and the search takes longer.
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
