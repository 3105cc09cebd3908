package io.ostraka.faults.soak;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** What befalls whom until when, as far as it is planned. */
final class Calendar {
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
                                ? members + random.nextInt(FaultPlan.PLACES - members)
                                : random.nextInt(members);
                    case NETWORK, CLOCK -> random.nextInt(members);
                    case ENSEMBLE -> random.nextInt(2);
                    case JOB -> random.nextInt(FaultPlan.JOBS.size());
                    case TRIGGER ->
                        kind == Fault.Kind.RELEASED
                                ? FaultPlan.PARKED
                                : random.nextBoolean() ? FaultPlan.ONCE : random.nextInt(FaultPlan.JOBS.size());
                };
        return place(kind, target, from, until);
    }

    /** Finds the first member whom something can befall. */
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
            return Optional.empty(); // its items are who is there
        }
        if (target == FaultPlan.ONCE && (kind == Fault.Kind.RESCHEDULED || kind == Fault.Kind.PAUSED)) {
            return Optional.empty(); // it has no schedule
        }
        boolean ofWorker = kind.layer() == Fault.Layer.NETWORK || kind.layer() == Fault.Layer.CLOCK;
        if (ofWorker && isAway(target, from + START_MILLIS)) {
            return Optional.empty(); // there is nobody whom it could befall; while one starts it may
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

    /** Finds a job that an operator has changed just then, and that nobody triggers, and notes a trigger of it. */
    OptionalInt triggerChanged(int at) {
        OptionalInt changed = IntStream.range(0, FaultPlan.JOBS.size())
                .filter(job -> isBusy(Fault.lane(Fault.Layer.JOB, job), at + 1)
                        && !isBusy(Fault.lane(Fault.Layer.TRIGGER, job), at))
                .findFirst();
        changed.ifPresent(job -> busyUntil.put(Fault.lane(Fault.Layer.TRIGGER, job), at + 1));
        return changed;
    }

    private static int rest(Fault.Layer layer) {
        return switch (layer) {
            case PROCESS -> START_MILLIS;
            case ENSEMBLE -> REST_MILLIS;
            case NETWORK, CLOCK, JOB, TRIGGER -> 0;
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
