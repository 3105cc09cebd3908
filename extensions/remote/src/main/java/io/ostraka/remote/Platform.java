package io.ostraka.remote;

import io.ostraka.api.Secret;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the platform over HTTP. Signs the requests, verifies the answers and follows no redirects. Repeats
 * a request only once, and only if the platform has refused the time in the request and has sent the correct time: the
 * clock of this machine is then wrong. Used for one request at a time.
 */
final class Platform {
    /** Minimum length of the key, in bytes. */
    static final int SHORTEST_KEY = 32;

    private static final String ACCEPTED_KEY = SHORTEST_KEY + " or more random bytes in Base64";

    static final int LARGEST_ANSWER = 1 << 20;

    private static final int NONCE_BYTES = 16;
    private static final Duration WORTH_TELLING = Duration.ofSeconds(5);
    private static final Duration LONGEST_RETRY_AFTER = Duration.ofHours(1);

    /** Sends requests. */
    interface Exchange {
        /** Returns a stage with the response. The stage fails with an exception whose message describes the reason. */
        CompletionStage<Reply> send(HttpRequest request);
    }

    /**
     * A response.
     *
     * @param body body of the response, cut after {@value #LARGEST_ANSWER} bytes and one more byte, which shows that
     *     the body is too long
     */
    record Reply(int status, HttpHeaders headers, byte[] body) {}

    /**
     * A verified answer.
     *
     * @param answer the answer
     * @param document the signed document
     * @param nonce nonce of the request
     */
    record Answered(Answer answer, String document, String nonce) {}

    /** Thrown if no request could be sent, if the platform did not answer, or if its answer was refused. */
    static final class FailedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        /**
         * False if the platform did not answer, or answered with an internal error (5xx), so that a later request may
         * succeed. Otherwise, a repetition will hardly help.
         */
        final boolean answered;
        /** Shortest pause before the next request. */
        final transient Duration retryAfter;

