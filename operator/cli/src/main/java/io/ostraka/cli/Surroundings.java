package io.ostraka.cli;

import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.transport.Failure;
import io.ostraka.cli.transport.Transport;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;

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

    /**
     * Returns the file with the contexts; empty if no variable names its directory. A relative directory is not used,
     * because the file would be the one of the current directory, which may belong to another user.
     */
    Optional<Path> contexts() {
        return directory("XDG_CONFIG_HOME")
                .or(() -> directory("HOME").map(home -> home.resolve(".config")))
                .map(base -> base.resolve("ostraka").resolve("config"));
    }

    private Optional<Path> directory(String name) {
        return Optional.of(Path.of(variable(name))).filter(Path::isAbsolute);
    }

    /**
     * Returns the file with the contexts.
     *
     * @throws Failure if no variable names its directory
     */
    Path requireContexts() {
        return contexts()
                .orElseThrow(() -> Failure.usage("there is no file for contexts, because HOME is '" + variable("HOME")
                        + "' and XDG_CONFIG_HOME is '" + variable("XDG_CONFIG_HOME")
                        + "'; accepted: an absolute path in one of them"));
    }
}
