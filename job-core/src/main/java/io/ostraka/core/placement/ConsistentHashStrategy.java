package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Assigns items by their hash. Each instance has {@value #POINTS} points on a ring, and an item goes to the instance
 * with the next point after the hash of the item. Also suits jobs of one item, each of which has its own hash.
 * Thread-safe.
 *
 * <p>Use it where the owner of an item should depend only on the present instances, for example for caches on local
 * disks that remain after a restart. Counts: uneven and unbounded; with many items an instance has its share within
 * about a tenth, with few items some instances have none. (A bound would make items overflow from instance to
 * instance, and a departure would move items between remaining instances.) Moves: only the items of a departed
 * instance, and only items to a joining instance, because the points of an instance depend on nothing but itself.
 *
 * <p>The points belong to the process, {@code name@pid}: an instance that returns with another session has the same
 * points. Several instances of one process get points by their order, so the departure of one moves items of the later
 * ones.
 */
final class ConsistentHashStrategy implements BuiltInStrategy {
    private static final int POINTS = 100;
    /** Bits of a point that identify the instance, enough for a million instances. */
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

    /** Returns the points in order; the last bits of each identify its instance. */
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

    /** Returns the id without the session. */
    private static String process(String id) {
        int session = id.lastIndexOf('@');
        return session < 0 ? id : id.substring(0, session);
    }
}
