package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Has the hash of an item decide: each instance has {@value #POINTS} points on a ring, and an item goes to the instance
 * whose point comes next after its own. For jobs of one item, too, each of which has its own place on the ring. Thread-safe.
 *
 * <p>Worth choosing where an item's place is to depend on nothing but who is there, so that it is found again: caches on
 * the instances' disks, say, which somebody who comes back still has. Counts: uneven, and without a bound; with many items
 * an instance has its share give or take a tenth, with few some have none. (Bounding them would have items overflow from
 * instance to instance, and then a departure moves items of those who stay.) Moves: those of an instance that departs, and
 * no others; to one that joins, and to no others: an instance's points depend on nothing but itself.
 *
 * <p>What counts as the instance is its process, {@code name@pid}: one that comes back under another session has the points
 * that it had. Several instances in one process have points by their order, so that the departure of one moves items of
 * those that come after it.
 */
final class ConsistentHashStrategy implements BuiltInStrategy {
    private static final int POINTS = 100;
    /** The bits of a point that say whose it is: enough for a million instances. */
    private static final long INSTANCE = (1 << 20) - 1;

    @Override
    public String type() {
        return ShardingStrategies.CONSISTENT_HASH;
    }

    @Override
    public Map<String, List<String>> shard(Request request) {
        long[] ring = ring(request.instances());
        int[] placed = new int[request.items().size()];
        for (int item = 0; item < placed.length; item++) {
            long hash = Hashing.of(request.jobName() + '/' + request.items().get(item));
            int next = Arrays.binarySearch(ring, hash & ~INSTANCE);
            long point = ring[(next < 0 ? -next - 1 : next) % ring.length];
            placed[item] = (int) (point & INSTANCE);
        }
        return new CurrentAssignment(request).answer(placed);
    }

    /** The points in order: of each the last bits say whose it is. */
    private static long[] ring(List<JobInstance> instances) {
        long[] ring = new long[instances.size() * POINTS];
        Map<String, Integer> seen = new HashMap<>();
        for (int i = 0; i < instances.size(); i++) {
            String process = process(instances.get(i).id());
            long hash = Hashing.of(process + '#' + seen.merge(process, 1, Integer::sum));
            for (int point = 0; point < POINTS; point++) {
                ring[i * POINTS + point] = Hashing.mix(hash + point) & ~INSTANCE | i;
            }
        }
        Arrays.sort(ring);
        return ring;
    }

    /** An id without its session. */
    private static String process(String id) {
        int session = id.lastIndexOf('@');
        return session < 0 ? id : id.substring(0, session);
    }
}
