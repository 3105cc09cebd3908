package io.ostraka.core.decide;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireProgress.Once;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.FireView;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Trigger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Decides how the leader ends or repairs the fires of a job. A part of {@link Cleanup}. */
final class FireCleanup {
    private static final String GONE = "its instance left during the run, or no longer takes part";

    private final CleanupInput seen;
    private final int most;
    private final Map<String, Trigger> triggers;
    /**
     * Items whose record one of the steps already writes. A second step with the same record would be refused, because
     * the first step changes the record's version.
     */
    private final Set<String> rewritten = new TreeSet<>();

    FireCleanup(CleanupInput seen, int most) {
        this.seen = seen;
        this.most = most;
        this.triggers = seen.nodes().triggersByFire();
    }

    /**
     * Returns the step that ends an interrupted run; empty if no step is possible in this decision. The step writes the
     * item's record and the progress of its fire. No two steps may write the same node, so each decision ends only one
     * item of a fire.
     *
     * @param settled names of fires that a step already writes
     */
    Optional<CleanupStep> interrupt(ItemView view, Set<String> settled) {
        ItemRecord record = seen.record(view.item());
        if (record == null) {
            return Optional.empty();
        }
        String name = FireProgress.nodeOf(record.requireRun().fire(), record.incarnation());
        FireView fire = seen.nodes().fires().get(name);
        FireProgress from =
                fire == null || fire.progress() == null ? null : fire.progress().value();
        CleanupStep.FireEnd end = null;
        if (from != null && from.left().contains(view.item())) {
            if (!settled.add(name)) {
                return Optional.empty();
            }
            FireProgress to = from.with(Map.of(view.item(), ItemOutcome.INTERRUPTED));
            end = new CleanupStep.FireEnd(name, to, to.done() && triggers.containsKey(name));
        }
        Map<String, ItemRecord> records =
                Map.of(view.item(), record.completed(seen.now(), ItemOutcome.INTERRUPTED, GONE));
        return Optional.of(new CleanupStep.Settle(CleanupStep.Cause.INTERRUPTED, records, end, null));
    }

    /** Returns the step that ends or repairs a fire; empty if no step is possible or necessary now. */
    Optional<CleanupStep> settle(FireView fire) {
        Trigger trigger = triggers.get(fire.fire());
        if (fire.damage() != null && !fire.damage().replaceable()) {
            return Optional.empty();
        }
        if (trigger != null && seen.plan().total() == 0) {
            return ofRemovedJob(fire, trigger);
        }
        FireProgress progress = fire.progress() == null ? null : fire.progress().value();
        if (progress != null && uncalled(fire) && !seen.wanted().onceListeners()) {
            FireProgress to = progress.told(null);
            return settled(CleanupStep.Cause.NO_ONCE_LISTENER, fire, to, to.done() && trigger != null);
        }
        if (trigger != null) {
            return triggered(fire, trigger);
        }
        if (FireProgress.scheduled(fire.fire())) {
            return progress == null || progress.once() == null
                    ? damaged(fire)
                    : scheduled(fire, progress, progress.once());
        }
        return seen.nodes().whole() && seen.plan().total() > 0 ? untriggered(fire) : Optional.empty();
    }

    private static Optional<CleanupStep> settled(
            CleanupStep.Cause cause, FireView fire, FireProgress to, boolean endsTrigger) {
        return Optional.of(
                new CleanupStep.Settle(cause, Map.of(), new CleanupStep.FireEnd(fire.fire(), to, endsTrigger), null));
    }

    private Optional<CleanupStep> damaged(FireView fire) {
        return fire.damage() == null || !seen.nodes().whole() || seen.plan().total() == 0
                ? Optional.empty()
                : Optional.of(new CleanupStep.DeleteFire(fire));
    }

    /** Returns true if the fire's once-listeners must still be called, and no registered instance is calling them. */
    boolean uncalled(FireView fire) {
        Once once = fire.progress() == null ? null : fire.progress().value().once();
        return once != null
                && seen.wanted().planned()
                && once.calling()
                && (once.caller() == null || seen.gone().contains(once.caller()))
                && (triggers.containsKey(fire.fire()) || FireProgress.scheduled(fire.fire()));
    }

    /**
     * Ends a triggered fire of a removed job: the remaining items skip the fire. However, if the plan is closed, the
     * job is being created again, and a trigger whose fire has not begun waits for the new items.
     */
    private Optional<CleanupStep> ofRemovedJob(FireView fire, Trigger trigger) {
        boolean begun = fire.progress() != null || fire.damage() != null;
        if (!begun && seen.plan().closed()) {
            return Optional.empty();
        }
        FireProgress from = fire.progress() == null
                ? new FireProgress(trigger.name(), Set.of(), Map.of(), null)
                : fire.progress().value();
        FireProgress to = from.with(skipping(from.left()));
        if (!to.done() && from.left().isEmpty()) {
            return Optional.empty(); // an instance is calling the once-listeners
        }
        return Optional.of(new CleanupStep.Settle(
                CleanupStep.Cause.REMOVED,
                Map.of(),
                new CleanupStep.FireEnd(fire.fire(), to, to.done()),
                from.left().isEmpty() ? null : new CleanupStep.Skip(from.left(), trigger.fire(), SkipReason.REMOVED)));
    }

