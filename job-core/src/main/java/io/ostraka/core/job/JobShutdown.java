package io.ostraka.core.job;

import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.ItemRun.Stop;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Ends a job in this instance: no further item starts, and the stages of this class tell when its runs have ended. The
 * methods may be called on any thread, unless they say otherwise.
 */
public final class JobShutdown {
    private final HostedJobState job;
    private final Completions completions;
    private final BooleanSupplier listenersIdle;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final CompletableFuture<Void> othersEnded = new CompletableFuture<>();
    /** Stage that {@link #released} returned; null if the method was not called. Confined to the serial executor. */
    private @Nullable CompletableFuture<Void> released;

    private volatile Set<String> underWay = Set.of();

    /** @param listenersIdle returns whether all calls of the job's listeners have returned */
    JobShutdown(HostedJobState job, Completions completions, BooleanSupplier listenersIdle) {
        this.job = job;
        this.completions = completions;
        this.listenersIdle = listenersIdle;
    }

    /**
     * Stops claiming. The returned stage completes when this instance has no run of the job left and the job's
     * listeners have returned. Runs that have called {@link Runtime#exit} do not count, because they never return.
     */
    public synchronized CompletionStage<Void> drain() {
        if (!job.draining) {
            job.draining = true;
            job.execute(() -> {
                job.context.platform().fireTimer().cancel(job.name);
                completions.draining();
                job.flush = true;
            });
            job.forEachRun(ItemRun::leave);
            lookForExits();
        }
        return drained;
    }

    public boolean draining() {
        return job.draining;
    }

    /**
     * Returns a stage that completes after {@link #drain} when this instance has no run of the job left, except runs
     * whose code is closing a job or an instance, or has called {@link Runtime#exit}.
     */
    public CompletableFuture<Void> othersEnded() {
        return othersEnded;
    }

    /** Looks again for runs that a shutdown must not wait for. Called while the job drains. */
    public void lookForExits() {
        job.forEachRun(ItemRun::lookForExit);
        job.advance();
    }

    /** Stops all runs. Their items are handed over to other instances. */
    public void cancelRuns() {
        job.forEachRun(run -> run.stop(Stop.GIVEN_UP));
        lookForExits();
    }

    /** Returns the items that have a run or wait for the reply to a transaction; empty if the job is not draining. */
    public Set<String> underWay() {
        return underWay;
    }

    /**
     * Returns a stage that completes once the plan assigns no items to this instance. The instance waits for this stage
     * before it ends. The leader needs that time if the job has a restart grace: the leader reserves the items for the
     * restarted instance only if it has seen this instance drain. For a job without a restart grace, the stage
     * completes at the next step.
     */
    public CompletionStage<Void> released() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        job.execute(() -> {
            released = done;
            job.advance();
        });
        return done;
    }

    /** Called after each step of a job that drains. Completes the stages whose condition holds now. */
    void settle() {
        underWay = job.items.values().stream()
                .filter(HostedItem::busy)
                .map(HostedItem::key)
                .collect(Collectors.toSet());
        if (none(item -> item.busy() && !item.closing())) {
            othersEnded.complete(null);
        }
        if (none(item -> item.busy() && !item.exiting()) && listenersIdle.getAsBoolean()) {
            drained.complete(null);
        }
        if (released != null && !stillPlanned()) {
            released.complete(null);
        }
    }

    private boolean none(Predicate<HostedItem> of) {
        return job.items.values().stream().noneMatch(of);
    }

    private boolean stillPlanned() {
        return job.session != null
                && job.online
                && job.snapshot != null
                && !job.snapshot().configuration().restartGrace().isZero()
                && !job.snapshot().plan().itemsOf(job.session().instanceId()).isEmpty();
    }
}
