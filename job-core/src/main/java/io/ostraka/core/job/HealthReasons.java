package io.ostraka.core.job;

import io.ostraka.api.JobHealth.Kind;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunSlots;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What keeps a job from running here, derived from what its instance knows of it. */
final class HealthReasons {
    /** Passes the reasons on to the instance after each step that has changed them. */
    static final class Reporter implements JobObserver {
        private final JobContext.Instance instance;
        /** Reasons that the instance knows; null before the first step. */
        private @Nullable Map<Kind, String> reported;

        Reporter(JobContext.Instance instance) {
            this.instance = instance;
        }

        @Override
        public void stepped(JobState job, boolean closing, @Nullable String defect) {
            Map<Kind, String> reasons = of(job, job.unregistered, closing, defect);
            if (!reasons.equals(reported)) {
                instance.jobStands(job.name, reasons);
                reported = reasons;
            }
        }
    }

    /** Mostly there is none, and it is asked at each step of each job. */
    private Map<Kind, String> reasons = Map.of();

    private HealthReasons() {}

    /**
     * Derives it; called on the job's lane.
     *
     * @param unregistered why its definition is not registered yet; null once it is
     * @param closing whether this instance is giving it up
     * @param defect what the engine failed of; null when it didn't
     */
    static Map<Kind, String> of(JobState job, @Nullable String unregistered, boolean closing, @Nullable String defect) {
        HealthReasons standing = new HealthReasons();
        JobSnapshot snapshot = job.snapshot;
        String inForce = snapshot == null ? "" : "; what was in force stays";
        if (unregistered != null) {
            standing.add(Kind.NOT_REGISTERED, unregistered);
        }
        if (defect != null) {
            standing.add(Kind.DEFECT, defect);
        }
        if (closing) {
            standing.add(Kind.CLOSING, "being closed in this instance; its items go to others");
        }
        String refusal = job.refusal();
        if (refusal != null) {
            standing.add(Kind.REFUSED, refusal);
        }
        if (job.unreadable != null) {
            standing.add(Kind.UNREADABLE, job.unreadable);
        }
        if (job.replaced != null) {
            standing.add(Kind.DEFINITION_REPLACED, job.replaced);
        }
        if (job.misconfigured != null) {
            standing.add(Kind.CONFIGURATION_REFUSED, job.misconfigured + inForce + "; correct the override");
        }
        if (snapshot != null) {
            standing.plan(snapshot.plan());
            standing.wishes(snapshot);
            standing.items(job, snapshot.plan().closed());
        } else if (unregistered == null) {
            standing.add(
                    Kind.NO_PLAN,
                    job.unreadable == null
                            ? "no plan yet; the leading instance makes one"
                            : "this instance follows no plan of the job until it can read the job's nodes");
        }
        return standing.reasons;
    }

    private void plan(ShardingPlan plan) {
        ShardingPlan.Change change = plan.change();
        if (change != null && change.target() > 0) {
            add(Kind.ITEM_COUNT_CHANGING, plan.changing(change));
        } else if (change == null && plan.total() > 0 && plan.items().isEmpty()) {
            add(
                    Kind.NO_PLAN,
                    "no instance has its items yet"
                            + (ShardingPlan.numbered(plan.scope())
                                    ? ""
                                    : ": none may take part that is there; see requiredInstances, antiAffinity and disabled instances"));
        }
        if (!plan.grounds().unplaced().isEmpty()) {
            List<String> unplaced = new ArrayList<>();
            plan.grounds()
                    .unplaced()
                    .forEach((why, items) -> unplaced.add("items " + Names.listed(items) + ": " + why));
            add(Kind.UNPLACED_ITEMS, "on no instance: " + String.join("; ", unplaced));
        }
        if (plan.retryChangeAt() != null) {
            add(
                    Kind.ITEM_COUNT_POSTPONED,
                    "the item count stays " + plan.total() + ": what ran took too long; tried again at "
                            + plan.retryChangeAt());
        }
    }

