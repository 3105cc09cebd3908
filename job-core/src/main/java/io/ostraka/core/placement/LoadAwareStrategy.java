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
 * Spreads the time that items take, instead of their number, and moves an item only where much is gained. An item that
 * nobody has goes to the instance with the least time, the longest item first. Thread-safe.
 *
 * <p>Worth choosing where items differ much in how long they run, and keep doing so. Weights are not looked at. An item
 * that was never measured counts as the mean of the others; less than a millisecond or more than a year counts as that.
 *
 * <p><b>Hysteresis.</b> Let t(a) be the time of instance a's items together. An item of time w may move from a to b if t(b)
 * + w ≤ {@value #GOES_ON} % of t(a): who gets it stays well below what the giver had. But that begins only if for some item
 * it is ≤ {@value #BEGINS} %, or if items are placed anyway because nobody had them. Then items move, from the longest time
 * to the shortest, until none may.
 *
 * <p><b>Balance.</b> In any answer t(b) + w > 0.8 t(a) for all a, b and items of a: the longest time is less than 1.25 times
 * the shortest and the longest one's shortest item together.
 *
 * <p><b>Rest.</b> An answer that has placed or moved anything has t(b) + w > 0.9 t(a) for all, and begins nothing when it is
 * asked about. Nor does it if all measurements differ by up to 5 % then, each in its own direction: t'(b) + w' ≥ 0.95 (t(b) +
 * w) > 0.95 · 0.9 t(a) ≥ 0.95 · 0.9 / 1.05 t'(a) > 0.8 t'(a).
 *
 * <p><b>Moves.</b> None but of items that nobody has, unless the above begins, and then only such as may. They come to an
 * end, since each lowers the sum of the squared times. One pass finds them, from the longest time on: who has nothing that
 * may move won't have later unless he gets something, for the shortest time never gets shorter. (What is moved is at most
 * half of the difference if there is such an item, and leaves the giver with more than t(b) otherwise too: with at least
 * t(b) + 0.1 t(a).)
 */
final class LoadAwareStrategy implements BuiltInStrategy {
    private static final int BEGINS = 80;
    private static final int GOES_ON = 90;
    private static final int ITEM_BITS = 17;
    private static final int ALL_ITEMS = (1 << ITEM_BITS) - 1; // JobConfiguration.MAX_ITEMS is less
    private static final long LONGEST = Duration.ofDays(365).toMillis(); // times all items, times 100: no overflow

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

    /** By item, in milliseconds. */
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

    /** One answer in the making. */
    private static final class Loads {
        private final long[] times;
        private final int[] owners;
        /** By instance, of all its items. */
        private final long[] loads;
        /** Instances, the least loaded first; among equals in another order for each job. */
        private final TreeSet<Integer> leastFirst;
        /** By instance: its items as keys, the shortest first. */
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

        /** Time and number in one: its order is that of times. */
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

        /** The longest item up to half of the difference, or the shortest of all if it may move. */
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

        /** A set that is ordered by it must not have the instance while it changes. */
        private void load(int instance, long change) {
            leastFirst.remove(instance);
            loads[instance] += change;
            leastFirst.add(instance);
        }
    }
}
