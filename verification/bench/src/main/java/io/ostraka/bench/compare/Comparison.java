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

/** Runs scenarios with each entrant, one after the other. Each scenario of each entrant has its own ensemble. */
final class Comparison {
    /** The scenarios in the order of their runs. */
    static final List<FaultScenario> SCENARIOS =
            List.of(new KillScenario(), new PauseScenario(), new OutageScenario(), new ChurnScenario());

    private final List<Participant> entrants;
    private final int servers;
    private final PrintStream out;

    /**
     * Creates a comparison.
     *
     * @param entrants contenders, this library first
     * @param servers number of ZooKeeper servers of each ensemble
     */
    Comparison(List<Participant> entrants, int servers, PrintStream out) {
        this.entrants = List.copyOf(entrants);
        this.servers = servers;
        this.out = out;
    }

    /**
     * Runs scenarios.
     *
     * @param tries number of attempts; 0 for the default of each scenario
     * @return findings of all entrants for each scenario
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
            out.println("ledgers and logs of workers and servers are kept in " + directory);
        }
        return all;
    }

    /** Starts one worker of each entrant, without letting it join a cluster, to check that it can start. */
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
