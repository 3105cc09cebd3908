package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobFire;
import io.ostraka.api.OnceListener;
import io.ostraka.core.coordination.ItemTransaction;
import io.ostraka.core.coordination.ItemTransaction.FireWrite;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireProgress.Once;
import io.ostraka.core.model.FireProgress.Phase;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.run.ItemRun;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells once-listeners of whole fires, where this instance is the one to do so. The fire's node says who is: whoever claims
 * its first item, then whoever ends its last; and once that one is gone whoever writes its own name there first. What the
 * node says is all there is: after a lost reply it is read again, and what has been called is not called again. Confined to
 * the job's lane.
 */
final class OnceListenerGate implements StartGate {
    private static final Logger log = LoggerFactory.getLogger(OnceListenerGate.class);

    private final JobState job;
    private final KeptFires fires;
    private final Resync resync;
    /** Apart, so that a fire need not wait for the end of the one before to be told. */
    private final ListenerCalls<OnceListener> before;

    private final ListenerCalls<OnceListener> after;
    private final List<Waiting> waiting = new ArrayList<>();
    private final Map<String, Call> calls = new HashMap<>();
    private boolean listing;

    /** A run that has yet to see that its fire is open. */
    private record Waiting(ItemRun run, String page, CompletableFuture<Void> open) {}

    /** What is told, or has been told, of a phase of a fire. */
    private static final class Call {
        final Phase phase;
        boolean returned;

        Call(Phase phase) {
            this.phase = phase;
        }
    }

    OnceListenerGate(JobState job, KeptFires fires, Resync resync, List<? extends OnceListener> listeners) {
        this.job = job;
        this.fires = fires;
        this.resync = resync;
        this.before = new ListenerCalls<>(job, listeners);
        this.after = new ListenerCalls<>(job, listeners);
    }

    /** Tells whether there is anybody to tell. */
    boolean none() {
        return before.none();
    }

    @Override
    public void pass(ItemRun run, Runnable start) {
        CompletableFuture<Void> open = opened(run);
        if (open.isDone()) {
            start.run();
        } else {
            open.thenRunAsync(start, job::execute);
        }
    }

