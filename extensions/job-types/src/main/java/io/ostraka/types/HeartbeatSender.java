package io.ostraka.types;

import io.ostraka.core.time.Clock;
import io.ostraka.http.HttpSender;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the heartbeats to one target, at most one per interval. Sends on another thread, so the caller does not wait.
 */
final class HeartbeatSender {
    /** Maximum number of attempts to send one heartbeat. */
    static final int ATTEMPTS = 3;

    private static final Logger log = LoggerFactory.getLogger(HeartbeatSender.class);
    private static final Duration CONNECTING = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final String subject;
    private final URI target;
    private final Duration interval;
    private final Duration pause;
    private final Clock clock;
    private final HttpSender sender;
    private final AtomicBoolean sending = new AtomicBoolean();
    private final AtomicLong successes = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private boolean begun; // this field and the next one are confined to the caller's thread
    private long lastNanos;
    /**
     * Reason of the latest failure that was logged; null if the latest heartbeat was accepted. Confined to the sending
     * task; only one runs at a time.
     */
    private @Nullable String logged;

    /**
     * @param subject description of the job or the namespace, for the log
     * @param pause time between two attempts
     * @param sender its guard must allow the target
     */
    HeartbeatSender(String subject, URI target, Duration interval, Duration pause, HttpSender sender, Clock clock) {
        this.subject = subject;
        this.target = target;
        this.interval = interval;
        this.pause = pause;
        this.clock = clock;
        this.sender = sender;
    }

    /** Returns how many heartbeats the target has accepted. */
    long successes() {
        return successes.get();
    }

    /** Returns how many heartbeats the target has not accepted in any attempt. */
    long failures() {
        return failures.get();
    }

    /**
     * Sends a heartbeat, unless one was sent within the interval or is being sent.
     *
     * @param threads runs the sending task
     * @param closing ends the pauses between attempts
     */
    void beat(Executor threads, CountDownLatch closing) {
        long now = clock.monotonicNanos();
        if ((begun && now - lastNanos < interval.toNanos()) || !sending.compareAndSet(false, true)) {
            return;
        }
        begun = true;
        lastNanos = now;
        try {
            threads.execute(() -> {
                boolean accepted = false;
                try {
                    accepted = send(closing);
                } finally { // even after an Error such as a lack of threads, the next success must send a heartbeat
                    sending.set(false);
                    (accepted ? successes : failures).incrementAndGet();
                }
            });
        } catch (RejectedExecutionException e) { // the instance is closing
            sending.set(false);
        } catch (Throwable e) { // no thread can be started now; the next success tries again
            sending.set(false);
            failures.incrementAndGet();
        }
    }

    /** Returns whether the target has accepted the heartbeat in one of the attempts. */
    private boolean send(CountDownLatch closing) {
        String problem = "";
        try {
            for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
                problem = attempt();
                if (problem.isEmpty()) {
                    if (logged != null) {
                        logged = null;
                        log.info(
                                "heartbeat of {}: {} answers again; {} heartbeats were not accepted since the start",
                                subject,
                                target.getHost(),
                                failures);
                    }
                    return true;
                }
                if (attempt < ATTEMPTS && closing.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                    break;
                }
            }
        } catch (InterruptedException e) { // the time for closing has passed
            Thread.currentThread().interrupt();
            return false;
        }
        if (!problem.equals(logged)) {
            logged = problem;
            log.warn(
                    "heartbeat of {}: {} did not accept it: {}; the next success sends another one, and further failures"
                            + " for this reason are only counted",
                    subject,
                    target.getHost(),
                    problem);
        }
        return false;
    }

    /** Returns why the attempt has failed; empty if it succeeded. */
    private String attempt() throws InterruptedException {
        try {
            HttpRequest request = HttpRequest.newBuilder(target).GET().build();
            HttpSender.Answer answer = sender.send(request, CONNECTING, LIMIT, 0);
            return answer.success() ? "" : "it answered with " + answer.status();
        } catch (IOException | RuntimeException e) { // the address may be refused
            return e.toString();
        }
    }
}
