package io.ostraka.core.instance;

import io.ostraka.core.coordination.Fires;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.model.UnreadableTrigger;
import io.ostraka.core.time.Refresh;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Local copy of the manual triggers that wait in ZooKeeper. Confined to the instance's executor. */
final class WaitingTriggers {
    private static final Logger log = LoggerFactory.getLogger(WaitingTriggers.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Fires fires;
    private final InstanceExecutor executor;
    private final BooleanSupplier established;
    private final BiConsumer<String, Triggers> changed;
    /** Triggers in ZooKeeper, by node name. */
    private final Map<String, Trigger> waiting = new HashMap<>();
    /** The triggers of {@link #waiting}, by job and then by creation order. */
    private final Map<String, NavigableMap<Long, Trigger>> ofJobs = new HashMap<>();
    /** Triggers in ZooKeeper that are unreadable, by node name. */
    private final Map<String, UnreadableTrigger> unreadable = new HashMap<>();
    /** Run ids of the triggers in {@link #waiting}. */
    private final Set<String> waitingRuns = new HashSet<>();

    private final Refresh<Triggers> refresh;
    /** Number of complete reads. */
    private long reads;
    /**
     * Triggers that are being read individually, by node name. The value is true if the trigger was deleted during the
     * read.
     */
    private final Map<String, Boolean> readAlone = new HashMap<>();
    /** Jobs that still have to be notified of a change of their triggers. */
    private final Set<String> changedJobs = new HashSet<>();

    /**
     * @param established returns whether the instance is connected and has written its node
     * @param changed called with a job and all its triggers after they have changed
     */
    WaitingTriggers(
            Fires fires, InstanceExecutor executor, BooleanSupplier established, BiConsumer<String, Triggers> changed) {
        this.fires = fires;
        this.executor = executor;
        this.established = established;
        this.changed = changed;
        this.refresh =
                new Refresh<>("the read of the triggers", executor, PAUSE, established, fires::triggers, read -> {
                    reads++;
                    update(read, name -> true);
                });
    }

    /** Returns the triggers of a job that exist in ZooKeeper. */
    Triggers of(String job) {
        return new Triggers(
                List.copyOf(ofJobs.getOrDefault(job, Collections.emptyNavigableMap())
                        .values()),
                unreadable.values().stream()
                        .filter(trigger -> job.equals(trigger.job()))
                        .toList());
    }

    /** Returns whether the trigger of a run waits in ZooKeeper. */
    boolean hasRun(String runId) {
        return waitingRuns.contains(runId);
    }

    /** Returns the number of complete reads so far. */
    long reads() {
        return reads;
    }

    /** Reads all triggers. Called when several triggers may have been created or deleted. */
    void read() {
        refresh.demand();
    }

    /** Reads one trigger that was created or changed, or removes one that was deleted. */
    void triggerChanged(String name, boolean gone) {
        if (gone) {
            readAlone.computeIfPresent(name, (known, before) -> true);
            remove(name);
        }
        if (!refresh.idle()) {
            refresh.demand(); // the read under way may miss this change, so another read follows
        } else if (!gone && established.getAsBoolean() && readAlone.putIfAbsent(name, false) == null) {
            Stages.of(() -> fires.trigger(name))
                    .whenComplete((trigger, error) -> executor.execute(() -> {
                        boolean goneMeanwhile = readAlone.remove(name);
                        if (error != null) {
                            refresh.demandAfter(PAUSE);
                        } else if (!goneMeanwhile) {
                            update(trigger, name::equals);
                        }
                    }));
        }
    }

    private void put(Trigger trigger) {
        if (!trigger.equals(waiting.get(trigger.name()))) {
            remove(trigger.name());
            waiting.put(trigger.name(), trigger);
            waitingRuns.add(trigger.request().runId());
            ofJobs.computeIfAbsent(trigger.request().job(), job -> new TreeMap<>())
                    .put(trigger.zxid(), trigger);
            notifyLater(trigger.request().job());
        }
    }

    private void put(UnreadableTrigger trigger) {
        if (!trigger.equals(unreadable.get(trigger.name()))) {
            log.warn(
                    "{}; later triggers of the job that it names wait for it",
                    trigger.damage().text());
            remove(trigger.name());
            unreadable.put(trigger.name(), trigger);
            notifyLater(trigger.job());
        }
    }

    private void remove(String name) {
        UnreadableTrigger former = unreadable.remove(name);
        if (former != null) {
            notifyLater(former.job());
        }
        Trigger trigger = waiting.remove(name);
        if (trigger != null) {
            String job = trigger.request().job();
            waitingRuns.remove(trigger.request().runId());
            ofJobs.computeIfPresent(job, (known, ofJob) -> {
                ofJob.remove(trigger.zxid());
                return ofJob.isEmpty() ? null : ofJob;
            });
            notifyLater(job);
        }
    }

    /**
     * Notifies a job, in a later step, that its triggers have changed. One notification covers all changes until then.
     */
    private void notifyLater(@Nullable String job) {
        if (job == null) {
            return; // an unreadable trigger that names no job
        }
        if (changedJobs.isEmpty()) {
            executor.execute(() -> {
                List<String> jobs = List.copyOf(changedJobs);
                changedJobs.clear();
                jobs.forEach(each -> changed.accept(each, of(each)));
            });
        }
        changedJobs.add(job);
    }

    /**
     * Updates the local copy with the triggers that were read.
     *
     * @param covered returns true if the read covered the node with the given name. A trigger that was covered but not
     *     found no longer exists
     */
    private void update(Triggers read, Predicate<String> covered) {
        Set<String> found = new HashSet<>();
        for (Trigger trigger : read.readable()) {
            found.add(trigger.name());
            put(trigger);
        }
        for (UnreadableTrigger trigger : read.unreadable()) {
            found.add(trigger.name());
            put(trigger);
        }
        Stream.concat(waiting.keySet().stream(), unreadable.keySet().stream())
                .filter(name -> covered.test(name) && !found.contains(name))
                .toList()
                .forEach(this::remove);
    }
}
