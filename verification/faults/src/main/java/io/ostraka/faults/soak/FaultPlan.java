package io.ostraka.faults.soak;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.faults.worker.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The faults of a soak and their times, derived from a seed. At any time, at least one worker is up. At most one server
 * is down, except during a fault of all servers. All faults end before the phase with faults ends.
 *
 * @param seed seed of the plan
 * @param length length of the phase with faults
 * @param members number of workers at the start; they use the places with the lowest numbers
 * @param faults faults in the order in which they begin
 */
public record FaultPlan(long seed, Duration length, int members, List<Fault> faults) {
    /** Maximum number of workers. Each worker has a {@link Place} of its own. */
    public static final int PLACES = 6;
    /** Jobs that operators change. */
    static final List<JobConfiguration> JOBS = Workload.jobs();

    static final int ONCE = number(Workload.ONCE);
    static final int PARKED = number(Workload.PARKED);
    /** Numbers of the jobs whose item count is fixed. */
    static final Set<Integer> FIXED = Stream.of(
                    Workload.ROUTED, Workload.EVERYWHERE, Workload.ZONED, Workload.LONE, Workload.CROWDED)
            .map(FaultPlan::number)
            .collect(Collectors.toSet());

    private static final int MOST_ITEMS = 12;
    private static final int LEAST_LATER_MILLIS = 200;
    private static final int MOST_LATER_MILLIS = 8_000;
    private static final int LEAST_OFF_MILLIS = 500;
    private static final int MOST_OFF_MILLIS = 5_000;

