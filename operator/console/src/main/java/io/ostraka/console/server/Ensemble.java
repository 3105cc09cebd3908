package io.ostraka.console.server;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.NamespaceSummary;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The list of all namespaces of an ensemble. Each read opens a session for a moment, so all callers use the result of
 * one read for some time. Thread-safe.
 */
final class Ensemble {
    private static final Logger log = LoggerFactory.getLogger(Ensemble.class);

    /** Largest age of the list of names. A new application appears after this time. */
    private static final Duration NAMES = Duration.ofSeconds(60);
    /** Age up to which an answer shows that ZooKeeper still answers. */
    private static final Duration ANSWER = Duration.ofSeconds(10);
    /** Time after a failure in which callers do not try again. */
    private static final Duration FAILURE = Duration.ofSeconds(3);

    private final Supplier<List<NamespaceSummary>> list;
    private final Clock clock;
    private final ReentrantLock reading = new ReentrantLock();

    private volatile @Nullable Answer answer;
    private volatile @Nullable Failure failure;

    private record Answer(List<String> names, Instant at) {}

    private record Failure(CoordinationException cause, Instant at) {}

    /** @param list reads the namespaces; may wait for ZooKeeper */
    Ensemble(Supplier<List<NamespaceSummary>> list, Clock clock) {
        this.list = list;
        this.clock = clock;
    }

    /**
     * Returns the names of the namespaces, sorted. If ZooKeeper does not answer, returns the names as they were last
     * known.
     *
     * @throws CoordinationException if ZooKeeper has not answered yet
     */
    List<String> names() {
        Answer known = answer;
        if (known != null && (age(known.at()).compareTo(NAMES) < 0 || reading.isLocked())) {
            return known.names();
        }
        Failure failed = read(NAMES);
        known = answer;
        if (known != null) {
            return known.names();
        }
        throw failed == null ? new CoordinationException("could not list the namespaces; try again") : failed.cause();
    }

    /** Returns whether ZooKeeper answers. */
    boolean answers() {
        return read(ANSWER) == null;
    }

    /** Reads the list, unless a recent answer or failure is known. Returns the failure; null after a success. */
    private @Nullable Failure read(Duration oldest) {
        reading.lock();
        try {
            Failure failed = failure;
            if (failed != null && age(failed.at()).compareTo(FAILURE) < 0) {
                return failed;
            }
            Answer known = answer;
            if (failed == null && known != null && age(known.at()).compareTo(oldest) < 0) {
                return null;
            }
            return read();
        } finally {
            reading.unlock();
        }
    }

    private @Nullable Failure read() {
        try {
            List<String> names =
                    list.get().stream().map(NamespaceSummary::name).sorted().toList();
            answer = new Answer(names, clock.instant());
            if (failure != null) {
                log.info("ZooKeeper answers again");
            }
            failure = null;
        } catch (CoordinationException e) {
            Failure before = failure;
            if (before == null || !Objects.equals(before.cause().getMessage(), e.getMessage())) {
                log.warn("ZooKeeper does not answer the console: {}", e.getMessage());
                log.debug("ZooKeeper does not answer the console", e);
            }
            failure = new Failure(e, clock.instant());
        }
        return failure;
    }

    private Duration age(Instant at) {
        return Duration.between(at, clock.instant());
    }
}
