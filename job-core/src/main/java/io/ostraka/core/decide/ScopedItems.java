package io.ostraka.core.decide;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Scope;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.PlacementReasons;
import io.ostraka.core.model.PlacementReasons.Cause;
import io.ostraka.core.model.ShardingPlan;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which items a job has, and places them on instances. The job's scope determines the items. With scope {@code
 * SHARDED} or {@code SINGLETON}, items are numbered. With {@code BROADCAST}, each instance has its own item, and with
 * {@code ONE_PER_ZONE}, each zone has one.
 *
 * <p>Items of instances and zones join and leave the plan while it stays open. An item runs only if it is in the plan
 * and has a record, so the transaction that adds it to the plan also writes its record. An item that has left the plan
 * starts no further fire. The leader ends its unfinished run.
 */
public final class ScopedItems {
    /**
     * Key of the item for instances without a zone. No zone can have this key, because the key of a zone never starts
     * with a dot and a lower-case letter.
     */
    public static final String NO_ZONE = ".none";

    private static final int LONGEST_KEY = 200;

    private ScopedItems() {}

    /**
     * The instances that take part in a job, and the job's current items.
     *
     * @param job effective configuration
     * @param eligible instances that may own items of the job
     * @param present keys of the items in the current plan
     * @param unfinished zones with a fire that was claimed but not completed
     */
    record Participants(
            JobConfiguration job, List<InstanceInfo> eligible, Set<String> present, Set<String> unfinished) {
        static Participants of(
                JobConfiguration job,
                List<InstanceInfo> instances,
                PlacementContext circumstances,
                Collection<String> present,
                Set<String> unfinished) {
            List<InstanceInfo> eligible =
                    Eligibility.of(job, instances, circumstances).all();
            return new Participants(job, eligible, Set.copyOf(present), Set.copyOf(unfinished));
        }
    }

    /**
     * Returns the keys of the items for the next plan.
     *
     * @param joining largest number of keys to add to the current plan; 0 while the plan is closed
     */
    static List<String> keys(Scope scope, int total, Participants participants, int joining) {
        if (total == 0 || ShardingPlan.numbered(scope)) {
            return ShardingPlan.keys(total);
        }
        Set<String> keys = new TreeSet<>(ItemKeys.ORDER);
        int joined = 0;
        for (String key : candidates(scope, participants)) {
            boolean joins = !participants.present.contains(key);
            joined += joins ? 1 : 0;
            if (!joins || joined <= joining) {
                keys.add(key);
            }
        }
        if (scope == Scope.ONE_PER_ZONE && !participants.eligible.isEmpty()) {
            keys.addAll(participants.unfinished);
        }
        return List.copyOf(keys);
    }

    private static Set<String> candidates(Scope scope, Participants participants) {
        Set<String> keys = new TreeSet<>(ItemKeys.ORDER);
        for (InstanceInfo instance : participants.eligible) {
            if (scope == Scope.ONE_PER_ZONE) {
                keys.add(zoneKey(instance));
            } else if (instance.stillRunning()
                    .getOrDefault(participants.job.jobName(), Set.of())
                    .isEmpty()) {
                keys.add(instance.id()); // only if the process runs no item from an earlier session
            }
        }
        return keys;
    }

    /** Places the items of a plan. */
    static Placement.Placed place(Scope scope, Placement.Demand demand) {
        return switch (scope) {
            case SHARDED, SINGLETON -> Placement.place(demand);
            case BROADCAST -> {
                Map<String, List<String>> own = new TreeMap<>();
                demand.items().forEach(id -> own.put(id, List.of(id)));
                yield new Placement.Placed(own, PlacementReasons.NONE);
            }
            case ONE_PER_ZONE -> byZone(demand);
        };
    }

    /** Places the item of each zone with a separate call of the strategy. The strategy's state is not stored. */
    private static Placement.Placed byZone(Placement.Demand demand) {
        Map<String, List<String>> items = new TreeMap<>();
        Map<String, List<String>> moves = new HashMap<>();
        Set<String> deserted = new HashSet<>(zonesWithoutInstance(
                demand.job(),
                demand.candidates().instances(),
                demand.candidates().circumstances(),
                demand.items()));
        for (String zone : demand.items()) {
            Placement.Placed placed = Placement.place(ofZone(demand, zone, deserted.contains(zone)));
            placed.items().forEach((instance, all) -> add(items, instance, all));
            String foreign = deserted.contains(zone) ? null : foreignOwner(demand, zone);
            if (foreign != null) {
                add(moves, Cause.CAME_HOME.of(foreign), List.of(zone));
            } else {
                placed.grounds().moves().forEach((why, all) -> add(moves, why, all));
            }
        }
        String type = new CheckedStrategy(demand.candidates().strategy()).type();
        boolean nameless = type.equals(JobConfiguration.DEFAULT_STRATEGY);
        return new Placement.Placed(items, new PlacementReasons(nameless ? null : type, "", moves, Map.of()));
    }

    private static void add(Map<String, List<String>> to, String key, List<String> items) {
        to.computeIfAbsent(key, none -> new ArrayList<>()).addAll(items);
    }

