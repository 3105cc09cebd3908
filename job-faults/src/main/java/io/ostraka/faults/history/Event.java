package io.ostraka.faults.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Something that was recorded when it happened. Events stand in a history in their order; their clocks are for people,
 * except where an invariant speaks of time. The beginning of a run stands behind the transaction that claimed it.
 */
public sealed interface Event {
    /** The parameter of jobs whose interceptors and listeners record that they are called. */
    String HEARD = "heard";

    /** The labels of jobs with a once-listener. */
    Map<String, String> TOLD_ONCE = Map.of("told", "once");

    /** Returns the clock of whoever recorded it: the server's for transactions, the process's own for what code does. */
    Instant at();

    /** Tells whether it says something of an item. */
    default boolean concerns(Item item) {
        return false;
    }

    /** What is of one run. */
    sealed interface OfRun extends Event {
        /** Returns the process that it happened in. */
        String process();

        /** Returns which run. */
        RunKey run();

        @Override
        default boolean concerns(Item item) {
            return run().item().equals(item);
        }
    }

    /**
     * A run, as its code knows it.
     *
     * @param token the fencing token that it was given
     */
    record RunKey(Item item, long token) {
        @Override
        public String toString() {
            return item + " by token 0x" + Long.toHexString(token);
        }
    }

    /**
     * A transaction that the server carried out.
     *
     * @param session who sent it, or whose end it is
     * @param endsSession whether it is the end of the session, whose ephemeral nodes it deletes
     */
    record Transaction(long zxid, Instant at, long session, boolean endsSession, List<Write> writes) implements Event {
        /** Copies. */
        public Transaction {
            writes = List.copyOf(writes);
        }

        /** Returns its moves of records as transactions that move each once: an end may be told with the next claim. */
        List<Transaction> steps() {
            List<Transaction> steps = new ArrayList<>();
            Set<String> changed = new HashSet<>();
            int from = 0;
            for (int i = 0; i < writes.size(); i++) {
                if (writes.get(i) instanceof Write.Changed
                        && !changed.add(writes.get(i).path())) {
                    steps.add(step(from, i, false));
                    changed.clear();
                    changed.add(writes.get(i).path());
                    from = i;
                }
            }
            steps.add(step(from, writes.size(), endsSession));
            return steps;
        }

        private Transaction step(int from, int to, boolean last) {
            return new Transaction(zxid, at, session, last, writes.subList(from, to));
        }

        @Override
        public boolean concerns(Item item) {
            return writes.stream()
                    .map(Write::path)
                    .anyMatch(path -> path.startsWith(item.record())
                            && (path.length() == item.record().length()
                                    || path.charAt(item.record().length()) == '/'));
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("0x" + Long.toHexString(zxid) + " of session 0x"
                    + Long.toHexString(session) + (endsSession ? ", its end:" : ":"));
            writes.forEach(write -> text.append("\n      ").append(write));
            return text.toString();
        }
    }

    /**
     * Users' code was called for an item: once a run, or for each step of a dataflow.
     *
     * @param step which method was called, such as {@code execute}
     * @param instance id of the instance, as the code was told
     */
    record Began(
            Instant at,
            String process,
            RunKey run,
            String step,
            int total,
            int attempt,
            String instance,
            String runId,
            Instant fireTime)
            implements OfRun {}

    /**
     * Users' code has written to a store that is fenced first.
     *
     * @param position how far a stream has come by this, which goes on from its checkpoint; null for what is none
     */
    record Effect(Instant at, String process, RunKey run, boolean accepted, @Nullable Long position) implements OfRun {
        /** What is of no stream. */
        public Effect(Instant at, String process, RunKey run, boolean accepted) {
            this(at, process, run, accepted, null);
        }
    }

    /**
     * Users' code has returned.
     *
     * @param failed whether by throwing
     * @param told why it had been told to end by then: {@code TIMED_OUT}, {@code CANCELLED} for a later fire, or
     *     {@code GIVEN_UP} for somebody else to go on with; null when it had not
     */
    record Ended(Instant at, String process, RunKey run, boolean failed, @Nullable String told) implements OfRun {
        /** As a run is told to end that another is to go on with. */
        static final String GIVEN_UP = "GIVEN_UP";
    }

