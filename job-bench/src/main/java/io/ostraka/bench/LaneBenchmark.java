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
 * Runs many short tasks over four threads: through lanes, which keep their order, and directly in the pool, which does not. One
 * thread adds the first task of every lane, then the second of every lane, and so on. Each task checks that it is the next of its
 * lane; the benchmark fails if a lane breaks the order.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@NullUnmarked // JMH sets the fields
public class LaneBenchmark {
    private static final int THREADS = 4;
    /** Distance of cells that share no cache line. */
    private static final int APART = 16;

    /** Number of lanes. */
    @Param("10000")
    public int lanes;

    /** Number of tasks, a multiple of the number of lanes. */
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

        Step(int lane, int number, CountDownLatch left) {
            this.cell = lane * APART;
            this.number = number;
            this.left = left;
        }

        @Override
        public void run() {
            if (done[cell] != number) {
                disorder = true;
            }
            done[cell] = number + 1;
            if (number + 1 == tasks / lanes) {
                left.countDown();
            }
        }
    }

    /** Starts the threads. */
    @Setup
    public void start() {
        pool = new ThreadPoolExecutor(THREADS, THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        pool.prestartAllCoreThreads();
        done = new int[lanes * APART];
    }

    /** Clears the results of the tasks before. */
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

    /** The bare pool, for comparison. */
    @Benchmark
    public void pool() throws InterruptedException {
        Executor[] same = new Executor[lanes];
        Arrays.fill(same, pool);
        run(same);
    }

    /** Lanes as child tasks of runs have them. */
    @Benchmark
    public void lanes() throws InterruptedException {
        inOrder(SerialExecutor.TURN, null);
    }

    /** Lanes that return to the pool after each task, as in a simulation, where a seed chooses the next task. */
    @Benchmark
    public void lanesInSteps() throws InterruptedException {
        inOrder(1, null);
    }

    /** Lanes as the engine has them. */
    @Benchmark
    public void countedLanes() throws InterruptedException {
        SerialExecutorStatistics statistics = new SerialExecutorStatistics();
        inOrder(SerialExecutor.TURN, statistics);
        if (statistics.longest() < 1) {
            throw new IllegalStateException("nothing was counted");
        }
    }

    private void inOrder(int turn, SerialExecutorStatistics statistics) throws InterruptedException {
        Executor[] all = new Executor[lanes];
        Arrays.setAll(all, lane -> new SerialExecutor(pool, turn, statistics));
        run(all);
        if (disorder) {
            throw new IllegalStateException("a lane has not kept its order");
        }
        for (int lane = 0; lane < lanes; lane++) {
            if (done[lane * APART] != tasks / lanes) {
                throw new IllegalStateException(
                        "lane " + lane + " has run " + done[lane * APART] + " tasks of " + tasks / lanes + " in order");
            }
        }
    }

    private void run(Executor[] executors) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(lanes);
        for (int number = 0; number < tasks / lanes; number++) {
            for (int lane = 0; lane < lanes; lane++) {
                executors[lane].execute(new Step(lane, number, left));
            }
        }
        left.await();
    }
}
