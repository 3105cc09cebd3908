package io.ostraka.core.job;

import com.google.gson.JsonObject;
import io.ostraka.core.coordination.ItemTransaction.Guard;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts back what a hand has damaged or deleted, from what this instance knows of it: a job's definition and override, and
 * the records of its own items. Every write is a compare-and-set on what was found; what a newer version of this library
 * may have written is left alone. Confined to the job's lane.
 *
 * <p>A record is put back as it was if it was written once since this instance knew it, which was the damage then; or
 * while this session items its running node, for nobody else can have moved it on. Otherwise nobody knows what became of
 * the fires up to now, and the one thing that is safe is to take all of them as decided: none that was completed may be
 * completed again. Triggers tell by their progress which items have ended, and so go on.
 */
final class NodeRepair {
    private static final Logger log = LoggerFactory.getLogger(NodeRepair.class);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final JobState job;
    private final Definition registered;

    NodeRepair(JobState job, Definition registered) {
        this.job = job;
        this.registered = registered;
    }

    /**
     * Looks after definition and override.
     *
     * @param view what was read
     * @param last what was read last and could be
     * @param mine whether this instance's definition was registered when it was read
     */
    void nodes(JobView view, @Nullable JobView last, boolean mine) {
        Versioned<Definition> definition = view.definition();
        UnreadableNode damage = view.damages().definition();
        boolean lower = definition != null && definition.value().revision() < registered.revision();
        if (mine && (lower || (definition == null && (damage == null || !damage.newer())))) {
            job.context.instance().restore(registered);
        }
        job.replaced = null;
        if (definition != null && !lower && !definition.value().equals(registered)) {
            boolean newer = definition.value().revision() > registered.revision();
            job.replaced = "the definition in force is another than this instance's: "
                    + (newer
                            ? "it has the higher revision " + definition.value().revision()
                            : "registered later")
                    + (view.registeredBy().isEmpty() ? "" : ", by instance " + view.registeredBy())
                    + "; normal during a deployment, otherwise stop that instance or give both the same definition";
            if (mine && !newer) {
                job.context.instance().reclaim(registered);
            }
        }
        UnreadableNode overridden = view.damages().override();
        if (overridden != null && !overridden.newer() && last != null && view.plan() != null) {
            Versioned<JobOverride> known = last.override() == null
                    ? new Versioned<>(JobOverride.NONE, 0, 0, 0, Instant.EPOCH, new JsonObject())
                    : last.override();
            if (known.mzxid() >= view.plan().value().overrideMzxid()) {
                log.warn("{}; what was read last is put back: {}", overridden.text(), known.value());
                job.onReply(
                        () -> job.context.coordination().jobs().restore(job.name, known, overridden),
                        (result, error) ->
                                job.later(PAUSE, () -> job.context.instance().readPlan(job.name)));
            }
        }
    }

    /** Looks after the record of an item that was read and is not there, or can't be read. */
    void record(HostedItem hosted, ItemView view) {
        UnreadableNode damage = view.damage();
        Session session = job.session();
        boolean held = hosted.run() != null && view.running() == session.id();
        boolean free = view.running() == 0 && job.owns(hosted.key());
        if ((damage != null && damage.newer()) || !(held || free)) {
            return;
        }
        ShardingPlan plan = job.snapshot().plan();
        Versioned<ItemRecord> last = hosted.remembered();
        boolean exact = last != null
                && (damage == null
                        ? last.value().incarnation() == plan.incarnation()
                        : held || damage.version() == Versioned.next(last.version()));
        if (!exact && hosted.run() != null) {
            hosted.forgetEndedRun();
            return;
        }
        Versioned<ItemRecord> to = exact && last != null
                ? last
                : new Versioned<>(
                        ItemRecord.lost(job.context.coordination().membership().serverTime(), plan.incarnation()),
                        0,
                        0,
                        0,
                        Instant.EPOCH,
                        new JsonObject());
        log.warn(
                "job '{}': {}; {}",
                job.name,
                hosted.problem(),
                exact ? "it is put back as it was" : "it is written anew, and all fires up to now count as decided");
        hosted.restoring();
        job.onReply(
                () -> job.context
                        .coordination()
                        .items()
                        .restore(
                                job.name,
                                new Guard(session.instanceId(), job.snapshot().planVersion(), null),
                                hosted.key(),
                                to,
                                damage),
                (result, error) -> {
                    hosted.invalidate();
                    job.rejected();
                    job.advanceSoon();
                });
    }
}
