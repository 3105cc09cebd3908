package io.ostraka.core.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("smoke")
@Timeout(60)
class SerialExecutorTest {
    private final Queue<Runnable> threads = new ArrayDeque<>();
    private final SerialExecutorStatistics statistics = new SerialExecutorStatistics();

    private void assertStatistics(int active, long queued, int longest, long completed) {
        assertThat(List.<Number>of(
                        statistics.active(), statistics.queued(), statistics.longest(), statistics.completed()))
                .as("active, queued, longest, completed")
                .containsExactly(active, queued, longest, completed);
    }

    @Test
    void countsTasksOfAllSerialExecutors() {
        SerialExecutor one = new SerialExecutor(threads::add, 1, statistics);
        SerialExecutor other = new SerialExecutor(threads::add, 1, statistics);
        one.execute(() -> {});
        one.execute(() -> assertStatistics(2, 1, 2, 1));
        other.execute(() -> {});
        assertStatistics(2, 3, 2, 0);

        threads.remove().run(); // first task of 'one', which then queues behind 'other'
        threads.add(threads.remove());
        threads.remove().run();
        assertStatistics(1, 1, 2, 2);
        threads.remove().run();
        assertStatistics(0, 0, 2, 3);
    }

    @Test
    void queuesBehindOthersAfterItsTurn() {
        List<String> story = new ArrayList<>();
        SerialExecutor one = new SerialExecutor(threads::add, 2, statistics);
        SerialExecutor other = new SerialExecutor(threads::add, 2, statistics);
        for (int i = 0; i < 5; i++) {
            String task = "one " + i;
            one.execute(() -> story.add(task));
        }
        other.execute(() -> story.add("other"));
        assertStatistics(2, 6, 5, 0);
        while (!threads.isEmpty()) {
            threads.remove().run();
        }

        assertThat(story).containsExactly("one 0", "one 1", "other", "one 2", "one 3", "one 4");
        assertStatistics(0, 0, 5, 6);
    }

    @Test
    void countsTaskThatFailsAndRunsNext() {
        AtomicInteger failed = new AtomicInteger();
        SerialExecutor executor = new SerialExecutor(threads::add, SerialExecutor.TURN, statistics);
        executor.execute(() -> {
            throw new IllegalStateException("fails");
        });
        executor.execute(() -> {});
        while (!threads.isEmpty()) {
            try {
                threads.remove().run();
            } catch (IllegalStateException e) { // as it would be on a thread of the pool
                failed.incrementAndGet();
            }
        }
        assertThat(failed).hasValue(1);
        assertStatistics(0, 0, 2, 2);
    }

    @Test
    void doesNotCountTasksRejectedByClosedExecutor() {
        AtomicBoolean closed = new AtomicBoolean();
        SerialExecutor executor = new SerialExecutor(
                task -> {
                    if (closed.get()) {
                        throw new RejectedExecutionException();
                    }
                    threads.add(task);
                },
                1,
                statistics);
        List<String> story = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            executor.execute(() -> story.add("runs"));
        }
        closed.set(true);
        threads.remove().run();
        assertThat(story).hasSize(1);
        assertStatistics(0, 0, 3, 1);

        executor.execute(() -> story.add("never"));
        assertStatistics(0, 0, 3, 1);

