package io.ostraka.api;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Assigns the items of a job to instances. Pass a strategy to the registry's builder, or let {@link
 * java.util.ServiceLoader} find it. Only the leader calls a strategy, on a worker thread. A strategy must be a pure
 * function: it must neither block nor keep state in its fields. Until the call returns, the leader makes no other plan
 * for this job, but continues to plan other jobs.
 *
 * <p>The leader calls the strategy repeatedly and writes a new plan whenever the answer differs from the current plan.
 * A strategy should therefore be stable: if the owners in the request equal its last answer and nothing else has
 * changed, it should return that answer again. An unstable strategy keeps moving items and causes a write of the plan
 * at each call.
 *
 * <p>The leader refuses an answer that omits an item, assigns an item twice or names an unknown instance. The current
 * plan then stays in effect, and the job's health reports the reason. An exception of the strategy has the same
 * consequences.
 */
public interface JobShardingStrategy {
    /** Maximum length of an answer's state, in characters. */
    int MAX_STATE = 16_384;

    /**
     * Returns the name that {@link JobConfiguration#shardingStrategy()} refers to. Must always return the same name.
     */
    String type();

    /**
     * Assigns every item to an instance. The leader calls {@link #place}, whose default implementation calls this
     * method. A strategy that needs state overrides {@code place} and implements this method as {@code
     * place(request).items()}.
     *
     * @param request the items, the instances that may run them, and the current owners
     * @return item keys by instance id; an instance without items may be missing
     */
    Map<String, List<String>> shard(Request request);

    /**
     * Assigns every item to an instance and returns state for the next call. By default the answer contains the result
     * of {@link #shard} and no state.
     *
     * @param request the items, the instances that may run them, and the current owners
     * @return the assignment and the new state
     */
    default Answer place(Request request) {
        return new Answer(shard(request), "");
    }

    /**
     * Returns the additional information that this strategy needs in its requests; none by default. The leader reads
     * only the listed information, because each kind costs additional reads. Parts of a request that need unlisted
     * information are empty. The engine calls this method once, when the registry is created. If the method throws an
     * exception or returns null, the creation of the registry fails.
     */
    default Set<Need> needs() {
        return Set.of();
    }

    /** Information that the leader collects only for strategies that need it. */
    enum Need {
        /**
         * The strategy needs {@link Request#fire()}, or the owner that a later fire finds busy in {@link
         * Request#busy()}. The leader reads the record of the job's first item soon after each fire of that item (at
         * most once a second), and also every few seconds.
         */
        FIRE,
        /**
         * The strategy needs {@link Request#runTimes()}. The leader computes the run times from the records of all
         * items, which it reads every minute in any case.
         */
        RUN_TIMES,
        /**
         * The strategy needs {@link Request#otherItems()}. After a change of leader, the new leader cannot plan the job
         * until it has read all jobs.
         */
        OTHER_ITEMS
    }

    /**
     * The answer of a strategy.
     *
     * @param items item keys by instance id; an instance without items may be missing
     * @param state state that the next request contains as {@link Request#state()}; empty for none, at most {@value
     *     #MAX_STATE} characters. The state is stored with the plan, so a new state causes a write of the plan even if
     *     no item moves
     */
    record Answer(Map<String, List<String>> items, String state) {}

    /**
     * The input of a strategy. The request contains only those instances and items that the placement conditions of the
     * job allow. Most strategies need only the first four components; {@link #Request(String, List, List, Map)} creates
     * a request with those, and each {@code with…} method replaces one component. Immutable.
     *
     * @param jobName name of the job
     * @param instances instances that may run items, at least one, ordered by id; unmodifiable
     * @param items item keys in their natural order; unmodifiable
     * @param owners id of the current owner by item. An item whose owner is not among {@code instances} has no entry;
     *     unmodifiable
     * @param runTimes average run time by item. An item without a measurement has no entry; empty if {@link #needs()}
     *     lacks {@link Need#RUN_TIMES}; unmodifiable
     * @param otherItems number of items of other jobs by instance id. An instance with no such items has no entry;
     *     empty if {@link #needs()} lacks {@link Need#OTHER_ITEMS}; unmodifiable
     * @param busy ids of the instances whose process is still executing a run that it claimed in an earlier session. If
     *     {@link #needs()} contains {@link Need#FIRE}, also the instance whose run of the job's first item had not ended
     *     when a later scheduled fire became due, until the leader has read the end of this run; unmodifiable
     * @param maximum maximum number of the job's items on one instance; 0 for no limit. A strategy may ignore the
     *     maximum: the leader moves surplus items to other instances
     * @param fire time of the latest fire that the job's first item has completed or skipped; before the first fire,
     *     the instant from which the engine looks for fires. Null if unknown, or if {@link #needs()} lacks {@link
     *     Need#FIRE}
     * @param state state of the last answer; empty if there was none. A strategy must accept any string here, since an
     *     operator may have edited the znode
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

        /** Returns this request with the given owners. */
        public Request withOwners(Map<String, String> next) {
            return new Request(jobName, instances, items, next, runTimes, otherItems, busy, maximum, fire, state);
        }

        /** Returns this request with the given run times. */
        public Request withRunTimes(Map<String, Duration> next) {
            return new Request(jobName, instances, items, owners, next, otherItems, busy, maximum, fire, state);
        }

        /** Returns this request with the given numbers of items of other jobs. */
        public Request withOtherItems(Map<String, Integer> next) {
            return new Request(jobName, instances, items, owners, runTimes, next, busy, maximum, fire, state);
        }

        /** Returns this request with the given busy instances. */
        public Request withBusy(Set<String> next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, next, maximum, fire, state);
        }

        /** Returns this request with the given maximum. */
        public Request withMaximum(int next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, busy, next, fire, state);
        }

        /** Returns this request with the given time of the latest fire. */
        public Request withFire(@Nullable Instant next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, busy, maximum, next, state);
        }

        /** Returns this request with the given state. */
        public Request withState(String next) {
            return new Request(jobName, instances, items, owners, runTimes, otherItems, busy, maximum, fire, next);
        }
    }
}
