package io.ostraka.examples.demo;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Collects the workers' reports on every run of every item. Lines of several processes arrive in any order; the tokens
 * show which run of an item is later. Thread-safe.
 */
final class Board {
    /**
     * Longest time between two evaluations of an awaited condition. Each report causes an evaluation at once, but the
     * result may also depend on the database, which reports nothing.
     */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(25);

    private final Consumer<String> news;
    private final List<Run> runs = new ArrayList<>();
    private @Nullable String problem;

    /**
     * Creates a board.
     *
     * @param news receives notable events
     */
    Board(Consumer<String> news) {
        this.news = news;
    }

    /** The reported state of one run of an item. */
    static final class Run {
        private final String worker;
        private final WorkerEvent start;
        private final long startedNanos;
        private volatile boolean held;
        private volatile boolean refused;
        private volatile boolean ended;

        private Run(String worker, WorkerEvent start, long startedNanos) {
            this.worker = worker;
            this.start = start;
            this.startedNanos = startedNanos;
        }

        String worker() {
            return worker;
        }

        int item() {
            return start.item();
        }

        int attempt() {
            return start.attempt();
        }

        long token() {
            return start.token();
        }

        long startedNanos() {
            return startedNanos;
        }

        /** Returns whether the run was stopped at the gate before a write. */
        boolean held() {
            return held;
        }

        /** Returns whether the store refused a write of the run. */
        boolean refused() {
            return refused;
        }

        boolean ended() {
            return ended;
        }
    }

    /** Evaluates an awaited condition. */
    @FunctionalInterface
    interface Look<T> {
        Optional<T> look() throws SQLException;
    }

    /** Records the report of a worker. */
    void heard(String worker, WorkerEvent event, long nanos) {
        note(worker, event, nanos);
        report(worker, event); // without the lock, because the consumer may call this board
    }

    private synchronized void note(String worker, WorkerEvent event, long nanos) {
        if (event.kind() == WorkerEvent.Kind.STARTED) {
            runs.add(new Run(worker, event, nanos));
        } else {
            find(worker, event).ifPresent(run -> {
                run.held |= event.kind() == WorkerEvent.Kind.HELD;
                run.refused |= event.kind() == WorkerEvent.Kind.REFUSED;
                run.ended |= event.kind() == WorkerEvent.Kind.ENDED;
            });
        }
        notifyAll();
    }

    private void report(String worker, WorkerEvent event) {
        String item = "item " + event.item();
        switch (event.kind()) {
            case STARTED -> {
                if (event.attempt() > 1) {
                    news.accept(item + " runs again on " + worker + ": attempt " + event.attempt() + ", token "
                            + event.token());
                }
            }
            case HELD -> news.accept(item + " is held on " + worker + " before its write");
            case REFUSED -> news.accept(event.detail());
            case ENDED -> {
                if (event.detail().equals(SettleOrders.FAILED) || event.detail().equals(SettleOrders.GIVEN_UP)) {
                    news.accept(item + " has ended early on " + worker + ": " + event.detail());
                }
            }
        }
    }

    private Optional<Run> find(String worker, WorkerEvent event) {
        return runs.stream()
                .filter(run -> run.worker.equals(worker) && run.item() == event.item() && run.token() == event.token())
                .findFirst();
    }

    /** Fails all present and later waits, because the demo cannot succeed any more. */
    synchronized void fail(String why) {
        problem = problem == null ? why : problem;
        notifyAll();
    }

    /** Returns the latest run of every item that has run. */
    synchronized List<Run> latest() {
        var latest = new TreeMap<Integer, Run>();
        runs.forEach(run -> latest.merge(run.item(), run, (a, b) -> a.token() < b.token() ? b : a));
        return List.copyOf(latest.values());
    }

    /** Returns the runs that a worker has begun and not ended. */
    synchronized List<Run> running(String worker) {
        return runs.stream()
                .filter(run -> run.worker.equals(worker) && !run.ended)
                .sorted(Comparator.comparingInt(Run::item))
                .toList();
    }

    /**
     * Returns the run that took over an interrupted fire.
     *
     * @param left the interrupted run
     */
    synchronized Optional<Run> successor(Run left) {
        return runs.stream()
                .filter(run -> run.item() == left.item()
                        && run.start.runId().equals(left.start.runId())
                        && run.attempt() > left.attempt()
                        && run.token() > left.token())
                .min(Comparator.comparingLong(Run::token));
    }

    /** Returns the instance id that a worker's latest run has reported. */
    synchronized String instanceId(String worker) {
        Stream<Run> own = runs.stream().filter(run -> run.worker.equals(worker));
        return own.reduce((a, b) -> b).map(run -> run.start.instanceId()).orElseThrow();
    }

    /**
     * Waits until a condition holds.
     *
     * @param what description of the condition for the message
     * @throws DemoFailure if the condition does not hold in time, or cannot hold any more
     */
    synchronized <T> T await(String what, Duration limit, Look<T> look)
            throws DemoFailure, SQLException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            Optional<T> seen = look.look();
            if (seen.isPresent()) {
                return seen.get();
            }
            if (problem != null) {
                throw new DemoFailure(problem);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new DemoFailure("waited " + limit.toSeconds() + " s for " + what + ", which did not happen");
            }
            TimeUnit.NANOSECONDS.timedWait(this, LOOK_AGAIN.toNanos());
        }
    }
}
