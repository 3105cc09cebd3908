package io.ostraka.core.model;

import io.ostraka.api.Alarm;
import io.ostraka.api.Alarm.State;
import io.ostraka.api.AlarmKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The alarms of a job, or those of the namespace, as their node contains them. Each alarm is written before it is
 * delivered, and the deliveries are marked afterwards. A new leader therefore forgets no alarm, and repeats only
 * deliveries that are not marked.
 *
 * @param job name of the job; null for the alarms of the namespace
 * @param alarms alarms, oldest first. The last alarm of a kind is the current or latest one; earlier alarms of the kind
 *     stay only until they are delivered
 */
public record JobAlarms(@Nullable String job, List<Entry> alarms) {
    /**
     * Largest number of alarms in a node. If there are more, the oldest alarm that has a successor of its kind is
     * dropped, and the successor counts it.
     */
    public static final int MOST_ALARMS = 40;

    private static final int LONGEST_TEXT = 1_000;

    /**
     * An alarm.
     *
     * @param id id of the alarm
     * @param since start of the problem
     * @param began time on the server's clock at which the alarm began
     * @param ended time on the server's clock at which the alarm ended; null while it lasts
     * @param silenced true if an operator silences the alarm, or silenced it until its end. A handler that has not
     *     received its beginning then receives no message about it
     * @param told names of the handlers that have received the message about the beginning
     * @param toldEnd names of the handlers that have received the message about the end
     * @param complete true if the alarm has ended and all handlers of a leader have received both messages. A handler
     *     that is added later receives none
     * @param dropped number of earlier alarms of the kind that were dropped before a handler received all messages
     *     about them, by the name of the handler
     */
    public record Entry(
            String id,
            AlarmKind kind,
            Instant since,
            Instant began,
            @Nullable Instant ended,
            String text,
            List<String> items,
            int itemCount,
            boolean silenced,
            Set<String> told,
            Set<String> toldEnd,
            boolean complete,
            Map<String, Integer> dropped) {
        /** Checks and copies the values. */
        public Entry {
            Names.requirePrintable("id", id, LONGEST_TEXT);
            text = Names.excerpt(text, LONGEST_TEXT);
            items = List.copyOf(items);
            told = Collections.unmodifiableSet(new TreeSet<>(told));
            toldEnd = Collections.unmodifiableSet(new TreeSet<>(toldEnd));
            dropped = Collections.unmodifiableMap(new TreeMap<>(dropped));
        }

        /** Returns whether the alarm has not ended. */
        public boolean firing() {
            return ended == null;
        }

        /** Returns whether no message about the alarm is due to any of these handlers. */
        public boolean delivered(Collection<String> handlers) {
            return handlers.stream().allMatch(handler -> due(handler).isEmpty());
        }

        /** Returns the next state that must be delivered to a handler; empty if there is none. */
        public Optional<State> due(String handler) {
            if (complete || toldEnd.contains(handler)) {
                return Optional.empty();
            }
            if (!told.contains(handler)) {
                return silenced ? Optional.empty() : Optional.of(State.FIRING);
            }
            return firing() ? Optional.empty() : Optional.of(State.RESOLVED);
        }

        /** Returns the alarm after a handler has received the message about a state. */
        public Entry told(String handler, State state) {
            Set<String> beginning = new TreeSet<>(told);
            Set<String> end = new TreeSet<>(toldEnd);
            (state == State.FIRING ? beginning : end).add(handler);
            return with(ended, silenced, beginning, end, complete, dropped);
        }

        /** Returns the alarm after its end. */
        public Entry ended(Instant at) {
            return with(at, silenced, told, toldEnd, complete, dropped);
        }

        /**
         * Returns the alarm after an operator's silence has begun or ended. A silence applies to an ended alarm for
         * good, so that the messages that still wait are not delivered after the silence either.
         */
        public Entry silenced(boolean silence) {
            boolean now = firing() ? silence : silenced || (silence && !complete);
            return with(ended, now, told, toldEnd, complete, dropped);
        }

        /** Returns the alarm with a description of the problem as it is now. */
        public Entry described(String now, List<String> affected, int count) {
            return new Entry(
                    id, kind, since, began, ended, now, affected, count, silenced, told, toldEnd, complete, dropped);
        }

        /** Returns the alarm, marked as complete if it has ended and these handlers have received both messages. */
        public Entry completedBy(Collection<String> handlers) {
            return with(ended, silenced, told, toldEnd, complete || (!firing() && delivered(handlers)), dropped);
        }

        /**
         * Returns the alarm, which also counts an earlier one that is dropped.
         *
         * @param handlers names of the handlers that receive alarms
         */
        private Entry following(Entry earlier, Collection<String> handlers) {
            Map<String, Integer> counts = new TreeMap<>(dropped);
            earlier.dropped.forEach((handler, count) -> {
                if (!earlier.told.contains(handler)) {
                    counts.merge(handler, count, Integer::sum);
                }
            });
            for (String handler : handlers) {
                if (earlier.due(handler).isPresent()) {
                    counts.merge(handler, 1, Integer::sum);
                }
            }
            return with(ended, silenced, told, toldEnd, complete, counts);
        }

        private Entry with(
                @Nullable Instant end,
                boolean silence,
                Set<String> beginning,
                Set<String> endTold,
                boolean done,
                Map<String, Integer> missed) {
            return new Entry(
                    id, kind, since, began, end, text, items, itemCount, silence, beginning, endTold, done, missed);
        }

        /**
         * Returns the message about a state of the alarm.
         *
         * @param handler name of the handler that receives the message; null if the message is not delivered
         */
        public Alarm message(
                String namespace,
                @Nullable String job,
                State state,
                Map<String, String> labels,
                @Nullable String handler) {
            int missed = handler == null ? 0 : dropped.getOrDefault(handler, 0);
            return new Alarm(
                    id,
                    namespace,
                    job,
                    kind,
                    state,
                    since,
                    state == State.FIRING || ended == null ? began : ended,
                    missed == 0
                            ? text
                            : text + "; before it, " + missed
                                    + " alarms of this kind began and ended that this handler did not receive",
                    items,
                    itemCount,
                    labels);
        }
    }

