package io.ostraka.http;

import io.ostraka.api.Secret;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Sends POST requests to one target, each signed with HMAC-SHA256 over its time and its body. Thread-safe. */
public final class SignedPost {
    private static final Duration CONNECTING = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final URI target;
    private final @Nullable Secret key;
    private final Supplier<Instant> clock;
    private final HttpSender sender;

    /**
     * @param key signs the requests; read again for each request. Null for requests without a signature
     * @param guard refuses requests if it does not allow the target
     * @param clock supplies the timestamps of the requests
     */
    public SignedPost(URI target, @Nullable Secret key, HttpGuard guard, Supplier<Instant> clock) {
        this.target = target;
        this.key = key;
        this.clock = clock;
        this.sender = new HttpSender(guard);
    }

    /** Returns the host of the target. The rest of the URI may be a secret. */
    public String host() {
        return target.getHost();
    }

    /**
     * Sends one request. Takes at most 5 seconds for the look-up of the host's name, and 10 seconds for the rest.
     *
     * @param delivery identity of the delivery; a retry has the same identity
     * @param kept number of bytes of the answer's body to return
     * @throws IOException if no complete answer has arrived in time
     * @throws HttpGuard.Refused if the target is not allowed
     */
    public HttpSender.Answer send(String delivery, String contentType, byte[] body, int kept)
            throws IOException, InterruptedException {
        String timestamp = Long.toString(clock.get().getEpochSecond());
        HttpRequest.Builder request = HttpRequest.newBuilder(target)
                .header("Content-Type", contentType)
                .header("Ostraka-Delivery", delivery)
                .header("Ostraka-Timestamp", timestamp)
                .POST(BodyPublishers.ofByteArray(body));
        if (key != null) {
            request.header("Ostraka-Signature", "sha256=" + signature(key, timestamp, body));
        }
        return sender.send(request.build(), CONNECTING, LIMIT, kept);
    }

    private static String signature(Secret secret, String timestamp, byte[] body) {
        char[] text = secret.read();
        ByteBuffer key = StandardCharsets.UTF_8.encode(CharBuffer.wrap(text));
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key.array(), 0, key.limit(), mac.getAlgorithm()));
            mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        } finally {
            Arrays.fill(text, '\0');
            Arrays.fill(key.array(), (byte) 0);
        }
    }
}
