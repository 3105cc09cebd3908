package io.ostraka.core.placement;

import io.ostraka.api.ShardingStrategies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Balances the total run time per instance instead of the number of items, and moves items only if the gain is large.
 * Items without an owner go to the instance with the least total time, the longest item first. Thread-safe.
 *
 * <p>Use this strategy if the run times of items differ widely and the differences are stable. Weights of instances are
 * ignored. For an item without a measurement, the strategy uses the mean time of the measured items. Times below a
 * millisecond count as a millisecond, and times above a year as a year.
 *
 * <p><b>Terms.</b> Let t(a) be the total time of the items of instance a, w the time of one of these items, and b
 * another instance.
 *
 * <p><b>Hysteresis.</b> An item of time w may move from a to b if t(b) + w ≤ {@value #GOES_ON} % of t(a). Instance b
 * then stays well below the former time of a. Moves begin only if t(b) + w ≤ {@value #BEGINS} % of t(a) for some a, b
 * and w, or if items without an owner must be placed. Once moves have begun, items move from the instance with the
 * longest time to the instance with the shortest, until no item may move.
 *
 * <p><b>Balance.</b> In every result, t(b) + w > 0.8 t(a) for all a, b and w. The longest total time is therefore less
 * than 1.25 times this sum: the shortest total time, plus the shortest item of the instance with the longest total
 * time.
 *
 * <p><b>Stability.</b> If a call has placed or moved an item, its result has t(b) + w > 0.9 t(a) for all a, b and w.
 * The next call with this result therefore begins no moves. This still holds if each measurement changes by up to 5 %
 * in any direction: t'(b) + w' ≥ 0.95 (t(b) + w) > 0.95 · 0.9 t(a) ≥ 0.95 · 0.9 / 1.05 t'(a) > 0.8 t'(a).
 *
 * <p><b>Moves.</b> The moves end, because each of them lowers the sum of the squared times. One pass over the
 * instances, from the longest time down, finds all moves. The reason is that the shortest time never falls: if an
 * instance has no movable item now, it has none later either, unless it receives an item. If possible, an item is moved
 * whose time is at most half of the difference between t(a) and t(b). Otherwise instance a still keeps at least t(b) +
 * 0.1 t(a), which is more than t(b).
 */
final class LoadAwareStrategy implements BuiltInStrategy {
    private static final int BEGINS = 80;
    private static final int GOES_ON = 90;
    private static final int ITEM_BITS = 17;
    private static final int ALL_ITEMS = (1 << ITEM_BITS) - 1; // greater than JobConfiguration.MAX_ITEMS
    /** Longest run time, in milliseconds. Multiplied by 100 and by the number of items, it does not overflow. */
    private static final long LONGEST = Duration.ofDays(365).toMillis();

    @Override
    public String type() {
        return ShardingStrategies.LOAD_AWARE;
    }

    @Override
    public Set<Need> needs() {
        return Set.of(Need.RUN_TIMES);
    }

    @Override
    public Map<String, List<String>> shard(Request request) {
        CurrentAssignment holdings = new CurrentAssignment(request);
        Loads loads = new Loads(times(request), holdings.owners(), holdings.turned());
        if (loads.placeTheUnowned() || loads.begins()) {
            loads.level();
        }
        return holdings.answer(loads.owners);
    }

    /** Returns the run time of each item in milliseconds. */
    private static long[] times(Request request) {
        long unmeasured = Math.round(request.items().stream()
                .map(request.runTimes()::get)
                .filter(time -> time != null)
                .mapToLong(LoadAwareStrategy::millis)
                .average()
                .orElse(1));
        return request.items().stream()
                .map(request.runTimes()::get)
                .mapToLong(time -> time == null ? unmeasured : millis(time))
                .toArray();
    }

    private static long millis(Duration time) {
        return time.isNegative() || time.isZero()
                ? 1
                : time.compareTo(Duration.ofMillis(LONGEST)) > 0 ? LONGEST : Math.max(1, time.toMillis());
    }

    /** The placement while it is being computed. */
    private static final class Loads {
        private final long[] times;
        private final int[] owners;
        /** Total run time by instance. */
        private final long[] loads;
        /** Instances, the least loaded first. The order of equally loaded instances differs between jobs. */
        private final TreeSet<Integer> leastFirst;
        /** Items by instance, encoded by {@link #key}, the shortest first. */
        private final List<TreeSet<Long>> items = new ArrayList<>();

        Loads(long[] times, int[] owners, List<Integer> turned) {
            this.times = times;
            this.owners = owners;
            loads = new long[turned.size()];
            int[] order = new int[turned.size()];
            IntStream.range(0, order.length).forEach(i -> order[turned.get(i)] = i);
            leastFirst = new TreeSet<>(
                    Comparator.comparingLong((Integer i) -> loads[i]).thenComparing(i -> order[i]));
            for (int i = 0; i < loads.length; i++) {
                items.add(new TreeSet<>());
            }
            for (int item = 0; item < owners.length; item++) {
                if (owners[item] != CurrentAssignment.NONE) {
                    loads[owners[item]] += times[item];
                    items.get(owners[item]).add(key(times[item], item));
                }
            }
            leastFirst.addAll(turned);
        }

        /** Encodes an item's run time and index in one number that sorts by time. */
        private static long key(long time, int item) {
            return time << ITEM_BITS | item;
        }

        private static int item(long key) {
            return (int) (key & ALL_ITEMS);
        }

        private long shortest(int instance) {
            return items.get(instance).first() >> ITEM_BITS;
        }

        boolean placeTheUnowned() {
            List<Integer> unowned = IntStream.range(0, owners.length)
                    .filter(item -> owners[item] == CurrentAssignment.NONE)
                    .boxed()
                    .sorted(Comparator.comparingLong((Integer item) -> times[item])
                            .reversed())
                    .toList();
            unowned.forEach(item -> give(item, leastFirst.first()));
            return !unowned.isEmpty();
        }

        boolean begins() {
            long least = loads[leastFirst.first()];
            return IntStream.range(0, loads.length)
                    .anyMatch(i -> !items.get(i).isEmpty() && 100 * (least + shortest(i)) <= BEGINS * loads[i]);
        }

        void level() {
            TreeSet<Integer> open = new TreeSet<>(leastFirst);
            while (!open.isEmpty()) {
                int from = open.last();
                int to = leastFirst.first();
                Integer item = movable(from, to);
                open.remove(from);
                if (item != null) {
                    open.remove(to);
                    take(item, from);
                    give(item, to);
                    open.add(from);
                    open.add(to);
                }
            }
        }

        /**
         * Returns the item to move between two instances; null if no item may move. This is the longest item that takes
         * at most half of the difference between the instances' times; if there is no such item, the shortest item.
         */
        private @Nullable Integer movable(int from, int to) {
            long most = loads[from] * GOES_ON / 100 - loads[to];
            TreeSet<Long> candidates = items.get(from);
            if (candidates.isEmpty() || shortest(from) > most) {
                return null;
            }
            Long best = candidates.floor(key(Math.min(most, (loads[from] - loads[to]) / 2), ALL_ITEMS));
            return item(best == null ? candidates.first() : best);
        }

        private void take(int item, int from) {
            items.get(from).remove(key(times[item], item));
            load(from, -times[item]);
        }

        private void give(int item, int to) {
            owners[item] = to;
            items.get(to).add(key(times[item], item));
            load(to, times[item]);
        }

        /**
         * Changes the load of an instance. Removes the instance from the sorted set during the change, because its sort
         * key changes.
         */
        private void load(int instance, long change) {
            leastFirst.remove(instance);
            loads[instance] += change;
            leastFirst.add(instance);
        }
    }
}
