package io.ostraka.faults.simulation;

import io.ostraka.faults.command.Command;
import io.ostraka.faults.history.Event;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs many seeds and shrinks the scenarios that fail, or replays a single seed. */
public final class SimulateCommand implements Command {
    /** Maximum number of failing seeds that are shrunk. */
    private static final int MOST_SHRUNK = 3;

    private static final String NO_FAULTS = "none";

    private static final Set<String> OPTIONS =
            Set.of("--seed", "--faults", "--seeds", "--from", "--minutes", "--threads", "--wrapping");

    @Override
    public String usage() {
        return "--seeds N | --minutes M [--from S] [--threads T] [--wrapping yes]   runs many seeds, from S (default 0)\n"
                + "      or --seed S [--faults 1,4,7|none]   replays one with its history; with some of its faults\n"
                + "      --wrapping yes: node versions start shortly before they wrap";
    }

    @Override
    public boolean run(List<String> arguments, PrintStream out) {
        Map<String, String> options = options(arguments);
        CoordinationHooks hooks = options.getOrDefault("--wrapping", "no").equals("yes")
                ? CoordinationHooks.WRAPPING
                : CoordinationHooks.NONE;
        String one = options.get("--seed");
        if (one != null) {
            return replay(number("--seed", one), options.get("--faults"), hooks, out);
        }
        if (!options.containsKey("--seeds") && !options.containsKey("--minutes")) {
            throw new IllegalArgumentException("--seed, --seeds or --minutes is required");
        }
        long from = number("--from", options.getOrDefault("--from", "0"));
        long number = number("--seeds", options.getOrDefault("--seeds", "1000000000"));
        Duration atMost =
                Duration.ofSeconds((long) (60 * Double.parseDouble(options.getOrDefault("--minutes", "1000000"))));
        int processors = Runtime.getRuntime().availableProcessors();
        int threads = (int) number("--threads", options.getOrDefault("--threads", Integer.toString(processors)));
        out.println("seeds from " + from + ", " + threads + " at a time");
        Seeds.Report report = Seeds.run(from, 0, number, atMost, threads, hooks);
        tell(report, hooks, out);
        out.println(report.figure());
        return report.failures().isEmpty();
    }

    private static Map<String, String> options(List<String> arguments) {
        Map<String, String> options = new TreeMap<>();
        for (int i = 0; i < arguments.size(); i += 2) {
            if (!OPTIONS.contains(arguments.get(i)) || i + 1 == arguments.size()) {
                throw new IllegalArgumentException("unknown option, or option without a value: " + arguments.get(i));
            }
            options.put(arguments.get(i), arguments.get(i + 1));
        }
        return options;
    }

    private static long number(String option, String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " '" + value + "' is not a whole number", e);
        }
    }

    /** Prints the violations of each failing seed, and the command that replays it. */
    public static void tell(Seeds.Report report, CoordinationHooks hooks, PrintStream out) {
        report.failures()
                .forEach((seed, result) -> out.println(
                        "seed " + seed + ": " + result.violations().get(0).invariant() + ": "
                                + result.violations().get(0).what()));
        report.failures().keySet().stream().limit(MOST_SHRUNK).forEach(seed -> {
            Scenario shrunk = Shrinker.shrink(Scenario.of(seed), hooks);
            out.println("seed " + seed + ", shrunk; replay it with: bin/faults simulate "
                    + String.join(" ", again(shrunk))
                    + (hooks == CoordinationHooks.WRAPPING ? " --wrapping yes" : ""));
            shrunk.faults().forEach(fault -> out.println("  " + fault));
            Simulation.run(shrunk, hooks).violations().forEach(violation -> out.println("  " + violation));
        });
    }

    /** Returns the command-line arguments that replay a scenario with its remaining faults. */
    static List<String> again(Scenario shrunk) {
        String numbers = shrunk.faults().stream()
                .map(fault -> Integer.toString(fault.number()))
                .collect(Collectors.joining(","));
        return List.of("--seed", Long.toString(shrunk.seed()), "--faults", numbers.isEmpty() ? NO_FAULTS : numbers);
    }

    private static List<Fault> some(List<Fault> all, String numbers) {
        if (numbers.equals(NO_FAULTS)) {
            return List.of();
        }
        Map<String, Fault> known = new LinkedHashMap<>();
        all.forEach(fault -> known.put(Integer.toString(fault.number()), fault));
        Set<String> wanted = new LinkedHashSet<>(Arrays.asList(numbers.split(",", -1)));
        for (String number : wanted) {
            if (!known.containsKey(number)) {
                throw new IllegalArgumentException("--faults '" + number + "' is not a fault of this seed: 0 to "
                        + (all.size() - 1) + "; '" + NO_FAULTS + "' leaves all out");
            }
        }
        known.keySet().retainAll(wanted);
        return List.copyOf(known.values());
    }

    private static boolean replay(long seed, @Nullable String some, CoordinationHooks hooks, PrintStream out) {
        Scenario scenario = Scenario.of(seed);
        if (some != null) {
            scenario = scenario.with(some(scenario.faults(), some));
        }
        out.println(scenario.instances() + " instances, clocks ahead by " + scenario.skews() + ", requests slow by "
                + scenario.latencies() + ", drain deadline " + scenario.drainDeadline());
        scenario.jobs().forEach(job -> out.println("job " + job));
        scenario.faults().forEach(fault -> out.println(fault));
        Simulation.Result result = Simulation.run(scenario, hooks);
        for (Event event : result.history()) {
            out.println(event.at() + " " + event);
        }
        result.violations().forEach(out::println);
        out.println("simulate: seed " + seed + ", " + scenario.faults().size() + " faults, "
                + result.history().size() + " events, " + result.steps() + " steps, "
                + result.violations().size() + " violations");
        return result.violations().isEmpty();
    }
}
