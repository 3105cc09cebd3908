package io.ostraka.cli;

import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.transport.Transport;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;

/**
 * The parts of the process that the program uses. Tests replace them.
 *
 * @param terminal the streams
 * @param environment the variables of the environment
 * @param clock the clock of this host, with the time zone of the person
 * @param pause waits between two reads
 * @param transports opens the connection to the API
 */
record Surroundings(
        Terminal terminal, Map<String, String> environment, Clock clock, Pause pause, Transport.Factory transports) {
    /** Waits between two reads of the same view. */
    @FunctionalInterface
    interface Pause {
        /** Waits, and returns whether to read again. */
        boolean next();
    }

    /** Returns the value of a variable; empty text if it is not set. */
    String variable(String name) {
        return environment.getOrDefault(name, "");
    }

    /** Returns the file with the contexts. */
    Path contexts() {
        String directory = variable("XDG_CONFIG_HOME");
        Path base = directory.isEmpty() ? Path.of(variable("HOME"), ".config") : Path.of(directory);
        return base.resolve("ostraka").resolve("config");
    }
}