    /** Checks and copies the values. */
    public JobAlarms {
        if (job != null) {
            Names.requireJob(job);
        }
        alarms = List.copyOf(alarms);
    }

    /** Returns the value for a job without alarms, or for the namespace if the job is null. */
    public static JobAlarms none(@Nullable String job) {
        return new JobAlarms(job, List.of());
    }

    /** Returns the current or latest alarm of a kind; empty if there was none. */
    public Optional<Entry> latest(AlarmKind kind) {
        return alarms.stream().filter(entry -> entry.kind() == kind).reduce((first, second) -> second);
    }

    /** Returns the alarms that have not ended. */
    public Stream<Entry> firing() {
        return alarms.stream().filter(Entry::firing);
    }

    /** Returns a copy in which the changed alarm replaces the alarm with the same id. */
    public JobAlarms with(Entry changed) {
        return new JobAlarms(
                job,
                alarms.stream()
                        .map(entry -> entry.id().equals(changed.id()) ? changed : entry)
                        .toList());
    }

    /**
     * Returns a copy with a new alarm. Earlier alarms of the same kind are dropped if they have been delivered.
     *
     * @param handlers names of the handlers that receive alarms
     */
    public JobAlarms adding(Entry begun, Collection<String> handlers) {
        List<Entry> all = new ArrayList<>();
        for (Entry entry : alarms) {
            if (entry.kind() != begun.kind() || !entry.delivered(handlers)) {
                all.add(entry);
            }
        }
        all.add(begun);
        if (all.size() > MOST_ALARMS) {
            drop(all, handlers);
        }
        return new JobAlarms(job, all);
    }

    /** Drops the oldest alarm with a successor of its kind. There are more alarms than kinds, so there is one. */
    private static void drop(List<Entry> all, Collection<String> handlers) {
        for (int i = 0; i < all.size(); i++) {
            for (int later = i + 1; later < all.size(); later++) {
                if (all.get(later).kind() == all.get(i).kind()) {
                    all.set(later, all.get(later).following(all.get(i), handlers));
                    all.remove(i);
                    return;
                }
            }
        }
    }

    /**
     * Returns the number of dropped alarms that the handlers do not know of yet, by the name of the handler. A handler
     * learns the number with the next message about an alarm of the same kind.
     */
    public Map<String, Integer> dropped() {
        Map<String, Integer> counts = new TreeMap<>();
        for (Entry entry : alarms) {
            entry.dropped.forEach((handler, count) -> {
                if (entry.due(handler).equals(Optional.of(State.FIRING))) {
                    counts.merge(handler, count, Integer::sum);
                }
            });
        }
        return counts;
    }
}
