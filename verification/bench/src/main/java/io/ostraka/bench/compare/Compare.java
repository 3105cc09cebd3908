package io.ostraka.bench.compare;

import io.ostraka.faults.command.Commands;
import java.util.Arrays;
import java.util.Map;

/** The program behind {@code bin/bench compare} and {@code bin/bench reach}. */
public final class Compare {
    private Compare() {}

    /** Runs the command that the first argument names, with the remaining arguments. */
    public static void main(String[] arguments) {
        Commands commands = new Commands(
                "bin/bench", Map.of("compare", new CompareCommand(false), "reach", new CompareCommand(true)));
        System.exit(commands.run(Arrays.asList(arguments), System.out, System.err));
    }
}