    private static Map<String, ItemOutcome> skipping(Set<String> items) {
        return items.stream().collect(Collectors.toMap(item -> item, item -> ItemOutcome.SKIPPED));
    }

    /**
     * Repairs a triggered fire. An item's record and the progress of the fire are always written in one transaction. If
     * a record's trigger cursor has passed the trigger but the progress still lists the item, the progress node was
     * damaged or deleted. This step then records in the progress that the item has ended. The fire also ends for idle
     * items that the plan no longer contains.
     */
    private Optional<CleanupStep> triggered(FireView fire, Trigger trigger) {
        FireProgress from = fire.progress() == null ? null : fire.progress().value();
        FireProgress present =
                from == null ? FireProgress.begun(trigger, seen.plan().keys()) : from;
        boolean repeated = present.done() && !trigger.name().equals(present.trigger());
        if (repeated) {
            // this trigger and another one come from a request that was sent twice; their common fire has ended
            present = new FireProgress(trigger.name(), Set.of(), present.outcomes(), null);
        }
        Map<String, ItemOutcome> ended = new TreeMap<>();
        Set<String> skipped = new TreeSet<>();
        for (String item : present.left()) {
            ItemRecord record = seen.record(item);
            boolean lost =
                    record == null || record.state() == ItemState.RETIRED; // the item's owner writes a new record
            boolean leaves = seen.absent(item) && seen.known(item) && seen.idle(item);
            boolean decided = record != null && !lost && record.triggerCursor() >= trigger.zxid();
            if (leaves || (decided && seen.nodes().whole())) {
                ended.put(item, outcome(record, fire.fire()));
                if (!decided) {
                    skipped.add(item);
                }
            }
        }
        if (ended.isEmpty() && !seen.nodes().whole()) {
            return Optional.empty();
        }
        FireProgress to = present.with(ended);
        boolean untouched =
                from == null ? fire.damage() == null && ended.isEmpty() && !to.done() : to.equals(from) && !to.done();
        CleanupStep.Cause cause = !skipped.isEmpty() && skipped.equals(ended.keySet())
                ? CleanupStep.Cause.SKIPPED
                : CleanupStep.Cause.REPAIRED;
        return untouched
                ? Optional.empty()
                : Optional.of(new CleanupStep.Settle(
                        cause,
                        Map.of(),
                        new CleanupStep.FireEnd(fire.fire(), to, to.done()),
                        skipped.isEmpty()
                                ? null
                                : new CleanupStep.Skip(skipped, trigger.fire(), SkipReason.NO_INSTANCE)));
    }

    private static ItemOutcome outcome(@Nullable ItemRecord record, String fire) {
        Run run = record == null ? null : record.run();
        ItemOutcome outcome = record == null ? null : record.outcome();
        return run != null && outcome != null && run.fire().id().equals(fire) ? outcome : ItemOutcome.SKIPPED;
    }

    /** Ends a triggered fire after its trigger was deleted by hand. */
    private Optional<CleanupStep> untriggered(FireView fire) {
        if (fire.damage() != null) {
            return Optional.of(new CleanupStep.DeleteFire(fire));
        }
        FireProgress from = fire.progress() == null ? null : fire.progress().value();
        if (from == null || from.done() || from.trigger() == null) {
            return Optional.empty();
        }
        if (from.left().isEmpty()) {
            FireProgress ended = new FireProgress(from.trigger(), Set.of(), from.outcomes(), null);
            return settled(
                    CleanupStep.Cause.REPAIRED, fire, ended, false); // clients that wait for the end can continue
        }
        Map<String, ItemOutcome> ended = new TreeMap<>();
        for (String item : from.left()) {
            ItemRecord record = seen.record(item);
            boolean runs = record != null
                    && record.unfinished()
                    && record.requireRun().fire().id().equals(fire.fire());
            if (!runs) {
                ended.put(item, outcome(record, fire.fire()));
            }
        }
        return ended.isEmpty() ? Optional.empty() : settled(CleanupStep.Cause.REPAIRED, fire, from.with(ended), false);
    }

