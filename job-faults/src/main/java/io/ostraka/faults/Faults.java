package io.ostraka.faults;

import io.ostraka.faults.compare.CompareCommand;
import io.ostraka.faults.model.ModelCommand;
import io.ostraka.faults.mutants.MutantsCommand;
import io.ostraka.faults.simulation.SimulateCommand;
import io.ostraka.faults.soak.ReplayCommand;
import io.ostraka.faults.soak.RollCommand;
import io.ostraka.faults.soak.SoakCommand;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The program behind {@code bin/faults}. It ends with 0 only if all held, with 1 if something didn't, with 2 if it was
 * called wrongly.
 */
public final class Faults {
    private static final Map<String, Command> COMMANDS = new TreeMap<>(Map.of(
            "compare", new CompareCommand(false), //
            "reach", new CompareCommand(true),
            "model", new ModelCommand(), //
            "mutants", new MutantsCommand(),
            "replay", new ReplayCommand(),
            "roll", new RollCommand(),
            "soak", new SoakCommand(),
            "simulate", new SimulateCommand()));

    private Faults() {}

    /** Runs the command that the first argument names, with the others. */
    public static void main(String[] arguments) {
        System.exit(run(Arrays.asList(arguments), System.out, System.err));
    }

    static int run(List<String> arguments, PrintStream out, PrintStream errors) {
        Command command = arguments.isEmpty() ? null : COMMANDS.get(arguments.get(0));
        if (command == null) {
            errors.println("usage: bin/faults COMMAND, where COMMAND is one of");
            COMMANDS.forEach((name, known) -> errors.println("  " + name + " " + known.usage()));
            return 2;
        }
        try {
            return command.run(arguments.subList(1, arguments.size()), out) ? 0 : 1;
        } catch (IllegalArgumentException e) {
            errors.println(e.getMessage());
            errors.println("usage: bin/faults " + arguments.get(0) + " " + command.usage());
            return 2;
        }
    }
}
