package io.ostraka.core.instance;

import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.job.Completions;
import io.ostraka.core.job.HostedJob;
import io.ostraka.core.time.Platform;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How jobs leave an instance, and at last the instance itself: what runs may end within its job's {@link ShutdownDeadlines}, what then
 * still runs is told to end and handed over, and whoever wanted it waits for that, a bounded time. Thread-safe.
 */
final class GracefulShutdown {
    private static final Logger log = LoggerFactory.getLogger(GracefulShutdown.class);
    /** How long each step of leaving may take, even if there is more time. */
    private static final Duration LONGEST_STEP = Duration.ofSeconds(5);

    private final Coordination coordination;
    private final Platform platform;
    private final InstanceExecutor executor;
    private final InstanceRegistration registration;
    private final Lifecycle lifecycle;
    private final Supplier<CompletionStage<Void>> settled;
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private volatile boolean confirmed;
    /** How long the instance has, and since when; of the instance's lane, but for who has waited for its end. */
    private volatile ShutdownDeadlines grace = ShutdownDeadlines.of(Duration.ZERO);

    private volatile long begun;

    /**
     * @param settled ends the rest once there is no connection any more: leading, and the delivery of events
     */
    GracefulShutdown(
            Coordination coordination,
            Platform platform,
            InstanceExecutor executor,
            InstanceRegistration registration,
            Lifecycle lifecycle,
            Supplier<CompletionStage<Void>> settled) {
        this.coordination = coordination;
        this.platform = platform;
        this.executor = executor;
        this.registration = registration;
        this.lifecycle = lifecycle;
        this.settled = settled;
    }

    /** Drains jobs; completed once nothing of them runs here, or what ran was told to end and had time to. */
    CompletionStage<Void> drain(List<HostedJob> jobs) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (HostedJob job : jobs) {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            ShutdownDeadlines ofJob = ShutdownDeadlines.of(job.shutdownGrace());
            Runnable deadline = platform.timer().after(ofJob.told(), () -> {
                job.cancelRuns();
                platform.timer().after(ofJob.returned().minus(ofJob.told()), () -> ended.complete(null));
            });
            job.drain().whenComplete((done, error) -> {
                deadline.run();
                ended.complete(null);
            });
            all.add(ended);
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    }

    /** Drains all jobs, and counts the instance's own time from now on. */
    CompletionStage<Void> drainAll(List<HostedJob> jobs) {
        begun = platform.clock().monotonicNanos();
        grace = longestGrace(jobs);
        return drain(jobs);
    }

    /** Has the instance leave once its jobs, which are drained, are closed and released, or have had time for it. */
    void leave(Collection<HostedJob> jobs) {
        CompletableFuture<Void> destroyed = CompletableFuture.allOf(jobs.stream()
                .flatMap(job -> Stream.of(job.close(), job.released()))
                .map(CompletionStage::toCompletableFuture)
                .toArray(CompletableFuture[]::new));
        Runnable deadline = platform.timer().after(step(), () -> destroyed.complete(null));
        CompletionStage<TransactionResult> gone = destroyed
                .handle((done, error) -> 0)
                .thenCompose(done -> {
                    deadline.run();
                    return registration.leave(step());
                });
        // closing waits for the server, and must not do so on the store's own thread
        gone.whenComplete((verdict, error) -> platform.workers().execute(() -> {
            confirmed = verdict instanceof TransactionResult.Done;
            coordination.close();
            executor.execute(this::stop);
        }));
    }

    private void stop() {
        Runnable limit = platform.timer().after(step(), () -> left.complete(null));
        lifecycle
                .stopped()
                .thenCombine(settled.get(), (stopped, delivered) -> 0)
                .whenComplete((told, error) -> {
                    limit.run();
                    left.complete(null);
                });
    }

    /** How long the next step may take: half of what is left, so that something is left for those after it. */
    private Duration step() {
        Duration half = until(grace.left()).dividedBy(2);
        return half.compareTo(LONGEST_STEP) < 0 ? half : LONGEST_STEP;
    }

    private Duration until(Duration moment) {
        Duration rest = moment.minusNanos(platform.clock().monotonicNanos() - begun);
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    /** Returns how much is left of the time that closing may take in all; for once the instance has left. */
    Duration timeLeft() {
        return until(grace.closed());
    }

    /** Returns what became of the runs of jobs that were drained. */
    ShutdownReport report(Collection<HostedJob> jobs) {
        int ended = 0;
        List<String> givenUp = new ArrayList<>();
        List<String> running = new ArrayList<>();
        for (HostedJob job : jobs) {
            Completions runs = job.completions();
            ended += runs.endedSince();
            runs.givenUpSince().forEach(item -> givenUp.add("job '" + job.name() + "' item " + item));
            job.underWay().forEach(item -> running.add("job '" + job.name() + "' item " + item));
        }
        return new ShutdownReport(ended, givenUp, running, confirmed);
    }

    /** Waits until some jobs have ended. */
    void awaitEnd(CompletableFuture<?> ended, List<HostedJob> jobs) {
        await(ended, longestGrace(jobs).closed());
    }

    /** Waits until the instance has left. */
    void awaitLeaving(List<HostedJob> jobs) {
        await(left, longestGrace(jobs).closed());
    }

    private static ShutdownDeadlines longestGrace(List<HostedJob> jobs) {
        return ShutdownDeadlines.of(jobs.stream()
                .map(HostedJob::shutdownGrace)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO));
    }

    private void await(CompletableFuture<?> stage, Duration timeout) {
        try {
            platform.waiting().await(stage, timeout);
        } catch (TimeoutException e) {
            log.warn(
                    "not everything has ended within {}; items whose code still runs are kept until it returns or the process"
                            + " ends",
                    timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
