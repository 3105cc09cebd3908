package io.ostraka.api;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which instance runs which items of a job. Only the leader calls a strategy, on a worker thread. A strategy is
 * a pure function: it must neither block nor keep state in its fields. Until it returns, the leader does not plan this
 * job, but plans other jobs.
 *
 * <p>The leader calls the strategy repeatedly and writes a new plan whenever the answer differs from the plan in force.
 * A strategy should therefore be stable: for a request whose owners match its last answer, it returns the same answer.
 * An unstable strategy keeps moving items and costs a write of the plan each time.
 *
 * <p>The leader refuses an answer that omits an item, assigns an item twice or names an unknown instance. It treats an
 * exception in the same way: the plan in force stays, and the job's health reports the reason.
 */
public interface JobShardingStrategy {
    /** Largest number of characters of an answer's state. */
    int MAX_STATE = 16_384;

    /**
     * Returns the name that {@link JobConfiguration#shardingStrategy()} refers to. Must always return the same name.
     */
    String type();

    /**
     * Assigns every item to an instance. The default implementation of {@link #place} calls this method. A strategy
     * with state overrides {@code place} and returns {@code place(request).items()} here.
     *
     * @param request the items, the instances that may run them, and the present owners
     * @return item keys by instance id; an instance without items may be missing
     */
    Map<String, List<String>> shard(Request request);

    /**
     * Assigns every item to an instance and returns state for the next call. By default the answer contains the result
     * of {@link #shard} and no state.
     *
     * @param request the items, the instances that may run them, and the present owners
     * @return the assignment and the new state
     */
    default Answer place(Request request) {
        return new Answer(shard(request), "");
    }

    /**
     * Returns the additional information that this strategy needs; nothing by default. The corresponding parts of a
     * request are empty for needs that are not listed here, because each need costs reads. The engine calls this method
     * once while the registry connects. Connecting fails if the method throws or returns null.
     */
    default Set<Need> needs() {
        return Set.of();
    }

    /** Information that the leader collects only for strategies that need it. */
    enum Need {
        /**
         * {@link Request#fire()}. The leader reads the record of the job's first item soon after each of its fires, at
         * most once a second, and additionally every few seconds.
         */
        FIRE,
        /**
         * {@link Request#runTimes()}. The leader takes them from its read of all records, which takes place every
         * minute in any case.
         */
        RUN_TIMES,
        /**
         * {@link Request#otherItems()}. After a change of leader, the job is not planned until the new leader has read
         * all jobs.
         */
        OTHER_ITEMS
    }

    /**
     * The answer of a strategy.
     *
     * @param items item keys by instance id; an instance without items may be missing
     * @param state text that the next request contains as {@link Request#state()}; empty for none, at most {@value
     *     #MAX_STATE} characters. It is stored with the plan, so a change of the state alone costs a write
     */
    record Answer(Map<String, List<String>> items, String state) {}

    /**
     * The situation that a strategy decides on. The request contains only instances and items that the job's
     * constraints allow. Most strategies need only the first four components; {@link #Request(String, List, List, Map)}
     * creates a request with those, and each {@code with…} method sets one of the others. Immutable.
     *
     * @param jobName name of the job
     * @param instances instances that may run items, at least one, ordered by id; unmodifiable
     * @param items item keys in their natural order; unmodifiable
     * @param owners present owner of each item that has an owner among {@code instances}; unmodifiable
     * @param runTimes measured and smoothed run times by item, without items that have no measurement; empty without
     *     {@link Need#RUN_TIMES}; unmodifiable
     * @param otherItems number of items of other jobs by instance id, without instances that have none; empty without
     *     {@link Need#OTHER_ITEMS}; unmodifiable
     * @param busy ids of instances on which a run for an earlier session still continues; unmodifiable
     * @param maximum largest number of the job's items on one instance; 0 for no limit. A strategy may ignore it: the
     *     leader moves surplus items to other instances
     * @param fire latest fire of the job's first item that is decided and no longer runs; before the first fire, the
     *     instant from which fires count. Null if unknown, and without {@link Need#FIRE}
     * @param state state of the last answer; empty if there was none. A strategy must accept any text here, since an
     *     operator may have edited the node
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
        /** Copies the collections. */
        public Request {
            instances = List.copyOf(instances);
            items = List.copyOf(items);
            owners = Map.copyOf(owners);
            runTimes = Map.copyOf(runTimes);
            otherItems = Map.copyOf(otherItems);
            busy = Set.copyOf(busy);
        }

        /** Creates a request with only the four components that most strategies need. */
        public Request(String jobName, List<JobInstance> instances, List<String> items, Map<String, String> owners) {
            this(jobName, instances, items, owners, Map.of(), Map.of(), Set.of(), 0, null, "");
        }

        /** Returns this request with other owners. */
        public Request withOwners(Map<String, String> next) {
            return new Request(jobName, instances, items, next, runTimes, otherItems, busy, maximum, fire, state);
        }

        /** Returns this request with other run times. */
        public Request withRunTimes(Map<String, Duration> next) {
            return new Request(jobName, instances, items, owners, next, otherItems, busy, maximum, fire, state);
        }

        /** Returns this request with other numbers of items of other jobs. */
        public Request withOtherItems(Map<String, Integer> next) {
            return new Request(jobName, instances, items, owners, runTimes, next, busy, maximum, fire, state);
        }

        /** Returns this request with other busy instances. */
        public Request withBusy(Set<String> next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, next, maximum, fire, state);
        }

        /** Returns this request with another maximum. */
        public Request withMaximum(int next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, busy, next, fire, state);
        }

        /** Returns this request with another latest fire. */
        public Request withFire(@Nullable Instant next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, busy, maximum, next, state);
        }

        /** Returns this request with another state. */
        public Request withState(String next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, busy, maximum, fire, next);
        }
    }
}
