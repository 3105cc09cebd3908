package io.ostraka.remote;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.ostraka.api.Secret;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A platform on a real HTTP server, which can misbehave. It checks the signatures of requests by itself. */
final class TestPlatform implements AutoCloseable {
    static final String APPLICATION = "orders";
    static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);

    private static final Pattern INPUT = Pattern.compile(
            "ostraka=(\\(\"@method\" \"@authority\" \"@path\" \"@query\"\\);created=(\\d+);nonce=\"([^\"]+)\";keyid=\"orders-1\";alg=\"hmac-sha256\")");
    private static final Duration WINDOW = Duration.ofMinutes(5);

    /** Writes the response to an accepted request, in place of the usual one. */
    interface Misbehaviour {
        void respond(HttpExchange exchange, String nonce) throws IOException;
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final KeyPair keys;
    private final Set<String> nonces = new HashSet<>();
    /** Statuses of the responses, in their order. */
    final List<Integer> statuses = new CopyOnWriteArrayList<>();

    private final String host;
    private volatile @Nullable Misbehaviour misbehaviour;
    private volatile JsonObject contents = new JsonObject();
    private volatile long revision = 1;

    private TestPlatform(HttpServer server, String host, KeyPair keys) {
        this.server = server;
        this.keys = keys;
        this.host = host;
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    static TestPlatform start() throws IOException {
        return new TestPlatform(HttpServer.create(local(0), 0), "http://localhost:", keys());
    }

    /** Starts a platform at a port that was in use before. */
    static TestPlatform startAt(TestPlatform before) throws IOException {
        TestPlatform again = new TestPlatform(HttpServer.create(local(before.port()), 0), before.host, before.keys);
        again.contents = before.contents;
        again.revision = before.revision;
        return again;
    }

    static TestPlatform startTls(SSLContext context) throws IOException {
        HttpsServer server = HttpsServer.create(local(0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return new TestPlatform(server, "https://localhost:", keys());
    }

    private static InetSocketAddress local(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private int port() {
        return server.getAddress().getPort();
    }

    URI address() {
        return URI.create(host + port());
    }

    /** Returns the settings of an application that trusts this platform. */
    RemoteBuilder application() {
        return RemoteConfiguration.newBuilder(address(), APPLICATION)
                .key("orders-1", secret(KEY))
                .trust("p1", publicKey());
    }

    static Secret secret(String text) {
        return text::toCharArray;
    }

    String publicKey() {
        return Base64.getEncoder().encodeToString(keys.getPublic().getEncoded());
    }

    /** Publishes contents: a JSON object with the members {@code jobs} and {@code connection}. */
    void publish(long newRevision, String json) {
        contents = JsonParser.parseString(json).getAsJsonObject();
        revision = newRevision;
    }

    void misbehave(@Nullable Misbehaviour how) {
        misbehaviour = how;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().add("Date", "Thu, 01 Jan 1970 00:00:00 GMT"); // must not be relied upon
            String nonce = nonce(exchange);
            if (nonce == null) {
                return;
            }
            Misbehaviour how = misbehaviour;
            if (how != null) {
                how.respond(exchange, nonce);
                return;
            }
            boolean known =
                    ("\"" + revision + "\"").equals(exchange.getRequestHeaders().getFirst("If-None-Match"));
            respond(exchange, 200, known ? sign(confirmation(revision, nonce)) : sign(payload(nonce)));
        }
    }

    /** Returns the nonce of the request; responds with 401 and returns null if its signature is not accepted. */
    private @Nullable String nonce(HttpExchange exchange) throws IOException {
        Matcher input =
                INPUT.matcher(String.valueOf(exchange.getRequestHeaders().getFirst("Signature-Input")));
        if (!input.matches()) {
            respond(exchange, 401, "");
            return null;
        }
        Map<String, String> components = new LinkedHashMap<>();
        components.put("@method", exchange.getRequestMethod());
        components.put("@authority", exchange.getRequestHeaders().getFirst("Host"));
        components.put("@path", exchange.getRequestURI().getRawPath());
        components.put("@query", "?" + exchange.getRequestURI().getRawQuery());
        String expected = "ostraka=:"
                + SignedRequest.signature(
                        Base64.getDecoder().decode(KEY), SignedRequest.base(components, input.group(1)))
                + ":";
        String nonce = input.group(3);
        boolean first;
        synchronized (nonces) {
            first = nonces.add(nonce);
        }
        if (!first || !expected.equals(exchange.getRequestHeaders().getFirst("Signature"))) {
            respond(exchange, 401, "");
            return null;
        }
        Duration difference = Duration.between(Instant.ofEpochSecond(Long.parseLong(input.group(2))), Instant.now());
        if (difference.abs().compareTo(WINDOW) > 0) {
            JsonObject clock = new JsonObject();
            clock.addProperty("schema", Answer.CLOCK_SCHEMA);
            clock.addProperty("nonce", nonce);
            clock.addProperty("now", Instant.now().toString());
            respond(exchange, 401, sign(clock));
            return null;
        }
        return nonce;
    }

    void respond(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        statuses.add(status);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    JsonObject payload(String nonce) {
        JsonObject json = head(revision, nonce);
        contents.asMap().forEach(json::add);
        return json;
    }

    JsonObject confirmation(long of, String nonce) {
        JsonObject json = head(of, nonce);
        json.addProperty("unchanged", true);
        return json;
    }

    private static JsonObject head(long revision, String nonce) {
        JsonObject json = new JsonObject();
        json.addProperty("schema", Answer.SCHEMA);
        json.addProperty("application", APPLICATION);
        json.addProperty("environment", "default");
        json.addProperty("revision", revision);
        json.addProperty("nonce", nonce);
        json.addProperty("issuedAt", Instant.now().toString());
        return json;
    }

    String sign(JsonObject payload) {
        return sign("{\"alg\":\"EdDSA\",\"kid\":\"p1\",\"typ\":\"ostraka+jws\"}", payload.toString());
    }

    String sign(String header, String payload) {
        return sign(header, payload, keys);
    }

    static String sign(String header, String payload, KeyPair with) {
        try {
            String signed = base64(header.getBytes(StandardCharsets.UTF_8)) + "."
                    + base64(payload.getBytes(StandardCharsets.UTF_8));
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(with.getPrivate());
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + base64(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    static KeyPair keys() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    List<Integer> takeStatuses() {
        List<Integer> taken = new ArrayList<>(statuses);
        statuses.clear();
        return taken;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
