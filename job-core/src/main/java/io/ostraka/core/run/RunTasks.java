package io.ostraka.core.run;

import io.ostraka.api.Tasks;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The child tasks of one attempt of a run, from the first request for them until the last task has ended. Tasks take slots of a pool
 * of their own, which runs that wait for their tasks cannot exhaust. Thread-safe.
 *
 * <p>Once the run is to end, what has not begun passes through without a place: each task finds out that it doesn't begin
 * any more and tells so, still in the order of its key. That is done by a worker, and by the run's own thread once that has
 * nothing else to do, for at the end of a process there may be no other.
 */
final class RunTasks implements ItemRun.Children, RunTask.Group {
    /** The run's thread sleeps until there is room for many more, not for one. */
    private static final int ROOM_AGAIN = Tasks.MOST / 2;

    private static final Duration LOOK_AGAIN = Duration.ofHours(1);
    private static final int MOST_SHOWN = 5;

    /** Whose task the thread runs. */
    private static final ThreadLocal<@Nullable RunTasks> CURRENT = new ThreadLocal<>();

    private final Platform platform;
    private final ItemRun run;
    private final RunSlots.Pool slots;
    private final RunSlots.Pool.Request request;
    private final Runnable abandoned;
    /** What is ready to run and has no place yet: tasks, and turns of lanes. */
    private final Queue<Runnable> turns = new ArrayDeque<>();

    private final Map<Object, Order> orders = new HashMap<>();
    private final Set<RunTask<?>> running = new LinkedHashSet<>();
    private int outstanding;
    private boolean open = true;
    private @Nullable Throwable failure;
    /** Completed when no more than {@link #level} are left, or the run is to end; null while nobody waits. */
    private @Nullable CompletableFuture<Void> change;

    private int level;

    /** The tasks of one key. */
    final class Order {
        private final Object key;
        private final SerialExecutor lane = new SerialExecutor(RunTasks.this::enqueue, platform.turn(), null);
        private int tasks;

        private Order(Object key) {
            this.key = key;
        }
    }

    /** A way to submit them. */
    private record Way(RunTasks all, @Nullable Object key, @Nullable Duration limit) implements Tasks {
        @Override
        public Tasks inOrder(Object newKey) {
            return new Way(all, Objects.requireNonNull(newKey, "key"), limit);
        }

        @Override
        public Tasks within(Duration newLimit) {
            if (newLimit.isZero() || newLimit.isNegative()) {
                throw new IllegalArgumentException(
                        all.run + ": time limit of a task is " + newLimit + "; accepted: more than zero");
            }
            return new Way(all, key, newLimit);
        }

        @Override
        public <T extends @Nullable Object> CompletionStage<T> submit(Task<T> task) {
            return all.submit(key, limit, task);
        }

        @Override
        public void join() {
            all.join();
        }
    }

    /**
     * Makes those of a try.
     *
     * @param slots pool in which each task has a slot while it runs
     * @param abandoned told, on any thread, when the code of one was told to end long ago and hasn't
     */
    RunTasks(Platform platform, ItemRun run, RunSlots.Pool slots, Runnable abandoned) {
        this.platform = platform;
        this.run = run;
        this.slots = slots;
        this.request = slots.request(() -> platform.lanes().execute(this::dispatch));
        this.abandoned = abandoned;
    }

    @Override
    public Platform platform() {
        return platform;
    }

    @Override
    public Tasks plain() {
        return new Way(this, null, null);
    }

    @Override
    public @Nullable Throwable close(@Nullable Throwable thrown) {
        if (thrown != null) {
            fail(thrown);
        }
        synchronized (this) {
            open = false;
        }
        awaitEnd();
        synchronized (this) {
            return failure;
        }
    }

    private <T extends @Nullable Object> CompletionStage<T> submit(
            @Nullable Object key, @Nullable Duration limit, Tasks.Task<T> code) {
        Objects.requireNonNull(code, "task");
        admit();
        Order order = null;
        if (key != null) {
            try {
                order = order(key);
            } catch (Throwable e) { // users' equals or hashCode
                left();
                throw e;
            }
        }
        RunTask<T> task = new RunTask<>(this, code, limit);
        if (order == null) {
            enqueue(() -> run(task, null));
        } else {
            Order ofKey = order;
            ofKey.lane.execute(() -> run(task, ofKey));
        }
        return task.stage();
    }

    private synchronized Order order(Object key) {
        Order order = orders.computeIfAbsent(key, Order::new);
        order.tasks++;
        return order;
    }

    private void admit() {
        boolean interrupted = false;
        try {
            while (true) {
                CompletableFuture<Void> roomAgain;
                synchronized (this) {
                    boolean byTask = CURRENT.get() == this;
                    if (!open && !byTask) {
                        throw new IllegalStateException(
                                run + " can't have this task: its code does not run; accepted: tasks that are submitted"
                                        + " while it runs, or by one of its tasks");
                    }
                    refuseAtTheEnd();
                    if (outstanding < Tasks.MOST) {
                        outstanding++;
                        return;
                    }
                    if (byTask) {
                        throw new RejectedExecutionException(
                                run + " has " + Tasks.MOST + " tasks that wait or run, and a"
                                        + " task can't wait until they are fewer; accepted: more from the run's own code");
                    }
                    roomAgain = change(ROOM_AGAIN);
                }
                interrupted |= interruptedUntil(roomAgain);
            }
        } finally {
            restore(interrupted);
        }
    }

