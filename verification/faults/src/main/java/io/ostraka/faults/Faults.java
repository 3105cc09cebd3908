package io.ostraka.faults;

import io.ostraka.faults.command.Command;
import io.ostraka.faults.command.Commands;
import io.ostraka.faults.kills.HistoryKillsCommand;
import io.ostraka.faults.model.ModelCommand;
import io.ostraka.faults.mutants.MutantsCommand;
import io.ostraka.faults.simulation.SimulateCommand;
import io.ostraka.faults.soak.ReplayCommand;
import io.ostraka.faults.soak.RollCommand;
import io.ostraka.faults.soak.SoakCommand;
import java.util.Arrays;
import java.util.Map;

/** The program behind {@code bin/faults}. */
public final class Faults {
    private static final Map<String, Command> COMMANDS = Map.of(
            "history-kills", new HistoryKillsCommand(),
            "model", new ModelCommand(),
            "mutants", new MutantsCommand(),
            "replay", new ReplayCommand(),
            "roll", new RollCommand(),
            "soak", new SoakCommand(),
            "simulate", new SimulateCommand());

    private Faults() {}

    /** Runs the command that the first argument names, with the remaining arguments. */
    public static void main(String[] arguments) {
        System.exit(new Commands("bin/faults", COMMANDS).run(Arrays.asList(arguments), System.out, System.err));
    }
}
