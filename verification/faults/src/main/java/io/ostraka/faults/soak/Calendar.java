package io.ostraka.faults.soak;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Records the times at which each target of faults is busy with a planned fault. */
final class Calendar {
    /** Time that a new process needs until it serves. */
    private static final int START_MILLIS = 4_000;
    /** Time that the servers need until all three run again and have a leader. */
    private static final int REST_MILLIS = 4_000;

    private final int members;
    private final SplittableRandom random;
    private final Map<String, Integer> busyUntil = new HashMap<>();
    /** Time at which each absent member is back, by the number of its place. */
    private final Map<Integer, Integer> awayUntil = new HashMap<>();

    Calendar(int members, SplittableRandom random) {
        this.members = members;
        this.random = random;
    }

    /** Chooses a target for a kind of fault and reserves it. Returns empty if the chosen target is not available. */
    Optional<Integer> place(Fault.Kind kind, int from, int until) {
        int target =
                switch (kind.layer()) {
                    case PROCESS ->
                        kind == Fault.Kind.WORKER_JOINS
                                ? members + random.nextInt(FaultPlan.PLACES - members)
                                : random.nextInt(members);
                    case NETWORK, CLOCK -> random.nextInt(members);
                    case ENSEMBLE -> random.nextInt(2);
                    case DATABASE -> 0;
                    case JOB -> random.nextInt(FaultPlan.JOBS.size());
                    case TRIGGER ->
                        kind == Fault.Kind.RELEASED
                                ? FaultPlan.PARKED
                                : random.nextBoolean() ? FaultPlan.ONCE : random.nextInt(FaultPlan.JOBS.size());
                };
        return place(kind, target, from, until);
    }

    /** Reserves the first member that is available for a kind of fault. Returns empty if there is none. */
    OptionalInt first(Fault.Kind kind, int from, int until) {
        return IntStream.range(0, members)
                .filter(member -> place(kind, member, from, until).isPresent())
                .findFirst();
    }

    private Optional<Integer> place(Fault.Kind kind, int target, int from, int until) {
        if (kind == Fault.Kind.RESIZED && FaultPlan.FIXED.contains(target)) {
            return Optional.empty();
        }
        if (kind == Fault.Kind.ITEM_DISABLED && !FaultPlan.isNumbered(target)) {
            return Optional.empty(); // the job's items are the present instances or zones
        }
        if (target == FaultPlan.ONCE && (kind == Fault.Kind.RESCHEDULED || kind == Fault.Kind.PAUSED)) {
            return Optional.empty(); // the job has no schedule
        }
        boolean ofWorker = kind.layer() == Fault.Layer.NETWORK || kind.layer() == Fault.Layer.CLOCK;
        if (ofWorker && isAway(target, from + START_MILLIS)) {
            return Optional.empty(); // the worker is away; a fault may hit it only while it starts or later
        }
        boolean whole = kind == Fault.Kind.OVERTAKEN;
        for (int place = 0; whole && place < members; place++) {
            if (isBusy(Fault.targetName(kind.layer(), place), from) || isAway(place, from)) {
                return Optional.empty();
            }
        }
        String targetName = Fault.targetName(kind.layer(), target);
        boolean leaves = kind.layer() == Fault.Layer.PROCESS && target < members;
        if (isBusy(targetName, from) || (leaves && nobodyElse(target, from))) {
            return Optional.empty();
        }
        busyUntil.put(targetName, until + rest(kind.layer()));
        for (int place = 0; whole && place < members; place++) {
            busyUntil.put(Fault.targetName(kind.layer(), place), until);
        }
        if (leaves) {
            awayUntil.put(target, until + START_MILLIS);
        }
        return Optional.of(target);
    }

    /**
     * Finds a job that an operator changes at this time and that has no planned trigger at this time. Reserves the job
     * for a trigger.
     */
    OptionalInt triggerChanged(int at) {
        OptionalInt changed = IntStream.range(0, FaultPlan.JOBS.size())
                .filter(job -> isBusy(Fault.targetName(Fault.Layer.JOB, job), at + 1)
                        && !isBusy(Fault.targetName(Fault.Layer.TRIGGER, job), at))
                .findFirst();
        changed.ifPresent(job -> busyUntil.put(Fault.targetName(Fault.Layer.TRIGGER, job), at + 1));
        return changed;
    }

    private static int rest(Fault.Layer layer) {
        return switch (layer) {
            case PROCESS -> START_MILLIS;
            case ENSEMBLE -> REST_MILLIS;
            case NETWORK, CLOCK, JOB, TRIGGER, DATABASE -> 0;
        };
    }

    /** Returns the time after which no planned fault is active any more. */
    int quietFrom() {
        return busyUntil.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    private boolean isBusy(String targetName, int at) {
        return busyUntil.getOrDefault(targetName, 0) > at;
    }

    private boolean isAway(int place, int at) {
        return awayUntil.getOrDefault(place, 0) > at;
    }

    /**
     * Returns whether all other members are away. Faults are planned in the order in which they begin, so no later step
     * of the planning can remove another member at this time.
     */
    private boolean nobodyElse(int leaving, int at) {
        for (int place = 0; place < members; place++) {
            if (place != leaving && !isAway(place, at)) {
                return false;
            }
        }
        return true;
    }
}
