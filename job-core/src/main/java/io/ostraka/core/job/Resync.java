package io.ostraka.core.job;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.event.RunFenced;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemTransaction.Move;
import io.ostraka.core.coordination.ItemTransaction.Running;
import io.ostraka.core.coordination.Items;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.decide.ScopedItems;
import io.ostraka.core.job.HostedItem.Phase;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what is not known, or not for sure any more: the plan when it has changed, an item's nodes when it is new here or
 * a reply was lost. In steady state it has nothing to do. Confined to the job's lane.
 */
final class Resync {
    private static final Logger log = LoggerFactory.getLogger(Resync.class);
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final JobState job;
    private final KeptFires fires;
    private final NodeRepair restoration;
    /** What was read last and could be. */
    private @Nullable JobView good;

    private boolean stale;
    private boolean pausing;

    /** What becomes of a claim whose outcome was unknown and that turns out to hold. */
    interface Resumed {
        /** Its run is to be started. */
        void start(HostedItem hold, JobSnapshot decidedFrom, HostedItem.Cohort cohort);
    }

    Resync(JobState job, KeptFires fires, NodeRepair restoration) {
        this.job = job;
        this.fires = fires;
        this.restoration = restoration;
    }

    /** Has whatever a transaction found outdated read again. */
    void after(TransactionResult verdict, KeptFires.@Nullable Page fire, int moves) {
        job.rejected();
        if (verdict instanceof TransactionResult.Refused refused) {
            job.refused(moves, refused.tooLarge());
        } else if (verdict instanceof TransactionResult.Unknown && fire != null) {
            fire.known = false;
        } else if (verdict instanceof TransactionResult.Outdated outdated) {
            log.debug("job '{}': {} of item {} is outdated", job.name, outdated.about(), outdated.item());
            HostedItem hold = outdated.item() == null ? null : job.holds.get(outdated.item());
            switch (outdated.about()) {
                case RECORD, HANDOVER, RUNNING -> {
                    if (hold != null) {
                        hold.reread();
                    }
                }
                case PLAN -> readPlan();
                case INSTANCE -> {
                    job.online = false;
                    job.context.instance().nodeMissing();
                }
                case FIRE -> {
                    if (fire != null) {
                        fire.known = false;
                    }
                }
                case TRIGGER -> {
                    if (fire != null) {
                        fires.triggerGone(fire);
                    }
                }
                case DEFINITION, OVERRIDE, LEADERSHIP, LEFT_BEHIND ->
                    throw new IllegalStateException(outdated + " of no item's transaction");
            }
        }
    }

