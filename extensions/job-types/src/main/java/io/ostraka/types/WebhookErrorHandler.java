package io.ostraka.types;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.ostraka.api.ItemFailure;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.Secret;
import io.ostraka.core.run.ErrorHandlers;
import io.ostraka.core.time.Clock;
import io.ostraka.core.time.DaemonThreads;
import io.ostraka.http.HttpGuard;
import io.ostraka.http.SignedPost;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends failures to another server in order, each as a signed POST request with a JSON body. Retries with growing
 * pauses. If the queue is full, further failures are dropped and counted, because an unreachable server must not fill
 * the memory of this process. The sending thread ends when it has been idle for 30 seconds.
 */
final class WebhookErrorHandler implements JobErrorHandler, AutoCloseable {
    /** Maximum number of queued failures. */
    static final int WAITING = 500;
    /** Maximum number of attempts to send one failure. */
    static final int ATTEMPTS = 8;

    private static final Logger log = LoggerFactory.getLogger(WebhookErrorHandler.class);
    private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();
    private static final int LONGEST_MESSAGE = 4096;
    private static final String CONTENT_TYPE = "application/json; charset=utf-8";
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final Duration CLOSING = Duration.ofSeconds(5);
    /** HTTP statuses below 500 after which a retry may succeed. Statuses of 500 and above are always retried. */
    private static final Set<Integer> PASSING = Set.of(408, 425, 429);

    private final Duration firstPause;
    private final Duration closingLimit;
    private final SignedPost post;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicBoolean full = new AtomicBoolean();
    private final ThreadPoolExecutor deliveries;

    /**
     * Result of one attempt.
     *
     * @param again true if a retry may succeed
     * @param problem reason why the attempt failed; empty if it succeeded
     */
    private record Attempt(boolean again, String problem) {
        static final Attempt DELIVERED = new Attempt(false, "");
    }

    /**
     * Creates a handler.
     *
     * @param target URI that receives the failures
     * @param secret signs the requests; read again for each request
     * @param guard must allow the target
     * @param clock supplies the timestamps of the requests
     */
    WebhookErrorHandler(URI target, Secret secret, HttpGuard guard, Clock clock) {
        this(target, secret, guard, clock, FIRST_PAUSE, CLOSING);
    }

    WebhookErrorHandler(
            URI target, Secret secret, HttpGuard guard, Clock clock, Duration firstPause, Duration closingLimit) {
        this.firstPause = firstPause;
        this.closingLimit = closingLimit;
        this.post = new SignedPost(target, secret, guard, clock::now);
        this.deliveries = new ThreadPoolExecutor(
                1,
                1,
                IDLE.toSeconds(),
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(WAITING),
                DaemonThreads.named("ostraka-webhook"));
        deliveries.allowCoreThreadTimeOut(true);
    }

    @Override
    public String type() {
        return ErrorHandlers.WEBHOOK;
    }

    @Override
    public void handle(ItemFailure failure, Throwable error) {
        String id = UUID.randomUUID().toString();
        byte[] body = GSON.toJson(json(id, failure)).getBytes(StandardCharsets.UTF_8);
        try {
            deliveries.execute(() -> deliver(id, body));
        } catch (Throwable e) { // the queue is full, or no thread can be started
            dropped.incrementAndGet();
            if (!(e instanceof RejectedExecutionException)) {
                log.error(
                        "webhook: no thread can be started for {}; a failure of job '{}' is dropped",
                        post.host(),
                        failure.jobName(),
                        e);
            } else if (!full.getAndSet(true)) {
                log.error(
                        "webhook: {} failures are queued for {}, and further ones are dropped; check that the server answers",
                        WAITING,
                        post.host());
            }
        }
    }

    /** Returns how many failures were not delivered, because the queue was full or the server did not accept them. */
    long dropped() {
        return dropped.get();
    }

    private static Map<String, Object> json(String id, ItemFailure failure) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("format", 1);
        json.put("event", "item-failed");
        json.put("id", id);
        json.put("jobName", failure.jobName());
        json.put("item", failure.item());
        json.put("runId", failure.runId());
        json.put("fireTime", failure.fireTime().toString());
        json.put("attempt", failure.attempt());
        json.put("instanceId", failure.instanceId());
        json.put("outcome", failure.outcome().name());
        json.put("errorType", failure.errorType());
        String message = failure.errorMessage();
        if (message != null) {
            json.put("errorMessage", message.substring(0, Math.min(message.length(), LONGEST_MESSAGE)));
        }
        return json;
    }

    private void deliver(String id, byte[] body) {
        try {
            Duration pause = firstPause;
            for (int number = 1; ; number++) {
                Attempt attempt = attempt(id, body);
                if (attempt.equals(Attempt.DELIVERED)) {
                    if (full.getAndSet(false)) {
                        log.warn("webhook: {} answers again; {} failures were not delivered", post.host(), dropped);
                    }
                    return;
                }
                boolean last = number == ATTEMPTS || closing.getCount() == 0;
                if (!attempt.again || last) {
                    dropped.incrementAndGet();
                    log.error(
                            "webhook: a failure could not be delivered to {}: {}; it was dropped after {} attempts",
                            post.host(),
                            attempt.problem,
                            number);
                    return;
                }
                closing.await(pause.toNanos(), TimeUnit.NANOSECONDS);
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            }
        } catch (InterruptedException e) { // the handler was closed, and the time for the remaining failures has passed
            dropped.incrementAndGet();
            Thread.currentThread().interrupt();
        }
    }

    private Attempt attempt(String id, byte[] body) throws InterruptedException {
        try {
            int status = post.send(id, CONTENT_TYPE, body, 0).status();
            if (status >= 200 && status < 300) {
                return Attempt.DELIVERED;
            }
            return new Attempt(status >= 500 || PASSING.contains(status), "it answered with " + status);
        } catch (IOException | RuntimeException e) { // the secret cannot be read, or the address is refused
            return new Attempt(true, e.toString());
        }
    }

    /**
     * Sends the queued failures. Each failure gets at most one more attempt, without a pause. Drops the failures that
     * remain after five seconds.
     */
    @Override
    public void close() {
        close(closingLimit);
    }

    /**
     * Closes as {@link #close()} does, but within the given limit if that is shorter than five seconds.
     *
     * @return number of failures that this method has dropped
     */
    long close(Duration limit) {
        long droppedBefore = dropped.get();
        Duration atMost = limit.compareTo(closingLimit) < 0 ? limit : closingLimit;
        closing.countDown();
        deliveries.shutdown();
        boolean interrupted = false;
        try {
            if (deliveries.awaitTermination(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
                return dropped.get() - droppedBefore;
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        int left = deliveries.shutdownNow().size();
        dropped.addAndGet(left);
        log.error("webhook: closing; {} failures were not delivered to {}", left + 1, post.host());
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return dropped.get() - droppedBefore;
    }
}
