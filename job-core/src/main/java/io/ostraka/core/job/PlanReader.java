package io.ostraka.core.job;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.Schedule;
import io.ostraka.api.event.JobConfigured;
import io.ostraka.core.decide.AlarmCauses;
import io.ostraka.core.job.HostedItemState.Foreign;
import io.ostraka.core.job.HostedItemState.Idle;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a job's plan, definition and override after a change, and makes the snapshot from which the job decides.
 * Confined to the job's serial executor.
 */
final class PlanReader {
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final HostedJobState job;
    private final KeptFires fires;
    private final NodeRepair repair;
    /** Latest readable state of the job's nodes. */
    private @Nullable JobView good;

    private boolean stale;
    private boolean pausing;
    /** Time at which the definition or the override has last changed, on the server's clock. */
    private Instant configured = Instant.MIN;
    /** Time at which the override has last changed, on the server's clock. */
    private Instant overridden = Instant.MIN;

    private Instant planned = Instant.MIN;

    PlanReader(HostedJobState job, KeptFires fires, NodeRepair repair) {
        this.job = job;
        this.fires = fires;
        this.repair = repair;
    }

    /** Returns the time of the latest write of the plan, on the server's clock. */
    Instant planned() {
        return planned;
    }

    /** Returns the time of the latest change that may have allowed items to start, on the server's clock. */
    Instant changed() {
        Instant ordered = ordered();
        return ordered.isAfter(configured) ? ordered : configured;
    }

    /** Returns the time of the latest change by an operator, of the job or of the namespace, on the server's clock. */
    Instant ordered() {
        Instant orders = job.context.instance().ordersChangedAt();
        return orders.isAfter(overridden) ? orders : overridden;
    }

    /**
     * Reads plan, definition and override if the instance is connected. If a read is already in progress, another read
     * follows it.
     */
    void read() {
        if (job.readingPlan) {
            stale = true;
            return;
        }
        if (job.session == null || !job.online) {
            return;
        }
        job.readingPlan = true;
        stale = false;
        boolean registered = job.unregistered == null;
        job.onReply(() -> job.context.coordination().jobs().job(job.name), (view, error) -> {
            job.readingPlan = false;
            boolean complete = view != null && take(view, registered);
            pausing &= !complete;
            if (stale) {
                read();
            } else if (!complete) {
                readLater();
            }
            job.advanceSoon(); // after a pause if rejections repeat, because a server that lags may return the old plan
        });
    }

    private void readLater() {
        if (!pausing) {
            job.later(PAUSE, () -> {
                if (pausing) { // an event may have caused a read during the pause
                    pausing = false;
                    read();
                }
            });
            pausing = true;
        }
    }

    /**
     * Adopts the state that was read. Returns false if the plan was made from a newer definition or override than the
     * ones that were read. The caller must then read again.
     *
     * @param registered true if this instance had registered its definition before the read. A missing definition was
     *     then deleted by hand
     */
    private boolean take(JobView read, boolean registered) {
        repair.nodes(read, good, registered);
        JobView view = read.completedBy(good);
        // the texts of the other nodes already contain advice
        boolean advise = read.damages().unreadable().anyMatch(UnreadableNode::replaceable);
        job.problem(
                Kind.UNREADABLE,
                read.problem(
                        view,
                        Stream.of(
                                        job.snapshot == null ? "" : "the instance keeps the last readable state",
                                        advise ? "correct or delete the node" : "")
                                .filter(text -> !text.isEmpty())
                                .collect(Collectors.joining("; "))));
        if (read.definition() != null && read.damages().override() == null) {
            good = read;
        }
        Versioned<ShardingPlan> plan = view.plan();
        Versioned<Definition> present =
                view.definition() == null && good != null ? good.definition() : view.definition();
        if (plan == null || present == null || !view.overrideKnown()) {
            return true;
        }
        if (plan.value().configMzxid() > present.mzxid()
                || plan.value().overrideMzxid()
                        > (view.override() == null ? 0 : view.override().mzxid())) {
            return false;
        }
        JobSnapshot next = snapshot(view, present.value(), plan);
        if (next != null) {
            adopt(next, view, present.value().configuration(), plan.modified());
        }
        return true;
    }

