package io.ostraka.faults.command;

import java.io.PrintStream;
import java.util.List;

/** A command of a program. The first argument of the program selects the command. */
public interface Command {
    /** Returns the usage text: the arguments of the command, and its effect. */
    String usage();

    /**
     * Runs the command. The last printed line contains the command's result.
     *
     * @param arguments arguments after the command's name
     * @param out receives all output
     * @return whether all checks held
     * @throws IllegalArgumentException if the arguments are invalid; the message names the accepted arguments
     */
    boolean run(List<String> arguments, PrintStream out);
}