    /**
     * Ends a scheduled fire for the items that will not run it. If an item's cursor (its latest claimed or skipped
     * fire) is before this fire, the same transaction moves the cursor, so the item cannot claim the fire later. If an
     * item's record will be deleted, the step does not write it.
     */
    private Optional<CleanupStep> scheduled(FireView fire, FireProgress progress, Once once) {
        Map<String, ItemOutcome> ended = new TreeMap<>();
        Map<String, ItemRecord> records = new TreeMap<>();
        boolean quiet = fire.progress() != null
                && Duration.between(fire.progress().modified(), seen.now()).compareTo(CleanupInput.QUIET) >= 0;
        for (String item : progress.left()) {
            ItemRecord record = seen.record(item);
            if (seen.removable(item)) {
                ended.put(item, ItemOutcome.SKIPPED);
            } else if (!quiet || !seen.known(item) || !seen.wanted().planned()) {
                continue;
            } else if (record == null) {
                ItemView view = seen.nodes().items().get(item);
                if (seen.absent(item) && (view == null || view.damage() == null)) {
                    ended.put(item, ItemOutcome.SKIPPED);
                }
            } else if (decided(record, once)) {
                ended.put(item, outcome(record, once));
            } else if (seen.wanted().times() != null && records.size() < most && !rewritten.contains(item)) {
                FireTimes times = seen.wanted().times().of(record);
                excluded(item, record, times, once).ifPresent(reason -> {
                    rewritten.add(item);
                    ended.put(item, ItemOutcome.SKIPPED);
                    records.put(item, skipping(item, record, times, once.at(), reason));
                });
            }
        }
        return ended.isEmpty()
                ? Optional.empty()
                : Optional.of(new CleanupStep.Settle(
                        CleanupStep.Cause.SKIPPED,
                        records,
                        new CleanupStep.FireEnd(fire.fire(), progress.with(ended), false),
                        null));
    }

    /**
     * Returns whether an item can no longer claim the fire. This is the case if the item has run or skipped the fire,
     * if it is retired, or if its record has another incarnation and so belongs to another set of item records.
     */
    private static boolean decided(ItemRecord record, Once once) {
        boolean runs = record.unfinished() && runs(record, once);
        return record.incarnation() != once.incarnation()
                || record.state() == ItemState.RETIRED
                || (!runs && !record.cursor().isBefore(once.at()));
    }

    private static boolean runs(ItemRecord record, Once once) {
        Run run = record.run();
        return run != null && !run.fire().triggered() && run.fire().at().equals(once.at());
    }

    private static ItemOutcome outcome(ItemRecord record, Once once) {
        ItemOutcome outcome = record.outcome();
        return runs(record, once) && outcome != null ? outcome : ItemOutcome.SKIPPED;
    }

    private Optional<SkipReason> excluded(String item, ItemRecord record, FireTimes times, Once once) {
        if (record.unfinished()) {
            return Optional.empty();
        }
        if (seen.absent(item)) {
            return Optional.of(SkipReason.NO_INSTANCE);
        }
        if (record.state() == ItemState.QUARANTINED) {
            return Optional.of(SkipReason.QUARANTINED);
        }
        if (seen.wanted().disabledItems().contains(item)) {
            return Optional.of(SkipReason.DISABLED);
        }
        if (seen.wanted().paused()) {
            return Optional.of(SkipReason.PAUSED);
        }
        // a later claim would skip this fire, too, but may be far away
        Instant since = Backlog.later(record.cursor(), seen.plan().since());
        if (!since.isBefore(once.at()) || times.latest(since, once.at(), 1).isEmpty()) {
            return Optional.of(SkipReason.SCHEDULE_CHANGED);
        }
        return once.at().isAfter(seen.plan().startsAfter())
                ? Optional.empty()
                : Optional.of(SkipReason.SKIPPED_BY_OPERATOR);
    }

    private ItemRecord skipping(String item, ItemRecord record, FireTimes times, Instant fire, SkipReason reason) {
        Instant cursor = record.cursor();
        Instant since = Backlog.earlier(Backlog.later(cursor, seen.plan().since()), fire);
        List<Skipped> skipped = Stream.of(
                        times.skipped(cursor, since, SkipReason.SCHEDULE_CHANGED),
                        times.skipped(since, fire, reason),
                        begunEarly(item, record, times, fire))
                .flatMap(Optional::stream)
                .toList();
        return record.rewritten(record.state(), fire, record.triggerCursor(), record.incarnation())
                .skippedFrom(skipped, cursor);
    }

    /**
     * Returns the undecided fires up to an instant that the plan's schedules do not contain. An instance whose clock is
     * ahead of the server's clock began such a fire, and the schedule was replaced before the fire was due.
     */
    private Optional<Skipped> begunEarly(String item, ItemRecord record, FireTimes times, Instant upTo) {
        List<Instant> early = seen.nodes().fires().values().stream()
                .flatMap(fire -> Stream.ofNullable(fire.progress()))
                .filter(progress -> progress.value().trigger() == null
                        && progress.value().left().contains(item))
                .flatMap(progress -> Stream.ofNullable(progress.value().once()))
                .filter(once -> once.incarnation() == record.incarnation())
                .map(Once::at)
                .filter(at -> at.isAfter(record.cursor()) && !at.isAfter(upTo))
                .filter(at -> times.latest(at.minusMillis(1), at, 1).isEmpty())
                .sorted()
                .toList();
        return early.isEmpty()
                ? Optional.empty()
                : Optional.of(new Skipped(
                        early.get(0), early.get(early.size() - 1), early.size(), SkipReason.SCHEDULE_CHANGED));
    }
}