    private void join() {
        boolean interrupted = false;
        try {
            while (true) {
                CompletableFuture<Void> end;
                synchronized (this) {
                    if (CURRENT.get() == this) {
                        throw new IllegalStateException("a task of " + run + " can't wait for all of them: it is one");
                    }
                    refuseAtTheEnd();
                    if (outstanding == 0) {
                        return;
                    }
                    end = change(0);
                }
                interrupted |= interruptedUntil(end);
            }
        } finally {
            restore(interrupted);
        }
    }

    private void awaitEnd() {
        boolean interrupted = false;
        while (true) {
            CompletableFuture<Void> end;
            boolean early;
            synchronized (this) {
                if (outstanding == 0) {
                    break;
                }
                end = change(0);
                early = ending();
            }
            if (early) {
                passThrough();
            }
            interrupted |= interruptedUntil(end);
        }
        restore(interrupted);
    }

    private CompletableFuture<Void> change(int newLevel) {
        level = change == null ? newLevel : Math.max(level, newLevel);
        if (change == null) {
            change = new CompletableFuture<>();
        }
        return change;
    }

    /** Waits; an interruption is no end of the run, which says so itself, but is not lost either. */
    private boolean interruptedUntil(CompletableFuture<Void> answer) {
        try {
            platform.waiting().await(answer, LOOK_AGAIN);
        } catch (TimeoutException e) {
            // whoever waits looks again
        } catch (InterruptedException e) {
            return true;
        }
        return false;
    }

    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean ending() {
        return failure != null || run.stop() != null;
    }

    @Override
    public synchronized CancellationException cancellation() {
        return new CancellationException(run
                + (failure == null
                        ? " was told to end: no further task begins"
                        : " has failed: no further task begins: " + RunEnd.text(failure)));
    }

    private void refuseAtTheEnd() {
        if (ending()) {
            throw cancellation();
        }
    }

    private void enqueue(Runnable turn) {
        boolean early;
        synchronized (this) {
            turns.add(turn);
            early = ending();
        }
        if (early) {
            end();
        } else {
            dispatch();
        }
    }

    /** Begins what there are places for. */
    private void dispatch() {
        List<Runnable> placed = new ArrayList<>();
        synchronized (this) {
            int places = request.take(ending() ? 0 : turns.size());
            for (int i = 0; i < places; i++) {
                placed.add(turns.remove());
            }
        }
        placed.forEach(this::begin);
    }

    private void begin(Runnable turn) {
        try {
            platform.workers().execute(() -> {
                try {
                    turn.run();
                } finally {
                    slots.release();
                }
            });
        } catch (Throwable e) { // no thread to be had, or the process is closing
            slots.release();
            synchronized (this) {
                turns.add(turn);
            }
            fail(e);
        }
    }

    /** Lets what has not begun pass through, and wakes the waiting threads. */
    @Override
    public void end() {
        CompletableFuture<Void> waiting;
        boolean some;
        synchronized (this) {
            request.withdraw();
            some = !turns.isEmpty();
            waiting = change;
            change = null;
        }
        if (waiting != null) {
            waiting.complete(null);
        }
        if (some) {
            try {
                platform.workers().execute(this::passThrough);
            } catch (Throwable e) {
                // no thread to be had: the run's own does it
            }
        }
    }

    private void passThrough() {
        while (true) {
            Runnable turn;
            synchronized (this) {
                turn = turns.poll();
            }
            if (turn == null) {
                return;
            }
            turn.run();
        }
    }

    /** Takes note of what the run's code or one of the tasks has thrown. */
    @Override
    public void fail(Throwable thrown) {
        synchronized (this) {
            if (failure == null) {
                failure = thrown;
            } else if (thrown != failure && thrown.getCause() != failure) {
                failure.addSuppressed(thrown);
            }
        }
        end();
    }

    @Override
    public synchronized boolean begins(RunTask<?> task) {
        return !ending() && running.add(task);
    }

    /** Runs a task on the calling thread. */
    private void run(RunTask<?> task, @Nullable Order order) {
        RunTasks before = CURRENT.get();
        CURRENT.set(this);
        try {
            task.run();
        } finally {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
            synchronized (this) {
                running.remove(task);
                if (order != null && --order.tasks == 0) {
                    orders.remove(order.key);
                }
            }
            left();
        }
    }

    private void left() {
        CompletableFuture<Void> waiting = null;
        synchronized (this) {
            outstanding--;
            if (outstanding <= level) {
                waiting = change;
                change = null;
            }
        }
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    @Override
    public void interrupt() {
        snapshot().forEach(RunTask::interrupt);
    }

    @Override
    public void abandoned() {
        abandoned.run();
    }

    @Override
    public String whereabouts() {
        return snapshot().stream().limit(MOST_SHOWN).map(RunTask::whereabouts).collect(Collectors.joining());
    }

    private synchronized List<RunTask<?>> snapshot() {
        return List.copyOf(running);
    }

    @Override
    public String toString() {
        return run.toString();
    }
}
