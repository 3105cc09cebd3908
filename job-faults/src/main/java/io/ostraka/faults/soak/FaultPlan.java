package io.ostraka.faults.soak;

import io.ostraka.api.JobConfiguration;
import io.ostraka.faults.worker.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What befalls the processes of a soak, and when, as its seed has it. Whatever else does, one worker is always up, and one
 * server at a time is down unless all are meant to be; what befalls comes to an end before the trouble does.
 *
 * @param seed that it was made of
 * @param length how long the trouble lasts
 * @param members how many workers there are at first, in the first places
 * @param faults in the order in which they begin
 */
public record FaultPlan(long seed, Duration length, int members, List<Fault> faults) {
    /** How many workers there are at most, each in a place of its own. */
    public static final int PLACES = 6;
    /** The jobs that operators have their hands on. */
    static final List<String> JOBS =
            Workload.jobs().stream().map(JobConfiguration::jobName).toList();

    private static final int ONCE = JOBS.indexOf(Workload.ONCE);
    private static final int MOST_ITEMS = 12;

    /** What may befall unless someone wants less. */
    public static final Set<Fault.Kind> ALL = EnumSet.allOf(Fault.Kind.class);

    private static final int FEWEST_MEMBERS = 4;
    private static final int FIRST_MILLIS = 2_000;
    private static final int SHORTEST_GAP_MILLIS = 300;
    private static final int LONGEST_GAP_MILLIS = 5_500;
    /** How often a worker is killed with nothing else befalling, and for how long nothing does. */
    private static final int ALONE_EVERY_MILLIS = 75_000;

    private static final int ALONE_MILLIS = 8_000;
    /** How often something that can't be at a time is replaced by something else. */
    private static final int TRIES = 20;

    /** Copies. */
    public FaultPlan {
        faults = List.copyOf(faults);
    }

    /** Makes the plan of a seed, of some kinds of faults. */
    public static FaultPlan of(long seed, Duration length, Set<Fault.Kind> kinds) {
        var random = new SplittableRandom(seed);
        int members = FEWEST_MEMBERS + random.nextInt(PLACES - FEWEST_MEMBERS);
        var calendar = new Calendar(members, random);
        List<Fault> faults = new ArrayList<>();
        int at = FIRST_MILLIS;
        int alone = ALONE_EVERY_MILLIS;
        while (at < length.toMillis()) {
            if (at > alone && kinds.contains(Fault.Kind.WORKER_KILLED)) {
                // one kill with nothing else, so that it is seen how long that takes
                at = Math.max(at, calendar.quietFrom());
                alone = at + ALONE_EVERY_MILLIS;
                int until = at + ALONE_MILLIS;
                if (until < length.toMillis()) {
                    int target =
                            calendar.place(Fault.Kind.WORKER_KILLED, at, until).orElseThrow();
                    faults.add(fault(faults.size(), Fault.Kind.WORKER_KILLED, at, until, target, 0));
                }
                at = until;
                continue;
            }
            for (int i = 0; i < TRIES; i++) {
                Fault.Kind kind = pick(kinds, random);
                int lasts = random.nextInt(kind.shortestMillis(), kind.longestMillis());
                Optional<Integer> target =
                        at + lasts > length.toMillis() ? Optional.empty() : calendar.place(kind, at, at + lasts);
                if (target.isPresent()) {
                    faults.add(fault(faults.size(), kind, at, at + lasts, target.get(), amount(kind, random)));
                    break;
                }
            }
            at += random.nextInt(SHORTEST_GAP_MILLIS, LONGEST_GAP_MILLIS);
        }
        return new FaultPlan(seed, length, members, faults);
    }

    private static Fault fault(int number, Fault.Kind kind, int at, int until, int target, int amount) {
        return new Fault(number, kind, Duration.ofMillis(at), Duration.ofMillis(until), target, amount);
    }

