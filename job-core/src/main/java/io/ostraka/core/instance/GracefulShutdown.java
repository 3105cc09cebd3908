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
 * Drains jobs and shuts the instance down. Running items may end within the shutdown grace of their job. Items that
 * still run after the grace are stopped and handed over, see {@link ShutdownDeadlines}. Callers wait for a bounded
 * time. Thread-safe.
 */
final class GracefulShutdown {
    private static final Logger log = LoggerFactory.getLogger(GracefulShutdown.class);
    /** Maximum duration of one step, even if more time remains. */
    private static final Duration LONGEST_STEP = Duration.ofSeconds(5);

    private final Coordination coordination;
    private final Platform platform;
    private final InstanceExecutor executor;
    private final InstanceRegistration registration;
    private final Lifecycle lifecycle;
    private final Supplier<CompletionStage<Void>> settled;
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private volatile boolean confirmed;
    /**
     * Deadlines of the instance, counted from {@link #begun}. Written on the instance's executor; read by callers after
     * the instance has ended.
     */
    private volatile ShutdownDeadlines grace = ShutdownDeadlines.of(Duration.ZERO);

    private volatile long begun;

    /** @param settled ends leadership and the delivery of events; called after the connection was closed */
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

    /**
     * Drains jobs. The stage completes when this instance no longer runs items of these jobs. For each job, it waits
     * at most until {@link ShutdownDeadlines#returned}.
     */
    CompletionStage<Void> drain(List<HostedJob> jobs) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (HostedJob job : jobs) {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            ShutdownDeadlines ofJob = ShutdownDeadlines.of(job.shutdownGrace());
            Runnable deadline = platform.timer().after(ofJob.stopped(), () -> {
                job.shutdown().cancelRuns();
                platform.timer().after(ofJob.returned().minus(ofJob.stopped()), () -> ended.complete(null));
            });
            job.shutdown().drain().whenComplete((done, error) -> {
                deadline.run();
                ended.complete(null);
            });
            all.add(ended);
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    }

    /** Drains all jobs and starts the deadlines of the instance's shutdown. */
    CompletionStage<Void> drainAll(List<HostedJob> jobs) {
        begun = platform.clock().monotonicNanos();
        grace = longestGrace(jobs);
        return drain(jobs);
    }

    /**
     * Closes the drained jobs, waits until their plans assign no items to this instance, and removes the instance's
     * node. Each of these steps has a time limit.
     */
    void leave(Collection<HostedJob> jobs) {
        CompletableFuture<Void> destroyed = CompletableFuture.allOf(jobs.stream()
                .flatMap(job -> Stream.of(job.close(), job.shutdown().released()))
                .map(CompletionStage::toCompletableFuture)
                .toArray(CompletableFuture[]::new));
        Runnable deadline = platform.timer().after(step(), () -> destroyed.complete(null));
        CompletionStage<TransactionResult> gone = destroyed
                .handle((done, error) -> 0)
                .thenCompose(done -> {
                    deadline.run();
                    return registration.leave(step());
                });
        gone.whenComplete((result, error) -> {
            Runnable disconnect = () -> {
                confirmed = result instanceof TransactionResult.Done;
                coordination.close();
                executor.execute(this::stop);
            };
            // Close on a worker: closing waits for the server, and would block the store's own thread.
            try {
                platform.workers().execute(disconnect);
            } catch (Throwable e) { // no thread can be started, but the engine's own threads exist
                platform.callEngine(disconnect);
            }
        });
    }

    private void stop() {
        Runnable limit = platform.timer().after(step(), () -> left.complete(null));
        lifecycle
                .stopped()
                .thenCombine(settled.get(), (notified, delivered) -> 0)
                .whenComplete((delivered, error) -> {
                    limit.run();
                    left.complete(null);
                });
    }

    /** Returns the time limit of the next step: half of the remaining time, so that later steps have time as well. */
    private Duration step() {
        Duration half = until(grace.left()).dividedBy(2);
        return half.compareTo(LONGEST_STEP) < 0 ? half : LONGEST_STEP;
    }

    private Duration until(Duration moment) {
        Duration rest = moment.minusNanos(platform.clock().monotonicNanos() - begun);
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    /** Returns the time that is left for stopping the threads. Called after the instance's node was removed. */
    Duration timeLeft() {
        return until(grace.closed());
    }

    /** Returns a report on the runs of the drained jobs. */
    ShutdownReport report(Collection<HostedJob> jobs) {
        int ended = 0;
        List<String> givenUp = new ArrayList<>();
        List<String> running = new ArrayList<>();
        for (HostedJob job : jobs) {
            Completions runs = job.completions();
            ended += runs.endedSince();
            runs.givenUpSince().forEach(item -> givenUp.add("job '" + job.name() + "' item " + item));
            job.shutdown().underWay().forEach(item -> running.add("job '" + job.name() + "' item " + item));
        }
        return new ShutdownReport(ended, givenUp, running, confirmed);
    }

    /**
     * Waits until jobs have ended, but not beyond {@link ShutdownDeadlines#closed}. The longest grace of these jobs
     * determines this deadline.
     */
    void awaitEnd(CompletableFuture<?> ended, List<HostedJob> jobs) {
        await(ended, longestGrace(jobs).closed());
    }

    /** Returns a stage that completes when the instance has ended. */
    CompletableFuture<Void> left() {
        return left;
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
                    "shutdown did not finish within {}; items whose code still runs stay here until the code returns or the process"
                            + " ends",
                    timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
