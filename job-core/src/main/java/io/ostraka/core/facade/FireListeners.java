package io.ostraka.core.facade;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobListener;
import io.ostraka.core.execution.ItemRun;
import io.ostraka.core.execution.LimitedCall;
import io.ostraka.core.execution.RunEnd;
import io.ostraka.core.model.Fire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a job's listeners of the fires that this instance has part in: items wait until it is told that their fire begins,
 * and it has ended once none runs and none is due. Derived from what runs here; nobody is asked. Confined to the job's lane.
 */
final class FireListeners {
    private static final Logger log = LoggerFactory.getLogger(FireListeners.class);

    private final JobState job;
    private final List<Listening> beforeOrder;
    private final List<Listening> afterOrder;
    private final Map<String, Part> parts = new LinkedHashMap<>();
    /** Completed once all that was to be told has been told, or has had its time. */
    private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);

    private record Listening(JobListener listener, LimitedCall call) {}

    /** What is told of. */
    private interface Occurrence {
        void tell(JobListener listener) throws Exception;
    }

    /** This instance's part in a fire. */
    private static final class Part {
        final ItemRun first;
        final CompletableFuture<Void> begun = new CompletableFuture<>();
        final Map<ItemRun, Runnable> waiting = new LinkedHashMap<>();
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

    /** Takes listeners, in any order. */
    FireListeners(JobState job, List<? extends JobListener> listeners) {
        this.job = job;
        List<Listening> all = new ArrayList<>();
        for (JobListener listener : listeners) {
            Duration limit = listener.timeLimit();
            if (limit == null || limit.isNegative() || limit.isZero()) { // users' code
                throw new JobConfigurationException(
                        job.name, "timeLimit of " + listener.getClass().getName(), limit, "more than 0");
            }
            all.add(new Listening(listener, new LimitedCall(job.wiring.platform(), limit)));
        }
        all.sort(Comparator.comparingInt(each -> each.listener.order()));
        this.beforeOrder = List.copyOf(all);
        Collections.reverse(all);
        this.afterOrder = List.copyOf(all);
    }

    /** Starts an item's run, once the listeners know that its fire begins. */
    void begin(ItemRun run, Runnable start) {
        if (beforeOrder.isEmpty()) {
            start.run();
            return;
        }
        Part part = parts.get(run.runId());
        if (part == null) {
            Part begins = new Part(run);
            part = begins;
            parts.put(run.runId(), part);
            job.lane.execute(() -> before(begins)); // once all that were claimed together are there
        }
        Part of = part;
        of.items.add(run.item());
        of.running.add(run.item());
        of.waiting.put(run, start);
        of.begun.thenRunAsync(() -> of.start(run), job.lane);
    }

    /** An item's run has ended. */
    void ended(ItemRun run, RunEnd end) {
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
        for (ItemHold hold : job.holds.values()) {
            Fire due = hold.due();
            if (due != null && hold.run == null && (hold.busy() || (!draining && job.owns(hold.item)))) {
                toCome.add(due.runId(job.name));
            }
        }
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
        return parts.isEmpty() && told.isDone();
    }

    private void before(Part part) {
        JobFire fire = part.fire();
        tell(beforeOrder, "before", fire, listener -> listener.beforeFire(fire));
        told.thenRun(() -> part.begun.complete(null));
    }

    private void after(Part part) {
        JobFire fire = part.fire();
        Map<String, ItemOutcome> outcomes = Collections.unmodifiableMap(new TreeMap<>(part.outcomes));
        tell(afterOrder, "after", fire, listener -> listener.afterFire(fire, outcomes));
        told.thenRunAsync(job::advance, job.lane); // the job may be waiting for it to be closed
    }

    private void tell(List<Listening> inOrder, String when, JobFire fire, Occurrence occurrence) {
        for (Listening each : inOrder) {
            told = told.thenCompose(done -> each.call.call(() -> occurrence.tell(each.listener)))
                    .exceptionally(failure -> {
                        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                        log.error(
                                "job '{}': listener {} failed {} fire {}",
                                job.name,
                                each.listener.getClass().getName(),
                                when,
                                fire.runId(),
                                cause);
                        return null;
                    });
        }
    }
}