    private static Fault.Kind pick(Set<Fault.Kind> kinds, SplittableRandom random) {
        int drawn = random.nextInt(kinds.stream().mapToInt(Fault.Kind::weight).sum());
        for (Fault.Kind kind : EnumSet.copyOf(kinds)) {
            drawn -= kind.weight();
            if (drawn < 0) {
                return kind;
            }
        }
        throw new IllegalStateException("more was drawn than there is");
    }

    private static int amount(Fault.Kind kind, SplittableRandom random) {
        return switch (kind) {
            case LATENCY -> random.nextInt(50, 600);
            case OVERTAKEN -> random.nextInt(500);
            case SLOW_DISK -> random.nextInt(50, 1_500);
            case CLOCK_OFF, CLOCK_JUMP -> random.nextInt(-5_000, 5_001);
            case RESCHEDULED -> random.nextInt(1, 7) * 500;
            case RESIZED -> random.nextInt(1, MOST_ITEMS + 1);
            case ITEM_DISABLED -> random.nextInt(Workload.jobs().get(0).shardingTotalCount());
            default -> 0;
        };
    }

    /** What befalls whom until when, as far as it is planned. */
    private static final class Calendar {
        /** Until a new process serves. */
        private static final int START_MILLIS = 4_000;
        /** Until the servers are three again, with a leader. */
        private static final int REST_MILLIS = 4_000;

        private final int members;
        private final SplittableRandom random;
        private final Map<String, Integer> busyUntil = new HashMap<>();
        /** Until when each member is away. */
        private final Map<Integer, Integer> awayUntil = new HashMap<>();

        Calendar(int members, SplittableRandom random) {
            this.members = members;
            this.random = random;
        }

        /** Finds whom something can befall, and notes it; empty if nobody. */
        Optional<Integer> place(Fault.Kind kind, int from, int until) {
            int target =
                    switch (kind.layer()) {
                        case PROCESS ->
                            kind == Fault.Kind.WORKER_JOINS
                                    ? members + random.nextInt(PLACES - members)
                                    : random.nextInt(members);
                        case NETWORK, CLOCK -> random.nextInt(members);
                        case ENSEMBLE -> random.nextInt(2);
                        case JOB ->
                            kind == Fault.Kind.TRIGGERED && random.nextBoolean() ? ONCE : random.nextInt(JOBS.size());
                    };
            if (target == ONCE && kind == Fault.Kind.RESCHEDULED) {
                return Optional.empty(); // it has no schedule
            }
            boolean whole = kind == Fault.Kind.OVERTAKEN;
            for (int place = 0; whole && place < members; place++) {
                if (isBusy(Fault.lane(kind.layer(), place), from) || isAway(place, from)) {
                    return Optional.empty();
                }
            }
            String lane = Fault.lane(kind.layer(), target);
            boolean leaves = kind.layer() == Fault.Layer.PROCESS && target < members;
            if (isBusy(lane, from) || (leaves && nobodyElse(target, from))) {
                return Optional.empty();
            }
            busyUntil.put(lane, until + rest(kind.layer()));
            for (int place = 0; whole && place < members; place++) {
                busyUntil.put(Fault.lane(kind.layer(), place), until);
            }
            if (leaves) {
                awayUntil.put(target, until + START_MILLIS);
            }
            return Optional.of(target);
        }

        private static int rest(Fault.Layer layer) {
            return switch (layer) {
                case PROCESS -> START_MILLIS;
                case ENSEMBLE -> REST_MILLIS;
                case NETWORK, CLOCK, JOB -> 0;
            };
        }

        /** From when on nothing befalls that is planned. */
        int quietFrom() {
            return busyUntil.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        }

        private boolean isBusy(String lane, int at) {
            return busyUntil.getOrDefault(lane, 0) > at;
        }

        private boolean isAway(int place, int at) {
            return awayUntil.getOrDefault(place, 0) > at;
        }

        /** Whether without a member none would be up. Plans are made in the order of time: who is up now stays so, as far as is known. */
        private boolean nobodyElse(int leaving, int at) {
            for (int place = 0; place < members; place++) {
                if (place != leaving && !isAway(place, at)) {
                    return false;
                }
            }
            return true;
        }
    }
}
