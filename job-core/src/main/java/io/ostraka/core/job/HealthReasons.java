package io.ostraka.core.job;

import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireStop;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Derives, from the state of a job, the reasons why the job or some of its items do not run in this instance. */
final class HealthReasons {
    /** Reports the reasons to the instance whenever they have changed. */
    static final class Reporter implements JobObserver {
        private final JobContext.Instance instance;
        /** Reasons in the latest report; null before the first step. */
        private @Nullable Map<Kind, String> reported;

        Reporter(JobContext.Instance instance) {
            this.instance = instance;
        }

        @Override
        public void stepped(HostedJobState job, boolean closing, @Nullable String defect) {
            Map<Kind, String> reasons = of(job, job.unregistered, closing, defect);
            if (!reasons.equals(reported) && !job.over()) {
                instance.reasonsChanged(job.name, reasons);
                reported = reasons;
            }
        }
    }

    /**
     * Reasons found so far. The map is immutable and empty until the first reason is added, because every step of a job
     * computes the reasons and most jobs have none.
     */
    private Map<Kind, String> reasons = Map.of();

    private HealthReasons() {}

    /**
     * Returns the reasons why a job does not run, with a message for each; empty if it runs. Called on the job's serial
     * executor.
     *
     * @param unregistered reason why the definition is not registered yet; null if it is registered
     * @param closing true if this instance is closing the job
     * @param defect description of the exception that ended the job's last step; null if the step succeeded
     */
    static Map<Kind, String> of(
            HostedJobState job, @Nullable String unregistered, boolean closing, @Nullable String defect) {
        HealthReasons reasons = new HealthReasons();
        JobSnapshot snapshot = job.snapshot;
        String inForce = snapshot == null ? "" : "; the last valid configuration stays in force";
        if (unregistered != null) {
            reasons.add(job.definitionRefused ? Kind.REFUSED : Kind.NOT_REGISTERED, unregistered);
        }
        if (defect != null) {
            reasons.add(Kind.DEFECT, defect);
        }
        if (closing) {
            reasons.add(Kind.CLOSING, "being closed in this instance; its items go to other instances");
        }
        String refusal = job.refusal();
        if (refusal != null) {
            reasons.add(Kind.REFUSED, refusal);
        }
        if (job.unreadable != null) {
            reasons.add(Kind.UNREADABLE, job.unreadable);
        }
        job.triggers
                .blocker()
                .ifPresent(trigger -> reasons.add(
                        Kind.UNREADABLE_TRIGGER,
                        trigger.damage().text()
                                + (trigger.damage().replaceable() ? "; the leader deletes it within a minute" : "")
                                + "; later manual triggers of the job wait for it on this instance"));
        if (job.replaced != null) {
            reasons.add(Kind.DEFINITION_REPLACED, job.replaced);
        }
        if (job.misconfigured != null) {
            reasons.add(Kind.CONFIGURATION_REFUSED, job.misconfigured + inForce + "; correct the override");
        }
        if (job.fireless != null) {
            reasons.add(Kind.NO_FIRES, job.fireless);
        }
        if (snapshot != null) {
            reasons.plan(snapshot.plan());
            boolean runs = job.items.values().stream().anyMatch(hosted -> hosted.executing() != null);
            reasons.override(snapshot, runs);
            reasons.items(job, snapshot.plan().closed());
            if (job.lateFires != null) {
                reasons.add(Kind.SKIPPED_FIRES, job.lateFires);
            }
        } else if (unregistered == null) {
            reasons.add(
                    Kind.NO_PLAN,
                    job.unreadable == null
                            ? "no plan yet; the leader makes one"
                            : "the job's nodes cannot be read, so this instance follows no plan; correct or delete the node that the log names");
        }
        return reasons.reasons;
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

    private void items(HostedJobState job, boolean closed) {
        List<String> unreadable = new ArrayList<>();
        List<String> quarantined = new ArrayList<>();
        List<String> stuck = new ArrayList<>();
        List<String> unstopped = new ArrayList<>();
        List<String> threadless = new ArrayList<>();
        List<String> overlong = new ArrayList<>();
        List<String> waiting = new ArrayList<>();
        Set<String> runners = new TreeSet<>();
        List<String> future = new ArrayList<>();
        List<String> slotless = new ArrayList<>();
        long now = job.context.platform().clock().monotonicNanos();
        boolean scheduled = !(job.snapshot().configuration().schedule() instanceof Schedule.OnDemand);
        Instant latest = job.context.clock().latest();
        for (HostedItem hosted : job.items.values()) {
            String item = hosted.key();
            String problem = hosted.problem();
            Versioned<ItemRecord> record = hosted.record();
            ItemRun run = hosted.executing();
            if (problem != null) {
                unreadable.add(problem);
            } else if (scheduled && record != null && record.value().lost()) {
                unreadable.add("the record of item " + item + " was lost, and all fires up to "
                        + record.value().cursor()
                        + " count as decided; if one is missing, run it with a trigger or a backfill (this reason ends"
                        + " when the item has run)");
            } else if (run != null && run.abandoned()) {
                job.stopOf(run).ifPresentOrElse(stop -> unstopped.add(ignored(item, stop)), () -> stuck.add(item));
            } else if (run != null && run.waitsForThread()) {
                threadless.add(item);
            } else if (run != null && hosted.overlong()) {
                overlong.add(item);
            } else if (hosted.state() instanceof HostedItemState.Foreign && !closed) {
                waiting.add(item);
                if (record != null && record.value().state() == ItemState.RUNNING) {
                    runners.add(record.value().requireRun().owner());
                }
            } else if (record != null && record.value().state() == ItemState.QUARANTINED) {
                quarantined.add(item);
            } else if (hosted.decidedAhead(latest)) {
                future.add(item);
            } else if (hosted.withoutSlot(RunSlots.PATIENCE, now)) {
                slotless.add(item);
            }
        }
        if (!unreadable.isEmpty()) {
            add(Kind.UNREADABLE_ITEMS, Names.listed(unreadable));
        }
        add(
                Kind.FUTURE_ITEMS,
                future,
                " has a cursor in the future, so that no fire starts before then; if a clock was wrong, set the"
                        + " cursor back with the command SET_BACK_CURSOR",
                " have a cursor in the future, so that no fire starts before then; if a clock was wrong, set the"
                        + " cursors back with the command SET_BACK_CURSOR");
        add(
                Kind.QUARANTINED_ITEMS,
                quarantined,
                " is quarantined and starts no fire: find the cause, then release the item",
                " are quarantined and start no fire: find the cause, then release the items");
        add(
                Kind.STUCK_ITEMS,
                stuck,
                " was asked to stop, and its code still runs; see the log for the place in the code",
                " were asked to stop, and their code still runs; see the log for the places in the code");
        add(
                Kind.STOP_IGNORED,
                unstopped,
                " still runs, because its code ignores isCancelled() and interrupts; only a restart of this"
                        + " instance's process ends it; see the log for the place in the code",
                " still run, because their code ignores isCancelled() and interrupts; only a restart of this"
                        + " instance's process ends them; see the log for the places in the code");
        add(
                Kind.NO_THREADS,
                threadless,
                " is claimed, but the process cannot start a thread for it, and tries again; raise the limit of"
                        + " threads or the memory",
                " are claimed, but the process cannot start a thread for them, and tries again; raise the limit of"
                        + " threads or the memory");
        add(
                Kind.LONG_RUNNING_ITEMS,
                overlong,
                " takes unusually long and has no time limit; see the log for the place in the code, and set the"
                        + " job's timeout",
                " take unusually long and have no time limit; see the log for the places in the code, and set the"
                        + " job's timeout");
        add(
                Kind.NO_FREE_SLOT,
                slotless,
                " is due and waits for a slot; allow more concurrent runs in this process, or add an instance",
                " are due and wait for a slot; allow more concurrent runs in this process, or add an instance");
        String where = runners.isEmpty() ? "" : ": " + Names.listed(runners);
        add(
                Kind.WAITING_ITEMS,
                waiting,
                " belongs to this instance and waits until its run in another session ends" + where,
                " belong to this instance and wait until their runs in another session end" + where);
    }

    private static String ignored(String item, FireStop stop) {
        FireStop.Request request = stop.request();
        return item + " (" + stop.text() + (request == null ? "" : ", at " + request.at()) + ")";
    }

    /** Adds a reason that concerns items, if there are any; {@code one} and {@code several} follow their names. */
    private void add(Kind kind, List<String> items, String one, String several) {
        if (!items.isEmpty()) {
            add(kind, Names.items(items) + (items.size() == 1 ? one : several));
        }
    }

    private void add(Kind kind, String text) {
        if (reasons.isEmpty()) {
            reasons = new EnumMap<>(Kind.class);
        }
        reasons.put(kind, text);
    }
}
