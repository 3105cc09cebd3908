package io.ostraka.bench.compare;

import io.ostraka.faults.ensemble.Ensemble;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Has scenarios befall each entrant, one after the other, on an ensemble each. */
final class Comparison {
    /** In the order in which they are run. */
    static final List<FaultScenario> SCENARIOS =
            List.of(new KillScenario(), new PauseScenario(), new OutageScenario(), new ChurnScenario());

    private final List<Participant> entrants;
    private final int servers;
    private final PrintStream out;

    /**
     * A comparison.
     *
     * @param entrants this library first
     * @param servers how many of ZooKeeper each ensemble has
     */
    Comparison(List<Participant> entrants, int servers, PrintStream out) {
        this.entrants = List.copyOf(entrants);
        this.servers = servers;
        this.out = out;
    }

    /**
     * Runs scenarios.
     *
     * @param tries how often; 0 for as often as each has it
     * @return what was measured: for each scenario that of all entrants
     */
    List<List<Findings>> run(List<FaultScenario> scenarios, int tries) throws IOException, InterruptedException {
        List<List<Findings>> all = new ArrayList<>();
        Path directory = Files.createTempDirectory("ostraka-compare");
        for (FaultScenario scenario : scenarios) {
            List<Findings> alike = new ArrayList<>();
            for (Participant entrant : entrants) {
                alike.add(run(scenario, entrant, tries, directory.resolve(scenario.name() + "-" + entrant.id())));
            }
            all.add(alike);
        }
        if (all.stream().allMatch(alike -> alike.get(0).hold())) {
            delete(directory);
        } else {
            out.println("ledgers, workers' logs and those of servers: " + directory);
        }
        return all;
    }

    /** Starts a worker of each entrant, which joins nothing. */
    void check() throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("ostraka-compare");
        for (Participant entrant : entrants) {
            try (Cluster cluster = new Cluster(
                    entrant, "", "check", Duration.ofSeconds(4), List.of(), directory.resolve(entrant.id()))) {
                cluster.prepare(1);
            }
        }
        delete(directory);
        out.println(
                "workers started: " + entrants.stream().map(Participant::name).collect(Collectors.joining(", ")));
    }

    private Findings run(FaultScenario scenario, Participant entrant, int tries, Path directory)
            throws IOException, InterruptedException {
        try (Ensemble ensemble = Ensemble.start(directory, servers)) {
            Site site = new Site(entrant, ensemble, directory, new Random(tries), out);
            return scenario.run(site, tries == 0 ? scenario.tries() : tries);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
