package io.ostraka.cli;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.operations.JobState;
import io.ostraka.cli.terminal.Output;
import io.ostraka.cli.terminal.TimeText;
import io.ostraka.cli.transport.Setting;
import io.ostraka.console.WholeNumber;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ScopeType;

/** Builds the command line from the table of verbs. */
final class CommandTree {
    static final String NAME = "ostraka";
    static final String CONTEXT = "--context";
    static final String OUTPUT = "--output";
    static final String UTC = "--utc";
    static final String TIMEOUT = "--timeout";
    static final String WATCH = "--watch";

    private static final Map<String, String> NOUNS = Map.ofEntries(
            Map.entry("namespace", "Namespaces: freeze, thaw, export and restore settings."),
            Map.entry("job", "Jobs: list, get, pause, override, trigger, remove."),
            Map.entry("job override", "Overrides of a job's definition."),
            Map.entry("item", "Items of a job: list, explain, release, disable."),
            Map.entry("instance", "Instances: list, drain, evict."),
            Map.entry("run", "Runs of a job: wait, stop, run again."),
            Map.entry("history", "Past runs, skipped fires, events and commands, with --server only."),
            Map.entry("backfill", "Backfills: past fires that run again."),
            Map.entry("alarm", "Alarms."),
            Map.entry("context", "Saved connections."),
            Map.entry("token", "Tokens for the console."));

    private CommandTree() {}

    /** Returns a command line that parses, but executes nothing. */
    static CommandLine of(Surroundings surroundings, List<Verb> verbs) {
        return of(surroundings.clock(), (verb, spec) -> 0, verbs);
    }

    /** Executes a verb whose options have been parsed. */
    @FunctionalInterface
    interface Execution {
        int execute(Verb verb, CommandSpec spec);
    }

    static CommandLine of(Clock clock, Execution execution, List<Verb> verbs) {
        CommandSpec root = CommandSpec.create().name(NAME);
        connection(root);
        Map<String, CommandSpec> nouns = new LinkedHashMap<>();
        nouns.put("", root);
        for (Verb verb : verbs) {
            int last = verb.path().lastIndexOf(' ');
            String noun = last < 0 ? "" : verb.path().substring(0, last);
            noun(nouns, noun).addSubcommand(verb.path().substring(last + 1), leaf(verb, execution));
        }
        CommandLine line = new CommandLine(root)
                .setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .registerConverter(Instant.class, text -> converted(text, each -> TimeText.time(each, clock)))
                .registerConverter(Duration.class, text -> converted(text, TimeText::span))
                .registerConverter(
                        Integer.class,
                        text -> converted(text, each -> (int) WholeNumber.read(each, 0, Integer.MAX_VALUE)))
                .registerConverter(
                        Long.class, text -> converted(text, each -> WholeNumber.read(each, 0, Long.MAX_VALUE)));
        Help.describe(line, NOUNS);
        return line;
    }

    private static <T> T converted(String text, Function<String, T> converter) {
        try {
            return converter.apply(text);
        } catch (IllegalArgumentException e) {
            throw new CommandLine.TypeConversionException(String.valueOf(e.getMessage()));
        }
    }

    private static CommandSpec noun(Map<String, CommandSpec> nouns, String path) {
        CommandSpec present = nouns.get(path);
        if (present != null) {
            return present;
        }
        int last = path.lastIndexOf(' ');
        CommandSpec noun = CommandSpec.create();
        noun(nouns, last < 0 ? "" : path.substring(0, last)).addSubcommand(path.substring(last + 1), noun);
        nouns.put(path, noun);
        return noun;
    }

    /** Adds the options that every verb has. */
    private static void connection(CommandSpec root) {
        for (Setting setting : Setting.values()) {
            String[] names = setting == Setting.NAMESPACE
                    ? new String[] {"-n", setting.option()}
                    : new String[] {setting.option()};
            root.addOption(inherited(String.class, setting.label(), setting.description(), names));
        }
        root.addOption(inherited(String.class, "NAME", "Saved connection to use; see 'ostraka context'.", CONTEXT));
        root.addOption(
                inherited(Output.Format.class, "FORMAT", "Output: table, wide, json, yaml or name.", "-o", OUTPUT));
        root.addOption(inherited(boolean.class, "", "Shows times in UTC instead of your time zone.", UTC));
        root.addOption(inherited(Duration.class, "DURATION", "Time limit of a request; 30s by default.", TIMEOUT));
        root.addOption(OptionSpec.builder("-h", "--help")
                .type(boolean.class)
                .usageHelp(true)
                .scopeType(ScopeType.INHERIT)
                .description("Shows this help.")
                .build());
        root.addOption(OptionSpec.builder("-V", "--version")
                .type(boolean.class)
                .versionHelp(true)
                .description("Shows the version.")
                .build());
    }

