package io.ostraka.core.placement;

import io.ostraka.api.JobInstance;
import io.ostraka.api.ShardingStrategies;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Assigns items by consistent hashing. Each instance has {@value #POINTS} points on a ring, and an item goes to the
 * instance with the next point after the item's hash. Also useful for many jobs with one item, because the hash
 * includes the job's name. Thread-safe.
 *
 * <p>Use this strategy if the owner of an item should depend only on the current instances, for example because of a
 * cache on the local disk. Item counts are uneven and not limited. With many items, an instance's count differs from
 * its fair share by about a tenth at most; with few items, some instances have no items. (With a limit, items would
 * overflow to other instances, and an instance that leaves would cause moves between the remaining instances.) If an
 * instance leaves, only its own items move. If an instance joins, items move only to it, because the points of other
 * instances do not change.
 *
 * <p>The points depend on the process, {@code name@pid}, so an instance keeps its points in a new session. Instances of
 * the same process get different points, which depend on the order of these instances. If one of them leaves, items of
 * the instances after it move, too.
 */
final class ConsistentHashStrategy implements BuiltInStrategy {
    private static final int POINTS = 100;
    /** Mask of the bits of a point that contain the index of the instance; enough for a million instances. */
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

    /** Returns the points in ascending order. The lowest bits of each point contain the index of its instance. */
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

    /** Returns the instance's id without its session. */
    private static String process(String id) {
        int session = id.lastIndexOf('@');
        return session < 0 ? id : id.substring(0, session);
    }
}
