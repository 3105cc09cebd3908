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
    /** Largest number of alarms in a node. If there are more, the oldest ended alarms are dropped. */
    public static final int MOST_ALARMS = 40;

    private static final int LONGEST_TEXT = 1_000;

    /**
     * An alarm.
     *
     * @param id id of the alarm
     * @param since start of the problem
     * @param began time on the server's clock at which the alarm began
     * @param ended time on the server's clock at which the alarm ended; null while it lasts
     * @param silenced true if an operator has silenced the alarm and no handler has received it yet
     * @param told names of the handlers that have received the message about the beginning
     * @param toldEnd names of the handlers that have received the message about the end
     * @param complete true if the alarm has ended and all handlers of a leader have received both messages. A handler
     *     that is added later receives none
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
            boolean complete) {
        /** Checks and copies the values. */
        public Entry {
            Names.requirePrintable("id", id, LONGEST_TEXT);
            text = Names.excerpt(text, LONGEST_TEXT);
            items = List.copyOf(items);
            told = Collections.unmodifiableSet(new TreeSet<>(told));
            toldEnd = Collections.unmodifiableSet(new TreeSet<>(toldEnd));
        }

        /** Returns whether the alarm has not ended. */
        public boolean firing() {
            return ended == null;
        }

        /** Returns whether each of these handlers has received all messages about the alarm. */
        public boolean delivered(Collection<String> handlers) {
            return silenced || complete || (told.containsAll(handlers) && (firing() || toldEnd.containsAll(handlers)));
        }

        /** Returns the next state that must be delivered to a handler; empty if there is none. */
        public Optional<State> due(String handler) {
            if (silenced || complete) {
                return Optional.empty();
            }
            if (!told.contains(handler)) {
                return Optional.of(State.FIRING);
            }
            return firing() || toldEnd.contains(handler) ? Optional.empty() : Optional.of(State.RESOLVED);
        }

        /** Returns the alarm after a handler has received the message about a state. */
        public Entry told(String handler, State state) {
            Set<String> beginning = new TreeSet<>(told);
            Set<String> end = new TreeSet<>(toldEnd);
            (state == State.FIRING ? beginning : end).add(handler);
            return new Entry(id, kind, since, began, ended, text, items, itemCount, silenced, beginning, end, complete);
        }

        /** Returns the alarm after its end. */
        public Entry ended(Instant at) {
            return new Entry(id, kind, since, began, at, text, items, itemCount, silenced, told, toldEnd, complete);
        }

        /**
         * Returns the alarm with this value of {@code silenced}. An alarm that a handler has received is never
         * silenced.
         */
        public Entry silenced(boolean silence) {
            return new Entry(
                    id,
                    kind,
                    since,
                    began,
                    ended,
                    text,
                    items,
                    itemCount,
                    silence && told.isEmpty(),
                    told,
                    toldEnd,
                    complete);
        }

        /** Returns the alarm, marked as complete if it has ended and these handlers have received both messages. */
        public Entry completedBy(Collection<String> handlers) {
            boolean now = complete || (!firing() && delivered(handlers));
            return new Entry(id, kind, since, began, ended, text, items, itemCount, silenced, told, toldEnd, now);
        }

        /** Returns the message about a state of the alarm. */
        public Alarm message(String namespace, @Nullable String job, State state, Map<String, String> labels) {
            return new Alarm(
                    id,
                    namespace,
                    job,
                    kind,
                    state,
                    since,
                    state == State.FIRING || ended == null ? began : ended,
                    text,
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
        for (int i = 0; all.size() > MOST_ALARMS && i < all.size(); ) {
            if (all.get(i).firing()) {
                i++;
            } else {
                all.remove(i);
            }
        }
        return new JobAlarms(job, all);
    }
}
