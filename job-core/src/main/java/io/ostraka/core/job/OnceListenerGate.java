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
 * Calls once-listeners before and after whole fires, in only one instance of the cluster: the caller. The fire's
 * progress node names the caller. At first this is the instance that claims the first item of the fire, and later the
 * instance that ends the last item. If the caller ends, the first other instance that writes its own id into the node
 * becomes the caller. If the reply to a write of the node is lost, the instance reads the node again and does not
 * repeat calls that it has made. Confined to the job's serial executor.
 */
final class OnceListenerGate implements StartGate {
    private static final Logger log = LoggerFactory.getLogger(OnceListenerGate.class);

    private final HostedJobState job;
    private final KeptFires fires;
    private final Resync resync;
    private final Admission admission;
    /**
     * Calls of the listeners before fires. They are kept apart from {@link #after}, because a fire must not wait for
     * the calls after the previous fire.
     */
    private final ListenerCalls<OnceListener> before;

    private final ListenerCalls<OnceListener> after;
    private final List<Waiting> waiting = new ArrayList<>();
    private final Map<String, Call> calls = new HashMap<>();
    private boolean listing;

    /** A run that waits until the once-listeners that are called before its fire have returned. */
    private record Waiting(ItemRun run, String fireNode, CompletableFuture<Void> open) {}

    /** Calls of all once-listeners in one phase of a fire. */
    private static final class Call {
        final Phase phase;
        boolean returned;

        Call(Phase phase) {
            this.phase = phase;
        }
    }

    OnceListenerGate(
            HostedJobState job,
            KeptFires fires,
            Resync resync,
            Admission admission,
            List<? extends OnceListener> listeners) {
        this.job = job;
        this.fires = fires;
        this.resync = resync;
        this.admission = admission;
        this.before = new ListenerCalls<>(job, listeners);
        this.after = new ListenerCalls<>(job, listeners);
    }

    /** Returns true if this instance has no once-listeners for the job. */
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
     * Returns a stage that completes when the run may start: the once-listeners that are called before its fire have
     * returned, or the run was stopped. The stage completes on the job's serial executor.
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

    /**
     * Starts runs that may start now, and makes the calls that are due in this instance.
     *
     * @param reachable true if the instance is connected and knows the current plan
     * @param draining true if this instance is closing the job. It then takes over no calls from other instances
     */
    void settle(boolean reachable, boolean draining) {
        if (reachable) {
            attend();
        }
        if (waiting.isEmpty() && calls.isEmpty() && fires.isEmpty()) {
            return;
        }
        List<Waiting> free = waiting.stream()
                .filter(each -> each.run.stop() != null || (reachable && open(each.fireNode)))
                .toList();
        waiting.removeAll(free);
        if (reachable && job.snapshot != null) {
            calls.keySet().forEach(fires::get); // rereads a fire that ended and was forgotten
            fires.all().forEach(kept -> call(kept, draining));
            boolean claiming = false;
            Set<String> present = new HashSet<>(calls.keySet());
            waiting.forEach(each -> present.add(each.fireNode));
            for (HostedItem hosted : job.items.values()) {
                claiming |= hosted.state() instanceof HostedItemState.Claiming;
                DecisionEvents pending = hosted.pendingEvents();
                if (pending != null && pending.to().unfinished()) { // the reply to this claim is pending or was lost
                    ItemRecord to = pending.to();
                    present.add(FireProgress.nodeOf(to.requireRun().fire(), to.incarnation()));
                }
                Versioned<ItemRecord> record = hosted.record();
                Fire next = admission.next(hosted);
                if (next != null && record != null) { // the item may wait for a slot
                    present.add(FireProgress.nodeOf(next, record.value().incarnation()));
                }
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
                    kept -> present.contains(kept.id) || !kept.known || mine(kept) || (maybeBegins && !kept.begun()));
        }
        free.forEach(each -> each.open.complete(null));
    }

    /** Returns true if this instance has no calls to make and no calls in progress. */
    boolean idle() {
        return calls.isEmpty() && fires.all().stream().noneMatch(kept -> mine(kept) && named(kept));
    }

    private boolean named(KeptFires.KeptFire kept) {
        Once once = kept.once();
        return once != null && job.session().instanceId().equals(once.caller());
    }

    private boolean open(String id) {
        fires.verify(id);
        KeptFires.KeptFire kept = fires.get(id);
        Once once = kept.once();
        if (kept.known && once != null && once.phase() == Phase.BEGINNING && !mine(kept)) {
            fires.await(kept);
        }
        return kept.known && (once == null || once.phase() != Phase.BEGINNING);
    }

    /** Returns whether the progress node names this process as the caller, by its current or an earlier instance id. */
    private boolean mine(KeptFires.KeptFire kept) {
        Once once = kept.once();
        Session session = job.session;
        return once != null
                && once.calling()
                && once.caller() != null
                && session != null
                && (once.caller().equals(session.instanceId())
                        || session.earlierIds().contains(once.caller()));
    }

