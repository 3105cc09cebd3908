package io.ostraka.core.model;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Manual triggers, as read from ZooKeeper.
 *
 * @param readable triggers, oldest first
 * @param unreadable triggers that this instance cannot read, in no particular order
 */
public record Triggers(List<Trigger> readable, List<UnreadableTrigger> unreadable) {
    /** No triggers. */
    public static final Triggers NONE = new Triggers(List.of(), List.of());

    /** Sorts and copies the triggers. */
    public Triggers {
        readable = isSorted(readable)
                ? List.copyOf(readable)
                : readable.stream()
                        .sorted(Comparator.comparingLong(Trigger::zxid))
                        .toList();
        unreadable = List.copyOf(unreadable);
    }

    private static boolean isSorted(List<Trigger> triggers) {
        long last = Long.MIN_VALUE;
        for (Trigger trigger : triggers) {
            if (trigger.zxid() < last) {
                return false;
            }
            last = trigger.zxid();
        }
        return true;
    }

    /** Returns the triggers of one job. */
    public Triggers of(String job) {
        return new Triggers(
                readable.stream()
                        .filter(trigger -> trigger.request().job().equals(job))
                        .toList(),
                unreadable.stream().filter(trigger -> job.equals(trigger.job())).toList());
    }

    /** Returns all triggers except the trigger of one fire. */
    public Triggers without(String runId) {
        return new Triggers(
                readable.stream()
                        .filter(trigger -> !trigger.request().runId().equals(runId))
                        .toList(),
                unreadable);
    }

    /** Returns the oldest unreadable trigger, for which later triggers wait; empty if all are readable. */
    public Optional<UnreadableTrigger> blocker() {
        return unreadable.stream().min(Comparator.comparingLong(UnreadableTrigger::zxid));
    }

    /**
     * Returns the triggers that items may take: the triggers before the first unreadable one. If an item took a later
     * trigger, its record would count the unreadable trigger as decided.
     */
    public List<Trigger> open() {
        long limit = blocker().map(UnreadableTrigger::zxid).orElse(Long.MAX_VALUE);
        return unreadable.isEmpty()
                ? readable
                : readable.stream().filter(trigger -> trigger.zxid() < limit).toList();
    }

    /** Returns whether an unreadable trigger has caused the fire. */
    public boolean hide(FireView fire) {
        Set<String> names = unreadable.stream().map(UnreadableTrigger::name).collect(Collectors.toSet());
        String trigger =
                fire.progress() == null ? null : fire.progress().value().trigger();
        return trigger != null && names.contains(trigger);
    }
}
