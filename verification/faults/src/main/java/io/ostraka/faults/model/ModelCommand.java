package io.ostraka.faults.model;

import io.ostraka.core.time.Clock;
import io.ostraka.core.time.SystemClock;
import io.ostraka.faults.command.Command;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks the models: all small models, one model with a chosen size, or one model without a rule. */
public final class ModelCommand implements Command {
    private static final String USAGE =
            """
            [--without RULE]      checks all small models, or the one that needs the rule
              model --rules               lists the rules
              model claim  [--processes 2] [--sessions 2] [--fires 1] [--crashes 2] [--failover on|off] [--stops on|off] [--without RULE]
              model change [--totals 2,1,2] [--triggers 1] [--reruns on|off] [--skips on|off] [--failover on|off|toggled] [--without RULE]
              model once   [--instances 3] [--listening 3] [--failover on|off] [--without RULE]
              model backfill [--dates 3] [--flight 1] [--failures 1] [--purges on|off] [--epoch on|off] [--without RULE]
              model delayed [--runs 2] [--sweeps on|off] [--epoch on|off] [--without RULE]
              model override [--ends 2] [--purges on|off] [--epoch on|off] [--without RULE]
              model history [--claims 3] [--reports in-time|late] [--without RULE]
              model alarm [--episodes 2] [--without RULE]
                                          one model of any size; needs about 60 bytes of heap a state (OSTRAKA_HEAP=8g
                                          for 100 million; verification/faults/README.md lists measured sizes)""";

    private final Clock clock = new SystemClock();

    @Override
    public String usage() {
        return USAGE;
    }

    @Override
    public boolean run(List<String> arguments, PrintStream out) {
        if (arguments.contains("--help")) {
            out.println("bin/faults model " + USAGE);
            return true;
        }
        if (arguments.contains("--rules")) {
            for (Rule rule : Rule.values()) {
                Rule first = rule.backsUp();
                String behind = first == null ? "" : " (backs up " + first.key() + ")";
                out.printf("%-26s %s%s%n", rule.key(), rule.text(), behind);
            }
            out.println(Rule.values().length + " rules");
            return true;
        }
        Options options = new Options(arguments);
        boolean holds = true;
        for (Model<?> model : models(options)) {
            holds &= check(model, out);
        }
        return holds;
    }

    private static List<Model<?>> models(Options options) {
        if (options.model == null) {
            options.refuseRest();
            Rule rule = options.without;
            return rule == null
                    ? Arrays.stream(Check.values())
                            .<Model<?>>map(check -> check.without(Set.of()))
                            .toList()
                    : List.of(rule.shownBy().without(rule.toBreak()));
        }
        Rule rule = options.without;
        Set<Rule> without = rule == null ? EnumSet.noneOf(Rule.class) : rule.toBreak();
        Model<?> model = model(options.model, options, without);
        options.refuseRest();
        return List.of(model);
    }

    private static Model<?> model(String name, Options options, Set<Rule> without) {
        return switch (name) {
            case "claim" ->
                new ClaimModel(
                        new ClaimModel.Size(
                                options.number("processes", 2, 1, 4),
                                options.number("sessions", 2, 2, 4),
                                options.number("fires", 1, 1, 4),
                                options.number("crashes", 2, 1, 4),
                                options.flag("failover", true),
                                options.flag("stops", false)),
                        without);
            case "change" ->
                new ChangeModel(
                        new ChangeModel.Scenario(
                                options.totals(),
                                options.number("triggers", 1, 0, 3),
                                ChangeModel.Failover.valueOf(
                                        options.choice("failover", "on", List.of("on", "off", "toggled"))
                                                .toUpperCase(Locale.ROOT)),
                                options.flag("reruns", false),
                                options.flag("skips", false)),
                        without);
            case "once" ->
                new OnceModel(
                        new OnceModel.Scenario(
                                options.number("instances", 3, 1, 4),
                                options.number("listening", 3, 0, 4),
                                options.flag("failover", true)),
                        without);
            case "backfill" ->
                new BackfillModel(
                        new BackfillModel.Scenario(
                                options.number("dates", 3, 1, 5),
                                options.number("flight", 1, 1, 4),
                                options.number("failures", 1, 1, 4),
                                options.flag("purges", false),
                                options.flag("epoch", true)),
                        without);
            case "delayed" ->
                new DelayedModel(
                        new DelayedModel.Scenario(
                                options.number("runs", 2, 1, 3),
                                options.flag("sweeps", false),
                                options.flag("epoch", true)),
                        without);
            case "override" ->
                new OverrideModel(
                        new OverrideModel.Scenario(
                                options.number("ends", 2, 1, 4),
                                options.flag("purges", false),
                                options.flag("epoch", true)),
                        without);
            case "history" ->
                new HistoryModel(
                        new HistoryModel.Scenario(
                                options.number("claims", 3, 1, 4),
                                options.choice("reports", "in-time", List.of("in-time", "late"))
                                        .equals("in-time")),
                        without);
            case "alarm" -> new AlarmModel(new AlarmModel.Scenario(options.number("episodes", 2, 1, 3)), without);
            default ->
                throw new IllegalArgumentException("unknown model '" + name
                        + "': expected claim, change, once, backfill, delayed, override, history or alarm");
        };
    }

