package io.ostraka.bench;

import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.time.SerialExecutorStatistics;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Runs many short tasks on four threads: through serial executors, which keep the order of their tasks, and directly in
 * the pool, which does not. One thread adds the first task of every executor, then the second task of every executor,
 * and so on. Each task checks that its executor runs it in order; otherwise the benchmark fails.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@NullUnmarked // JMH sets the fields
public class SerialExecutorBenchmark {
    private static final int THREADS = 4;
    /** Distance between two array elements that do not share a cache line. */
    private static final int APART = 16;

    /** Number of serial executors. */
    @Param("10000")
    public int executors;

    /** Number of tasks, a multiple of the number of serial executors. */
    @Param("1000000")
    public int tasks;

    private ThreadPoolExecutor pool;
    private int[] done;
    private volatile boolean disorder;

    /** A task with hardly any work. */
    private final class Step implements Runnable {
        private final int cell;
        private final int number;
        private final CountDownLatch left;

        Step(int index, int number, CountDownLatch left) {
            this.cell = index * APART;
            this.number = number;
            this.left = left;
        }

        @Override
        public void run() {
            if (done[cell] != number) {
                disorder = true;
            }
            done[cell] = number + 1;
            if (number + 1 == tasks / executors) {
                left.countDown();
            }
        }
    }

    /** Starts the threads. */
    @Setup
    public void start() {
        pool = new ThreadPoolExecutor(THREADS, THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        pool.prestartAllCoreThreads();
        done = new int[executors * APART];
    }

    /** Clears the results of earlier tasks. */
    @Setup(Level.Invocation)
    public void clear() {
        Arrays.fill(done, 0);
        disorder = false;
    }

    /** Ends the threads. */
    @TearDown
    public void stop() throws InterruptedException {
        pool.shutdown();
        if (!pool.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("the pool doesn't end");
        }
    }

    /** Runs the tasks directly in the pool, for comparison. */
    @Benchmark
    public void pool() throws InterruptedException {
        Executor[] same = new Executor[executors];
        Arrays.fill(same, pool);
        run(same);
    }

    /** Runs the tasks in executors with the settings of child tasks. */
    @Benchmark
    public void inTurns() throws InterruptedException {
        inOrder(SerialExecutor.TURN, null);
    }

    /**
     * Runs the tasks in executors that return their thread to the pool after each task. A simulation uses them, so that
     * a seed can choose the next task.
     */
    @Benchmark
    public void executorsInSteps() throws InterruptedException {
        inOrder(1, null);
    }

    /** Runs the tasks in executors with the settings of the engine, which also counts its tasks. */
    @Benchmark
    public void countedExecutors() throws InterruptedException {
        SerialExecutorStatistics statistics = new SerialExecutorStatistics();
        inOrder(SerialExecutor.TURN, statistics);
        if (statistics.longest() < 1) {
            throw new IllegalStateException("nothing was counted");
        }
    }

    private void inOrder(int turn, SerialExecutorStatistics statistics) throws InterruptedException {
        Executor[] all = new Executor[executors];
        Arrays.setAll(all, index -> new SerialExecutor(pool, turn, statistics));
        run(all);
        if (disorder) {
            throw new IllegalStateException("an executor has not kept its order");
        }
        for (int index = 0; index < executors; index++) {
            if (done[index * APART] != tasks / executors) {
                throw new IllegalStateException("executor " + index + " has run " + done[index * APART] + " tasks of "
                        + tasks / executors + " in order");
            }
        }
    }

    private void run(Executor[] all) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(executors);
        for (int number = 0; number < tasks / executors; number++) {
            for (int index = 0; index < executors; index++) {
                all[index].execute(new Step(index, number, left));
            }
        }
        left.await();
    }
}
