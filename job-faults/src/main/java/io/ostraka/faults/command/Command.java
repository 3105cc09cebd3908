package io.ostraka.faults.command;

import java.io.PrintStream;
import java.util.List;

/** A command of a program, chosen by its first argument. */
public interface Command {
    /** Returns how it is called: its arguments, and what it does, in one line each. */
    String usage();

    /**
     * Does it. The last line that it prints is its figure.
     *
     * @param arguments what stood behind the command's name
     * @param out for everything that it says
     * @return whether all held
     * @throws IllegalArgumentException when the arguments can't be accepted; the message says what would be
     */
    boolean run(List<String> arguments, PrintStream out);
}
