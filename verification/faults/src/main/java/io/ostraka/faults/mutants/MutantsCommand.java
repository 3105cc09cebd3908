package io.ostraka.faults.mutants;

import io.ostraka.faults.command.Command;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Injects each defect into the protocol, and runs the simulation until it finds the defect or reaches the limit. */
public final class MutantsCommand implements Command {
    private static final int LINE = 150;

    @Override
    public String usage() {
        return "[MUTANT ...]   injects all defects, or the named ones, into the protocol and has the simulation find each";
    }

    @Override
    public boolean run(List<String> arguments, PrintStream out) {
        List<Mutant> mutants = new ArrayList<>();
        for (String argument : arguments) {
            try {
                mutants.add(Mutant.valueOf(argument.toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "unknown mutant '" + argument + "': expected one of " + Arrays.toString(Mutant.values()), e);
            }
        }
        if (mutants.isEmpty()) {
            mutants.addAll(List.of(Mutant.values()));
        }
        int found = 0;
        for (Mutant mutant : mutants) {
            MutantSearch search = MutantSearch.of(mutant);
            found += search.found() ? 1 : 0;
            String how =
                    search.found() ? "found with " + search.seeds() + " seeds" : "NOT FOUND with " + search.seeds();
            out.println(mutant + ": " + how + " of " + mutant.seeds());
            out.println("  "
                    + search.violation()
                            .substring(0, Math.min(LINE, search.violation().length())));
        }
        out.println("mutants: " + found + " of " + mutants.size() + " found");
        return found == mutants.size();
    }
}