    /** All kinds of faults except those of the database. This is the default. */
    public static final Set<Fault.Kind> ALL = EnumSet.allOf(Fault.Kind.class).stream()
            .filter(kind -> kind.layer() != Fault.Layer.DATABASE)
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(Fault.Kind.class)));

    private static final int FEWEST_MEMBERS = 4;
    private static final int FIRST_MILLIS = 2_000;
    private static final int SHORTEST_GAP_MILLIS = 300;
    private static final int LONGEST_GAP_MILLIS = 5_500;
    /**
     * Interval between isolated faults, which alternate between kills and outages. After each isolated fault, there is
     * no other fault for {@code ALONE_MILLIS}.
     */
    private static final int ALONE_EVERY_MILLIS = 75_000;

    private static final int ALONE_MILLIS = 8_000;
    /**
     * Interval between kills during calls of once-listeners. The first of these kills happens after
     * {@code FIRST_AIMED_MILLIS}.
     */
    private static final int AIMED_EVERY_MILLIS = 40_000;

    private static final int FIRST_AIMED_MILLIS = 6_000;
    /** Length of an isolated outage, which is longer than a session timeout. */
    private static final int OUTAGE_ALONE_MILLIS = 5_000;

    /** Copies the list. */
    public FaultPlan {
        faults = List.copyOf(faults);
    }

    /** Returns whether the plan has faults of the database, in which case the workers keep a history in it. */
    boolean needsDatabase() {
        return faults.stream().anyMatch(fault -> fault.kind().layer() == Fault.Layer.DATABASE);
    }

    /** Derives the plan of a seed with the given kinds of faults. */
    public static FaultPlan of(long seed, Duration length, Set<Fault.Kind> kinds) {
        var random = new SplittableRandom(seed);
        int members = FEWEST_MEMBERS + random.nextInt(PLACES - FEWEST_MEMBERS);
        var calendar = new Calendar(members, random);
        var deck = new Deck(kinds, random);
        List<Fault> faults = new ArrayList<>();
        int at = FIRST_MILLIS;
        if (kinds.contains(Fault.Kind.TRIGGERED)) { // so that the unscheduled job runs in the shortest plan as well
            faults.add(fault(0, Fault.Kind.TRIGGERED, at - 1, at, ONCE, 0));
        }
        int alone = ALONE_EVERY_MILLIS;
        int aimed = FIRST_AIMED_MILLIS;
        boolean outage = false;
        while (at < length.toMillis()) {
            if (at > alone && kinds.contains(Fault.Kind.WORKER_KILLED)) {
                // no other faults around this one, so that the recovery time can be measured
                Fault.Kind kind = outage ? Fault.Kind.ALL_STOPPED : Fault.Kind.WORKER_KILLED;
                at = Math.max(at, calendar.quietFrom());
                alone = at + ALONE_EVERY_MILLIS;
                int until = at + (outage ? OUTAGE_ALONE_MILLIS : ALONE_MILLIS);
                int over = outage ? until + ALONE_MILLIS : until;
                if (over < length.toMillis()) {
                    int target = calendar.place(kind, at, until).orElseThrow();
                    faults.add(fault(faults.size(), kind, at, until, target, 0));
                }
                at = over;
                outage = !outage && kinds.contains(Fault.Kind.ALL_STOPPED);
                continue;
            }
            if (at > aimed && kinds.contains(Fault.Kind.TELLER_KILLED)) {
                Fault.Kind kind = Fault.Kind.TELLER_KILLED;
                int until = at + lasts(kind, random);
                if (until < Math.min(alone, length.toMillis())) {
                    OptionalInt place = calendar.first(kind, at, until);
                    if (place.isPresent()) {
                        faults.add(fault(faults.size(), kind, at, until, place.getAsInt(), 0));
                        aimed = at + AIMED_EVERY_MILLIS;
                    }
                }
            }
            int from = at;
            int number = faults.size();
            at += random.nextInt(SHORTEST_GAP_MILLIS, LONGEST_GAP_MILLIS);
            OptionalInt changed = kinds.contains(Fault.Kind.TRIGGERED) && random.nextInt(3) == 0
                    ? calendar.triggerChanged(from)
                    : OptionalInt.empty();
            if (changed.isPresent()) {
                int job = changed.getAsInt();
                int items = amount(Fault.Kind.TRIGGERED, job, random);
                faults.add(fault(number, Fault.Kind.TRIGGERED, from, from + 1, job, items));
                continue;
            }
            deck.deal(kind -> {
                        int until = from + lasts(kind, random);
                        return until > length.toMillis()
                                ? Optional.empty()
                                : calendar.place(kind, from, until)
                                        .map(target ->
                                                fault(number, kind, from, until, target, amount(kind, target, random)));
                    })
                    .ifPresent(fault -> faults.add(inTurn(fault, faults)));
        }
        return new FaultPlan(seed, length, members, faults);
    }

    private static int number(String job) {
        return JOBS.stream().map(JobConfiguration::jobName).toList().indexOf(job);
    }

    private static Fault fault(int number, Fault.Kind kind, int at, int until, int target, int amount) {
        return new Fault(number, kind, Duration.ofMillis(at), Duration.ofMillis(until), target, amount);
    }

    /** Makes the clock errors positive and negative in turn. */
    private static Fault inTurn(Fault fault, List<Fault> before) {
        int last = before.stream()
                .filter(each -> each.kind() == fault.kind())
                .mapToInt(Fault::amount)
                .reduce(0, (earlier, later) -> later);
        boolean again = fault.kind().layer() == Fault.Layer.CLOCK && last > 0 == fault.amount() > 0 && last != 0;
        return again
                ? new Fault(fault.number(), fault.kind(), fault.at(), fault.until(), fault.target(), -fault.amount())
                : fault;
    }

    /**
     * Draws the duration of a fault. If a kind of fault may last shorter or longer than the session timeout, both cases
     * are equally likely.
     */
    private static int lasts(Fault.Kind kind, SplittableRandom random) {
        int session = (int) Recoveries.SESSION_TIMEOUT.toMillis();
        if (kind.shortestMillis() >= session || kind.longestMillis() <= session) {
            return random.nextInt(kind.shortestMillis(), kind.longestMillis());
        }
        return random.nextBoolean()
                ? random.nextInt(kind.shortestMillis(), session)
                : random.nextInt(session, kind.longestMillis());
    }

    /** Draws the amount of a fault. The amount always differs from the job's configured value. */
    private static int amount(Fault.Kind kind, int target, SplittableRandom random) {
        return switch (kind) {
            case LATENCY -> random.nextInt(50, 600);
            case OVERTAKEN -> random.nextInt(500);
            case SLOW_DISK -> random.nextInt(50, 1_500);
            case CLOCK_OFF, CLOCK_JUMP ->
                (random.nextBoolean() ? 1 : -1) * random.nextInt(LEAST_OFF_MILLIS, MOST_OFF_MILLIS + 1);
            case RESCHEDULED -> {
                int millis = random.nextInt(1, 7) * 500;
                boolean own = JOBS.get(target).schedule().equals(Schedule.fixedRate(Duration.ofMillis(millis)));
                yield own ? millis + 500 : millis;
            }
            case RESIZED -> {
                int items = random.nextInt(1, MOST_ITEMS);
                yield items < JOBS.get(target).shardingTotalCount() ? items : items + 1;
            }
            case ITEM_DISABLED -> random.nextInt(JOBS.get(target).shardingTotalCount());
            case TRIGGERED_LATER -> random.nextInt(LEAST_LATER_MILLIS, MOST_LATER_MILLIS);
            case TRIGGERED ->
                random.nextBoolean() || !isNumbered(target) ? 0 : random.nextInt(1, 1 << itemsToChooseFrom(target));
            default -> 0;
        };
    }

    /** Returns whether a job has numbered items. */
    static boolean isNumbered(int job) {
        return Workload.isNumbered(JOBS.get(job));
    }

    private static int itemsToChooseFrom(int job) {
        return Math.min(MOST_ITEMS, JOBS.get(job).shardingTotalCount());
    }

    /**
     * A shuffled deck of cards from which the kinds of faults are drawn. Each card is a kind. A new round of cards is
     * added when fewer cards are left than there are kinds.
     */
    private static final class Deck {
        private final Set<Fault.Kind> kinds;
        private final SplittableRandom random;
        private final List<Fault.Kind> cards = new ArrayList<>();

        Deck(Set<Fault.Kind> kinds, SplittableRandom random) {
            this.kinds = EnumSet.copyOf(kinds);
            this.random = random;
        }

        /** Draws the first card whose kind of fault is possible now. Returns empty if there is none. */
        Optional<Fault> deal(Function<Fault.Kind, Optional<Fault>> now) {
            if (cards.size() < kinds.size()) {
                shuffleIn();
            }
            for (int i = 0; i < cards.size(); i++) {
                Optional<Fault> fault = now.apply(cards.get(i));
                if (fault.isPresent()) {
                    cards.remove(i);
                    return fault;
                }
            }
            return Optional.empty();
        }

        /** Adds a shuffled round of cards behind the remaining cards. */
        private void shuffleIn() {
            int left = cards.size();
            for (Fault.Kind kind : kinds) {
                for (int i = 0; i < kind.weight(); i++) {
                    cards.add(left + random.nextInt(cards.size() - left + 1), kind);
                }
            }
        }
    }
}
