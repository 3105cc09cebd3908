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
 * An event of a recorded history. A history lists its events in the order in which they happened; the times of events
 * serve only to check time limits. The start of a run comes after the transaction that claimed the run.
 */
public sealed interface Event {
    /** Job parameter of the jobs whose interceptors and listeners record their calls. */
    String HEARD = "heard";

    /** Name of the handler that records the messages about alarms. */
    String ALARM_HANDLER = "recorder";

    /** Labels of the jobs with a once-listener. */
    Map<String, String> TOLD_ONCE = Map.of("told", "once");

    /**
     * Returns the time of the event. For a transaction it comes from the server's clock, and for code from the clock of
     * its process.
     */
    Instant at();

    /** Returns whether the event concerns an item. */
    default boolean concerns(Item item) {
        return false;
    }

    /** An event of one run. */
    sealed interface OfRun extends Event {
        /** Returns the process that recorded the event. */
        String process();

        /** Returns the run. */
        RunKey run();

        @Override
        default boolean concerns(Item item) {
            return run().item().equals(item);
        }
    }

    /**
     * Identity of a run, as the code of the run sees it.
     *
     * @param token fencing token that the run received
     */
    record RunKey(Item item, long token) {
        @Override
        public String toString() {
            return item + " by token 0x" + Long.toHexString(token);
        }
    }

    /**
     * A transaction that the server has applied.
     *
     * @param session session that sent the transaction; for the end of a session, the session that ends
     * @param endsSession true for the end of the session, which deletes its ephemeral nodes
     */
    record Transaction(long zxid, Instant at, long session, boolean endsSession, List<Write> writes) implements Event {
        /** Copies the writes. */
        public Transaction {
            writes = List.copyOf(writes);
        }

