package io.ostraka.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Triggers a job at a steady rate, even while it still runs, and counts the runs.
 *
 * @param triggers number of triggers
 * @param apart time between two triggers
 * @param workMillis duration of each run in milliseconds
 */
record Triggers(int triggers, Duration apart, int workMillis) implements Scenario {
    /** Time without a run after which the scenario stops waiting. It is far longer than the duration of a run. */
    private static final Duration STILL = Duration.ofSeconds(10);

    private static final int MORE = 10;
    private static final String RAN = "triggers that ran, %";

    @Override
    public String name() {
        return "triggers";
    }

    @Override
    public String title() {
        return "Triggers of an open loop";
    }

    @Override
    public boolean takes(Entrant entrant) {
        return Entrant.SCHEDULERS.contains(entrant);
    }

    @Override
    public void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException {
        var load = new UniformLoad(stage.server().servers(), stage.namespace(), 1, 1, Contender.ON_DEMAND);
        try (Race race = stage.start(entrant, load, workMillis)) {
            race.begin();
            race.scheduled();
            for (int trigger = 0; trigger < triggers; trigger++) {
                race.trigger();
                Stage.sleep(apart, 1);
            }
            long ran = ranInTheEnd(race);
            into.add(entrant, RAN, 100.0 * ran / triggers);
            stage.say(entrant, "%d of %d triggers ran", ran, triggers);
        }
    }

    private long ranInTheEnd(Race race) throws IOException, InterruptedException {
        long ran = race.runs();
        long since = System.nanoTime();
        while (ran < triggers && System.nanoTime() - since < STILL.toNanos()) {
            Stage.sleep(apart, 1);
            long now = race.runs();
            if (now > ran) {
                ran = now;
                since = System.nanoTime();
            }
        }
        Stage.sleep(apart, MORE); // enough time for the second run of a trigger that runs twice
        return race.runs();
    }

    @Override
    public List<Bound> bounds(Results results) {
        return List.of(Bound.exactly(RAN, results.of(Entrant.OSTRAKA, RAN), 100));
    }

    @Override
    public List<Bound> promises(Results results) {
        return List.of(
                Bound.exactly(RAN, results.of(Entrant.OSTRAKA, RAN), 100),
                Bound.between(Entrant.SAFE.text() + ": was it measured?", results.of(Entrant.SAFE, RAN), 1, 100));
    }
}
