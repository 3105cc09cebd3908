package io.ostraka.core.leader;

import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.model.Backfill;
import io.ostraka.core.model.BackfillView;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Refresh;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Triggers the fires of backfills. A backfill is an operator's request to run past fires of a job. Each step counts the
 * fires that have ended and triggers the next one. The same transaction writes the progress to the backfill's node. A
 * new leader continues from that node. Confined to the leader's executor.
 */
final class BackfillSteps {
    /** Pause before a failed step is tried again. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(BackfillSteps.class);

    private final Term term;
    private final Refresh<Void> refresh;
    private List<BackfillView> known = List.of();

    BackfillSteps(Term term) {
        this.term = term;
        this.refresh = term.refresh("a step of the backfills", PAUSE, this::step, done -> {});
    }

    /** Called when a manual trigger was deleted: a fire of a backfill may have ended. */
    void triggerDeleted() {
        if (known.stream().anyMatch(BackfillSteps::active)) {
            read();
        }
    }

    private static boolean active(BackfillView view) {
        return view.value() != null && view.value().value().active();
    }

    /** Reads all backfills, and takes the next step of each. */
    void read() {
        refresh.demand();
    }

    private CompletionStage<Void> step() {
        // the triggers are read after the backfills. If a running fire of a backfill has no trigger by then, the fire
        // has ended, or its trigger was deleted by hand
        return term.coordination
                .backfills()
                .all()
                .thenCompose(all -> all.stream().noneMatch(BackfillSteps::active)
                        ? CompletableFuture.completedStage(new Read(all, Triggers.NONE))
                        : term.coordination.fires().triggers().thenApply(triggers -> new Read(all, triggers)))
                .thenComposeAsync(this::take, term);
    }

    private record Read(List<BackfillView> all, Triggers triggers) {}

    private CompletionStage<Void> take(Read read) {
        known = read.all;
        Map<String, String> problems = new TreeMap<>();
        read.all.forEach(view -> problem(view, problems));
        term.backfillProblems(problems);
        return CompletableFuture.allOf(read.all.stream()
                .map(view -> Stages.of(() -> step(view, read.triggers)).toCompletableFuture())
                .toArray(CompletableFuture[]::new));
    }

    private static void problem(BackfillView view, Map<String, String> problems) {
        UnreadableNode damage = view.damage();
        Backfill backfill = view.value() == null ? null : view.value().value();
        if (damage != null) {
            problems.put(view.job(), damage.text("its backfill does not continue, correct or delete the node"));
        } else if (backfill != null && backfill.state() == Backfill.State.FAILED) {
            Backfill.Progress progress = backfill.progress();
            problems.put(
                    view.job(),
                    "the backfill failed after " + progress.triggered() + " of "
                            + backfill.request().dates().size() + " fires, because " + progress.failures()
                            + " failed, the latest at "
                            + progress.failedDates().get(progress.failedDates().size() - 1)
                            + (progress.triggered()
                                            == backfill.request().dates().size()
                                    ? "; run its items again, and stop the backfill"
                                    : "; resume it, or stop it"));
        }
    }

    private CompletionStage<?> step(BackfillView view, Triggers triggers) {
        Versioned<Backfill> present = view.value();
        if (present == null || (present.value().over() && !present.value().active())) {
            return CompletableFuture.completedStage(null);
        }
        Backfill backfill = present.value();
        String job = view.job();
        Set<String> waiting = triggers.of(job).readable().stream()
                .map(trigger -> trigger.request().runId())
                .collect(Collectors.toSet());
        boolean unreadable = triggers.unreadable().stream()
                // an unreadable trigger may belong to any fire
                .anyMatch(trigger -> trigger.job() == null || trigger.job().equals(job));
        List<Instant> gone = backfill.progress().running().stream()
                .filter(date -> !waiting.contains(backfill.runId(date)))
                .toList();
        return term.coordination
                .fires()
                .look(job, gone.stream().map(backfill::runId).toList())
                .thenCombine(
                        term.coordination.jobs().job(job),
                        (fires, seen) -> next(backfill, results(gone, fires, unreadable), seen))
                .thenComposeAsync(step -> write(present, step), term);
    }

    private static Map<Instant, Backfill.Result> results(List<Instant> gone, List<FireView> fires, boolean unreadable) {
        Map<Instant, Backfill.Result> ended = new HashMap<>();
        for (int i = 0; i < gone.size(); i++) {
            FireView fire = fires.get(i);
            if (fire.progress() == null) {
                if (!unreadable) {
                    // progress damaged, or deleted an hour after the end
                    ended.put(gone.get(i), Backfill.Result.UNKNOWN);
                }
            } else if (fire.progress().value().done()) {
                ended.put(gone.get(i), Backfill.result(fire.progress().value()));
            }
        }
        return ended;
    }

    /** Returns the next step. While the definition is damaged, the step changes nothing. */
    static Backfill.Step next(Backfill present, Map<Instant, Backfill.Result> ended, JobView job) {
        if (job.definition() == null) {
            // closes the backfill now: if the job is registered again before the write arrives, the write cannot detect
            // that the definition was missing
            return new Backfill.Step(job.damages().definition() == null ? present.purged() : present, null);
        }
        boolean removed = (job.overrideKnown() && job.overrideOrNone().removed())
                || job.definition().czxid() != present.request().definition();
        return (removed && !present.over() ? present.removed() : present).step(ended);
    }

    private CompletionStage<?> write(Versioned<Backfill> present, Backfill.Step step) {
        if (step.next().equals(present.value())) {
            return CompletableFuture.completedStage(null);
        }
        return term.coordination
                .backfills()
                .step(term.leadership, present, step)
                .thenComposeAsync(result -> written(present, step, result), term);
    }

    private CompletionStage<?> written(Versioned<Backfill> present, Backfill.Step step, TransactionResult result) {
        if (term.checked(result) instanceof TransactionResult.Done) { // the change of the node causes the next read
            log(present.value(), step.next());
        } else if (result instanceof TransactionResult.Outdated outdated && outdated.about() == About.DEFINITION) {
            Backfill closed = present.value().purged();
            return term.coordination
                    .backfills()
                    .close(term.leadership, present, closed)
                    .thenComposeAsync(then -> written(present, new Backfill.Step(closed, null), then), term);
        } else if (result instanceof TransactionResult.Refused) { // the periodic read tries again
            log.warn(
                    "ZooKeeper refuses the writes for the backfill of job '{}'; check access rights and quotas",
                    present.value().job());
        } else {
            refresh.demandAfter(PAUSE);
        }
        return CompletableFuture.completedStage(null);
    }

    private static void log(Backfill before, Backfill after) {
        if (before.state() == after.state()) {
            return;
        }
        Backfill.Progress progress = after.progress();
        String counts = progress.succeeded() + " fires succeeded, " + progress.failed() + " failed, "
                + progress.unknown() + " unknown, " + progress.running().size() + " still running, "
                + (after.request().dates().size() - progress.triggered()) + " not triggered";
        String id = after.request().id();
        switch (after.state()) {
            case ENDED -> log.info("backfill {} of job '{}' has ended: {}", id, after.job(), counts);
            case REMOVED ->
                log.warn("backfill {} has ended, because job '{}' was removed: {}", id, after.job(), counts);
            default ->
                log.warn(
                        "backfill {} of job '{}' does not continue, because fires failed: {}; resume it or stop it",
                        id,
                        after.job(),
                        counts);
        }
    }
}
