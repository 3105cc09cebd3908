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
 * A job whose work for one item is a program: {@code ScriptJob.command("/opt/orders/settle.sh", "--all").build()}. Immutable
 * and thread-safe. The registry's builder must allow script jobs.
 *
 * <p>The program is started with its arguments as they are; no shell reads them. It finds the {@link ShardingContext} in its
 * environment, as {@code OSTRAKA_SHARDING_ITEM}, {@code OSTRAKA_FENCING_TOKEN} and so on, and as a JSON object on its
 * standard input, which alone has the trigger's parameters. It has failed if its exit code is not 0. What it writes is read
 * all the time and never kept but for the last 4 KiB, which a {@link ScriptFailedException} carries.
 *
 * <p><b>The run lasts as long as the program.</b> When it has ended, whatever it has started and left behind is told to end,
 * and killed two seconds later: nothing may work for an item whose run is over. When the run itself is to end, the same
 * befalls the program and all of its descendants. They are known by their parents, and on Linux by a mark in their
 * environment, too; elsewhere one whose parents have ended is not found, and on Linux one that has also cleared its
 * environment.
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
     * Starts the description of a script job.
     *
     * @param program its path, or its name if it is to be looked for in {@code PATH}
     * @param arguments given to it as they are
     * @throws IllegalArgumentException when the program is blank, or one of them has a character 0
     */
    public static Builder command(String program, String... arguments) {
        return new Builder(
                Stream.concat(Stream.of(program), Stream.of(arguments)).toList());
    }

    /** Returns the program and its arguments. */
    public List<String> command() {
        return command;
    }

    /** Returns where the program is started; by default where this process was. */
    public Optional<Path> workingDirectory() {
        return Optional.ofNullable(workingDirectory);
    }

    /** Returns the names of this process's environment variables that the program is given, too; none by default. */
    public Set<String> passedEnvironment() {
        return passedEnvironment;
    }

    /** Returns variables that the program is given besides; none by default. */
    public Map<String, String> environment() {
        return environment;
    }

    /** Returns the variables with secret values; none by default. */
    public Map<String, Secret> secretEnvironment() {
        return secretEnvironment;
    }

    /** Returns the name of the program without its arguments, which may be secret. */
    @Override
    public String toString() {
        return "script '" + command.get(0) + "'";
    }

    /** Collects what a script job needs. Not thread-safe. */
    public static final class Builder {
        private final List<String> command;
        private @Nullable Path workingDirectory;
        private final Set<String> passedEnvironment = new LinkedHashSet<>();
        private final Map<String, String> environment = new LinkedHashMap<>();
        private final Map<String, Secret> secretEnvironment = new LinkedHashMap<>();

        private Builder(List<String> command) {
            if (command.get(0).isBlank() || command.stream().anyMatch(part -> part.indexOf('\0') >= 0)) {
                throw new IllegalArgumentException("A script's command is a program's path or name and its arguments,"
                        + " without any character 0; the program is '" + command.get(0) + "'");
            }
            this.command = command;
        }

        /** Where the program is started; by default where this process was. */
        public Builder workingDirectory(Path directory) {
            workingDirectory = directory;
            return this;
        }

        /**
         * Passes variables of this process's environment on to the program, as far as they are set when it starts. Without
         * this it gets {@code PATH} alone (on Windows {@code SystemRoot}, too), without which it would find no other program:
         * what else is in the environment, mostly secrets of the application, isn't the program's business.
         */
        public Builder passEnvironment(String... names) {
            for (String name : names) {
                passedEnvironment.add(requireName(name));
            }
            return this;
        }

        /** Gives the program one more variable. */
        public Builder environment(String name, String value) {
            if (value.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("The variable " + name + " has a character 0 in its value");
            }
            environment.put(requireName(name), value);
            return this;
        }

        /**
         * Gives the program a secret, read at each start. The engine removes it from the output that it keeps. Other
         * processes of the same user can see it.
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
                throw new IllegalArgumentException("The variable '" + name + "' is not accepted: a name has no '=', and"
                        + " those that begin with " + VARIABLE_PREFIX + " tell the context");
            }
            return name;
        }

        /** Makes the job. */
        public ScriptJob build() {
            return new ScriptJob(this);
        }
    }
}
