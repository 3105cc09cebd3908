package io.ostraka.core.time;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clocks, timers and executors that an engine uses. A simulation in the tests replaces all of them with one
 * scheduler, whose decisions depend only on a seed.
 *
 * @param clock wall-clock time and monotonic time
 * @param fireTimer wakes callers at instants of the wall clock
 * @param timer wakes callers after spans of monotonic time; if it throws an exception, its {@link Timer#rescue} wakes
 *     the caller
 * @param engineThreads runs the engine's own tasks, which are short and never block; the serial executors use it
 * @param workers runs user code, which may block
 * @param waiting lets a worker thread wait for an answer
 * @param turn largest number of tasks that a serial executor runs before it gives up its thread; 1 in a simulation,
 *     where a seed determines which task runs next
 */
public record Platform(
        Clock clock,
        FireTimer fireTimer,
        Timer timer,
        Executor engineThreads,
        Executor workers,
        Waiting waiting,
        int turn) {
    private static final Logger log = LoggerFactory.getLogger(Platform.class);
    /** Pause before another attempt to start a thread. */
    private static final Duration THREAD_PAUSE = Duration.ofSeconds(1);

    /** Creates a platform whose timer loses no callback. */
    public Platform {
        timer = timer instanceof Lasting ? timer : new Lasting(timer);
    }

    /**
     * Creates a platform with the default turn: a serial executor runs at most {@value SerialExecutor#TURN} tasks
     * before it gives up its thread.
     */
    public Platform(
            Clock clock, FireTimer fireTimer, Timer timer, Executor engineThreads, Executor workers, Waiting waiting) {
        this(clock, fireTimer, timer, engineThreads, workers, waiting, SerialExecutor.TURN);
    }

    /** Returns a copy with the given value of {@code turn}. */
    public Platform withTurn(int tasks) {
        return new Platform(clock, fireTimer, timer, engineThreads, workers, waiting, tasks);
    }

    /** Returns a copy with the given executor for user code. */
    public Platform withWorkers(Executor others) {
        return new Platform(clock, fireTimer, timer, engineThreads, others, waiting, turn);
    }

    /** Returns a copy with the given executor for the engine's own tasks. */
    public Platform withEngineThreads(Executor others) {
        return new Platform(clock, fireTimer, timer, others, workers, waiting, turn);
    }

    /**
     * Runs a short task of the engine after a delay. If the engine's executor has no thread available, the timer's
     * thread runs the task.
     *
     * @return an action that cancels the task if it has not started
     */
    public Runnable later(Duration delay, Runnable task) {
        return timer.after(delay, () -> {
            try {
                engineThreads.execute(task);
            } catch (RejectedExecutionException e) {
                // the process is shutting down
            } catch (Throwable e) {
                task.run();
            }
        });
    }

    /**
     * Runs a short task of the engine. If no thread can be started, this method tries again each second. If the engine's
     * executor is shut down, the task does not run.
     */
    public void callEngine(Runnable task) {
        call(engineThreads, task, rejected -> {}, true);
    }

    /**
     * Runs user code, or a task on which user code waits, on a worker. If no thread can be started, this method tries
     * again each second, so the code runs later and is not lost. If the workers are shut down, the calling thread runs
     * the code.
     */
    public void callUser(Runnable code) {
        callUser(code, rejected -> code.run());
    }

    /**
     * Runs user code like {@link #callUser(Runnable)}, but calls another action if the workers are shut down.
     *
     * @param closed called instead of the code, on the calling thread or on the timer's thread
     */
    public void callUser(Runnable code, Consumer<RejectedExecutionException> closed) {
        call(workers, code, closed, true);
    }

    private void call(Executor threads, Runnable code, Consumer<RejectedExecutionException> closed, boolean first) {
        try {
            threads.execute(code);
        } catch (RejectedExecutionException e) {
            closed.accept(e);
        } catch (Throwable e) {
            if (first) {
                log.error(
                        "no thread is available for code that a caller waits for ({}); the engine tries again each second;"
                                + " raise the process's limit of threads, or its memory",
                        e.toString());
            }
            timer.after(THREAD_PAUSE, () -> call(threads, code, closed, false));
        }
    }

    /** Creates a serial executor for tasks of the engine. The tasks must be short and must not block. */
    public SerialExecutor serialExecutor(SerialExecutorStatistics statistics) {
        return new SerialExecutor(engineThreads, turn, statistics, this::laterTurn);
    }

    /** Creates a serial executor for user code, which may block. */
    public SerialExecutor serialUserCode() {
        return new SerialExecutor(workers, 1, null, this::laterTurn);
    }

    private void laterTurn(Runnable turn) {
        timer.after(THREAD_PAUSE, turn);
    }

    /** A timer that calls back although another timer has thrown an exception. */
    private record Lasting(Timer timer) implements Timer {
        @Override
        public Runnable after(Duration delay, Runnable wake) {
            try {
                return timer.after(delay, wake);
            } catch (Throwable e) { // without a rescue, nothing would ever wake the caller
                log.error(
                        "the timer has failed, and another timer replaces it for one call; raise the process's limit of"
                                + " threads, or its memory",
                        e);
                AtomicBoolean cancelled = new AtomicBoolean();
                timer.rescue(delay, () -> {
                    if (!cancelled.get()) {
                        wake.run();
                    }
                });
                return () -> cancelled.set(true);
            }
        }

        @Override
        public void rescue(Duration delay, Runnable wake) {
            timer.rescue(delay, wake);
        }

        @Override
        public void close() {
            timer.close();
        }
    }

    /** Waits for an answer on a thread that may block. */
    @FunctionalInterface
    public interface Waiting {
        /** Implementation that blocks the calling thread. */
        Waiting BLOCKING = (answer, timeout) -> {
            try {
                answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException | CancellationException e) {
                // the caller reads the result or the exception
            }
        };

        /**
         * Returns once the answer is complete, normally or exceptionally.
         *
         * @throws TimeoutException if the answer does not complete in time
         * @throws InterruptedException if the thread is interrupted
         */
        void await(CompletableFuture<?> answer, Duration timeout) throws TimeoutException, InterruptedException;
    }
}
