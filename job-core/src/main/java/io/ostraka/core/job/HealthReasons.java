package io.ostraka.core.job;

import io.ostraka.api.JobHealth.Kind;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.ShardingPlan;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Derives, from the state of a job, the reasons why the job or some of its items do not run in this instance, and
 * reports them to the instance whenever they have changed. There, {@code InstanceHealth} adds the reasons of the
 * instance and of the leader. Confined to the job's serial executor.
 */
final class HealthReasons {
    private final HostedJobState job;
    private final Admission admission;
    /** Reasons in the latest report; null before the first step. */
    private @Nullable Map<Kind, String> reported;
    /**
     * Reasons found so far. The map is immutable and empty until the first reason is added, because every step of a job
     * computes the reasons and most jobs have none.
     */
    private Map<Kind, String> reasons = Map.of();

    HealthReasons(HostedJobState job, Admission admission) {
        this.job = job;
        this.admission = admission;
    }

    /**
     * Called after each step of the job.
     *
     * @param closing true if this instance is closing the job
     * @param defect description of the exception that ended the job's last step; null if the step succeeded
     */
    void stepped(boolean closing, @Nullable String defect) {
        reasons = job.problems().isEmpty() ? Map.of() : new EnumMap<>(job.problems());
        job(closing, defect);
        JobSnapshot snapshot = job.snapshot;
        if (snapshot != null) {
            plan(snapshot.plan());
            override(snapshot, job.items.values().stream().anyMatch(hosted -> hosted.executing() != null));
            new ItemReasons(job, admission).forEach(this::add);
        } else if (job.unregistered == null) {
            add(
                    Kind.NO_PLAN,
                    !reasons.containsKey(Kind.UNREADABLE)
                            ? "no plan yet; the leader makes one"
                            : "the job's nodes cannot be read, so this instance follows no plan; correct or delete the node that the log names");
        }
        if (!reasons.equals(reported) && !job.over()) {
            job.context.instance().reasonsChanged(job.name, reasons);
            reported = reasons;
        }
    }

    /** Adds the reasons that concern the job as a whole. */
    private void job(boolean closing, @Nullable String defect) {
        add(job.definitionRefused ? Kind.REFUSED : Kind.NOT_REGISTERED, job.unregistered);
        add(Kind.DEFECT, defect);
        add(Kind.CLOSING, closing ? "being closed in this instance; its items go to other instances" : null);
        add(Kind.REFUSED, job.refusal());
        job.triggers
                .blocker()
                .ifPresent(trigger -> add(
                        Kind.UNREADABLE_TRIGGER,
                        trigger.damage().text()
                                + (trigger.damage().replaceable() ? "; the leader deletes it within a minute" : "")
                                + "; later manual triggers of the job wait for it on this instance"));
    }

    private void plan(ShardingPlan plan) {
        ShardingPlan.Change change = plan.change();
        if (change != null && change.target() > 0) {
            add(Kind.ITEM_COUNT_CHANGING, plan.changing(change));
        } else if (change == null && plan.total() > 0 && plan.items().isEmpty()) {
            add(
                    Kind.NO_PLAN,
                    "no instance has the items yet"
                            + (ShardingPlan.numbered(plan.scope())
                                    ? ""
                                    : ": no registered instance is eligible; check requiredInstances, antiAffinity and disabled instances"));
        }
        if (!plan.grounds().unplaced().isEmpty()) {
            List<String> unplaced = new ArrayList<>();
            plan.grounds().unplaced().forEach((why, items) -> unplaced.add(Names.items(items) + ": " + why));
            add(Kind.UNPLACED_ITEMS, "on no instance: " + String.join("; ", unplaced));
        }
        if (plan.retryChangeAt() != null) {
            add(
                    Kind.ITEM_COUNT_POSTPONED,
                    "the item count stays " + plan.total()
                            + " because runs under the old count took too long; the leader tries again at "
                            + plan.retryChangeAt());
        }
    }

    private void override(JobSnapshot snapshot, boolean runs) {
        JobOverride override = snapshot.override();
        if (override.removed() || snapshot.plan().removed()) {
            add(Kind.REMOVED, "removed by an operator" + (runs ? "; a run has not ended yet" : ""));
        }
        if (snapshot.paused()) {
            String reason = override.pauseReason(snapshot.configuration());
            add(
                    Kind.PAUSED,
                    override.paused() != null
                            ? "paused by an operator"
                            : reason.isEmpty()
                                    ? "registered as paused; resume it"
                                    : JobOverride.REGISTERED_AS_PAUSED + reason);
        }
        if (!override.disabledItems().isEmpty()) {
            List<String> disabled =
                    override.disabledItems().stream().sorted(ItemKeys.ORDER).toList();
            add(Kind.DISABLED_ITEMS, "disabled by an operator: " + Names.items(disabled));
        }
        if (!override.disabledInstances().isEmpty()) {
            add(
                    Kind.DISABLED_INSTANCES,
                    "disabled by an operator: " + Names.counted("instance", override.disabledInstances()));
        }
    }

    /** Adds a reason; nothing if the text is null. */
    private void add(Kind kind, @Nullable String text) {
        if (text == null) {
            return;
        }
        if (reasons.isEmpty()) {
            reasons = new EnumMap<>(Kind.class);
        }
        reasons.put(kind, text);
    }
}
