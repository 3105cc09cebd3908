package io.ostraka.core.instance;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Progress;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Membership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.job.Session;
import io.ostraka.core.run.RunSession;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the requests of user code during runs: ownership checks, checkpoints and progress. The methods may be called
 * on any thread.
 */
final class InstanceRunSession implements RunSession {
    private static final Logger log = LoggerFactory.getLogger(InstanceRunSession.class);
    private static final String CHECKPOINT = "checkpoint";
    private static final String PROGRESS = "progress";
    private static final Duration WITHOUT_SESSION = Duration.ofSeconds(5);

    private final Coordination coordination;
    private final Platform.Waiting waiting;
    private final Supplier<@Nullable Session> session;
    private final String zone;

    InstanceRunSession(
            Coordination coordination, Platform.Waiting waiting, Supplier<@Nullable Session> session, String zone) {
        this.zone = zone;
        this.coordination = coordination;
        this.waiting = waiting;
        this.session = session;
    }

    /**
     * Compares times of the local monotonic clock, which also advances while the process is suspended. The first check
     * after a suspension therefore notices that the session may have ended.
     */
    @Override
    public Optional<String> doubt() {
        Session current = session.get();
        Duration age = coordination.membership().lastAnswerAge();
        Duration limit = current == null
                ? Duration.ZERO
                : current.timeout().multipliedBy(2).dividedBy(3);
        return age.compareTo(limit) <= 0
                ? Optional.empty()
                : Optional.of("ZooKeeper has not answered for " + age.toMillis()
                        + " ms, more than two thirds of the session timeout");
    }

    /** Pings ZooKeeper if its latest reply is older than a quarter of the session timeout. */
    void refresh() {
        Session current = session.get();
        Membership membership = coordination.membership();
        if (current != null
                && membership.lastAnswerAge().compareTo(current.timeout().dividedBy(4)) > 0) {
            membership.ping();
        }
    }

    @Override
    public Optional<byte[]> checkpoint(String job, String item) {
        return answer("read", CHECKPOINT, job, item, coordination.items().checkpoint(job, item));
    }

    @Override
    public boolean saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint) {
        TransactionResult result = answer(
                "save",
                CHECKPOINT,
                job,
                item,
                coordination.items().saveCheckpoint(job, item, recordVersion, checkpoint));
        if (result instanceof TransactionResult.Unknown || result instanceof TransactionResult.Refused) {
            throw failed(
                    "save",
                    CHECKPOINT,
                    job,
                    item,
                    result instanceof TransactionResult.Unknown ? "no answer" : "refused",
                    null);
        }
        return result instanceof TransactionResult.Done;
    }

    @Override
    public Instant now() {
        return coordination.membership().serverTime();
    }

    @Override
    public String zone() {
        return zone;
    }

    @Override
    public Optional<Progress> progress(String job, String item) {
        return Optional.ofNullable(
                answer("read", PROGRESS, job, item, coordination.items().progress(job, List.of(item)))
                        .get(item));
    }

    @Override
    public void saveProgress(String job, String item, int recordVersion, Progress progress) {
        Stages.of(() -> coordination.items().saveProgress(job, item, recordVersion, progress))
                .whenComplete((result, failure) -> {
                    if (!(result instanceof TransactionResult.Done)) {
                        log.debug(
                                "job '{}' item {}: progress not saved: {}",
                                job,
                                item,
                                failure == null ? result : failure);
                    }
                });
    }

    private <T> T answer(String verb, String what, String job, String item, CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        Session current = session.get();
        Duration timeout = current == null ? WITHOUT_SESSION : current.timeout();
        try {
            waiting.await(future, timeout);
            return future.join();
        } catch (TimeoutException e) {
            throw failed(verb, what, job, item, "no answer within " + timeout, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(verb, what, job, item, "interrupted", e);
        } catch (CompletionException e) {
            throw failed(verb, what, job, item, String.valueOf(e.getCause()), e);
        }
    }

    private static CoordinationException failed(
            String verb, String what, String job, String item, String why, @Nullable Throwable cause) {
        return new CoordinationException(
                "could not " + verb + " the " + what + " of item " + item + " of job '" + job + "' in ZooKeeper: "
                        + why,
                cause);
    }
}