    private static OptionSpec inherited(Class<?> type, String label, String description, String... names) {
        OptionSpec.Builder option =
                OptionSpec.builder(names).type(type).description(description).scopeType(ScopeType.INHERIT);
        return (label.isEmpty() ? option : option.paramLabel(label)).build();
    }

    private static CommandSpec leaf(Verb verb, Execution execution) {
        CommandSpec[] self = new CommandSpec[1];
        CommandSpec spec = CommandSpec.wrapWithoutInspection(
                (java.util.concurrent.Callable<Integer>) () -> execution.execute(verb, self[0]));
        self[0] = spec;
        spec.usageMessage().description(verb.summary());
        int position = 0;
        for (Parameter each : verb.parameters()) {
            if (each.isOption()) {
                spec.addOption(option(each));
            } else {
                spec.addPositional(positional(each, position++));
            }
        }
        extra(verb).forEach(spec::addOption);
        if (verb.path().equals("job get")) {
            spec.aliases("describe");
        }
        return spec;
    }

    /** Returns the options that a verb has in addition to its parameters, such as {@code --reason} for a command. */
    private static List<OptionSpec> extra(Verb verb) {
        List<OptionSpec> extra = new ArrayList<>();
        if (verb.isForManyJobs() || verb.path().equals("job list")) {
            extra.add(own("--search", String.class, "TEXT", "Jobs whose name contains the text."));
            extra.add(OptionSpec.builder("--state")
                    .type(List.class)
                    .auxiliaryTypes(JobState.class)
                    .paramLabel("STATE")
                    .description("Jobs in this state: ${COMPLETION-CANDIDATES}. Repeatable.")
                    .build());
            extra.add(own("--problems", boolean.class, "", "Jobs with problems."));
            extra.add(OptionSpec.builder("--selector")
                    .type(Map.class)
                    .auxiliaryTypes(String.class, String.class)
                    .paramLabel("KEY=VALUE")
                    .description("The same as one text: search=TEXT, state=STATE or problems=true. Repeatable.")
                    .build());
        }
        if (verb.changes()) {
            extra.add(own(Invocation.REASON, String.class, "TEXT", "Reason, which is stored with the change."));
            extra.add(own(Invocation.DRY_RUN, boolean.class, "", "Shows what would happen, and changes nothing."));
            extra.add(own(Invocation.REQUEST_ID, String.class, "ID", "Id of the request, to repeat it safely."));
            extra.add(own(Invocation.IF_VERSION, Long.class, "VERSION", "Version that the view has shown."));
            extra.add(own(Invocation.YES, boolean.class, "", "Asks for no confirmation."));
        } else if (verb.operation() != null) {
            extra.add(own(WATCH, boolean.class, "", "Reads again every two seconds, until Ctrl-C."));
        }
        return extra;
    }

    private static OptionSpec own(String name, Class<?> type, String label, String description) {
        OptionSpec.Builder option = OptionSpec.builder(name).type(type).description(description);
        return (label.isEmpty() ? option : option.paramLabel(label)).build();
    }

    private static OptionSpec option(Parameter parameter) {
        OptionSpec.Builder option = OptionSpec.builder(parameter.name())
                .description(parameter.description())
                .required(parameter.required());
        if (!parameter.kind().isFlag()) {
            option.paramLabel(parameter.label());
        }
        if (parameter.kind().isMap()) {
            option.type(Map.class).auxiliaryTypes(String.class, String.class);
        } else if (parameter.kind().isSeveral()) {
            option.type(List.class).auxiliaryTypes(parameter.kind().type());
        } else {
            option.type(parameter.kind().type());
        }
        if (parameter.kind() == Kind.ALARM_KINDS) {
            option.completionCandidates(
                    Arrays.stream(AlarmKind.values()).map(Enum::name).toList());
        }
        if (parameter.name().equals("--sort")) {
            option.completionCandidates(List.of("name", "state", "nextFire", "items", "problems"));
        }
        return option.build();
    }

    private static PositionalParamSpec positional(Parameter parameter, int index) {
        boolean several = parameter.kind().isSeveral();
        PositionalParamSpec.Builder position = PositionalParamSpec.builder()
                .index(several ? index + "..*" : String.valueOf(index))
                .arity(several ? (parameter.required() ? "1..*" : "0..*") : "1")
                .required(parameter.required())
                .paramLabel(parameter.label())
                .description(parameter.description());
        if (parameter.kind().isMap()) {
            position.type(Map.class).auxiliaryTypes(String.class, String.class);
        } else if (several) {
            position.type(List.class).auxiliaryTypes(parameter.kind().type());
        } else {
            position.type(parameter.kind().type());
        }
        if (parameter.kind() == Kind.FIELDS) {
            position.completionCandidates(
                    FieldText.settable().stream().map(each -> each + "=").collect(Collectors.toList()));
        } else if (parameter.name().equals("FIELD")) {
            position.completionCandidates(FieldText.names());
        } else if (parameter.name().equals("SHELL")) {
            position.completionCandidates(List.of("bash", "zsh"));
        }
        return position.build();
    }
}