    /** Reads plan, definition and override, as soon as there is a connection. */
    void readPlan() {
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
                readPlan();
            } else if (!complete) {
                readPlanLater();
            }
            job.advanceSoon(); // a server that lags behind shows the plan that was just refused once more
        });
    }

    private void readPlanLater() {
        if (!pausing) {
            job.later(PAUSE, () -> {
                if (pausing) { // a report may have had it read meanwhile
                    pausing = false;
                    readPlan();
                }
            });
            pausing = true;
        }
    }

    /**
     * Takes what was read, unless it was read before changes that the plan was made from; returns whether it did.
     *
     * @param registered whether the definition was registered when it was read: it is not missing before that
     */
    private boolean take(JobView read, boolean registered) {
        restoration.nodes(read, good, registered);
        JobView view = read.completedBy(good);
        job.unreadable = read.problem(
                view, (job.snapshot == null ? "" : "what was in force stays; ") + "correct or delete the node");
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
        if (next == null) {
            return true;
        }
        JobSnapshot last = job.snapshot;
        if (last == null || last.planVersion() != next.planVersion()) {
            job.accepted(); // whatever was rejected under another plan says nothing about this one
            fires.doubtUnbegun();
        }
        job.snapshot = next;
        ConfigurationLog.say(job.name, last, next, present.value().configuration());
        job.attend = true;
        for (String item : plan.value().itemsOf(job.session().instanceId())) {
            HostedItem hold = job.holds.computeIfAbsent(item, HostedItem::new);
            hold.quietUntil = Instant.MIN;
            boolean rewritten = hold.phase == Phase.READY
                    && hold.known().value().incarnation() != plan.value().incarnation();
            if (rewritten || hold.phase == Phase.WAITING) {
                hold.reread();
            }
        }
        job.dropForeignItems();
        fires.forgetOld();
        return true;
    }

    /** Combines definition, override and plan; a combination that can't be leaves the configuration as it was. */
    private @Nullable JobSnapshot snapshot(JobView view, Definition defined, Versioned<ShardingPlan> plan) {
        try {
            JobConfiguration effective = defined.effective(view.overrideOrNone());
            FireTimes times = FireSchedules.inForce(job.name, effective.schedule(), plan.value());
            job.misconfigured = null;
            return new JobSnapshot(
                    effective,
                    view.overrideOrNone(),
                    plan.value(),
                    plan.version(),
                    times,
                    effective.misfireThreshold().orElse(job.session().timeout().multipliedBy(2)),
                    defined.onceListeners());
        } catch (OstrakaException e) {
            job.misconfigured = e.getMessage();
            JobSnapshot last = job.snapshot;
            return last == null
                    ? null
                    : new JobSnapshot(
                            last.configuration(),
                            last.override(),
                            plan.value(),
                            plan.version(),
                            last.times(),
                            last.misfireThreshold(),
                            last.onceListeners());
        }
    }

    /** Reads the nodes of items that must be read before anything else. */
    void readItems(Resumed resumed) {
        Session reader = job.session();
        JobSnapshot decidedFrom = job.snapshot();
        List<String> unread = new ArrayList<>();
        for (HostedItem hold : job.holds.values()) {
            if (hold.phase == Phase.UNREAD) {
                hold.reading();
                unread.add(hold.item);
            }
        }
        if (unread.isEmpty()) {
            return;
        }
        Items.Watch watch = Items.Watch.ofOwner(reader.id());
        job.onReply(() -> job.context.coordination().items().read(job.name, unread, watch), (views, error) -> {
            if (views == null || job.session().id() != reader.id()) {
                job.rejected();
                for (String item : unread) {
                    HostedItem hold = job.holds.get(item);
                    if (hold != null && hold.phase == Phase.READING) {
                        hold.phase = Phase.UNREAD;
                    }
                }
            } else {
                HostedItem.Cohort cohort = new HostedItem.Cohort();
                views.forEach(view -> take(view, reader, hold -> resumed.start(hold, decidedFrom, cohort)));
                job.flush = true;
                job.dropForeignItems();
            }
            job.advanceSoon();
        });
    }

    private void take(ItemView view, Session reader, Consumer<HostedItem> start) {
        HostedItem hold = job.holds.get(view.item());
        if (hold == null || hold.phase != Phase.READING) {
            return;
        }
        ItemRun run = hold.run;
        if (hold.events != null && view.record() != null) {
            if (hold.events.wrote(view.record())) {
                hold.events.publish(
                        job.context.events(),
                        job.name,
                        hold.item,
                        view.record().mzxid(),
                        reader.instanceId(),
                        job.context.platform().clock().now());
            }
            hold.events = null;
        }
        boolean gone = view.record() == null
                && view.damage() == null
                && hold.run != null
                && ScopedItems.instanceKey(hold.item)
                && !job.owns(hold.item);
        String fenced = gone ? "its record is gone with its session" : "another instance has it";
        switch (gone ? hold.gone() : hold.take(view, reader)) {
            case SETTLED -> {
                if (hold.problem != null) {
                    restoration.record(hold, view);
                } else if (hold.run != null && !hold.runningNode) {
                    hold.run.lose("the session that claimed it is over"); // it may complete, as long as nobody has it
                }
            }
            case CLAIMED -> start.accept(hold);
            case ORPHANED -> handOver(hold);
            case FENCED -> {
                if (run != null) {
                    if (hold.fence()) {
                        job.context
                                .events()
                                .publish(new RunFenced(
                                        run.identity(),
                                        fenced,
                                        job.context.platform().clock().now()));
                    }
                    log.warn("{} was fenced: {}; what it does is refused by its token", run, fenced);
                    run.lose(fenced);
                    run.stop(ItemRun.Stop.GIVEN_UP);
                }
            }
        }
    }

    /** Gives up a claim of this session that nothing here runs. */
    private void handOver(HostedItem hold) {
        ItemRecord to = hold.known().value().handedOver();
        Running running = hold.runningNode ? Running.DELETE : Running.LEAVE;
        hold.phase = Phase.CLAIMING;
        Move move = new Move(hold.item, hold.known(), to, running, false);
        job.onReply(
                () -> job.context
                        .coordination()
                        .items()
                        .commit(new ItemTransaction(job.name, null, List.of(move), null)),
                (verdict, error) -> {
                    hold.phase = Phase.UNREAD;
                    job.advanceSoon();
                });
    }
}
