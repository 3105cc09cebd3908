package io.ostraka.core.decide;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.JobConfiguration;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds the causes of a job's alarms that concern the whole job and that only the leader knows. */
public final class JobAlarmCauses {
    /** Kinds of causes that this class finds. */
    public static final Set<AlarmKind> KINDS =
            Set.of(AlarmKind.UNPLACED, AlarmKind.NO_INSTANCE, AlarmKind.PAUSED_LONG, AlarmKind.OVERRIDE_STALE);

    private static final Set<String> NEVER_STALE = Set.of("fenceEpoch", "paused", "removed", "skipTo");

    private JobAlarmCauses() {}

    /**
     * Returns the causes that concern the whole job, by kind.
     *
     * @param effective effective configuration of the job
     * @param unhosted time since which no registered instance hosts the job; null if one does
     * @param unplaced time since which the job has had no plan, or a plan with items without an owner; null if all
     *     items have an owner
     * @param lasting kinds of the job's alarms that have not ended. Such an alarm lasts as long as its cause
     */
    public static Map<AlarmKind, AlarmCause> of(
            JobView job,
            JobConfiguration effective,
            @Nullable Instant unhosted,
            @Nullable Instant unplaced,
            Set<AlarmKind> lasting,
            Instant now) {
        Map<AlarmKind, AlarmCause> all = new EnumMap<>(AlarmKind.class);
        Versioned<ShardingPlan> plan = job.plan();
        JobOverride override = job.overrideOrNone();
        if (job.definition() == null
                || override.removed()
                || (plan != null && plan.value().removed())) {
            return all;
        }
        List<AlarmCause> causes = new ArrayList<>();
        if (unhosted != null) {
            causes.add(AlarmCause.ofJob(
                    AlarmKind.NO_INSTANCE,
                    unhosted,
                    "no instance hosts the job since " + unhosted
                            + "; start an instance that registers it, or remove the job"));
        }
        if (unplaced != null && (unhosted == null || lasting.contains(AlarmKind.UNPLACED))) {
            causes.add(
                    plan == null
                            ? AlarmCause.ofJob(
                                    AlarmKind.UNPLACED,
                                    unplaced,
                                    "the job has no plan since " + unplaced
                                            + ", so none of its items runs; the job's health gives the reason")
                            : unplaced(plan.value(), unplaced));
        }
        if (override.pauses(effective)) {
            causes.add(paused(job.definition().modified(), effective, override));
        }
        stale(override).ifPresent(causes::add);
        for (AlarmCause cause : causes) {
            boolean over = effective
                    .alarms()
                    .limit(cause.kind())
                    .filter(limit -> !cause.since().plus(limit).isAfter(now))
                    .isPresent();
            if (effective.alarms().has(cause.kind()) && (over || lasting.contains(cause.kind()))) {
                all.put(cause.kind(), cause);
            }
        }
        return all;
    }

    /**
     * Returns whether the plan has items without an owner.
     *
     * @param placeable true if an instance may own the job's items
     */
    public static boolean hasUnplaced(ShardingPlan plan, boolean placeable) {
        return placeable ? !plan.grounds().unplaced().isEmpty() : plan.items().isEmpty() && plan.total() > 0;
    }

    private static AlarmCause unplaced(ShardingPlan plan, Instant since) {
        if (plan.grounds().unplaced().isEmpty()) {
            return AlarmCause.ofJob(
                    AlarmKind.UNPLACED,
                    since,
                    "no instance may own the job's items since " + since
                            + ", because all its instances are drained or disabled");
        }
        List<String> items = plan.grounds().unplaced().values().stream()
                .flatMap(Collection::stream)
                .toList();
        return AlarmCause.ofItems(
                AlarmKind.UNPLACED,
                since,
                items,
                (items.size() == 1 ? " is" : " are") + " on no instance since " + since + ": "
                        + String.join("; ", plan.grounds().unplaced().keySet()));
    }

    private static AlarmCause paused(Instant registered, JobConfiguration effective, JobOverride override) {
        JobOverride.Change change = override.changes().get("paused");
        if (override.paused() == null || change == null) {
            return AlarmCause.ofJob(
                    AlarmKind.PAUSED_LONG,
                    registered,
                    "the job is paused since " + registered + inParentheses(override.pauseReason(effective))
                            + "; resume it, or remove it");
        }
        return AlarmCause.ofJob(
                AlarmKind.PAUSED_LONG,
                change.at(),
                "the job is paused since " + change.at() + " by " + change.by() + reason(change)
                        + "; resume it, or remove it");
    }

    private static String reason(JobOverride.Change change) {
        return inParentheses(change.reason());
    }

    private static String inParentheses(String reason) {
        return reason.isEmpty() ? "" : " (" + reason + ")";
    }

    private static Optional<AlarmCause> stale(JobOverride override) {
        Map<String, JobOverride.Change> lasting = new TreeMap<>(override.changes());
        lasting.keySet().removeAll(NEVER_STALE);
        lasting.values().removeIf(change -> change.until() != null);
        return lasting.values().stream()
                .map(JobOverride.Change::at)
                .min(Instant::compareTo)
                .map(oldest -> AlarmCause.ofJob(
                        AlarmKind.OVERRIDE_STALE,
                        oldest,
                        "overrides without an end are in effect since " + oldest + ": "
                                + Names.listed(lasting.keySet())
                                + "; move them into the registered configuration, or take them back"));
    }
}