    private <W extends World> boolean check(Model<W> model, PrintStream out) {
        out.println(model.title());
        Checker.Progress progress = (states, depth) ->
                out.printf(Locale.ROOT, "  %,d states visited up to depth %d, no violation%n", states, depth);
        Findings findings = new Checker<>(model, clock, progress).check();
        findings.print(out);
        return findings.violation() == null;
    }

    /** Parsed command line. */
    private static final class Options {
        final @Nullable String model;
        final @Nullable Rule without;
        private final Map<String, String> values = new HashMap<>();

        Options(List<String> arguments) {
            Iterator<String> rest = arguments.iterator();
            String first = arguments.isEmpty() || arguments.get(0).startsWith("--") ? null : rest.next();
            model = first;
            while (rest.hasNext()) {
                String option = rest.next();
                if (!option.startsWith("--") || !rest.hasNext()) {
                    throw new IllegalArgumentException(
                            "'" + option + "' is not an option with a value; run with --help for the options");
                }
                values.put(option.substring(2), rest.next());
            }
            String rule = values.remove("without");
            without = rule == null ? null : rule(rule);
        }

        private static Rule rule(String key) {
            return Arrays.stream(Rule.values())
                    .filter(rule -> rule.key().equals(key))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "unknown rule '" + key + "': bin/faults model --rules lists the rules"));
        }

        int number(String name, int otherwise, int least, int most) {
            return parsed(name, otherwise, least + " to " + most, value -> {
                int number = Integer.parseInt(value);
                return number >= least && number <= most ? number : null;
            });
        }

        boolean flag(String name, boolean otherwise) {
            return choice(name, otherwise ? "on" : "off", List.of("on", "off")).equals("on");
        }

        String choice(String name, String otherwise, List<String> all) {
            return parsed(name, otherwise, String.join(", ", all), value -> all.contains(value) ? value : null);
        }

        List<Integer> totals() {
            return parsed(
                    "totals",
                    List.of(2, 1, 2),
                    "item counts of 1 and 2, such as 2,1,2; at most 6",
                    value -> value.matches("[12](,[12]){0,5}")
                            ? Arrays.stream(value.split(","))
                                    .map(Integer::valueOf)
                                    .collect(Collectors.toList())
                            : null);
        }

        private <T> T parsed(String name, T otherwise, String accepted, Function<String, @Nullable T> parse) {
            String value = values.remove(name);
            if (value == null) {
                return otherwise;
            }
            @Nullable T parsed;
            try {
                parsed = parse.apply(value);
            } catch (NumberFormatException e) {
                parsed = null;
            }
            if (parsed == null) {
                throw new IllegalArgumentException(
                        "--" + name + " '" + value + "' is not accepted: expected " + accepted);
            }
            return parsed;
        }

        void refuseRest() {
            if (!values.isEmpty()) {
                throw new IllegalArgumentException(
                        "unknown option --" + values.keySet().iterator().next());
            }
        }
    }
}
