package io.ostraka.faults.command;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The commands of a program. The program exits with 0 if all checks of the command held, with 1 if a check failed, and
 * with 2 if the arguments were invalid.
 */
public final class Commands {
    private final String program;
    private final Map<String, Command> commands;

    /**
     * Creates the commands of a program.
     *
     * @param program name of the program on the command line
     * @param commands commands, by the first argument of the program
     */
    public Commands(String program, Map<String, Command> commands) {
        this.program = program;
        this.commands = new TreeMap<>(commands);
    }

    /**
     * Runs the command that the first argument selects, with the remaining arguments. Returns the program's exit code.
     */
    public int run(List<String> arguments, PrintStream out, PrintStream errors) {
        Command command = arguments.isEmpty() ? null : commands.get(arguments.get(0));
        if (command == null) {
            errors.println("usage: " + program + " COMMAND, where COMMAND is one of");
            commands.forEach((name, known) -> errors.println("  " + name + " " + known.usage()));
            return 2;
        }
        try {
            return command.run(arguments.subList(1, arguments.size()), out) ? 0 : 1;
        } catch (IllegalArgumentException e) {
            errors.println(e.getMessage());
            errors.println("usage: " + program + " " + arguments.get(0) + " " + command.usage());
            return 2;
        }
    }
}
