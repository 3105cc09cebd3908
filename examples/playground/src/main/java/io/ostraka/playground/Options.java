package io.ostraka.playground;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Options of the program.
 *
 * @param port port of the console; empty for the standard port, or the next free one if that port is in use
 * @param logs true to print the directory of the logs
 * @param set the jobs
 */
record Options(OptionalInt port, boolean logs, JobSet set) {
    static final String USAGE = "usage: bin/playground [--port N] [--logs] [--troubles | --large]";

    private static final int LARGEST_PORT = 65_535;

    /** Parses the arguments; empty if they are not accepted. */
    static Optional<Options> parse(String... arguments) {
        OptionalInt port = OptionalInt.empty();
        boolean logs = false;
        JobSet set = JobSet.SHOP;
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--logs" -> logs = true;
                case "--troubles" -> set = JobSet.NIGHT;
                case "--large" -> set = JobSet.CROWD;
                case "--port" -> {
                    port = i + 1 < arguments.length ? port(arguments[++i]) : OptionalInt.empty();
                    if (port.isEmpty()) {
                        return Optional.empty();
                    }
                }
                default -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(new Options(port, logs, set));
    }

    private static OptionalInt port(String text) {
        boolean isNumber = text.matches("[0-9]{1,5}");
        return isNumber && Integer.parseInt(text) <= LARGEST_PORT
                ? OptionalInt.of(Integer.parseInt(text))
                : OptionalInt.empty();
    }
}