        FailedException(String message, boolean answered, Duration retryAfter, @Nullable Throwable cause) {
            super(message, cause);
            this.answered = answered;
            this.retryAfter = retryAfter;
        }
    }

    private final URI target;
    private final String application;
    private final String environment;
    private final String keyId;
    private final Secret key;
    private final Map<String, PublicKey> trusted;
    private final Exchange exchange;
    private final Duration timeout;
    private final Clock clock;
    private final SecureRandom random = new SecureRandom();
    /** Time by which the platform's clock is ahead of this machine's. */
    private volatile Duration ahead = Duration.ZERO;

    Platform(RemoteBuilder settings, Exchange exchange, Clock clock) {
        this.application = settings.application;
        this.environment = settings.environment;
        this.keyId = settings.requireKeyId();
        this.key = settings.requireKey();
        this.trusted = Map.copyOf(settings.trusted);
        this.target = URI.create(settings.platform.toString().replaceFirst("/+$", "") + "/v1/applications/"
                + application + "?environment=" + environment);
        this.exchange = exchange;
        this.timeout = settings.timeout;
        this.clock = clock;
    }

    URI target() {
        return target;
    }

    /**
     * Asks for the configuration.
     *
     * @param tag tag of the present revision; null if there is none
     * @return a stage with the answer; fails with a {@link FailedException}
     */
    CompletionStage<Answered> ask(@Nullable String tag) {
        return ask(tag, true);
    }

    private CompletionStage<Answered> ask(@Nullable String tag, boolean first) {
        String nonce = nonce();
        HttpRequest request;
        try {
            request = request(tag, nonce);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(failed("no request was sent: " + e.getMessage(), true, e));
        }
        return exchange.send(request)
                .handle((reply, error) -> reply != null ? reply : unreachable(error))
                .thenCompose(reply -> {
                    if (reply.status() == 401 && first && follows(reply, nonce)) {
                        return ask(tag, false);
                    }
                    return CompletableFuture.completedStage(answered(reply, nonce, tag));
                });
    }

    private HttpRequest request(@Nullable String tag, String nonce) {
        byte[] secret = key(key);
        try {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(target).timeout(timeout).header("Accept", "application/jose");
            SignedRequest.headers(target, keyId, secret, clock.instant().plus(ahead), nonce)
                    .forEach(request::header);
            if (tag != null) {
                request.header("If-None-Match", tag);
            }
            return request.build();
        } finally {
            Arrays.fill(secret, (byte) 0);
        }
    }

    private String nonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /**
     * Reads the key of the application.
     *
     * @throws IllegalArgumentException if the key is too short or is not in Base64; the message does not contain the
     *     key
     */
    static byte[] key(Secret secret) {
        char[] text = secret.read();
        ByteBuffer encoded = StandardCharsets.US_ASCII.encode(CharBuffer.wrap(text));
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        byte[] key;
        try {
            key = Base64.getDecoder().decode(bytes);
        } catch (IllegalArgumentException e) { // without the cause, whose message contains a part of the key
            throw new IllegalArgumentException(
                    "the key of the application is not in Base64; accepted: " + ACCEPTED_KEY);
        } finally {
            Arrays.fill(text, ' ');
            Arrays.fill(bytes, (byte) 0);
        }
        if (key.length < SHORTEST_KEY) {
            throw new IllegalArgumentException(
                    "the key of the application has " + key.length + " bytes; accepted: " + ACCEPTED_KEY);
        }
        return key;
    }

    /**
     * Adopts the time of the platform if the reply contains it. Returns whether this time differs from the time of the
     * request, so that a second request makes sense.
     */
    private boolean follows(Reply reply, String nonce) {
        try {
            Instant now = Answer.clock(Jws.verified(document(reply), trusted), nonce);
            Duration difference = Duration.between(clock.instant(), now);
            boolean differs = difference.minus(ahead).abs().compareTo(WORTH_TELLING) > 0;
            ahead = difference;
            return differs;
        } catch (RefusedAnswerException e) {
            return false;
        }
    }

    private Answered answered(Reply reply, String nonce, @Nullable String tag) {
        if (reply.status() != 200) {
            throw new FailedException(status(reply.status()), reply.status() < 500, retryAfter(reply), null);
        }
        try {
            String document = document(reply);
            Answer answer = Answer.read(Jws.verified(document, trusted), application, environment, nonce);
            if (answer.unchanged() && !answer.tag().equals(tag)) {
                throw new RefusedAnswerException(
                        "the answer confirms revision " + answer.revision() + ", which this application does not have");
            }
            return new Answered(answer, document, nonce);
        } catch (RefusedAnswerException e) {
            throw failed("refused: " + e.getMessage(), true, e);
        }
    }

    private static String document(Reply reply) {
        if (reply.body().length > LARGEST_ANSWER) {
            throw new RefusedAnswerException("the answer is longer than " + LARGEST_ANSWER + " bytes");
        }
        return Json.utf8("the answer", reply.body()).strip();
    }

    private String status(int status) {
        return switch (status) {
            case 401 ->
                "the platform does not accept the signature (401); compare the key '" + keyId
                        + "' with the platform's, and both clocks";
            case 403 -> "the key '" + keyId + "' may not read the application '" + application + "' (403)";
            case 404 ->
                "the platform does not know the application '" + application + "' in the environment '" + environment
                        + "' (404)";
            default ->
                status / 100 == 3
                        ? "the platform answers with status " + status + "; redirects are not followed, and only a"
                                + " signed answer can confirm the present revision"
                        : "the platform answers with status " + status;
        };
    }

    private static Duration retryAfter(Reply reply) {
        return reply.headers()
                .firstValue("Retry-After")
                .filter(text -> text.matches("[0-9]{1,6}"))
                .map(text -> Duration.ofSeconds(Long.parseLong(text)))
                .filter(pause -> pause.compareTo(LONGEST_RETRY_AFTER) <= 0)
                .orElse(Duration.ZERO);
    }

    private Reply unreachable(@Nullable Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        boolean late = cause instanceof TimeoutException || cause instanceof java.net.http.HttpTimeoutException;
        String why = cause == null
                ? ""
                : cause.getMessage() == null ? cause.getClass().getSimpleName() : Json.shown(cause.getMessage());
        throw failed(late ? "no answer within " + timeout : "the platform does not answer: " + why, false, cause);
    }

    private static FailedException failed(String message, boolean answered, @Nullable Throwable cause) {
        return new FailedException(message, answered, Duration.ZERO, cause);
    }
}
