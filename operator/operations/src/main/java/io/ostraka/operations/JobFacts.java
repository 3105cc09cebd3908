package io.ostraka.operations;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.ItemDetails.State;
import io.ostraka.api.operations.JobDetails;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The facts about a job that its problems and their remedies depend on.
 *
 * @param job name of the job; empty for the namespace
 * @param items items of the job
 * @param disabledItems keys of the disabled items
 * @param disabledInstances names, ids and hosts of the instances that are excluded from the job
 * @param at time of the facts on the server's clock
 */
record JobFacts(
        String job, List<ItemDetails> items, Set<String> disabledItems, Set<String> disabledInstances, Instant at) {
    /** The facts about the namespace. */
    static final JobFacts NONE = new JobFacts("", List.of(), Set.of(), Set.of(), Instant.EPOCH);

    /** A run is only reported as slow if it has lasted longer than this. */
    static final Duration SHORTEST = Duration.ofMinutes(1);

    /** Limit for a run if there is no earlier run to compare it with. */
    private static final Duration FIRST_RUN = Duration.ofMinutes(2);

    private static final Duration VERY_LONG = Duration.ofMinutes(10);
    private static final int TIMES_USUAL = 3;
    private static final Duration AHEAD = Duration.ofSeconds(10);

    static JobFacts of(JobDetails details, List<ItemDetails> items) {
        return new JobFacts(
                details.summary().job(),
                items,
                new TreeSet<>(details.disabledItems()),
                new TreeSet<>(details.disabledInstances()),
                details.summary().at());
    }

    private List<ItemDetails> items(Predicate<ItemDetails> which) {
        return items.stream().filter(which).toList();
    }

    List<ItemDetails> inState(State state) {
        return items(item -> item.state() == state);
    }

    /** Returns the quarantined items that an operator has disabled, or the others. */
    List<ItemDetails> quarantined(boolean disabled) {
        return items(item -> item.state() == State.QUARANTINED && item.disabled() == disabled);
    }

    List<ItemDetails> withoutOwner() {
        return items(item -> item.owner() == null);
    }

    /** Returns the items whose cursor is in the future. */
    List<ItemDetails> ahead() {
        return items(item -> item.state() != State.RUNNING
                && item.decidedUpTo() != null
                && item.decidedUpTo().isAfter(at.plus(AHEAD)));
    }

    /** Returns the idle items whose last run did not succeed. */
    List<ItemDetails> failed() {
        return items(item -> item.state() == State.IDLE
                && item.run() != null
                && (item.run().outcome() == ItemOutcome.FAILED
                        || item.run().outcome() == ItemOutcome.TIMED_OUT
                        || item.run().outcome() == ItemOutcome.CRASHED));
    }

    /** Returns the items that run much longer than usual, or for long if there is no earlier run. */
    List<ItemDetails> slow() {
        return items(item -> item.state() == State.RUNNING && ran(item).compareTo(limit(item)) > 0);
    }

    private static Duration limit(ItemDetails item) {
        if (item.expectedRunTime() == null) {
            return FIRST_RUN;
        }
        Duration most = item.expectedRunTime().multipliedBy(TIMES_USUAL);
        return most.compareTo(SHORTEST) > 0 ? most : SHORTEST;
    }

    /** Returns whether an item has run for so long that it needs a person, regardless of its usual time. */
    boolean isVeryLong(ItemDetails item) {
        return ran(item).compareTo(VERY_LONG) > 0;
    }

    private Duration ran(ItemDetails item) {
        return item.run() == null ? Duration.ZERO : Duration.between(item.run().startedAt(), at);
    }

    /** Returns the items of a problem that are in a state. */
    Stream<ItemDetails> of(Draft problem, State state) {
        return inState(state).stream().filter(item -> problem.items().contains(item.item()));
    }

    static List<String> keys(List<ItemDetails> items) {
        return items.stream().map(ItemDetails::item).toList();
    }

    /** Returns the first texts of a list, and the number of the others. */
    static String named(List<String> texts, String separator) {
        List<String> first = texts.subList(0, Math.min(texts.size(), Remedies.MOST));
        return String.join(separator, first)
                + (texts.size() > first.size() ? " and " + (texts.size() - first.size()) + " more" : "");
    }

    /** Returns the name in an instance id {@code name@pid@session}. */
    static String shortInstance(String id) {
        int end = id.lastIndexOf('@', id.lastIndexOf('@') - 1);
        return end < 0 ? id : id.substring(0, end);
    }
}