    /**
     * Code of a run that has child tasks begins or is over: its own, or one of the tasks. What doesn't begin any more is told
     * nowhere.
     *
     * @param number 0 of the run's own code; of a task the place in which it was submitted, from 1
     * @param key in whose order it is; null for none
     * @param over whether it is over, and all that was to be told of it was told
     * @param failed whether it is over by throwing, or had taken too long
     */
    record Task(Instant at, String process, RunKey run, int number, @Nullable String key, boolean over, boolean failed)
            implements OfRun {}

    /**
     * What must be done before a process's first work is begun, perhaps again, or has been done.
     */
    record Prepared(Instant at, String process, boolean done) implements Event {}

    /**
     * An interceptor around a try of a run was called.
     *
     * @param step {@code before}, {@code after} or {@code completion}
     * @param failed whether it was told that the try has failed
     */
    record Intercepted(Instant at, String process, RunKey run, String step, boolean failed) implements OfRun {}

    /**
     * A listener was told of the part that its instance has in a fire.
     *
     * @param over whether it has ended; otherwise it begins
     * @param outcomes of the items that have ended there; empty before
     */
    record Notified(Instant at, String process, String job, String runId, boolean over, Map<String, String> outcomes)
            implements Event {
        /** Copies. */
        public Notified {
            outcomes = Collections.unmodifiableMap(new TreeMap<>(outcomes));
        }
    }

    /**
     * A once-listener is told of a whole fire, or has been.
     *
     * @param over whether of its end; otherwise of its beginning
     * @param returned whether it has been told
     * @param outcomes of all items; empty at the beginning
     */
    record Announced(
            Instant at,
            String process,
            String job,
            String runId,
            String instance,
            boolean over,
            boolean returned,
            Map<String, String> outcomes)
            implements Event {
        /** Copies. */
        public Announced {
            outcomes = Collections.unmodifiableMap(new TreeMap<>(outcomes));
        }
    }

    /**
     * What the meters of a process have been told, from its beginning to its end.
     *
     * @param undisturbed whether nothing befell any process
     * @param jobs how often what was told, by job: {@code started}, {@code retried}, {@code failed over}, how runs ended
     *     ({@code ended SUCCEEDED}), and what was left out ({@code skipped OVERLAPPED})
     */
    record Counted(Instant at, String process, boolean undisturbed, Map<String, Map<String, Long>> jobs)
            implements Event {}

    /** A process was killed: whatever its code did, it does no more. */
    record Killed(Instant at, String process) implements Event {}

    /** Someone has asked for a run of a job, of some items or (empty) of all. */
    record Asked(Instant at, String process, String job, String runId, Set<String> items) implements Event {
        /** Copies. */
        public Asked {
            items = Collections.unmodifiableSet(new TreeSet<>(items));
        }
    }

    /**
     * Who has asked for a run was told how it ended.
     *
     * @param outcomes by item; null when told that it can't be known
     */
    record Told(Instant at, String process, String runId, @Nullable Map<String, String> outcomes) implements Event {}

    /** By its own health, the engine of a process has failed of itself: of what it doesn't expect, and nobody made it. */
    record Defect(Instant at, String process, String job, String text) implements Event {}

    /**
     * How a process says that it is. What it says in the calm is checked, so it is to be recorded there: once is enough.
     *
     * @param instance id that it is registered by; null before its first connection
     * @param problem why it can't work as a whole, not being connected among it; null when nothing is wrong
     * @param reasons of every job that it hosts, by name, what keeps it from running as configured: text by kind, a
     *     kind being what the health calls it, such as {@code NO_PLAN}
     */
    record Health(
            Instant at,
            String process,
            @Nullable String instance,
            @Nullable String problem,
            Map<String, Map<String, String>> reasons)
            implements Event {}

    /**
     * What a process has asked of the server so far.
     *
     * @param places how many runs it has room for at a time
     */
    record Requests(Instant at, String process, long transactions, long reads, int places) implements Event {}

    /** From now on nothing interferes any more, nobody comes, goes or asks, and there was time to recover. */
    record Calm(Instant at) implements Event {}

    /**
     * The calm ends.
     *
     * @param living processes that were there all the time
     */
    record Over(Instant at, Set<String> living) implements Event {
        /** Copies. */
        public Over {
            living = Collections.unmodifiableSet(new TreeSet<>(living));
        }
    }

    /** Everyone who lived was shut down in good order. */
    record Closed(Instant at) implements Event {}
}
