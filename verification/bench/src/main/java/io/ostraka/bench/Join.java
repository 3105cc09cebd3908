package io.ostraka.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Measures the join of a fourth instance: the items of one job that move, and the costs of the fires before and after
 * the join. Also measures the job's very first fire, with all requests since the beginning of the start-up.
 *
 * @param entrants the participants
 * @param items item count of the job
 * @param period time between fires. The items of a fire must begin before the part {@link #COUNTED} of it has passed
 */
record Join(Set<Entrant> entrants, int items, Duration period) implements Scenario {
    private static final int INSTANCES = 4;
    /** Time before a fire, as a part of the period, from which the requests of the fire are counted. */
    private static final double BEFORE = 0.05;
    /**
     * Time after a fire, as a part of the period, until which the requests of the fire are counted. Another instance
     * may join after that.
     */
    private static final double COUNTED = 0.6;
    /** Item count to which the bounds of times apply. */
    private static final int LARGE = 1000;
    /** Maximum number of fires to wait for until every item has run in one fire. */
    private static final int PATIENCE = 10;

    /** Creates the scenario with every entrant that coordinates instances. */
    Join(int items, Duration period) {
        this(EnumSet.of(Entrant.OSTRAKA, Entrant.SAFE, Entrant.FAST), items, period);
    }

    @Override
    public String name() {
        return "join";
    }

    @Override
    public String title() {
        return "A fourth instance joins three, " + items + " items";
    }

    @Override
    public boolean takes(Entrant entrant) {
        return entrants.contains(entrant);
    }

    @Override
    public void measure(Stage stage, Entrant entrant, Results into) throws IOException, InterruptedException {
        var load = new UniformLoad(stage.server().servers(), stage.namespace(), 1, items, Stage.cron(period));
        List<Race> races = new ArrayList<>();
        try {
            for (int instance = 0; instance < INSTANCES; instance++) {
                races.add(stage.start(entrant, load, 0));
            }
            List<Race> first = races.subList(0, INSTANCES - 1);
            Race last = races.get(INSTANCES - 1);
            Stage.waitUntil(COUNTED, period);
            long requests = stage.server().requests();
            for (Race race : first) {
                race.begin();
            }
            for (Race race : first) {
                race.scheduled();
            }
            Fire veryFirst = fire(stage, first);
            long all = stage.server().requests() - requests;
            into.add(entrant, row("very first fire: starts after, ms"), veryFirst.delay);
            into.add(entrant, row("very first fire: requests since the beginning"), all);
            Fire before = fire(stage, first);
            for (int more = 0; more < PATIENCE && before.owners.size() < items; more++) {
                before = fire(stage, first);
            }
            last.begin();
            last.scheduled();
            Fire after = fire(stage, races);
            into.add(entrant, row("the fire before a join: starts after, ms"), before.delay);
            into.add(entrant, row("the fire after a join: starts after, ms"), after.delay);
            into.add(entrant, row("the fire before a join: requests"), before.requests);
            into.add(entrant, row("the fire after a join: requests"), after.requests);
            Fire settled = after;
            for (int more = 0; more < PATIENCE && !settled.isWhole(items, last); more++) {
                settled = fire(stage, races);
            }
            long moved = settled.movedSince(before);
            into.add(entrant, moved(), moved);
            stage.say(
                    entrant,
                    "%d items: very first fire after %.0f ms, %d requests; the fire before %.0f ms, %d; after the join"
                            + " %.0f ms, %d (%d, %d, %d runs); moved %d",
                    items,
                    veryFirst.delay,
                    all,
                    before.delay,
                    before.requests,
                    after.delay,
                    after.requests,
                    veryFirst.runs,
                    before.runs,
                    after.runs,
                    moved);
        } finally {
            races.forEach(Race::close);
        }
    }

    /** Measures the next fire, from shortly before it until its items have begun. */
    private Fire fire(Stage stage, List<Race> races) throws IOException, InterruptedException {
        Stage.waitUntil(1 - BEFORE, period);
        for (Race race : races) {
            race.note();
        }
        long requests = stage.server().requests();
        Stage.waitUntil(COUNTED, period);
        requests = stage.server().requests() - requests;
        Map<Integer, Race> owners = new HashMap<>();
        List<Noted> noted = new ArrayList<>();
        for (Race race : races) {
            Noted part = race.noted();
            part.items().forEach(item -> owners.put(item, race));
            noted.add(part);
        }
        Noted all = Noted.all(noted);
        return new Fire(Results.median(all.delays(period)), requests, all.runs().size(), owners);
    }

    @Override
    public List<Bound> bounds(Results results) {
        String afterRequests = row("the fire after a join: requests");
        String beforeRequests = row("the fire before a join: requests");
        List<Bound> bounds = new ArrayList<>();
        bounds.add(moved(results));
        bounds.add(Bound.atMost(
                afterRequests + ": 20 more than before",
                results.of(Entrant.OSTRAKA, afterRequests),
                results.of(Entrant.OSTRAKA, beforeRequests) + 20));
        if (items == LARGE) {
            String afterDelay = row("the fire after a join: starts after, ms");
            String beforeDelay = row("the fire before a join: starts after, ms");
            String firstDelay = row("very first fire: starts after, ms");
            String firstRequests = row("very first fire: requests since the beginning");
            bounds.add(Bound.atMost(
                    afterDelay + ": that before it, and half as much for noise",
                    results.of(Entrant.OSTRAKA, afterDelay),
                    1.5 * results.of(Entrant.OSTRAKA, beforeDelay)));
            bounds.add(Bound.atMost(
                    firstDelay + ": a 30th of ElasticJob's",
                    results.of(Entrant.OSTRAKA, firstDelay),
                    results.of(Entrant.SAFE, firstDelay) / 30));
            bounds.add(Bound.atMost(
                    firstRequests + ": a 30th of ElasticJob's",
                    results.of(Entrant.OSTRAKA, firstRequests),
                    results.of(Entrant.SAFE, firstRequests) / 30));
        }
        return bounds;
    }

    @Override
    public List<Bound> promises(Results results) {
        return List.of(
                moved(results),
                Bound.atLeast(
                        Entrant.SAFE.text() + ", " + moved() + ": was it measured?",
                        results.of(Entrant.SAFE, moved()),
                        items / INSTANCES));
    }

    private Bound moved(Results results) {
        return Bound.exactly(moved() + ": as few as can be", results.of(Entrant.OSTRAKA, moved()), items / INSTANCES);
    }

    private String moved() {
        return row("join of a fourth instance: items moved");
    }

    private String row(String text) {
        return text + ", items: " + items;
    }

    /**
     * A fire of all instances.
     *
     * @param delay delay of the first item, in milliseconds
     * @param requests number of requests around the fire
     * @param runs number of item runs in that time
     * @param owners process that ran each item
     */
    private record Fire(double delay, long requests, int runs, Map<Integer, Race> owners) {
        /** Returns true if every item ran, and if the given instance ran at least one of them. */
        boolean isWhole(int items, Race with) {
            return owners.size() == items && owners.containsValue(with);
        }

        long movedSince(Fire earlier) {
            return owners.entrySet().stream()
                    .filter(item -> item.getValue() != earlier.owners.get(item.getKey()))
                    .count();
        }
    }
}
