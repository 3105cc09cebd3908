package io.ostraka.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.RunTimeoutException;
import io.ostraka.api.Tasks;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.TaskMetrics;
import io.ostraka.core.instance.EngineThreads;
import io.ostraka.core.metrics.TaskMeter;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SystemClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests child tasks on real threads. */
@Timeout(60)
class ChildTasksTest {
    private static final int PLACES = 4;

    private final EngineThreads machine =
            new EngineThreads(new SystemClock(), TestRun.onCallersThread().fireTimer(), virtualThreads());
    private final ItemRun run = TestRun.of(JobConfiguration.newBuilder("job", 1).build());
    private Platform platform = machine.platform();
    private final TaskMeter meter = new TaskMeter(System::nanoTime);
    private final RunSlots.Pool slots = new RunSlots(platform, 1, 1, PLACES).tasks();

    boolean virtualThreads() {
        return false;
    }

    @AfterEach
    void allPlacesAreGivenBack() {
        machine.close();
        assertThat(slots.load())
                .extracting(Load.Slots::taken, Load.Slots::waiting)
                .containsExactly(0, 0);
        assertThat(meter.read())
                .as("every task was counted as succeeded, failed or cancelled")
                .extracting(TaskMetrics::waiting, TaskMetrics::running)
                .containsExactly(0L, 0L);
    }

    private interface Code {
        void run(Tasks tasks) throws Exception;
    }

    /** Adds actions around each task. */
    private BiFunction<ItemRun, Runnable, Runnable> around = (each, task) -> task;

    private void perform(Code code) throws Throwable {
        assertThat(run.begin(Thread.currentThread())).isTrue();
        try {
            run.execute(
                    () -> code.run(run.tasks()), () -> new ChildTasks(platform, run, slots, meter, around, () -> {}));
        } finally {
            run.returned();
        }
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    }

    /** A task that ends only when it is interrupted. */
    private static final class Stubborn implements Tasks.Task<String> {
        final CountDownLatch begun = new CountDownLatch(1);
        final List<String> told = new ArrayList<>();

        @Override
        public String call() throws Exception {
            begun.countDown();
            new CountDownLatch(1).await();
            return "never";
        }

        @Override
        public void succeeded(String result) {
            told.add("succeeded " + result);
        }

        @Override
        public void failed(Throwable failure) {
            told.add("failed " + failure.getClass().getSimpleName());
        }

        @Override
        public void timedOut(boolean cancelled) {
            told.add("timed out " + cancelled + " " + Thread.currentThread().isInterrupted());
        }

        @Override
        public void completed() {
            told.add("completed");
        }
    }

    @Test
    void interceptorSurroundsTaskAndItsCallbacks() throws Throwable {
        List<String> steps = new CopyOnWriteArrayList<>();
        around = (each, task) -> {
            String submitter = Thread.currentThread().getName();
            return () -> {
                steps.add("submitted by " + submitter);
                task.run();
                steps.add("left");
            };
        };

        perform(tasks -> tasks.submit(() -> steps.add("code")));

        assertThat(steps)
                .containsExactly("submitted by " + Thread.currentThread().getName(), "code", "left");
    }

    @Test
    void interceptorThatThrowsFailsTheRunAndCancelsTheTask() {
        IllegalStateException wanted = new IllegalStateException("wanted");
        around = (each, task) -> () -> {
            throw wanted;
        };

        assertThatThrownBy(() -> perform(tasks -> tasks.submit(() -> "never"))).isSameAs(wanted);
    }

    @Test
    void taskRunsIfTheInterceptorDoesNotRunIt() throws Throwable {
        List<String> steps = new CopyOnWriteArrayList<>();
        around = (each, task) -> () -> {};

        perform(tasks -> tasks.submit(() -> steps.add("code")));

        assertThat(steps).containsExactly("code");
    }

