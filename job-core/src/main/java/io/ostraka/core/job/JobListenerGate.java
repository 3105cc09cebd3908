package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobListener;
import io.ostraka.core.model.Fire;
import io.ostraka.core.run.ItemRun;
import io.ostraka.core.run.RunEnd;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Calls a job's listeners before and after the part of a fire that runs in this instance. A run starts only when the
 * listeners that are called before its fire have returned. The fire ends in this instance when none of its items is
 * running or due here. Confined to the job's serial executor.
 */
final class JobListenerGate implements StartGate {
    private final HostedJobState job;
    private final Admission admission;
    private final OnceListenerGate once;
    private final ListenerCalls<JobListener> calls;
    private final Map<String, Part> parts = new LinkedHashMap<>();

    private static final class Part {
        final ItemRun first;
        final CompletableFuture<Void> begun = new CompletableFuture<>();
        final Map<ItemRun, Runnable> waiting = new LinkedHashMap<>();
        boolean called;
        final Set<String> items = new TreeSet<>();
        final Set<String> running = new HashSet<>();
        final Map<String, ItemOutcome> outcomes = new TreeMap<>();

        Part(ItemRun first) {
            this.first = first;
        }

        void start(ItemRun run) {
            Runnable start = waiting.remove(run);
            if (start != null) {
                start.run();
            }
        }

        JobFire fire() {
            return new JobFire(
                    first.jobName(),
                    first.runId(),
                    first.fireTime(),
                    first.instanceId(),
                    first.shardingTotalCount(),
                    items,
                    first.jobParameter(),
                    first.triggerParameters());
        }
    }

    JobListenerGate(
            HostedJobState job, Admission admission, List<? extends JobListener> listeners, OnceListenerGate once) {
        this.job = job;
        this.admission = admission;
        this.once = once;
        this.calls = new ListenerCalls<>(job, listeners);
    }

    /**
     * Starts a run when the listeners that are called before its fire have returned: first the once-listeners, then the
     * job's other listeners.
     */
    @Override
    public void pass(ItemRun run, Runnable start) {
        Part part = parts.computeIfAbsent(run.runId(), runId -> new Part(run));
        part.items.add(run.item());
        part.running.add(run.item());
        part.outcomes.remove(run.item()); // drops the outcome of an earlier run, which was handed over
        part.waiting.put(run, start);
        // the listeners are called only after all items of the batch have passed, so they see all items
        once.opened(run)
                .thenRunAsync(
                        () -> {
                            before(part);
                            part.begun.thenRunAsync(() -> part.start(run), job::execute);
                        },
                        job::execute);
    }

    /**
     * Records the outcome of a run. The listeners that are called after the fire receive it. A run that was given up
     * has no outcome.
     */
    @Override
    public void ended(ItemRun run, RunEnd end) {
        Part part = parts.get(run.runId());
        if (part == null) {
            return;
        }
        part.running.remove(run.item());
        if (!run.gaveUp(end)) {
            part.outcomes.put(run.item(), end.outcome());
        }
    }

    /** Calls the listeners for each fire that has ended in this instance. */
    void settle(boolean draining) {
        if (parts.isEmpty()) {
            return;
        }
        // a run that was stopped does not wait for listeners: its code never starts, and its item is free at once
        parts.values().forEach(part -> List.copyOf(part.waiting.keySet()).stream()
                .filter(run -> run.stop() != null)
                .forEach(part::start));
        Set<String> toCome = new HashSet<>();
        for (HostedItem hosted : job.items.values()) {
            Fire due = admission.next(hosted);
            if (due != null && hosted.run() == null && (hosted.busy() || (!draining && job.owns(hosted.key())))) {
                toCome.add(due.runId(job.name));
            }
        }
        callAfterEnded(toCome);
    }

    /**
     * Calls the listeners for each fire that has no running item in this instance, even if some of its items are still
     * due. The process is closing the job and starts no further items.
     *
     * @return a stage that completes when the listeners have returned or reached their time limits
     */
    CompletionStage<Void> close() {
        callAfterEnded(Set.of());
        return calls.returned();
    }

    private void callAfterEnded(Set<String> toCome) {
        parts.entrySet().removeIf(entry -> {
            boolean over = entry.getValue().running.isEmpty() && !toCome.contains(entry.getKey());
            if (over) {
                after(entry.getValue());
            }
            return over;
        });
    }

    /** Returns whether all listeners have been called and have returned. */
    boolean idle() {
        return parts.isEmpty() && calls.idle();
    }

    private void before(Part part) {
        if (part.called) {
            return;
        }
        part.called = true;
        JobFire fire = part.fire();
        calls.before(fire, listener -> listener.beforeFire(fire)).thenRun(() -> part.begun.complete(null));
    }

    private void after(Part part) {
        JobFire fire = part.fire();
        Map<String, ItemOutcome> outcomes = Collections.unmodifiableMap(new TreeMap<>(part.outcomes));
        // the drain of the job may wait for these calls; the advance then completes the drain
        calls.after(fire, listener -> listener.afterFire(fire, outcomes)).thenRun(job::advance);
    }
}