    /**
     * Returns a stage that completes, on the job's serial executor, once the once-listeners before the run's fire have returned
     * or the run was asked to stop.
     */
    CompletableFuture<Void> opened(ItemRun run) {
        if (!run.waitsForOnceListeners()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> open = new CompletableFuture<>();
        waiting.add(new Waiting(
                run, FireProgress.nodeOf(run.claim().fire(), run.record().incarnation()), open));
        return open;
    }

    /** Does all that can be done now. */
    void settle(boolean reachable, boolean draining) {
        if (reachable) {
            attend();
        }
        if (waiting.isEmpty() && calls.isEmpty() && fires.isEmpty()) {
            return;
        }
        List<Waiting> free = waiting.stream()
                .filter(each -> each.run.stop() != null || (reachable && open(each.page)))
                .toList();
        waiting.removeAll(free);
        if (reachable && job.snapshot != null) {
            calls.keySet().forEach(fires::page); // a fire that is over, and forgotten, is asked for again
            fires.pages().forEach(page -> tell(page, draining));
            boolean claiming = false;
            Set<String> present = new HashSet<>(calls.keySet());
            waiting.forEach(each -> present.add(each.page));
            for (HostedItem hosted : job.items.values()) {
                claiming |= hosted.state() instanceof HostedState.Claiming;
                DecisionEvents pending = hosted.pendingEvents();
                if (pending != null && pending.to().unfinished()) { // a claim under way or of unknown outcome
                    ItemRecord to = pending.to();
                    present.add(FireProgress.nodeOf(to.requireRun().fire(), to.incarnation()));
                }
                Versioned<ItemRecord> record = hosted.record();
                if (hosted.busy() && record != null && record.value().run() != null) {
                    ItemRun run = hosted.run();
                    Fire fire = run == null
                            ? record.value().requireRun().fire()
                            : run.claim().fire();
                    present.add(FireProgress.nodeOf(fire, record.value().incarnation()));
                }
            }
            boolean maybeBegins = claiming;
            fires.keepOnly(
                    page -> present.contains(page.id) || !page.known || mine(page) || (maybeBegins && !page.begun()));
        }
        free.forEach(each -> each.open.complete(null));
    }

    /** Tells whether there is nothing left for this instance to tell. */
    boolean idle() {
        return calls.isEmpty() && fires.pages().stream().noneMatch(page -> mine(page) && named(page));
    }

    private boolean named(KeptFires.Page page) {
        Once once = page.once();
        return once != null && job.session().instanceId().equals(once.caller());
    }

    private boolean open(String id) {
        fires.verify(id);
        KeptFires.Page page = fires.page(id);
        Once once = page.once();
        if (page.known && once != null && once.phase() == Phase.BEGINNING && !mine(page)) {
            fires.await(page);
        }
        return page.known && (once == null || once.phase() != Phase.BEGINNING);
    }

    /** Whether the node names this process, in its present session or in an earlier one. */
    private boolean mine(KeptFires.Page page) {
        Once once = page.once();
        Session session = job.session;
        return once != null
                && once.calling()
                && once.caller() != null
                && session != null
                && (once.caller().equals(session.instanceId())
                        || session.earlierIds().contains(once.caller()));
    }

    /** Looks for fires that somebody else has left behind: the plan was read, which may tell that somebody is gone. */
    private void attend() {
        if (!job.attend || listing) {
            return;
        }
        waiting.forEach(each -> fires.doubt(each.page));
        job.attend = false;
        if (none() || !job.snapshot().onceListeners()) {
            return;
        }
        listing = true;
        job.onReply(() -> job.context.coordination().fires().kept(job.name), (kept, error) -> {
            listing = false;
            if (kept == null) {
                job.attend = true;
                job.rejected();
            } else {
                for (String fire : kept) {
                    if (FireProgress.scheduled(fire) || fires.trigger(fire).isPresent()) {
                        fires.doubt(fire);
                        fires.page(fire);
                    }
                }
            }
            job.advanceSoon();
        });
    }

    private void tell(KeptFires.Page page, boolean draining) {
        Call call = calls.get(page.id);
        if (!page.known) {
            if (!none()) {
                fires.page(page.id);
            }
            return;
        }
        Once once = page.once();
        FireProgress progress = page.progress();
        if (once == null || progress == null || !once.calling()) {
            if (call != null && call.returned) {
                calls.remove(page.id); // others have taken its place, and gone on
            }
            return;
        }
        boolean mine = mine(page);
        if (call != null && call.returned && !mine) {
            // void even if that one is gone too: it may have died inside of the call that it made after this one
            log.warn(
                    "job '{}': {} has taken this instance's place in telling once-listeners of fire {}",
                    job.name,
                    once.caller(),
                    page.id);
            calls.remove(page.id);
            call = null;
        }
        if (call != null && call.phase == once.phase() && mine) {
            if (call.returned) {
                write(page, call, progress.told(fires.listenerCaller()));
            }
        } else if (call != null && !call.returned) {
            return; // code that outlives its place; two calls at once are none of the listeners' business
        } else if (mine && named(page)) {
            begin(page, progress, once);
        } else if ((mine || page.forsaken()) && !none() && !draining) {
            if (once.attempt() >= job.snapshot().configuration().maxAttempts()) {
                write(page, new Call(once.phase()), progress.told(fires.listenerCaller()), () -> givenUp(page, once));
            } else {
                write(
                        page,
                        new Call(once.phase()),
                        progress.takenBy(job.session().instanceId()));
            }
        }
    }

    /** By the one whose write it was: others may have come to the same. */
    private void givenUp(KeptFires.Page page, Once once) {
        log.error(
                "job '{}': {} instances died while its once-listeners were told of fire {} in {}, the last of them"
                        + " {}; it goes on without",
                job.name,
                once.attempt(),
                page.id,
                once.phase(),
                once.caller());
    }

    private void begin(KeptFires.Page page, FireProgress progress, Once once) {
        Call call = new Call(once.phase());
        calls.put(page.id, call);
        JobFire fire = fire(page, progress, once);
        Map<String, ItemOutcome> outcomes = progress.outcomes();
        CompletableFuture<Void> told = once.phase() == Phase.BEGINNING
                ? before.before(fire.runId(), listener -> listener.beforeFirst(fire))
                : after.after(fire.runId(), listener -> listener.afterLast(fire, outcomes));
        told.thenRunAsync(
                () -> {
                    call.returned = true;
                    job.advance();
                },
                job::execute);
    }

    private JobFire fire(KeptFires.Page page, FireProgress progress, Once once) {
        Trigger trigger = fires.trigger(page.id).orElse(null);
        boolean scheduled = progress.trigger() == null;
        Set<String> items = new TreeSet<>(progress.left());
        if (once.phase() == Phase.CLOSING) {
            items.addAll(progress.outcomes().keySet());
        }
        Instant at = once.at();
        return new JobFire(
                job.name,
                scheduled ? job.name + "@" + at : page.id,
                at,
                job.session().instanceId(),
                once.total(),
                items,
                job.snapshot().configuration().jobParameter(),
                trigger == null ? Map.of() : trigger.request().parameters());
    }

    private void write(KeptFires.Page page, Call call, FireProgress to) {
        write(page, call, to, () -> {});
    }

    /** Writes what comes next, in the version that names the caller. */
    private void write(KeptFires.Page page, Call call, FireProgress to, Runnable written) {
        FireWrite write = fires.write(page, to);
        calls.putIfAbsent(page.id, call);
        page.known = false;
        page.writing = true;
        job.commit(new ItemTransaction(job.name, null, List.of(), write), result -> {
            page.writing = false;
            if (result instanceof TransactionResult.Done done) {
                job.accepted();
                page.wrote(write, done.commit());
                page.known = true;
                calls.remove(page.id, call);
                written.run();
            } else {
                if (!call.returned) {
                    calls.remove(page.id, call);
                }
                resync.after(result, page, 1);
            }
            job.advanceSoon();
        });
    }
}
