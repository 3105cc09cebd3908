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
 * Tells a job's listeners of the fires that this instance has part in: items wait until it is told that their fire begins,
 * and it has ended once none runs and none is due. Derived from what runs here; nobody is asked. Confined to the job's lane.
 */
final class JobListenerGate implements StartGate {
    private final JobState job;
    private final OnceListenerGate once;
    private final ListenerCalls<JobListener> calls;
    private final Map<String, Part> parts = new LinkedHashMap<>();

    /** This instance's part in a fire. */
    private static final class Part {
        final ItemRun first;
        final CompletableFuture<Void> begun = new CompletableFuture<>();
        final Map<ItemRun, Runnable> waiting = new LinkedHashMap<>();
        boolean told;
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

    JobListenerGate(JobState job, List<? extends JobListener> listeners, OnceListenerGate once) {
        this.job = job;
        this.once = once;
        this.calls = new ListenerCalls<>(job, listeners);
    }

    /**
     * Starts an item's run, once the listeners know that its fire begins.
     *
     * <p>The fire's once-listeners come first.
     */
    @Override
    public void pass(ItemRun run, Runnable start) {
        Part part = parts.computeIfAbsent(run.runId(), runId -> new Part(run));
        part.items.add(run.item());
        part.running.add(run.item());
        part.outcomes.remove(run.item()); // of a run that was handed over, and has come back
        part.waiting.put(run, start);
        // the listeners are called after all items of the batch have passed, so that they see all of them
        once.opened(run)
                .thenRunAsync(
                        () -> {
                            before(part);
                            part.begun.thenRunAsync(() -> part.start(run), job::execute);
                        },
                        job::execute);
    }

    /** An item's run has ended. */
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

    /** Tells of the fires of which nothing runs here any more, and nothing more is due. */
    void settle(boolean draining) {
        if (parts.isEmpty()) {
            return;
        }
        // whoever is told to end waits for no listener: its code won't begin, and its item can go to another at once
        parts.values().forEach(part -> List.copyOf(part.waiting.keySet()).stream()
                .filter(run -> run.stop() != null)
                .forEach(part::start));
        Set<String> toCome = new HashSet<>();
        for (HostedItem hosted : job.items.values()) {
            Fire due = hosted.next();
            if (due != null && hosted.run() == null && (hosted.busy() || (!draining && job.owns(hosted.key())))) {
                toCome.add(due.runId(job.name));
            }
        }
        tellOver(toCome);
    }

    /**
     * Tells of all fires of which nothing runs here, whatever else of them is due: the process lets go of the job, and a claim
     * whose outcome it will not learn is no reason to stay silent.
     *
     * @return completes when the listeners have been told, or have had their time
     */
    CompletionStage<Void> close() {
        tellOver(Set.of());
        return calls.told();
    }

    private void tellOver(Set<String> toCome) {
        parts.entrySet().removeIf(entry -> {
            boolean over = entry.getValue().running.isEmpty() && !toCome.contains(entry.getKey());
            if (over) {
                after(entry.getValue());
            }
            return over;
        });
    }

    /** Tells whether there is nothing left to tell. */
    boolean idle() {
        return parts.isEmpty() && calls.idle();
    }

    private void before(Part part) {
        if (part.told) {
            return;
        }
        part.told = true;
        JobFire fire = part.fire();
        calls.before(fire.runId(), listener -> listener.beforeFire(fire)).thenRun(() -> part.begun.complete(null));
    }

    private void after(Part part) {
        JobFire fire = part.fire();
        Map<String, ItemOutcome> outcomes = Collections.unmodifiableMap(new TreeMap<>(part.outcomes));
        // the job may be waiting for it to be closed
        calls.after(fire.runId(), listener -> listener.afterFire(fire, outcomes))
                .thenRun(job::advance);
    }
}