    /** Rereads the fires with once-listeners after each read of the plan, because their callers may have ended. */
    private void attend() {
        if (!job.attend || listing) {
            return;
        }
        waiting.forEach(each -> fires.invalidate(each.fireNode));
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
                        fires.invalidate(fire);
                        fires.get(fire);
                    }
                }
            }
            job.advanceSoon();
        });
    }

    private void call(KeptFires.KeptFire kept, boolean draining) {
        Call call = calls.get(kept.id);
        if (!kept.known) {
            if (!none()) {
                fires.get(kept.id);
            }
            return;
        }
        Once once = kept.once();
        FireProgress progress = kept.progress();
        if (once == null || progress == null || !once.calling()) {
            if (call != null && call.returned) {
                calls.remove(kept.id); // another instance took over and finished the calls
            }
            return;
        }
        boolean mine = mine(kept);
        if (call != null && call.returned && !mine) {
            // another instance took over, so the calls made here are not recorded, even if that instance has ended
            // since: it may have ended during its own calls
            log.warn(
                    "job '{}': instance {} took over the calls of once-listeners for fire {} from this instance",
                    job.name,
                    once.caller(),
                    kept.id);
            calls.remove(kept.id);
            call = null;
        }
        if (call != null && call.phase == once.phase() && mine) {
            if (call.returned) {
                write(kept, call, progress.told(fires.listenerCaller()));
            }
        } else if (call != null && !call.returned) {
            return; // an earlier call is still executing, and calls must not overlap
        } else if (mine && named(kept)) {
            begin(kept, progress, once);
        } else if ((mine || kept.hasNoLiveCaller()) && !none() && !draining) {
            if (once.attempt() >= job.snapshot().configuration().maxAttempts()) {
                write(kept, new Call(once.phase()), progress.told(fires.listenerCaller()), () -> givenUp(kept, once));
            } else {
                write(
                        kept,
                        new Call(once.phase()),
                        progress.takenBy(job.session().instanceId()));
            }
        }
    }

    /**
     * Logs that the fire continues without the calls of its once-listeners. Called after the write has succeeded, so
     * only one instance logs the message.
     */
    private void givenUp(KeptFires.KeptFire kept, Once once) {
        log.error(
                "job '{}': {} instances ended during the calls of its once-listeners for fire {} in phase {}, the last of"
                        + " them {}. The fire continues without these calls; check the listener",
                job.name,
                once.attempt(),
                kept.id,
                once.phase(),
                once.caller());
    }

    private void begin(KeptFires.KeptFire kept, FireProgress progress, Once once) {
        Call call = new Call(once.phase());
        calls.put(kept.id, call);
        JobFire fire = fire(kept, progress, once);
        Map<String, ItemOutcome> outcomes = progress.outcomes();
        CompletableFuture<Void> notified = once.phase() == Phase.BEGINNING
                ? before.before(fire, listener -> listener.beforeFirst(fire))
                : after.after(fire, listener -> listener.afterLast(fire, outcomes));
        notified.thenRunAsync(
                () -> {
                    call.returned = true;
                    job.advance();
                },
                job::execute);
    }

    private JobFire fire(KeptFires.KeptFire kept, FireProgress progress, Once once) {
        Trigger trigger = fires.trigger(kept.id).orElse(null);
        boolean scheduled = progress.trigger() == null;
        Set<String> items = new TreeSet<>(progress.left());
        if (once.phase() == Phase.CLOSING) {
            items.addAll(progress.outcomes().keySet());
        }
        Instant at = once.at();
        return new JobFire(
                job.name,
                scheduled ? job.name + "@" + at : kept.id,
                at,
                job.session().instanceId(),
                once.total(),
                items,
                job.snapshot().configuration().jobParameter(),
                trigger == null ? Map.of() : trigger.request().parameters());
    }

    private void write(KeptFires.KeptFire kept, Call call, FireProgress to) {
        write(kept, call, to, () -> {});
    }

    /**
     * Writes the next state of a fire's once-listener calls. The write succeeds only if the node still has the version
     * that was read.
     *
     * @param written called after a successful write
     */
    private void write(KeptFires.KeptFire kept, Call call, FireProgress to, Runnable written) {
        FireWrite write = fires.write(kept, to);
        calls.putIfAbsent(kept.id, call);
        kept.known = false;
        kept.writing = true;
        job.commit(new ItemTransaction(job.name, null, List.of(), write), result -> {
            kept.writing = false;
            if (result instanceof TransactionResult.Done done) {
                job.accepted();
                kept.wrote(write, done.commit());
                kept.known = true;
                calls.remove(kept.id, call);
                written.run();
            } else {
                if (!call.returned) {
                    calls.remove(kept.id, call);
                }
                resync.after(result, kept, 1);
            }
            job.advanceSoon();
        });
    }
}
