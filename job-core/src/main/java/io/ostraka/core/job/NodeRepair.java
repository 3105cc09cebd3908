package io.ostraka.core.job;

import com.google.gson.JsonObject;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.event.RunFenced;
import io.ostraka.core.coordination.ItemTransaction.Guard;
import io.ostraka.core.coordination.ItemTransaction.Running;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.time.ClockCheck;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores nodes that were damaged or deleted by hand: a job's definition and override, and the records of this
 * instance's items. Each write succeeds only if the node still has the version that was read. Nodes that another
 * version of this library may have written stay unchanged. Confined to the job's serial executor.
 *
 * <p>A damaged record gets its last known contents back if no other instance can have changed it since. This is the
 * case if the damage is the only later write, or if this session holds the item's running node (the ephemeral node that
 * marks the item as running). A deleted record has no version to compare. It gets its last known contents back if this
 * instance has owned the item without a gap since it knew them: it has seen each plan since then, and each assigned the
 * item to it. In all other cases, the item may have completed fires that this instance does not know of, and a fire
 * must not be completed twice. The new record therefore treats all scheduled fires up to now as already run or skipped,
 * and also a triggered fire that was known to have begun. Other triggered fires continue, because their progress nodes
 * list the items that have ended.
 */
final class NodeRepair {
    private static final Logger log = LoggerFactory.getLogger(NodeRepair.class);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final HostedJobState job;
    private Definition registered;

    NodeRepair(HostedJobState job, Definition registered) {
        this.job = job;
        this.registered = registered;
    }

    /** Replaces this instance's definition. The next call of {@link #nodes} writes it if its revision is higher. */
    void redefined(Definition definition) {
        registered = definition;
    }

    /**
     * Restores the definition if it is missing, damaged or has a lower revision than this instance's definition, and
     * the override if it is damaged.
     *
     * @param view the nodes that were read
     * @param last latest readable state of the nodes; null if there is none
     * @param registeredBefore true if this instance had registered its definition before the read
     */
    void nodes(JobView view, @Nullable JobView last, boolean registeredBefore) {
        Versioned<Definition> definition = view.definition();
        UnreadableNode damage = view.damages().definition();
        boolean lower = definition != null && definition.value().revision() < registered.revision();
        if (registeredBefore && (lower || (definition == null && (damage == null || damage.replaceable())))) {
            job.context.instance().restore(registered);
        }
        job.problem(Kind.DEFINITION_REPLACED, null);
        if (definition != null && !lower && !definition.value().equals(registered)) {
            boolean newer = definition.value().revision() > registered.revision();
            job.problem(
                    Kind.DEFINITION_REPLACED,
                    "the definition in force differs from this instance's: "
                            + (newer
                                    ? "it has the higher revision "
                                            + definition.value().revision()
                                    : "it was registered later")
                            + (view.registeredBy().isEmpty() ? "" : ", by instance " + view.registeredBy())
                            + "; normal during a deployment, otherwise stop that instance or give both the same definition");
            if (registeredBefore && !newer) {
                job.context.instance().reclaim(registered);
            }
        }
        UnreadableNode overridden = view.damages().override();
        if (overridden != null && overridden.replaceable() && last != null && view.plan() != null) {
            Versioned<JobOverride> known = last.override() == null
                    ? new Versioned<>(JobOverride.NONE, 0, 0, 0, Instant.EPOCH, new JsonObject())
                    : last.override();
            // otherwise an operator may have written the override between the last read and the damage
            if (known.mzxid() >= view.plan().value().overrideMzxid() && overridden.follows(last.override())) {
                log.warn("{}. This instance restores the last readable override: {}", overridden.text(), known.value());
                job.onReply(
                        () -> job.context.coordination().jobs().restore(job.name, known, overridden),
                        (result, error) ->
                                job.later(PAUSE, () -> job.context.instance().readPlan(job.name)));
            }
        }
    }

    /** Drops the item's run if the run has ended, because the lost record has no place for its result. */
    private void forgetEndedRun(HostedItem hosted) {
        ItemRun run = hosted.run();
        if (run != null) {
            log.warn("{} has ended, but its result cannot be recorded: {}", run, hosted.problem());
            job.context
                    .events()
                    .publish(new RunFenced(
                            run.identity(),
                            String.valueOf(hosted.problem()),
                            job.context.platform().clock().now()));
        }
        hosted.forgetEndedRun();
    }

    /** Restores the record of an item if the record is missing or unreadable. */
    void record(HostedItem hosted, ItemView view) {
        boolean running = view.running() == job.session().id();
        boolean held = running && hosted.run() != null && !hosted.inDoubt();
        boolean free = (view.running() == 0 || (running && hosted.executing() == null)) && job.owns(hosted.key());
        UnreadableNode damage = view.damage();
        if ((damage != null && !damage.replaceable()) || !(held || free)) {
            return;
        }
        boolean exact = isExact(hosted, damage, held);
        if (!exact && hosted.executing() != null) {
            return; // the new record follows when the run has ended
        }
        if (!exact) {
            forgetEndedRun(hosted);
        }
        Versioned<ItemRecord> to = exact ? requireLast(hosted) : lost(hosted);
        log.warn(
                "job '{}': {}. {}",
                job.name,
                hosted.problem(),
                exact
                        ? "this instance restores the record as it was"
                        : "this instance cannot know which fires have run, so it writes a new record, which counts all"
                                + " fires up to " + to.value().cursor()
                                + " as decided; if a fire is missing, run it with a trigger or a backfill");
        hosted.restoring();
        Guard guard = new Guard(job.session().instanceId(), job.snapshot().planVersion(), null);
        Running node = running && !exact ? Running.DELETE : Running.LEAVE;
        job.onReply(
                () -> job.context.coordination().items().restore(job.name, guard, hosted.key(), to, damage, node),
                (result, error) -> {
                    hosted.invalidate();
                    job.rejected();
                    job.advanceSoon();
                });
    }

    /**
     * Returns whether the last known record equals the lost one, so that it can be restored.
     *
     * @param damage damage of the record; null if the record is missing
     * @param held true if this session holds the item's running node for a run in this instance
     */
    private boolean isExact(HostedItem hosted, @Nullable UnreadableNode damage, boolean held) {
        Versioned<ItemRecord> last = hosted.remembered();
        if (last == null) {
            return false;
        }
        if (damage != null) {
            return held || damage.follows(last);
        }
        return ofPresentRecords(last)
                && !job.snapshot().onceListeners() // the leader takes items off the fires of such a job
                && hosted.knowsAllRuns(job.snapshot().planVersion());
    }

    private boolean ofPresentRecords(Versioned<ItemRecord> record) {
        return record.value().incarnation() == job.snapshot().plan().incarnation();
    }

    private static Versioned<ItemRecord> requireLast(HostedItem hosted) {
        return Objects.requireNonNull(hosted.remembered(), "remembered");
    }

    /** Returns a new record for an item whose fires are not known. */
    private Versioned<ItemRecord> lost(HostedItem hosted) {
        // an instance whose clock is ahead may have run a fire that is not due yet
        Instant upTo = job.context.coordination().membership().serverTime().plus(ClockCheck.TOLERANCE);
        Versioned<ItemRecord> last = hosted.remembered();
        ItemRecord before = last != null && ofPresentRecords(last) ? last.value() : null;
        ItemRecord record = ItemRecord.lost(upTo, before, job.snapshot().plan().incarnation());
        return new Versioned<>(record, 0, 0, 0, Instant.EPOCH, new JsonObject());
    }
}