    private void wishes(JobSnapshot snapshot) {
        JobOverride override = snapshot.override();
        if (override.removed() || snapshot.plan().removed()) {
            add(Kind.REMOVED, "removed by an operator");
        }
        if (snapshot.paused()) {
            add(Kind.PAUSED, override.paused() == null ? "registered as paused; resume it" : "paused by an operator");
        }
        if (!override.disabledItems().isEmpty()) {
            List<String> disabled =
                    override.disabledItems().stream().sorted(ItemKeys.ORDER).toList();
            add(Kind.DISABLED_ITEMS, "disabled by an operator: items " + Names.listed(disabled));
        }
        if (!override.disabledInstances().isEmpty()) {
            add(
                    Kind.DISABLED_INSTANCES,
                    "disabled by an operator: instances " + Names.listed(override.disabledInstances()));
        }
    }

    private void items(JobState job, boolean closed) {
        List<String> unreadable = new ArrayList<>();
        List<String> quarantined = new ArrayList<>();
        List<String> stuck = new ArrayList<>();
        List<String> threadless = new ArrayList<>();
        List<String> overlong = new ArrayList<>();
        List<String> waiting = new ArrayList<>();
        List<String> future = new ArrayList<>();
        List<String> slotless = new ArrayList<>();
        long now = job.context.platform().clock().monotonicNanos();
        for (HostedItem hosted : job.items.values()) {
            String item = hosted.key();
            String problem = hosted.problem();
            Versioned<ItemRecord> record = hosted.record();
            ItemRun run = hosted.executing();
            if (problem != null) {
                unreadable.add(problem);
            } else if (run != null && run.abandoned()) {
                stuck.add(item);
            } else if (run != null && run.waitsForThread()) {
                threadless.add(item);
            } else if (run != null && hosted.overlong()) {
                overlong.add(item);
            } else if (hosted.state() instanceof HostedState.Foreign && !closed) {
                waiting.add(item);
            } else if (record != null && record.value().state() == ItemState.QUARANTINED) {
                quarantined.add(item);
            } else if (hosted.decidedAhead(job.context.clock())) {
                future.add(item);
            } else if (hosted.withoutSlot(RunSlots.PATIENCE, now)) {
                slotless.add(item);
            }
        }
        if (!unreadable.isEmpty()) {
            add(Kind.UNREADABLE_ITEMS, Names.listed(unreadable));
        }
        if (!future.isEmpty()) {
            add(
                    Kind.FUTURE_ITEMS,
                    "records of items " + Names.listed(future)
                            + " say that fires of the future are decided: none starts until"
                            + " then; if a clock was wrong, set their cursors back as the operations manual says");
        }
        if (!quarantined.isEmpty()) {
            add(
                    Kind.QUARANTINED_ITEMS,
                    "quarantined items " + Names.listed(quarantined) + ": find out why, then release them");
        }
        if (!stuck.isEmpty()) {
            add(Kind.STUCK_ITEMS, "items " + Names.listed(stuck) + " were told to end, and their code still runs");
        }
        if (!threadless.isEmpty()) {
            add(
                    Kind.NO_THREADS,
                    "items " + Names.listed(threadless)
                            + " are claimed, and this process can start no thread for them; it tries again; raise its limit of"
                            + " threads, or its memory");
        }
        if (!overlong.isEmpty()) {
            add(
                    Kind.LONG_RUNNING_ITEMS,
                    "items " + Names.listed(overlong)
                            + " have been running for too long, without a time limit; the log says where their code is;"
                            + " set the job's timeout");
        }
        if (!slotless.isEmpty()) {
            add(
                    Kind.PLACELESS_ITEMS,
                    "items " + Names.listed(slotless)
                            + " are due and wait for a place: more is due than this process runs at"
                            + " once; allow more concurrent runs, or add an instance");
        }
        if (!waiting.isEmpty()) {
            add(
                    Kind.WAITING_ITEMS,
                    "items " + Names.listed(waiting) + " wait for another session's run of them to end");
        }
    }

    private void add(Kind kind, String text) {
        if (reasons.isEmpty()) {
            reasons = new EnumMap<>(Kind.class);
        }
        reasons.put(kind, text);
    }
}
