package io.ostraka.api;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which instance runs which items of a job. A pure function: called by the leading instance alone, on a worker
 * thread, it must neither block nor remember. While it doesn't answer, its own job is not planned; others are.
 *
 * <p>The leader asks again and again, and writes a plan when the answer is another one than before. So what is asked with
 * the items where an answer has put them has to leave them there; whoever can't promise that keeps items on the move, at
 * the price of a plan's write each time.
 *
 * <p>An answer that forgets an item, names one twice or names an unknown instance is refused: the plan in force stays
 * and the job reports why. The same holds when it throws.
 */
public interface JobShardingStrategy {
    /** How many characters of state an answer may have. */
    int MAX_STATE = 16_384;

    /** Returns the name by which {@link JobConfiguration#shardingStrategy()} chooses it. */
    String type();

    /**
     * Places every item. Called by {@link #place}; a strategy with state has that instead, and has this return its items.
     *
     * @param request the items, the instances that may run them, and who has them now
     * @return items by instance id; an instance without items may be left out
     */
    Map<String, List<String>> shard(Request request);

    /** Places every item, and says what to be told the next time; without state unless a strategy overrides it. */
    default Answer place(Request request) {
        return new Answer(shard(request), "");
    }

    /**
     * Returns what it has to be told besides; nothing unless a strategy overrides it. What it doesn't name is empty in its
     * requests, for all of it costs reads. Asked once, while the registry connects, which fails if it throws or returns null.
     */
    default Set<Need> needs() {
        return Set.of();
    }

    /** Information that the leader collects for strategies that need it. */
    enum Need {
        /**
         * {@link Request#fire()}. The leader reads the record of the job's first item soon after each of its fires, at most
         * once a second, and every few seconds besides.
         */
        FIRE,
        /** {@link Request#runTimes()}. They come from a look at all records that is taken each minute anyway. */
        RUN_TIMES,
        /** {@link Request#otherItems()}. After a change of leader the job is not planned before all jobs were read. */
        OTHER_ITEMS
    }

    /**
     * Where the items go.
     *
     * @param items by instance id; an instance without items may be left out
     * @param state what {@link Request#state()} is the next time: it is kept with the plan, so a change of it alone costs a
     *     write; at most {@value #MAX_STATE} characters, empty for none
     */
    record Answer(Map<String, List<String>> items, String state) {}

    /**
     * What there is to place. Instances and items are those that the job's constraints allow: a strategy needn't look at
     * those. The first four say all that most strategies need; {@link #Request(String, List, List, Map)} makes a request of
     * them alone, and {@code with…} one of the others at a time.
     *
     * @param jobName the job
     * @param instances who may run items, at least one, ordered by id; unmodifiable
     * @param items the item keys in their natural order; unmodifiable
     * @param owners the present owner of each item that has one among {@code instances}; unmodifiable
     * @param runTimes how long the runs of items take by measurement, smoothed; items without one are missing; empty
     *     without {@link Need#RUN_TIMES}; unmodifiable
     * @param otherItems how many items of other jobs an instance has, those with none missing; empty without {@link
     *     Need#OTHER_ITEMS}; unmodifiable
     * @param busy instances that still run items of the job for an earlier session; unmodifiable
     * @param maximum how many items of the job an instance may have; 0 for no limit. What an answer gives to an instance
     *     beyond it goes to others, so it needn't be looked at
     * @param fire the latest fire of the job's first item that was decided and isn't running any more, or of before the
     *     first the instant from which on fires count; null if not known, and without {@link Need#FIRE}
     * @param state of the last answer; empty when there was none, and it has to be taken for any text: hands may have
     *     been in ZooKeeper
     */
    record Request(
            String jobName,
            List<JobInstance> instances,
            List<String> items,
            Map<String, String> owners,
            Map<String, Duration> runTimes,
            Map<String, Integer> otherItems,
            Set<String> busy,
            int maximum,
            @Nullable Instant fire,
            String state) {
        /** Copies everything. */
        public Request {
            instances = List.copyOf(instances);
            items = List.copyOf(items);
            owners = Map.copyOf(owners);
            runTimes = Map.copyOf(runTimes);
            otherItems = Map.copyOf(otherItems);
            busy = Set.copyOf(busy);
        }

        /** Makes one of a job of which nothing else is known. */
        public Request(String jobName, List<JobInstance> instances, List<String> items, Map<String, String> owners) {
            this(jobName, instances, items, owners, Map.of(), Map.of(), Set.of(), 0, null, "");
        }

        /** Returns the same with other owners. */
        public Request withOwners(Map<String, String> next) {
            return new Request(jobName, instances, items, next, runTimes, otherItems, busy, maximum, fire, state);
        }

        /** Returns the same with run times. */
        public Request withRunTimes(Map<String, Duration> next) {
            return new Request(jobName, instances, items, owners, next, otherItems, busy, maximum, fire, state);
        }

        /** Returns the same with items of other jobs. */
        public Request withOtherItems(Map<String, Integer> next) {
            return new Request(jobName, instances, items, owners, runTimes, next, busy, maximum, fire, state);
        }

        /** Returns the same with busy instances. */
        public Request withBusy(Set<String> next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, next, maximum, fire, state);
        }

        /** Returns the same with a maximum. */
        public Request withMaximum(int next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, busy, next, fire, state);
        }

        /** Returns the same with a latest fire. */
        public Request withFire(@Nullable Instant next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, busy, maximum, next, state);
        }

        /** Returns the same with a state. */
        public Request withState(String next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, busy, maximum, fire, next);
        }
    }
}