    @Test
    void tasksOfOneKeyRunInOrderOneAtATime() throws Throwable {
        int keys = 40;
        int each = 100; // four times the number of tasks that a run may have at once
        List<List<Integer>> seen = new ArrayList<>();
        for (int key = 0; key < keys; key++) {
            seen.add(new ArrayList<>()); // not thread-safe, but the tasks of one key run one at a time
        }
        AtomicInteger most = new AtomicInteger();
        AtomicInteger waiting = new AtomicInteger();
        perform(tasks -> {
            for (int i = 0; i < each; i++) {
                for (int key = 0; key < keys; key++) {
                    List<Integer> list = seen.get(key);
                    int number = i;
                    tasks.inOrder("key " + key).submit(() -> {
                        list.add(number);
                        waiting.decrementAndGet();
                    });
                    most.accumulateAndGet(waiting.incrementAndGet(), Math::max);
                }
            }
        });

        List<Integer> all = IntStream.range(0, each).boxed().toList();
        assertThat(seen).allSatisfy(list -> assertThat(list).isEqualTo(all));
        assertThat(most.get()).isLessThanOrEqualTo(Tasks.MOST);
        assertThat(slots.load().largestTaken()).isLessThanOrEqualTo(PLACES);
    }

    @Test
    void runsNoMoreTasksThanSlots() throws Throwable {
        CountDownLatch full = new CountDownLatch(PLACES);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        perform(tasks -> {
            for (int i = 0; i < 100; i++) {
                tasks.submit(() -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    full.countDown();
                    await(full);
                    running.decrementAndGet();
                });
            }
        });

