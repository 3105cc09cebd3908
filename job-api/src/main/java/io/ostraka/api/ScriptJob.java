package io.ostraka.api;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A job that runs a program for each item: {@code ScriptJob.command("/opt/orders/settle.sh", "--all").build()}. Needs
 * the module {@code ostraka-job-types}, and the registry's builder must allow script jobs. Immutable and thread-safe.
 *
 * <p>The engine starts the program directly, without a shell, and passes the arguments unchanged. The program receives
 * the values of the {@link ShardingContext} in environment variables such as {@code OSTRAKA_SHARDING_ITEM} and {@code
 * OSTRAKA_FENCING_TOKEN}, and as a JSON object on its standard input. The parameters of a trigger are only in the JSON
 * object. An exit code other than 0 fails the item with a {@link ScriptFailedException}, which contains the last 4 KiB
 * of the program's output. The engine discards the rest of the output.
 *
 * <p><b>The engine ends the processes of a run.</b> The program may have started other processes, its descendants. When
 * the program has ended, the engine asks the descendants that are still alive to end, and two seconds later it kills
 * the remaining ones. When the run is cancelled, the engine ends the program and all its descendants in the same way.
 * The engine finds descendants by their parent processes, so it misses a descendant whose parent has ended. On Linux
 * the engine also looks for a variable that descendants inherit from the program's environment. On this system it
 * therefore misses only a descendant that has cleared its own environment and whose parent has ended.
 */
public final class ScriptJob implements Job {
    /** Prefix of the environment variables that carry the context. */
    public static final String VARIABLE_PREFIX = "OSTRAKA_";

    private final List<String> command;
    private final @Nullable Path workingDirectory;
    private final Set<String> passedEnvironment;
    private final Map<String, String> environment;
    private final Map<String, Secret> secretEnvironment;

    private ScriptJob(Builder builder) {
        command = builder.command;
        workingDirectory = builder.workingDirectory;
        passedEnvironment = Collections.unmodifiableSet(new LinkedHashSet<>(builder.passedEnvironment));
        environment = Collections.unmodifiableMap(new LinkedHashMap<>(builder.environment));
        secretEnvironment = Collections.unmodifiableMap(new LinkedHashMap<>(builder.secretEnvironment));
    }

    /**
     * Returns a builder for a script job.
     *
     * @param program path of the program, or a name that is looked up in {@code PATH}
     * @param arguments arguments of the program, passed unchanged
     * @throws IllegalArgumentException if the program is blank, or the program or an argument contains a NUL character
     */
    public static Builder command(String program, String... arguments) {
        return new Builder(
                Stream.concat(Stream.of(program), Stream.of(arguments)).toList());
    }

    /** Returns the program, followed by its arguments. */
    public List<String> command() {
        return command;
    }

    /** Returns the program's working directory; empty (the default) for the working directory of this process. */
    public Optional<Path> workingDirectory() {
        return Optional.ofNullable(workingDirectory);
    }

    /**
     * Returns the names of additional environment variables that the program inherits from this process; none by
     * default.
     */
    public Set<String> passedEnvironment() {
        return passedEnvironment;
    }

    /** Returns additional environment variables of the program; none by default. */
    public Map<String, String> environment() {
        return environment;
    }

    /** Returns the program's environment variables that have secret values; none by default. */
    public Map<String, Secret> secretEnvironment() {
        return secretEnvironment;
    }

    /** Returns the program without its arguments, which may be secret. */
    @Override
    public String toString() {
        return "script '" + command.get(0) + "'";
    }

    /** Builds a script job. Not thread-safe. */
    public static final class Builder {
        private final List<String> command;
        private @Nullable Path workingDirectory;
        private final Set<String> passedEnvironment = new LinkedHashSet<>();
        private final Map<String, String> environment = new LinkedHashMap<>();
        private final Map<String, Secret> secretEnvironment = new LinkedHashMap<>();

        private Builder(List<String> command) {
            if (command.get(0).isBlank() || command.stream().anyMatch(part -> part.indexOf('\0') >= 0)) {
                throw new IllegalArgumentException("script command starts with '" + command.get(0)
                        + "'; accepted: a program's path or" + " name and its arguments, without NUL characters");
            }
            this.command = command;
        }

        /** Sets the program's working directory. The default is the working directory of this process. */
        public Builder workingDirectory(Path directory) {
            workingDirectory = directory;
            return this;
        }

        /**
         * Passes environment variables of this process to the program, if they are set when the program starts. By
         * default the program gets only {@code PATH}, which it needs to find other programs, and on Windows also {@code
         * SystemRoot}. Other variables are not passed by default, since they often contain secrets of the application.
         *
         * @throws IllegalArgumentException if a name is not accepted
         */
        public Builder passEnvironment(String... names) {
            for (String name : names) {
                passedEnvironment.add(requireName(name));
            }
            return this;
        }

        /**
         * Sets an additional environment variable of the program.
         *
         * @throws IllegalArgumentException if the name is not accepted, or the value contains a NUL character
         */
        public Builder environment(String name, String value) {
            if (value.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("the value of variable " + name
                        + " contains a NUL character; accepted: text without NUL characters");
            }
            environment.put(requireName(name), value);
            return this;
        }

        /**
         * Sets an environment variable with a secret value. The engine reads the secret at each start of the program,
         * and removes the secret from the part of the output that it keeps. Other processes of the same
         * operating-system user can read the variable.
         *
         * @throws IllegalArgumentException if the name is not accepted
         */
        public Builder environment(String name, Secret value) {
            secretEnvironment.put(requireName(name), value);
            return this;
        }

        private static String requireName(String name) {
            if (name.isBlank()
                    || name.indexOf('=') >= 0
                    || name.indexOf('\0') >= 0
                    || name.startsWith(VARIABLE_PREFIX)) {
                throw new IllegalArgumentException(
                        "variable name is '" + name + "'; accepted: a name without '=' that does not start with "
                                + VARIABLE_PREFIX + ", which is reserved for the context");
            }
            return name;
        }

        /** Builds the job. */
        public ScriptJob build() {
            return new ScriptJob(this);
        }
    }
}