        closed.set(false);
        executor.execute(() -> story.add("again"));
        threads.remove().run();
        assertThat(story).containsExactly("runs", "again");
        assertStatistics(0, 0, 3, 2);
    }

    @Test
    void tasksWaitForThreadAndRunInOrder() {
        AtomicBoolean threadless = new AtomicBoolean(true);
        Queue<Runnable> later = new ArrayDeque<>();
        List<String> story = new ArrayList<>();
        SerialExecutor executor = new SerialExecutor(
                task -> {
                    if (threadless.get()) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    threads.add(task);
                },
                1,
                statistics,
                later::add);
        executor.execute(() -> story.add("first"));
        executor.execute(() -> story.add("second"));
        later.remove().run();
        assertThat(later).as("attempts to come").hasSize(1);
        assertStatistics(1, 2, 2, 0);

        threadless.set(false);
        later.remove().run();
        threads.remove().run();
        threadless.set(true);
        executor.execute(() -> story.add("third"));
        threads.remove().run();
        threadless.set(false);
        later.remove().run();
        threads.remove().run();
        assertThat(story).containsExactly("first", "second", "third");
        assertThat(later).isEmpty();
        assertStatistics(0, 0, 2, 3);
    }

    @Test
    void recoversWhenExecutorAndTimerHaveNoThread() {
        AtomicBoolean threadless = new AtomicBoolean(true);
        Executor failing = task -> {
            if (threadless.get()) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            threads.add(task);
        };
        List<String> story = new ArrayList<>();
        SerialExecutor executor = new SerialExecutor(failing, SerialExecutor.TURN, statistics, failing);
        executor.execute(() -> story.add("first"));
        assertStatistics(0, 1, 1, 0);

        threadless.set(false);
        executor.execute(() -> story.add("second"));
        threads.remove().run();
        assertThat(story).containsExactly("first", "second");
        assertStatistics(0, 0, 2, 2);
    }

    @Test
    void taskMayAddTasksOnSynchronousExecutor() {
        List<String> story = new ArrayList<>();
        SerialExecutor executor = new SerialExecutor(Runnable::run, SerialExecutor.TURN, statistics);
        executor.execute(() -> {
            executor.execute(() -> story.add("inner"));
            story.add("outer");
        });

        assertThat(story).containsExactly("outer", "inner");
    }

    /**
     * The tasks write to a structure that is not thread-safe; it stays intact only if each task sees the writes of
     * the one before.
     */
    @Test
    void keepsAllTasksAndOrderUnderContention() throws Exception {
        int executors = 20;
        int producers = 4;
        int each = 20_000;
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<List<int[]>> seen = new ArrayList<>();
        List<SerialExecutor> all = new ArrayList<>();
        for (int i = 0; i < executors; i++) {
            seen.add(new ArrayList<>());
            all.add(new SerialExecutor(pool, SerialExecutor.TURN, statistics));
        }
        CountDownLatch left = new CountDownLatch(producers * each);
        List<Thread> adding = IntStream.range(0, producers)
                .mapToObj(producer -> new Thread(() -> {
                    for (int i = 0; i < each; i++) {
                        int number = i;
                        List<int[]> list = seen.get(i % executors);
                        all.get(i % executors).execute(() -> {
                            list.add(new int[] {producer, number});
                            left.countDown();
                        });
                    }
                }))
                .toList();
        adding.forEach(Thread::start);
        assertThat(left.await(50, TimeUnit.SECONDS)).isTrue();
        pool.shutdown();
        assertThat(pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();

        for (int executor = 0; executor < executors; executor++) {
            int first = executor;
            for (int producer = 0; producer < producers; producer++) {
                int who = producer;
                assertThat(seen.get(executor).stream()
                                .filter(task -> task[0] == who)
                                .map(task -> task[1]))
                        .containsExactlyElementsOf(IntStream.range(0, each)
                                .filter(i -> i % executors == first)
                                .boxed()
                                .toList());
            }
        }
        assertThat(statistics.active()).isZero();
        assertThat(statistics.queued()).isZero();
        assertThat(statistics.completed()).isEqualTo((long) producers * each);
    }

    /**
     * Each of two threads adds a task as soon as its previous task has run. The serial executor may just be becoming
     * idle then.
     */
    @Tag("slow")
    @Test
    void runsTaskThatArrivesAsExecutorFallsIdle() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        SerialExecutor executor = new SerialExecutor(pool, SerialExecutor.TURN, statistics);
        List<Thread> adding = IntStream.range(0, 2)
                .mapToObj(producer -> new Thread(() -> {
                    AtomicInteger ran = new AtomicInteger();
                    for (int i = 1; i <= 100_000; i++) {
                        executor.execute(ran::incrementAndGet);
                        while (ran.get() < i && !Thread.interrupted()) {
                            Thread.yield();
                        }
                    }
                }))
                .toList();
        adding.forEach(Thread::start);
        for (Thread each : adding) {
            each.join(TimeUnit.SECONDS.toMillis(50));
            assertThat(each.isAlive()).isFalse();
        }
        pool.shutdown();
        assertThat(pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThat(statistics.completed()).isEqualTo(200_000);
    }

    @Test
    void tasksThatFailUnderContentionStopNoExecutor() throws Exception {
        int each = 5_000;
        AtomicInteger failed = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        SerialExecutor executor = new SerialExecutor(
                turn -> pool.execute(() -> {
                    try {
                        turn.run();
                    } catch (IllegalStateException e) {
                        failed.incrementAndGet();
                    }
                }),
                SerialExecutor.TURN,
                statistics);
        CountDownLatch left = new CountDownLatch(2 * each);
        Runnable add = () -> {
            for (int i = 0; i < each; i++) {
                boolean fails = i % 3 == 0;
                executor.execute(() -> {
                    left.countDown();
                    if (fails) {
                        throw new IllegalStateException("fails");
                    }
                });
            }
        };
        new Thread(add).start();
        new Thread(add).start();
        assertThat(left.await(50, TimeUnit.SECONDS)).isTrue();
        pool.shutdown();
        assertThat(pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();

        assertThat(failed).hasValue(2 * ((each + 2) / 3));
        assertThat(statistics.completed()).isEqualTo(2L * each);
        assertThat(statistics.active()).isZero();
        assertThatThrownBy(() -> pool.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void rejectionsUnderContentionLeaveNoExecutorStuck() throws Exception {
        AtomicBoolean closed = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        SerialExecutor executor = new SerialExecutor(
                turn -> {
                    if (closed.get()) {
                        throw new RejectedExecutionException();
                    }
                    pool.execute(turn);
                },
                1,
                statistics);
        CountDownLatch added = new CountDownLatch(2);
        Runnable add = () -> {
            for (int i = 0; i < 20_000; i++) {
                closed.set(i % 7 == 0);
                executor.execute(() -> {});
            }
            added.countDown();
        };
        new Thread(add).start();
        new Thread(add).start();
        assertThat(added.await(50, TimeUnit.SECONDS)).isTrue();

        while (statistics.active() > 0) {
            Thread.onSpinWait(); // the last rejection drops all tasks that have arrived
        }
        closed.set(false);
        CountDownLatch last = new CountDownLatch(1);
        executor.execute(last::countDown);
        assertThat(last.await(30, TimeUnit.SECONDS)).isTrue();
        pool.shutdown();
        assertThat(pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThat(statistics.queued()).isZero();
        assertThat(statistics.active()).isZero();
    }

    /** An executor that throws may still run the task. */
    @Test
    void runsTasksOnceIfExecutorThrowsAfterAccepting() {
        Queue<Runnable> turns = new ArrayDeque<>();
        Queue<Runnable> attempts = new ArrayDeque<>();
        boolean[] fails = {true};
        SerialExecutor executor = new SerialExecutor(
                turn -> {
                    turns.add(turn);
                    if (fails[0]) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                },
                1,
                new SerialExecutorStatistics(),
                attempt -> {
                    attempts.add(attempt);
                    if (fails[0]) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                });
        List<Integer> ran = new ArrayList<>();
        executor.execute(() -> ran.add(1));
        executor.execute(() -> ran.add(2));
        fails[0] = false;
        executor.execute(() -> ran.add(3));
        int rounds = 0;
        while (!(turns.isEmpty() && attempts.isEmpty())) {
            assertThat(rounds++).as("turns and attempts").isLessThan(20);
            Runnable next = attempts.isEmpty() ? turns.remove() : attempts.remove();
            next.run();
        }
        assertThat(ran).containsExactly(1, 2, 3);
    }
}
