package io.ostraka.faults.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Plans the faults of the database. The other faults of a seed stay the same with and without them. */
final class DatabaseFaults {
    private static final List<Fault.Kind> KINDS =
            List.of(Fault.Kind.DATABASE_KILLED, Fault.Kind.DATABASE_FROZEN, Fault.Kind.DATABASE_FULL);

    private static final int FIRST_MILLIS = 4_000;
    private static final int SHORTEST_GAP_MILLIS = 2_000;
    private static final int LONGEST_GAP_MILLIS = 10_000;

    private DatabaseFaults() {}

    /**
     * Returns the plan with additional faults of the database: one fault at a time, and each kind once in each round.
     */
    static FaultPlan addTo(FaultPlan plan) {
        var random = new Random(plan.seed());
        List<Fault> faults = new ArrayList<>();
        long end = plan.length().toMillis();
        long at = FIRST_MILLIS;
        while (at < end) {
            List<Fault.Kind> round = new ArrayList<>(KINDS);
            Collections.shuffle(round, random);
            for (Fault.Kind kind : round) {
                long until = at + random.nextInt(kind.shortestMillis(), kind.longestMillis());
                if (until < end) {
                    faults.add(new Fault(
                            plan.faults().size() + faults.size(),
                            kind,
                            Duration.ofMillis(at),
                            Duration.ofMillis(until),
                            0,
                            0));
                }
                at = until + random.nextInt(SHORTEST_GAP_MILLIS, LONGEST_GAP_MILLIS);
            }
        }
        return new FaultPlan(
                plan.seed(),
                plan.length(),
                plan.members(),
                Stream.concat(plan.faults().stream(), faults.stream())
                        .sorted(Comparator.comparing(Fault::at))
                        .toList());
    }
}
