package io.ostraka.console.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.fixtures.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SharedViewsTest {
    private static final int CALLERS = 10;

    private final VirtualTimer timer = new VirtualTimer();
    private final FakeNamespace namespace = new FakeNamespace(timer);
    private SharedViews views = new SharedViews(namespace, timer);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stopThreads() throws InterruptedException {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void answerIsUsedForASecond() {
        namespace.alarms.put("1", "a");
        List<?> first = views.alarms();
        timer.advance(Duration.ofMillis(999));
        assertThat(views.alarms()).isSameAs(first);
        timer.advance(Duration.ofMillis(1));
        assertThat(views.alarms()).isNotSameAs(first);
        assertThat(namespace.reads).isEqualTo(2);
    }

    @Test
    void answerOfASlowReadIsUsedTenTimesAsLongAsTheReadTook() {
        namespace.beforeRead = () -> timer.advance(Duration.ofMillis(500));
        views.alarms();
        timer.advance(Duration.ofMillis(4_499)); // 1 ms before ten times half a second after the start
        views.alarms();
        assertThat(namespace.reads).isEqualTo(1);
        timer.advance(Duration.ofMillis(1));
        views.alarms();
        assertThat(namespace.reads).isEqualTo(2);
    }

    @Test
    void otherArgumentsAreAnotherView() {
        namespace.add("a", 3);
        assertThat(views.items("a", List.of("1"))).hasSize(1);
        assertThat(views.items("a", List.of())).hasSize(3);
        assertThat(views.explain("a", "1")).isNotEqualTo(views.explain("a", "2"));
        assertThat(namespace.reads).isEqualTo(4);
    }

    @Test
    void callersAtTheSameTimeShareOneRead() throws Exception {
        namespace.add("a", 1);
        CountDownLatch release = holdReads();
        List<FutureTask<List<JobSummary>>> answers = startTogether();
        timer.advance(Duration.ofMinutes(1)); // a read under way is shared however long it takes
        release.countDown();
        List<JobSummary> first = answers.get(0).get();
        for (FutureTask<List<JobSummary>> each : answers) {
            assertThat(each.get()).isSameAs(first);
        }
        assertThat(namespace.reads).isEqualTo(1);
    }

    @Test
    void callerWaitsForTheReadOfAnotherForALimitedTime() throws Exception {
        views = new SharedViews(namespace, timer, Duration.ofMillis(1));
        CountDownLatch release = holdReads();
        List<FutureTask<List<JobSummary>>> answers = startTogether();
        Eventually.holds(
                "all but the caller that reads",
                () -> answers.stream().filter(FutureTask::isDone).count() == CALLERS - 1);
        release.countDown();
        for (FutureTask<List<JobSummary>> each : answers) {
            try {
                each.get();
            } catch (ExecutionException e) {
                assertThat(e.getCause()).hasMessageContaining("'jobs' was not read within PT0.001S");
            }
        }
        assertThat(namespace.reads).isEqualTo(1);
    }

    /** Makes reads wait. */
    private CountDownLatch holdReads() {
        CountDownLatch release = new CountDownLatch(1);
        namespace.beforeRead = () -> awaitQuietly(release);
        return release;
    }

    /** Starts threads that ask for the jobs at the same time, and waits until all of them wait for an answer or have one. */
    private List<FutureTask<List<JobSummary>>> startTogether() throws Exception {
        CyclicBarrier start = new CyclicBarrier(CALLERS + 1);
        List<FutureTask<List<JobSummary>>> answers = new ArrayList<>();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            FutureTask<List<JobSummary>> answer = new FutureTask<>(() -> {
                start.await();
                return views.jobs();
            });
            answers.add(answer);
            callers.add(new Thread(answer));
        }
        callers.forEach(Thread::start);
        start.await();
        Eventually.holds("all callers", () -> callers.stream().allMatch(SharedViewsTest::waitsOrHasEnded));
        return answers;
    }

    private static boolean waitsOrHasEnded(Thread caller) {
        Thread.State state = caller.getState();
        return state == Thread.State.TERMINATED
                || ((state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
                        && Arrays.stream(caller.getStackTrace())
                                .anyMatch(frame -> frame.getClassName().equals(SharedViews.class.getName())));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void failureReachesAllThatWaitAndIsNotUsedAgain() throws Exception {
        namespace.down = true;
        CountDownLatch release = holdReads();
        List<FutureTask<List<JobSummary>>> answers = startTogether();
        release.countDown();
        for (FutureTask<List<JobSummary>> each : answers) {
            assertThatThrownBy(each::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(CoordinationException.class);
        }
        assertThat(namespace.reads).isEqualTo(1);
        namespace.down = false;
        assertThat(views.jobs()).isEmpty();
    }

    @Test
    void errorOfAReadReachesItsCaller() {
        namespace.beforeRead = () -> {
            throw new StackOverflowError();
        };
        assertThatThrownBy(views::jobs).isInstanceOf(StackOverflowError.class);
        namespace.beforeRead = () -> {};
        assertThat(views.jobs()).isEmpty();
    }

    @Test
    void callerReadsItsOwnCommand() {
        assertThat(views.namespace().frozen()).isNull();
        assertThat(views.execute(new Command.Freeze(null), CommandOptions.by("ann")))
                .isInstanceOf(CommandResult.Applied.class);
        assertThat(views.namespace().frozen()).isNotNull();
    }

    @Test
    void commandThatFailedAlsoDropsTheAnswers() {
        views.alarms();
        assertThatThrownBy(() -> views.execute(new Command.Thaw(), CommandOptions.by("ann")))
                .isInstanceOf(UnsupportedOperationException.class);
        views.alarms();
        assertThat(namespace.reads).isEqualTo(2);
    }

    @Test
    void readThatBeganBeforeACommandIsRepeated() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger started = new AtomicInteger();
        SharedViews slow = new SharedViews(
                new FakeNamespace(timer) {
                    @Override
                    public NamespaceDetails namespace() {
                        NamespaceDetails answer = super.namespace();
                        if (started.incrementAndGet() == 1) {
                            reading.countDown();
                            awaitQuietly(release);
                        }
                        return answer;
                    }
                },
                timer);
        Future<NamespaceDetails> early = threads.submit(slow::namespace);
        reading.await();
        slow.execute(new Command.Freeze(null), CommandOptions.by("ann"));
        assertThat(slow.namespace().frozen()).as("a read after the command").isNotNull();
        release.countDown();
        assertThat(early.get().frozen())
                .as("a read that the command has overtaken")
                .isNotNull();
        assertThat(started).hasValue(2);
    }

    @Test
    void readThatCommandsOvertakeAgainAndAgainEnds() {
        namespace.beforeRead = () -> views.execute(new Command.Freeze(null), CommandOptions.by("ann"));
        assertThat(views.namespace().frozen()).isNotNull();
        assertThat(namespace.reads).isEqualTo(3);
    }

    @Test
    void numberOfAnswersIsBounded() {
        for (int i = 0; i < 10 * SharedViews.MOST_ANSWERS; i++) {
            views.explain("a", String.valueOf(i));
        }
        assertThat(views.kept()).isEqualTo(SharedViews.MOST_ANSWERS);
        namespace.reads = 0;
        views.explain("a", String.valueOf(10 * SharedViews.MOST_ANSWERS - 1));
        assertThat(namespace.reads).as("the latest answer is kept").isZero();
    }

    @Test
    void sizeOfTheArgumentsIsBounded() {
        for (int i = 0; i < 100; i++) {
            views.diff(String.valueOf(i).repeat(SharedViews.LONGEST_ARGUMENTS / 2));
        }
        assertThat(views.kept() * SharedViews.LONGEST_ARGUMENTS / 2).isLessThanOrEqualTo(SharedViews.MOST_ARGUMENTS);
        int kept = views.kept();
        views.diff("x".repeat(SharedViews.LONGEST_ARGUMENTS + 1));
        assertThat(views.kept()).as("a large argument is not kept").isEqualTo(kept);
    }

    @Test
    void oldAnswersAreDropped() {
        for (int i = 0; i < 100; i++) {
            views.explain("a", String.valueOf(i));
        }
        timer.advance(Duration.ofSeconds(1));
        views.alarms();
        assertThat(views.kept()).isEqualTo(1);
    }

    @Test
    void interruptedCallerDoesNotDisturbTheOthers() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        namespace.beforeRead = () -> {
            reading.countDown();
            awaitQuietly(release);
        };
        Future<List<?>> owner = threads.submit(() -> views.jobs());
        reading.await();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            Thread.currentThread().interrupt();
            try {
                views.jobs();
            } catch (CoordinationException e) {
                failure.complete(e);
            }
        });
        waiting.start();
        assertThat(failure.get()).hasMessage("could not read the view 'jobs': interrupted");
        release.countDown();
        assertThat(owner.get()).isEmpty();
    }

    @Test
    void everyViewIsShared() {
        namespace.add("a", 1);
        Instant from = Instant.parse("2026-01-01T00:00:00Z");
        List<Runnable> all = List.of(
                views::namespace,
                views::jobs,
                () -> views.activity(List.of("a")),
                () -> views.items("a", List.of()),
                () -> views.explain("a", "0"),
                () -> views.run("a", "r"),
                views::backfills,
                views::alarms,
                views::instances,
                () -> views.nextFires("a", 3),
                () -> views.forecast(from, Duration.ofMinutes(15), 4),
                views::export,
                () -> views.diff("{}"));
        all.forEach(Runnable::run);
        all.forEach(Runnable::run);
        assertThat(namespace.reads).isEqualTo(all.size());
    }
}
