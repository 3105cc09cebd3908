package io.ostraka.bench.compare;

import io.ostraka.faults.command.Command;
import io.ostraka.faults.ensemble.Ensemble;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;

/** Measures this library in all scenarios, alone or in comparison with ElasticJob. */
public final class CompareCommand implements Command {
    private static final String ELASTICJOB = "--elasticjob";
    private static final String CHECK = "--check";
    private static final int MOST_TRIES = 1000;

    private final boolean alone;

    /**
     * Creates one of the two commands.
     *
     * @param alone true to measure this library only
     */
    public CompareCommand(boolean alone) {
        this.alone = alone;
    }

    @Override
    public String usage() {
        String names = Comparison.SCENARIOS.stream().map(FaultScenario::name).collect(Collectors.joining("|"));
        return "[--scenario " + names + "] [--tries N] [--servers 1|3|5]" + (alone ? "" : " | " + CHECK) + "   "
                + (alone
                        ? "measures this library against its promises for kills, pauses, outages and churn"
                        : "measures this library and ElasticJob under the same faults; " + CHECK
                                + " only checks that a worker of each can be started");
    }

    @Override
    public boolean run(List<String> arguments, PrintStream out) {
        List<FaultScenario> scenarios = new ArrayList<>();
        List<Participant> entrants = new ArrayList<>(List.of(Participant.ostraka()));
        int tries = 0;
        int servers = Ensemble.SERVERS;
        boolean check = false;
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String option = rest.next();
            if (option.equals(CHECK) && !alone) {
                check = true;
                continue;
            }
            String value = rest.hasNext() ? rest.next() : "";
            if (option.equals("--scenario")) {
                scenarios.add(scenario(value));
            } else if (option.equals("--tries")) {
                tries = tries(value);
            } else if (option.equals("--servers")) {
                servers = servers(value);
            } else if (option.equals(ELASTICJOB) && !alone) {
                entrants.add(Participant.elasticJob(value));
            } else {
                throw new IllegalArgumentException("unknown option '" + option + "'");
            }
        }
        if (!alone && entrants.size() == 1) {
            throw new IllegalArgumentException("ElasticJob's class path is required: " + ELASTICJOB + " CLASSPATH");
        }
        try {
            Comparison comparison = new Comparison(entrants, servers, out);
            if (check) {
                comparison.check();
                return true;
            }
            FindingsTable table =
                    new FindingsTable(comparison.run(scenarios.isEmpty() ? Comparison.SCENARIOS : scenarios, tries));
            table.print(out);
            out.println();
            out.println(table.json());
            out.println(table.figure());
            return table.holds();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static FaultScenario scenario(String name) {
        return Comparison.SCENARIOS.stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no scenario '" + name + "'; there are "
                        + Comparison.SCENARIOS.stream().map(FaultScenario::name).toList()));
    }

    private static int servers(String value) {
        if (!value.matches("[135]")) {
            throw new IllegalArgumentException("--servers '" + value + "': must be 1, 3 or 5");
        }
        return Integer.parseInt(value);
    }

    private static int tries(String value) {
        if (!value.matches("[1-9][0-9]{0,3}") || Integer.parseInt(value) > MOST_TRIES) {
            throw new IllegalArgumentException("--tries '" + value + "': must be 1 to " + MOST_TRIES);
        }
        return Integer.parseInt(value);
    }
}