        /**
         * Splits the transaction into steps, each of which writes a record at most once. A transaction may write the
         * same record twice: to end a run, and then to skip the next fire.
         */
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
                    + Long.toHexString(session) + (endsSession ? ", end of the session:" : ":"));
            writes.forEach(write -> text.append("\n      ").append(write));
            return text.toString();
        }
    }

    /**
     * A call of user code for an item. Each attempt has one such event; an attempt of a dataflow has one for each step.
     *
     * @param step name of the called method, such as {@code execute}
     * @param instance id of the instance that the code received
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
     * A write that user code sends to a store, with a fencing token.
     *
     * @param position position of this write in its stream, counted from the stream's checkpoint; null for a run
     *     without a stream
     */
    record Effect(Instant at, String process, RunKey run, boolean accepted, @Nullable Long position) implements OfRun {
        /** Creates the write of a run without a stream. */
        public Effect(Instant at, String process, RunKey run, boolean accepted) {
            this(at, process, run, accepted, null);
        }
    }

    /**
     * Return of user code.
     *
     * @param failed true if the code threw an exception
     * @param told reason for which the engine has stopped the run; null if it has not. The reasons are
     *     {@code TIMED_OUT}, {@code CANCELLED} (for a later fire, or by an operator) and {@code GIVEN_UP} (so that
     *     another instance can take the fire over)
     */
    record Ended(Instant at, String process, RunKey run, boolean failed, @Nullable String told) implements OfRun {
        /** Reason for which the engine stops a run that another instance is to continue. */
        static final String GIVEN_UP = "GIVEN_UP";
    }

    /**
     * The start or end of one part of a run with child tasks: the run's own code, or one of the tasks. A task that
     * never starts has no event.
     *
     * @param number 0 for the run's own code; otherwise the position of the task in the order of submission, from 1
     * @param key ordering key of the task; null for none
     * @param over true for the end, which comes after all other events of this code or task
     * @param failed true if the code or task ended with an exception or after its time limit
     */
    record Task(Instant at, String process, RunKey run, int number, @Nullable String key, boolean over, boolean failed)
            implements OfRun {}

    /**
     * Start or end of the preparations that a process makes before its first work. The same process may make
     * preparations several times.
     */
    record Prepared(Instant at, String process, boolean done) implements Event {}

    /**
     * Call of an interceptor around an attempt.
     *
     * @param step {@code before}, {@code after} or {@code completion}
     * @param failed true if the interceptor received a failure
     */
    record Intercepted(Instant at, String process, RunKey run, String step, boolean failed) implements OfRun {}

    /**
     * The call of a listener before or after the items of its instance run in a fire.
     *
     * @param over true for the call after the items, false for the call before them
     * @param outcomes outcomes of the items that ended in this instance; empty for the call before the items
     */
    record Notified(Instant at, String process, String job, String runId, boolean over, Map<String, String> outcomes)
            implements Event {
        /** Copies the outcomes. */
        public Notified {
            outcomes = Collections.unmodifiableMap(new TreeMap<>(outcomes));
        }
    }

    /**
     * The start or end of a once-listener's call. Such a call concerns the whole fire.
     *
     * @param over true for afterLast, false for beforeFirst
     * @param returned true for the end of the call
     * @param outcomes outcomes of all items; empty for beforeFirst
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
        /** Copies the outcomes. */
        public Announced {
            outcomes = Collections.unmodifiableMap(new TreeMap<>(outcomes));
        }
    }

    /**
     * The counts that the meters of a process show at its end.
     *
     * @param undisturbed true if no fault hit any process
     * @param jobs counts by job and name: {@code started}, {@code retried}, {@code failed over}, ends of runs
     *     ({@code ended SUCCEEDED}) and skipped fires ({@code skipped OVERLAPPED})
     */
    record Counted(Instant at, String process, boolean undisturbed, Map<String, Map<String, Long>> jobs)
            implements Event {}

    /**
     * A report of a process about a claim, for a history outside ZooKeeper.
     *
     * @param nonce nonce of the claim
     * @param owner id of the instance that made the claim
     * @param own true if the process reports the end of its own run; false if it reports an end that it has read in the
     *     item's record, a takeover that it has made, or the loss of a run that it has recorded
     */
    record Reported(Instant at, String process, Item item, String nonce, String owner, boolean own) implements Event {
        @Override
        public boolean concerns(Item other) {
            return item.equals(other);
        }
    }

    /**
     * A message about an alarm. A handler of the application has received it.
     *
     * @param job name of the job; {@code ~namespace} for an alarm of the namespace
     * @param state {@code FIRING} or {@code RESOLVED}
     */
    record Alarmed(Instant at, String process, String job, String kind, String state, String id) implements Event {}

    /** The death of a process, with which all of its code ends. */
    record Killed(Instant at, String process) implements Event {}

    /** A request for a run of a job. An empty set of items requests all items. */
    record Asked(Instant at, String process, String job, String runId, Set<String> items) implements Event {
        /** Copies the items. */
        public Asked {
            items = Collections.unmodifiableSet(new TreeSet<>(items));
        }
    }

    /**
     * Answer to a request for a run.
     *
     * @param outcomes outcomes by item; null if the answer says that they are unknown
     */
    record Told(Instant at, String process, String runId, @Nullable Map<String, String> outcomes) implements Event {}

    /**
     * A failure of the engine itself, as the health of a process reports it: an exception that the engine does not
     * expect and that user code has not caused.
     */
    record Defect(Instant at, String process, String job, String text) implements Event {}

    /**
     * A health report of a process. In the calm phase, each process must report at least once, and the checker judges
     * each report.
     *
     * @param instance id of the process's instance; null before its first connection
     * @param problem reason why the whole process cannot work, such as a lost connection; null if it can work
     * @param reasons reasons why jobs do not run as configured, by the name of the job. Each reason has a kind, such as
     *     {@code NO_PLAN}, as its key, and a text as its value
     * @param steady true if the health has not changed for so long that the process must have published its digest
     */
    record Health(
            Instant at,
            String process,
            @Nullable String instance,
            @Nullable String problem,
            Map<String, Map<String, String>> reasons,
            boolean steady)
            implements Event {}

    /**
     * The number of requests that a process has sent to the server so far.
     *
     * @param places number of runs that the process may execute at the same time
     */
    record Requests(Instant at, String process, long transactions, long reads, int places) implements Event {}

    /** End of all faults. From this event on, no fault delays the operators' orders for the namespace. */
    record Undisturbed(Instant at) implements Event {}

    /**
     * Start of the calm phase. Faults, joins, departures and requests have ended, and the cluster has had time to
     * recover.
     */
    record Calm(Instant at) implements Event {}

    /**
     * End of the calm phase.
     *
     * @param living processes that were alive during the whole calm phase
     */
    record Over(Instant at, Set<String> living) implements Event {
        /** Copies the names. */
        public Over {
            living = Collections.unmodifiableSet(new TreeSet<>(living));
        }
    }

    /** Regular shutdown of all living processes. */
    record Closed(Instant at) implements Event {}
}
