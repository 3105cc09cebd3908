package io.ostraka.cli;

import io.ostraka.cli.terminal.Output;
import io.ostraka.cli.terminal.Shell;
import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.transport.Connection;
import io.ostraka.cli.transport.Contexts;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import io.ostraka.cli.transport.Setting;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Runs a command line. */
final class Cli {
    private static final String CLEAR = "\u001b[H\u001b[2J";

    private final Surroundings surroundings;

    private Cli(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** Runs a command line, and returns the exit code. */
    static int run(Surroundings surroundings, String... arguments) {
        return new Cli(surroundings).run(arguments);
    }

    private int run(String... arguments) {
        Terminal terminal = surroundings.terminal();
        CommandLine line = CommandTree.of(surroundings.clock(), this::execute, Verbs.named(arguments));
        line.setOut(terminal.writer(terminal.out()));
        line.setErr(terminal.writer(terminal.err()));
        line.setColorScheme(CommandLine.Help.defaultColorScheme(
                terminal.colours() ? CommandLine.Help.Ansi.ON : CommandLine.Help.Ansi.OFF));
        line.setParameterExceptionHandler((e, given) -> notAccepted(e));
        line.setExecutionStrategy(this::parsed);
        int code = line.execute(arguments);
        terminal.out().flush();
        terminal.err().flush();
        return code;
    }

    private int notAccepted(ParameterException e) {
        Terminal terminal = surroundings.terminal();
        terminal.say(CommandTree.NAME + ": " + ParserMessages.of(e));
        String name = e.getCommandLine().getCommandSpec().qualifiedName(" ");
        terminal.say("see: " + name + " --help");
        return ExitCode.USAGE.code();
    }

    /** Executes the verb; a noun without a verb shows its help. */
    private int parsed(ParseResult parsed) {
        Integer help = CommandLine.executeHelpRequest(parsed);
        if (help != null) {
            return help;
        }
        ParseResult leaf = parsed;
        while (leaf.hasSubcommand()) {
            leaf = leaf.subcommand();
        }
        if (!(leaf.commandSpec().userObject() instanceof java.util.concurrent.Callable<?>)) {
            leaf.commandSpec().commandLine().usage(surroundings.terminal().err());
            return ExitCode.USAGE.code();
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private int execute(Verb verb, CommandSpec spec) {
        try {
            return execute(verb, spec, spec.commandLine().getParseResult()).code();
        } catch (Failure e) {
            failed(e);
            return e.exitCode().code();
        } catch (RuntimeException e) {
            failed(new Failure(ExitCode.FAILED, "the command failed because of a defect of this program: " + e));
            return ExitCode.FAILED.code();
        }
    }

    private void failed(Failure e) {
        surroundings.terminal().out().flush();
        surroundings.terminal().say(CommandTree.NAME + ": " + e.text());
    }

    private ExitCode execute(Verb verb, CommandSpec spec, ParseResult parsed) {
        boolean watches = parsed.hasMatchedOption(CommandTree.WATCH);
        Output.Format format = value(spec, CommandTree.OUTPUT, Output.Format.TABLE);
        Output output = new Output(surroundings.terminal(), format, watches);
        Clock clock = value(spec, CommandTree.UTC, false)
                ? surroundings.clock().withZone(ZoneOffset.UTC)
                : surroundings.clock();
        boolean local = verb.path().startsWith("context ")
                || verb.path().startsWith("token ")
                || verb.path().equals("completion");
        Connection connection = (local ? Connection.of(List.of(), "") : connection(spec)).within(limit(spec));
        if (parsed.hasMatchedOption("--create-namespace")) {
            connection = connection.creatingNamespace();
        }
        try (Session session = new Session(surroundings, connection, given(spec), output, clock)) {
            Invocation call = new Invocation(session, verb, parsed, Verbs.all());
            try {
                return watches ? watch(call) : Verbs.run(call);
            } catch (Failure e) {
                throw local ? e : Mistyped.explained(call, e);
            }
        }
    }

    private static Duration limit(CommandSpec spec) {
        Duration limit = value(spec, CommandTree.TIMEOUT, Connection.DEFAULT_LIMIT);
        if (limit.compareTo(Duration.ofMillis(1)) < 0 || limit.compareTo(Duration.ofDays(1)) > 0) {
            throw Failure.usage("--timeout is " + limit + "; accepted: up to a day, such as 10s");
        }
        return limit;
    }

    /** Shows the view repeatedly. Continues if the server does not answer for a while. */
    private ExitCode watch(Invocation call) {
        Terminal terminal = surroundings.terminal();
        do {
            if (terminal.width() > 0 && call.output().isForPeople()) {
                terminal.out().print(CLEAR);
            }
            try {
                Verbs.run(call);
            } catch (Failure e) {
                if (e.exitCode() != ExitCode.UNREACHABLE) {
                    throw e;
                }
                failed(e);
            }
            if (terminal.out().checkError()) { // the program that reads the output has ended, such as "head"
                return ExitCode.OK;
            }
        } while (surroundings.pause().next());
        return ExitCode.OK;
    }

    @SuppressWarnings("unchecked") // the option has the type of its default
    private static <T> T value(CommandSpec spec, String option, T otherwise) {
        Object value =
                spec.findOption(option) == null ? null : spec.findOption(option).getValue();
        return value == null ? otherwise : (T) value;
    }

    private Connection connection(CommandSpec spec) {
        Map<Setting, String> options = new EnumMap<>(Setting.class);
        Map<Setting, String> environment = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            String option = value(spec, setting.option(), "");
            if (!option.isEmpty()) {
                options.put(setting, option);
            }
            String variable = surroundings.variable(setting.variable());
            if (!variable.isEmpty()) {
                environment.put(setting, variable);
            }
        }
        return Connection.of(
                sources(options, environment, value(spec, CommandTree.CONTEXT, "")),
                surroundings.variable("OSTRAKA_TOKEN"));
    }

    /** Returns the sources of settings, most important first. A context's credentials are for its own server only. */
    private List<Map<Setting, String>> sources(
            Map<Setting, String> options, Map<Setting, String> environment, String option) {
        boolean first = !option.isEmpty();
        boolean decided = Connection.decides(options) || (!first && Connection.decides(environment));
        String variable = surroundings.variable("OSTRAKA_CONTEXT");
        String named = first ? option : variable;
        Map<Setting, String> context = Map.of();
        if (!named.isEmpty()) {
            Map<Setting, String> whole =
                    Contexts.read(surroundings.requireContexts()).require(named);
            context = decided ? Connection.withoutServer(whole) : whole;
        } else if (!decided) {
            context = surroundings
                    .contexts()
                    .map(Contexts::read)
                    .map(Contexts::inUse)
                    .orElse(Map.of());
        }
        return first ? List.of(options, context, environment) : List.of(options, environment, context);
    }

    /** Returns the connection options of this command line. Commands in messages repeat them. */
    private static List<String> given(CommandSpec spec) {
        List<String> given = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            names.add(setting.option());
        }
        names.add(CommandTree.CONTEXT);
        for (String name : names) {
            OptionSpec option = spec.findOption(name);
            String value = option == null || option.getValue() == null
                    ? ""
                    : option.getValue().toString();
            if (!value.isEmpty()) {
                given.addAll(Shell.option(name.equals(Setting.NAMESPACE.option()) ? "-n" : name, value));
            }
        }
        return given;
    }
}
