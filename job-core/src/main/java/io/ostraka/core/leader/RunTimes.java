package io.ostraka.core.leader;

import io.ostraka.api.JobShardingStrategy.Need;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Run times, latest fire and busy owner of a job, for sharding strategies that need them. All are read from the item
 * records. This class also decides when to read the records again. Confined to the leader's executor.
 *
 * <p>The first item represents the fires of the whole job. Its record is read when its next fire should have ended. If
 * the fire has not ended by then, the record is read again at growing intervals, and soon after each later fire, which
 * finds the owner busy. An interval is at most {@link #LONGEST_PAUSE}, because manual triggers cause fires at any time.
 */
final class RunTimes {
    /** Estimated duration of a short run, including its two transactions. */
    private static final Duration SHORT_RUN = Duration.ofMillis(200);

    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private Map<String, Duration> runTimes = Map.of();
    /** True after all records of the job have been read once. */
    private boolean all;

    private @Nullable Instant lastFire;
    /** As of the latest read. If it were judged later, the run that the record shows might have ended meanwhile. */
    private @Nullable String busyOwner;

    private Instant next = Instant.MIN;
    private Duration pause = SHORTEST_PAUSE;

    /** Returns the items whose records must be read now. */
    List<String> due(Set<Need> needs, ShardingPlan plan, Instant now) {
        if (needs.contains(Need.RUN_TIMES) && !all) {
            return plan.keys();
        }
        return needs.contains(Need.FIRE) && plan.total() > 0 && !now.isBefore(next) ? first(plan) : List.of();
    }

    private static List<String> first(ShardingPlan plan) {
        return plan.keys().stream().limit(1).toList();
    }

    /**
     * Updates the run times and the latest fire from items that were read.
     *
     * @param everything true if {@code read} contains all items of the job
     */
    void take(List<ItemView> read, boolean everything) {
        Map<String, Duration> times = new HashMap<>(everything ? Map.of() : runTimes);
        for (ItemView item : read) {
            if (item.record() != null) {
                ItemRecord record = item.record().value();
                if (record.runTime() != null) {
                    times.put(item.item(), record.runTime());
                }
                Instant fire = record.lastFire();
                if (item.equals(read.get(0))
                        && (lastFire == null || fire.isAfter(lastFire) || setBack(record, lastFire))) {
                    lastFire = fire;
                    pause = SHORTEST_PAUSE;
                }
            }
        }
        runTimes = Map.copyOf(times);
        all |= everything;
    }

    /** Returns whether an operator has set back the cursor that contained the given fire. */
    private static boolean setBack(ItemRecord record, Instant fire) {
        return record.setBack() != null && fire.isAfter(record.setBack().at());
    }

    /**
     * Sets the time of the next read of the first item, which has just been read. Returns the pause until then, because
     * the caller must schedule a reconciliation for that time.
     *
     * @param times fire times of the job; null if unknown
     * @param run the present run of the first item; null if the item does not run
     * @param nextFire start of the next fire after the beginning of {@code run}; empty if there is none
     */
    Duration plan(@Nullable FireTimes times, @Nullable Run run, Optional<Instant> nextFire, Instant now) {
        boolean overlapped = nextFire.filter(fire -> !fire.isAfter(now)).isPresent();
        busyOwner = run == null || !overlapped ? null : run.owner();
        Instant ended = times == null || lastFire == null
                ? now.plus(LONGEST_PAUSE)
                : times.next(lastFire).map(fire -> fire.plus(SHORT_RUN)).orElse(now.plus(LONGEST_PAUSE));
        Duration wait = Duration.between(now, ended);
        if (wait.compareTo(pause) < 0) {
            wait = pause;
            pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
        }
        wait = shorter(wait, LONGEST_PAUSE);
        if (nextFire.isPresent() && !overlapped) {
            Duration overlap = Duration.between(now, nextFire.get().plus(SHORT_RUN));
            wait = shorter(wait, overlap.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : overlap);
        }
        next = now.plus(wait);
        return wait;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Returns the time of the first item's latest claimed or skipped fire; null if unknown. */
    @Nullable Instant lastFire() {
        return lastFire;
    }

    /** Returns the instance that a later fire has found busy with the first item; null if there is none. */
    @Nullable String busyOwner() {
        return busyOwner;
    }

    /** Returns the known run times, by item. The map is unmodifiable. */
    Map<String, Duration> runTimes() {
        return runTimes;
    }
}