    /**
     * Adopts a snapshot.
     *
     * @param view the nodes from which it was made
     * @param defined configuration of the definition
     * @param written time of the latest write of the plan
     */
    private void adopt(JobSnapshot next, JobView view, JobConfiguration defined, Instant written) {
        JobSnapshot last = job.snapshot;
        if (last == null || last.planVersion() != next.planVersion()) {
            job.accepted(); // rejections under the old plan do not count for the new one
            fires.invalidateUnbegun();
        }
        job.snapshot = next;
        configured = AlarmCauses.changed(view, Instant.MIN);
        overridden = view.override() == null ? Instant.MIN : view.override().modified();
        planned = written;
        if (last == null || !last.plan().since().equals(next.plan().since())) {
            job.problem(Kind.NO_FIRES, fireless(next));
        }
        ConfigurationLog.say(job.name, last, next, defined, job.problems().get(Kind.DEFINITION_REPLACED));
        if ((last == null || !last.configuration().equals(next.configuration()))
                && job.context.events().received(JobConfigured.class)) {
            job.context
                    .events()
                    .publish(new JobConfigured(
                            next.configuration(),
                            job.session().instanceId(),
                            job.context.platform().clock().now()));
        }
        job.attend = true;
        hostPlanned(last, next);
        job.dropForeignItems();
        fires.forgetOld();
    }

    /** Hosts the items that the plan assigns to this instance, and rereads those that others may have changed. */
    private void hostPlanned(@Nullable JobSnapshot last, JobSnapshot next) {
        boolean recreated = last != null && next.planVersion() < last.planVersion();
        for (String item : next.plan().itemsOf(job.session().instanceId())) {
            HostedItem hosted = job.items.computeIfAbsent(item, HostedItem::new);
            if (last != null) {
                hosted.planned(last.planVersion(), next.planVersion());
            }
            hosted.decideAgain();
            boolean rewritten = hosted.state() instanceof Idle
                    && hosted.known().value().incarnation() != next.plan().incarnation();
            // a plan can only be deleted together with the records, which are its children
            if (rewritten || (recreated && hosted.state() instanceof Idle) || hosted.state() instanceof Foreign) {
                hosted.reread();
            }
        }
    }

    /**
     * Returns the snapshot of definition, override and plan. If definition and override together are an invalid
     * configuration, the snapshot keeps the previous configuration, and only the switches of the override take effect;
     * null if there is no previous one.
     */
    private @Nullable JobSnapshot snapshot(JobView view, Definition defined, Versioned<ShardingPlan> plan) {
        JobSnapshot last = job.snapshot;
        JobOverride override = view.overrideOrNone();
        try {
            JobConfiguration effective = last == null ? defined.inForce(override) : defined.effective(override);
            FireTimes times = job.context.schedule().times(effective, plan.value());
            job.problem(Kind.CONFIGURATION_REFUSED, null);
            return new JobSnapshot(
                    effective,
                    override,
                    plan.value(),
                    plan.version(),
                    times,
                    effective.misfireThreshold().orElse(job.session().timeout().multipliedBy(2)),
                    defined.onceListeners());
        } catch (OstrakaException e) {
            job.problem(
                    Kind.CONFIGURATION_REFUSED,
                    e.getMessage() + (last == null ? "" : "; the last valid configuration stays in force")
                            + "; correct the override");
            return last == null ? null : last.with(override, plan.value(), plan.version());
        }
    }

    /** Returns a message if the plan's schedule had no fire left when it took effect; otherwise null. */
    private static @Nullable String fireless(JobSnapshot snapshot) {
        ShardingPlan plan = snapshot.plan();
        return plan.schedule() instanceof Schedule.OnDemand
                        || snapshot.times().next(plan.since()).isPresent()
                ? null
                : "the schedule, " + plan.schedule() + ", had no fire left when it took effect at " + plan.since()
                        + ", so the job runs only when it is triggered; correct the schedule";
    }
}
