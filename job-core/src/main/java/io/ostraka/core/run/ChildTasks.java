package io.ostraka.core.run;

import io.ostraka.api.Tasks;
import io.ostraka.core.metrics.TaskMeter;
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
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The child tasks of one attempt. They have their own pool of slots, because runs that wait for their tasks would
 * otherwise occupy the slots that the tasks need. Thread-safe.
 *
 * <p>When the run fails or is stopped, the tasks that have not started only report their cancellation, so they need no
 * slot. Tasks with the same key still report in order. A worker thread runs these tasks. The run's own thread also runs
 * them while it waits, because a closing process may have no free worker thread.
 */
final class ChildTasks implements ItemRun.Children, ChildTask.Group {
    /**
     * Number of outstanding tasks (waiting or running) at which a blocked submitter resumes. Waking the submitter after
     * each task would cost more.
     */
    private static final int RESUME_BELOW = Tasks.MOST / 2;

    private static final Duration CHECK_AGAIN = Duration.ofHours(1);
    private static final int MOST_SHOWN = 5;

    /** The object whose task the current thread runs; null if the thread runs no task. */
    private static final ThreadLocal<@Nullable ChildTasks> CURRENT = new ThreadLocal<>();

    private final Platform platform;
    private final ItemRun run;
    private final RunSlots.Pool slots;
    private final RunSlots.Pool.Request request;
    private final TaskMeter meter;
    private final BiFunction<ItemRun, Runnable, Runnable> interceptors;
    private final Runnable abandoned;
    /**
     * Work that waits for a slot: tasks without a key, and the serial executors that run the tasks of a key in order.
     */
    private final Queue<Runnable> ready = new ArrayDeque<>();

    private final Map<Object, Order> orders = new HashMap<>();
    private final Set<ChildTask<?>> running = new LinkedHashSet<>();
    private int outstanding;
    private boolean open = true;
    private @Nullable Throwable failure;
    /**
     * Completed when at most {@link #level} tasks are outstanding, or when the run fails or is stopped. Null while no
     * thread waits.
     */
    private @Nullable CompletableFuture<Void> change;

    private int level;

    /** Tasks with the same key, which run one after the other. */
    final class Order {
        private final Object key;
        private final SerialExecutor executor = new SerialExecutor(ChildTasks.this::enqueue, platform.turn(), null);
        private int tasks;

        private Order(Object key) {
            this.key = key;
        }
    }

    /**
     * The object through which user code submits tasks, all with the same key and time limit. The key, the time limit
     * or both may be null.
     */
    private record Submission(ChildTasks all, @Nullable Object key, @Nullable Duration limit) implements Tasks {
        @Override
        public Tasks inOrder(Object newKey) {
            return new Submission(all, Objects.requireNonNull(newKey, "key"), limit);
        }