    /**
     * Returns the inputs for placing the item of one zone. The candidates are the instances of the zone. If none of
     * them is eligible, the candidates are all instances.
     */
    private static Placement.Demand ofZone(Placement.Demand demand, String zone, boolean deserted) {
        String owner = demand.owners().get(zone);
        String reason = PlacementReasons.byItem(demand.grounds().moves()).get(zone);
        return new Placement.Demand(
                demand.job().toBuilder()
                        .staticSharding(false)
                        .maxItemsPerInstance(0)
                        .build(),
                List.of(zone),
                owner == null ? Map.of() : Map.of(zone, owner),
                reason == null
                        ? PlacementReasons.NONE
                        : new PlacementReasons(null, "", Map.of(reason, List.of(zone)), Map.of()),
                new Placement.Candidates(
                        demand.candidates().instances().stream()
                                .filter(instance ->
                                        deserted || zoneKey(instance).equals(zone))
                                .toList(),
                        demand.candidates().strategy(),
                        demand.candidates().circumstances()),
                demand.now());
    }

    /** Returns the instance that owns a zone's item but belongs to another zone; null if there is none. */
    private static @Nullable String foreignOwner(Placement.Demand demand, String zone) {
        return demand.candidates().instances().stream()
                .filter(instance -> instance.id().equals(demand.owners().get(zone))
                        && !zoneKey(instance).equals(zone))
                .map(InstanceInfo::id)
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the zones without an eligible instance. Instances of other zones only finish the interrupted fires of
     * these zones.
     */
    public static List<String> zonesWithoutInstance(
            JobConfiguration job,
            List<InstanceInfo> instances,
            PlacementContext circumstances,
            Collection<String> zones) {
        Set<String> zonesWithInstance = new HashSet<>();
        Eligibility.of(job, instances, circumstances)
                .all()
                .forEach(instance -> zonesWithInstance.add(zoneKey(instance)));
        return zones.stream().filter(zone -> !zonesWithInstance.contains(zone)).toList();
    }

    /**
     * Returns the records to write for items that join the plan. The item of an instance starts with the next fire. The
     * item of a zone keeps its cursor (the latest fire that it has claimed or skipped), so the misfire policy applies
     * to the fires that the item has missed. A new item runs waiting triggers and skips triggers that have begun.
     *
     * @param known existing records of the items
     * @param damaged items with an unreadable record, which their owners restore
     * @param configCzxid number of the transaction that created the definition
     * @param times fire times of the plan; null if the job has no valid configuration
     * @param now current time on the server's clock
     */
    public static Map<String, ItemRecord> newRecords(
            ShardingPlan before,
            ShardingPlan next,
            Map<String, ItemRecord> known,
            Set<String> damaged,
            long configCzxid,
            @Nullable FireTimes times,
            Instant now) {
        Map<String, ItemRecord> records = new LinkedHashMap<>();
        if (next.closed() || ShardingPlan.numbered(next.scope())) {
            return records;
        }
        Set<String> present = Set.copyOf(before.keys());
        for (String item : next.keys()) {
            ItemRecord record = known.get(item);
            if (present.contains(item) || damaged.contains(item)) {
                continue;
            }
            boolean foreign = record != null
                    && (record.state() == ItemState.RETIRED || record.incarnation() != next.incarnation());
            if (record == null) {
                records.put(item, ItemRecord.fresh(now, configCzxid, next.incarnation()));
            } else if (foreign) {
                records.put(
                        item,
                        // a clock that is ahead may have begun a fire before its time
                        record.rewritten(
                                        ItemState.IDLE,
                                        Backlog.later(now, record.cursor()),
                                        record.triggerCursor(),
                                        next.incarnation())
                                .advancedFrom(record.cursor()));
            } else if (next.scope() == Scope.BROADCAST
                    && !record.unfinished()
                    && record.cursor().isBefore(now)) {
                ItemRecord begun = record.rewritten(record.state(), now, record.triggerCursor(), next.incarnation())
                        .advancedFrom(record.cursor());
                records.put(
                        item,
                        times == null
                                ? begun
                                : times.of(record)
                                        .skipped(record.cursor(), now, SkipReason.NO_INSTANCE)
                                        .map(skipped -> begun.skippedFrom(List.of(skipped), record.cursor()))
                                        .orElse(begun));
            }
        }
        return records;
    }

    private static String zoneKey(InstanceInfo instance) {
        return zoneKey(instance.self().zone());
    }

    /**
     * Returns the key of a zone's item. The key contains no {@code @}, unlike the key of an instance's item, and it is
     * never a number or a range of numbers.
     */
    public static String zoneKey(String zone) {
        if (zone.isEmpty()) {
            return NO_ZONE;
        }
        StringBuilder key = new StringBuilder();
        for (byte each : zone.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = (each >= 'a' && each <= 'z')
                    || (each >= 'A' && each <= 'Z')
                    || (each >= '0' && each <= '9' && !key.isEmpty())
                    || each == '-'
                    || each == '_';
            if (plain) {
                key.append((char) each);
            } else {
                key.append(String.format(".%02X", each & 0xff));
            }
        }
        return key.length() <= LONGEST_KEY
                ? key.toString()
                : key.substring(0, LONGEST_KEY) + ".." + Integer.toHexString(zone.hashCode());
    }

    /**
     * Returns whether a key belongs to the item of an instance. Such a key is the instance's id, which contains {@code
     * @}.
     */
    public static boolean instanceKey(String item) {
        return item.indexOf('@') >= 0;
    }
}
