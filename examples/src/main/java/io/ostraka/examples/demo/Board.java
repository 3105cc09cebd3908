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
 * What the workers have told: every run of every item. Lines of several processes arrive in any order; tokens say which
 * run of an item is the later one. Thread-safe.
 */
final class Board {
    /** How often what is awaited is looked for when nothing is heard: it may be in the database. */
    private static final Duration LOOK_AGAIN = Duration.ofMillis(25);

    private final Consumer<String> news;
    private final List<Run> runs = new ArrayList<>();
    private @Nullable String problem;

    /** Tells what is worth showing. */
    Board(Consumer<String> news) {
        this.news = news;
    }

    /** A run of an item, as far as it has come. */
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

        /** Tells whether it was held before a write. */
        boolean held() {
            return held;
        }

        /** Tells whether a write of it was refused. */
        boolean refused() {
            return refused;
        }

        boolean ended() {
            return ended;
        }
    }

    /** What is waited for. */
    @FunctionalInterface
    interface Look<T> {
        Optional<T> look() throws SQLException;
    }

    /** Takes in what a worker has said. */
    void heard(String worker, WorkerEvent event, long nanos) {
        note(worker, event, nanos);
        report(worker, event); // not under the lock: who shows it may be asking at this moment
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

    /** Says that nothing can come of this any more: whoever awaits something is told. */
    synchronized void fail(String why) {
        problem = problem == null ? why : problem;
        notifyAll();
    }

    /** Returns the latest run of every item that has had one. */
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

    /** Returns the run that took over what another left unfinished. */
    synchronized Optional<Run> successor(Run left) {
        return runs.stream()
                .filter(run -> run.item() == left.item()
                        && run.start.runId().equals(left.start.runId())
                        && run.attempt() > left.attempt()
                        && run.token() > left.token())
                .min(Comparator.comparingLong(Run::token));
    }

    /** Returns the id under which a worker ran last. */
    synchronized String instanceId(String worker) {
        Stream<Run> own = runs.stream().filter(run -> run.worker.equals(worker));
        return own.reduce((a, b) -> b).map(run -> run.start.instanceId()).orElseThrow();
    }

    /**
     * Waits until something is to be seen.
     *
     * @param what it is, for the message
     * @throws DemoFailure when it isn't there in time, or never can be
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
                throw new DemoFailure("waited " + limit.toSeconds() + " s in vain for " + what);
            }
            TimeUnit.NANOSECONDS.timedWait(this, LOOK_AGAIN.toNanos());
        }
    }
}