        assertThat(most).hasValue(PLACES);
    }

    @Test
    void onlyTasksMaySubmitAfterTheCodeReturned() throws Throwable {
        CountDownLatch returned = new CountDownLatch(1);
        AtomicReference<Tasks> kept = new AtomicReference<>();
        List<String> story = new ArrayList<>();
        Thread outsider = new Thread(() -> {
            assertThatThrownBy(() -> kept.get().submit(() -> story.add("never")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("job 'job' item 0", "its code does not run");
            story.add("outside");
            returned.countDown();
        });
        platform = waitingAfter(outsider::start);
        perform(tasks -> {
            kept.set(tasks);
            tasks.submit(() -> {
                await(returned);
                tasks.submit(() -> story.add("child's child"));
            });
        });

        assertThat(story).containsExactly("outside", "child's child");
    }

    /** Runs an action when the run's thread waits for the first time. */
    private Platform waitingAfter(Runnable first) {
        Platform all = machine.platform();
        AtomicInteger waits = new AtomicInteger();
        return new Platform(
                all.clock(), all.fireTimer(), all.timer(), all.engineThreads(), all.workers(), (answer, timeout) -> {
                    if (waits.getAndIncrement() == 0) {
                        first.run();
                    }
                    all.waiting().await(answer, timeout);
                });
    }

    @Test
    void refusesSubmissionOfTaskAtTheLimit() throws Throwable {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        perform(tasks -> {
            CountDownLatch full = new CountDownLatch(1);
            CountDownLatch tried = new CountDownLatch(1);
            tasks.submit(() -> {
                await(full);
                try {
                    tasks.submit(() -> {});
                } catch (RejectedExecutionException e) {
                    refusal.set(e);
                }
                tried.countDown();
            });
            for (int i = 1; i < Tasks.MOST; i++) {
                tasks.inOrder("key").submit(() -> await(tried));
            }
            full.countDown();
        });
        assertThat(refusal.get()).hasMessageContaining("1000 tasks");
    }

    @Test
    void stopWakesRunThatWaitsToSubmit() {
        platform = waitingAfter(() -> run.stop(ItemRun.Stop.GIVEN_UP));
        Stubborn first = new Stubborn();
        List<Throwable> cancelled = new ArrayList<>();

        assertThatThrownBy(() -> perform(tasks -> {
                    tasks.inOrder("key").submit(first);
                    for (int i = 1; i < Tasks.MOST; i++) {
                        tasks.inOrder("key").submit(new Tasks.Task<String>() {
                            @Override
                            public String call() {
                                throw new AssertionError("begins");
                            }

                            @Override
                            public void failed(Throwable failure) {
                                cancelled.add(failure);
                            }
                        });
                    }
                    await(first.begun);
                    tasks.submit(() -> "one too many");
                }))
                .isInstanceOfAny(CancellationException.class, InterruptedException.class);
        assertThat(first.told).containsExactly("failed InterruptedException", "completed");
        assertThat(cancelled).hasSize(Tasks.MOST - 1).allSatisfy(e -> assertThat(e)
                .isInstanceOf(CancellationException.class));
    }

    @Test
    void interruptsTaskAtItsLimitAndReportsTimeout() {
        Stubborn task = new Stubborn();

        assertThatThrownBy(() -> perform(tasks ->
                        tasks.within(Duration.ofMillis(20)).inOrder("key").submit(task)))
                .isInstanceOf(RunTimeoutException.class)
                .hasMessageContaining("PT0.02S")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(task.told).containsExactly("timed out true false", "completed");
    }

    @Test
    void firstFailureFailsRunAndSuppressesTheCodes() {
        assertThatThrownBy(() -> perform(tasks -> {
                    var stage = tasks.submit(() -> {
                        throw new IllegalStateException("of the task");
                    });
                    assertThatThrownBy(() -> stage.toCompletableFuture().join())
                            .isInstanceOf(CompletionException.class)
                            .hasRootCauseMessage("of the task");
                    assertThatThrownBy(() -> tasks.submit(() -> "never"))
                            .isInstanceOf(CancellationException.class)
                            .hasMessageContaining("of the task");
                    throw new IllegalArgumentException("of the code");
                }))
                .isInstanceOf(IllegalStateException.class)
                .satisfies(e ->
                        assertThat(e.getSuppressed()).singleElement().isInstanceOf(IllegalArgumentException.class));
    }

    @Test
    void failureOfTaskCallbackFailsTheTask() {
        List<String> story = new ArrayList<>();
        assertThatThrownBy(() -> perform(tasks -> {
                    var stage = tasks.submit(new Tasks.Task<String>() {
                        @Override
                        public String call() {
                            return "done";
                        }

                        @Override
                        public void succeeded(String result) {
                            story.add(result);
                            throw new IllegalStateException("told");
                        }

                        @Override
                        public void completed() {
                            story.add("completed");
                        }
                    });
                    assertThatThrownBy(() -> stage.toCompletableFuture().join()).hasRootCauseMessage("told");
                }))
                .hasMessage("told");
        assertThat(story).containsExactly("done", "completed");
    }

    @Test
    void missingThreadForTaskFailsTheRun() {
        platform = platform.withWorkers(task -> {
            throw new RejectedExecutionException("no threads");
        });
        List<String> told = new ArrayList<>();

        assertThatThrownBy(() -> perform(tasks -> tasks.submit(new Tasks.Task<String>() {
                    @Override
                    public String call() {
                        return "never";
                    }

                    @Override
                    public void failed(Throwable failure) {
                        told.add(failure.getMessage());
                    }
                })))
                .hasMessage("no threads");
        assertThat(told).singleElement().asString().contains("no threads");
    }

    @Test
    void failingHashCodeOfKeyDoesNoHarm() throws Throwable {
        Object key = new Object() {
            @Override
            public int hashCode() {
                throw new IllegalStateException("no hash");
            }
        };
        perform(tasks -> {
            assertThatThrownBy(() -> tasks.inOrder(key).submit(() -> "never")).hasMessage("no hash");
            assertThatThrownBy(() -> tasks.within(Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("job 'job'", "PT0S", "more than zero");
            tasks.join();
        });
    }

    @Test
    void tasksRunOnTheConfiguredKindOfThread() throws Throwable {
        List<Object> virtual = Collections.synchronizedList(new ArrayList<>());
        Tasks.Action task = () -> {
            boolean is = Runtime.version().feature() >= 21
                    && (boolean) Thread.class.getMethod("isVirtual").invoke(Thread.currentThread());
            virtual.add(is);
        };
        perform(tasks -> {
            tasks.submit(task);
            tasks.inOrder("key").submit(task);
            tasks.within(Duration.ofMinutes(1)).submit(task);
        });

        assertThat(virtual).hasSize(3).containsOnly(virtualThreads());
    }

    @Test
    void keepsInterruptionOfRunThatWaitsForTasks() throws Throwable {
        Thread runner = Thread.currentThread();
        CountDownLatch waiting = new CountDownLatch(1);
        platform = waitingAfter(() -> {
            runner.interrupt();
            waiting.countDown();
        });
        AtomicInteger ended = new AtomicInteger();
        run.execute(
                () -> run.tasks().submit(() -> {
                    await(waiting);
                    ended.incrementAndGet();
                }),
                () -> new ChildTasks(platform, run, slots, meter, around, () -> {}));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(ended).hasValue(1);
    }
}