        @Override
        public Tasks within(Duration newLimit) {
            if (newLimit.isZero() || newLimit.isNegative()) {
                throw new IllegalArgumentException(
                        all.run + ": time limit of a task is " + newLimit + "; accepted: more than zero");
            }
            return new Submission(all, key, newLimit);
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
     * Creates the tasks of an attempt.
     *
     * @param slots pool in which each task has a slot while it runs
     * @param meter counts the tasks
     * @param interceptors adds the actions of the run's interceptors to a task
     * @param abandoned called on any thread when the code of a task still runs long after its limit
     */
    ChildTasks(
            Platform platform,
            ItemRun run,
            RunSlots.Pool slots,
            TaskMeter meter,
            BiFunction<ItemRun, Runnable, Runnable> interceptors,
            Runnable abandoned) {
        this.platform = platform;
        this.run = run;
        this.slots = slots;
        this.request = slots.request(() -> platform.callEngine(this::dispatch));
        this.meter = meter;
        this.interceptors = interceptors;
        this.abandoned = abandoned;
    }

    @Override
    public Platform platform() {
        return platform;
    }

    @Override
    public Runnable around(Runnable task) {
        return interceptors.apply(run, task);
    }

    @Override
    public Tasks plain() {
        return new Submission(this, null, null);
    }

    @Override
    public @Nullable Throwable close(@Nullable Throwable thrown) {
        if (thrown != null) {
            fail(thrown);
        }
        synchronized (this) {
            open = false;
        }
        await(0, () -> outstanding == 0);
        synchronized (this) {
            return failure;
        }
    }

    private <T extends @Nullable Object> CompletionStage<T> submit(
            @Nullable Object key, @Nullable Duration limit, Tasks.Task<T> code) {
        ChildTask<T> task = new ChildTask<>(this, Objects.requireNonNull(code, "task"), limit);
        admit(); // after the constructor, which may throw: every admitted task must also end
        Order order = null;
        if (key != null) {
            try {
                order = order(key);
            } catch (Throwable e) { // user code: equals or hashCode of the key
                ended();
                throw e;
            }
        }
        meter.submitted();
        if (order == null) {
            enqueue(() -> run(task, null));
        } else {
            Order ofKey = order;
            ofKey.executor.execute(() -> run(task, ofKey));
        }
        return task.stage();
    }

    private synchronized Order order(Object key) {
        Order order = orders.computeIfAbsent(key, Order::new);
        order.tasks++;
        return order;
    }

    private void admit() {
        await(RESUME_BELOW, () -> {
            boolean byTask = CURRENT.get() == this;
            if (!open && !byTask) {
                throw new IllegalStateException(run
                        + " cannot have this task, because its code does not run; accepted: tasks that are submitted"
                        + " while it runs, or by one of its tasks");
            }
            refuseAtTheEnd();
            if (outstanding == Tasks.MOST && byTask) {
                throw new RejectedExecutionException(run + " has " + Tasks.MOST + " tasks that wait or run, and a"
                        + " task cannot wait until there are fewer; accepted: further tasks from the run's own code");
            }
            if (outstanding == Tasks.MOST) {
                return false;
            }
            outstanding++;
            return true;
        });
    }

    private void join() {
        await(0, () -> {
            if (CURRENT.get() == this) {
                throw new IllegalStateException(
                        "a task of " + run + " cannot wait for all tasks, because it is one of them");
            }
            refuseAtTheEnd();
            return outstanding == 0;
        });
    }

    /**
     * Blocks the calling thread until a condition is true. An interruption does not end the wait, but the thread's
     * interrupt status is restored afterwards. If the run fails or is stopped during the wait, this thread also runs
     * the tasks that have no slot.
     *
     * @param newLevel number of outstanding tasks at which the condition is checked again
     * @param reached the condition, evaluated under the lock; its exceptions propagate to the caller
     */
    private void await(int newLevel, BooleanSupplier reached) {
        boolean interrupted = false;
        try {
            while (true) {
                CompletableFuture<Void> changed;
                boolean early;
                synchronized (this) {
                    if (reached.getAsBoolean()) {
                        return;
                    }
                    level = change == null ? newLevel : Math.max(level, newLevel);
                    changed = change == null ? new CompletableFuture<>() : change;
                    change = changed;
                    early = ending();
                }
                if (early) {
                    runWithoutSlots();
                }
                try {
                    platform.waiting().await(changed, CHECK_AGAIN);
                } catch (TimeoutException e) {
                    // the loop checks again
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean ending() {
        return failure != null || run.stop() != null;
    }

    @Override
    public synchronized CancellationException cancellation() {
        return new CancellationException(run
                + (failure == null
                        ? " was stopped: no further task begins"
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
            ready.add(turn);
            early = ending();
        }
        if (early) {
            end();
        } else {
            dispatch();
        }
    }

    /** Starts as many waiting tasks as there are free slots. */
    private void dispatch() {
        List<Runnable> begun = new ArrayList<>();
        synchronized (this) {
            int taken = request.take(ending() ? 0 : ready.size());
            for (int i = 0; i < taken; i++) {
                begun.add(ready.remove());
            }
        }
        begun.forEach(this::begin);
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
        } catch (Throwable e) { // no thread is available, or the process is closing
            slots.release();
            synchronized (this) {
                ready.add(turn);
            }
            fail(e);
        }
    }

    /**
     * Called when the run fails or is stopped. Wakes the waiting threads, and runs the remaining tasks without slots.
     */
    @Override
    public void end() {
        CompletableFuture<Void> waiting;
        boolean some;
        synchronized (this) {
            request.withdraw();
            some = !ready.isEmpty();
            waiting = change;
            change = null;
        }
        if (waiting != null) {
            waiting.complete(null);
        }
        if (some) {
            try {
                platform.workers().execute(this::runWithoutSlots);
            } catch (Throwable e) {
                // no thread is available, so the run's own thread runs the tasks
            }
        }
    }

    private void runWithoutSlots() {
        while (true) {
            Runnable turn;
            synchronized (this) {
                turn = ready.poll();
            }
            if (turn == null) {
                return;
            }
            turn.run();
        }
    }

    /**
     * Records an exception of the run's code or of a task. The first exception becomes the failure of the attempt;
     * later exceptions are added to it as suppressed exceptions.
     */
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
    public synchronized boolean begins(ChildTask<?> task) {
        return !ending() && running.add(task);
    }

    @Override
    public TaskMeter meter() {
        return meter;
    }

    private void run(ChildTask<?> task, @Nullable Order order) {
        ChildTasks before = CURRENT.get();
        CURRENT.set(this);
        UserCode codeBefore = UserCode.enter(UserCode.of(run));
        try {
            task.run();
        } finally {
            UserCode.enter(codeBefore);
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
            ended();
        }
    }

    private void ended() {
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
        snapshot().forEach(ChildTask::interrupt);
    }

    @Override
    public void abandoned() {
        abandoned.run();
    }

    @Override
    public String whereabouts() {
        return snapshot().stream().limit(MOST_SHOWN).map(ChildTask::whereabouts).collect(Collectors.joining());
    }

    @Override
    public boolean exits() {
        return snapshot().stream().anyMatch(ChildTask::exits);
    }

    private synchronized List<ChildTask<?>> snapshot() {
        return List.copyOf(running);
    }

    @Override
    public String toString() {
        return run.toString();
    }
}
