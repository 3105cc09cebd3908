package io.ostraka.examples.platform;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * A platform that provides configuration from files. It implements the protocol in the document "The wire format of
 * remote configuration", and shares no code with the client. All files are below one directory and are read at each
 * request, so a change needs no restart: {@code APPLICATION/ENVIRONMENT.json} contains the configuration,
 * {@code keys.json} the keys of the applications, and {@code signing.json} the key of the platform. If a file cannot be
 * read, or if its revision is lower than before, the platform logs this and uses the file's last good contents until
 * the next start.
 *
 * <p>{@link PlatformMain} starts the platform as a process. The platform has no TLS and no limits for slow clients. If
 * it does not run on the same machine as the application, a reverse proxy must stand in front of it. Thread-safe.
 */
public final class ReferencePlatform implements AutoCloseable {
    static final String NAME = "[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}";

    /** Largest accepted difference between the time of a request and the platform's clock. */
    private static final Duration WINDOW = Duration.ofMinutes(5);

    private static final Pattern TARGET =
            Pattern.compile("/v1/applications/(" + NAME + ")\\?environment=(" + NAME + ")");
    private static final Pattern INPUT = Pattern.compile("ostraka=(?<parameters>\\(\"@method\" \"@authority\" \"@path\""
            + " \"@query\"\\);created=(?<created>\\d{1,12});nonce=\"(?<nonce>[A-Za-z0-9_-]{16,100})\";keyid=\"(?<key>"
            + NAME + ")\";alg=\"hmac-sha256\")");
    private static final Pattern SIGNATURE = Pattern.compile("ostraka=:([A-Za-z0-9+/]{43}=):");

    /**
     * Key of an application.
     *
     * @param secret reference to the key
     */
    private record ApplicationKey(String application, String environment, String secret) {}

    /** Configuration of an application in one revision: the members {@code jobs} and {@code connection}. */
    private record Definition(long revision, JsonObject contents) {}

    /** Id of the platform's key, and a reference to it. */
    private record SigningKey(String id, String secret) {}

    private record Reply(int status, String body) {}

    private final Path directory;
    private final Clock clock;
    private final Consumer<String> log;
    private final WatchedFile<Map<String, ApplicationKey>> keys;
    private final WatchedFile<SigningKey> signing;
    private final Map<Path, WatchedFile<Definition>> definitions = new ConcurrentHashMap<>();
    private final Map<String, Instant> nonces = new LinkedHashMap<>();
    private final Set<String> authorities;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(8);

    /**
     * Starts a platform.
     *
     * @param directory directory of the files
     * @param address address to listen on
     * @param authorities names and ports under which applications call the platform, such as {@code platform.example};
     *     empty for an address of this machine
     * @param clock clock of the platform
     * @param log receives lines for the operator
     * @throws IOException if the keys are not readable, or if the address is in use
     */
    public ReferencePlatform(
            Path directory, InetSocketAddress address, Set<String> authorities, Clock clock, Consumer<String> log)
            throws IOException {
        this.directory = directory;
        this.clock = clock;
        this.log = log;
        this.keys = new WatchedFile<>(directory.resolve("keys.json"), (json, before) -> keys(json), log);
        this.signing = new WatchedFile<>(
                directory.resolve("signing.json"),
                (json, before) -> {
                    WatchedFile.requireMembers(json, Set.of("id", "key"), Set.of());
                    return new SigningKey(WatchedFile.text(json, "id"), WatchedFile.text(json, "key"));
                },
                log);
        sign(new JsonObject()); // an unreadable key must cause a failure at the start
        if (keys.latest() == null) {
            throw new IOException("the keys of the applications are not readable: " + keys.path());
        }
        server = HttpServer.create(address, 0);
        String port = ":" + server.getAddress().getPort();
        this.authorities = authorities.isEmpty()
                ? Set.of("localhost" + port, "127.0.0.1" + port, "[::1]" + port)
                : Set.copyOf(authorities);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** Starts a platform for applications on this machine, at any free port. It logs to standard error. */
    public static ReferencePlatform start(Path directory) throws IOException {
        InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        return new ReferencePlatform(directory, local, Set.of(), Clock.systemUTC(), System.err::println);
    }

    /** Returns the address for applications on this machine. */
    public URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    // ---- requests

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Reply reply;
            try {
                reply = exchange.getRequestMethod().equals("GET") ? reply(exchange) : new Reply(405, "");
            } catch (IOException | RuntimeException e) { // for example, an unreadable key
                log.accept("a request failed: " + e.getMessage());
                reply = new Reply(503, "");
            }
            byte[] body = reply.body().getBytes(StandardCharsets.US_ASCII);
            exchange.getResponseHeaders().set("Content-Type", "application/jose");
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            exchange.sendResponseHeaders(reply.status(), body.length == 0 ? -1 : body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }
    }

    /** Checks, in this order: signature, time, nonce, right, existence. Without a valid signature, answers only 401. */
    private Reply reply(HttpExchange exchange) throws IOException {
        Map<String, ApplicationKey> known = keys.latest();
        Matcher input = INPUT.matcher(header(exchange, "Signature-Input"));
        ApplicationKey key = known != null && input.matches() ? known.get(input.group("key")) : null;
        if (key == null || !isSigned(exchange, input.group("parameters"), key)) {
            return new Reply(401, "");
        }
        String nonce = input.group("nonce");
        Instant now = clock.instant();
        Instant created = Instant.ofEpochSecond(Long.parseLong(input.group("created")));
        if (Duration.between(created, now).abs().compareTo(WINDOW) > 0) {
            JsonObject time = new JsonObject();
            time.addProperty("schema", "ostraka-remote-clock/1");
            time.addProperty("nonce", nonce);
            time.addProperty("now", now.toString());
            return new Reply(401, sign(time));
        }
        if (!isFirst(input.group("key") + " " + nonce, now)) {
            return new Reply(401, "");
        }
        URI uri = exchange.getRequestURI();
        Matcher target = TARGET.matcher(uri.getRawPath() + "?" + uri.getRawQuery());
        if (!target.matches()) {
            return new Reply(404, "");
        }
        if (!key.application().equals(target.group(1)) || !key.environment().equals(target.group(2))) {
            return new Reply(403, "");
        }
        Definition definition = definitions
                .computeIfAbsent(
                        directory.resolve(key.application()).resolve(key.environment() + ".json"),
                        file -> new WatchedFile<>(file, ReferencePlatform::definition, log))
                .latest();
        if (definition == null) {
            return new Reply(404, "");
        }
        JsonObject answer = new JsonObject();
        answer.addProperty("schema", "ostraka-remote/1");
        answer.addProperty("application", key.application());
        answer.addProperty("environment", key.environment());
        answer.addProperty("revision", definition.revision());
        answer.addProperty("nonce", nonce);
        answer.addProperty("issuedAt", now.toString());
        if (header(exchange, "If-None-Match").equals("\"" + definition.revision() + "\"")) {
            answer.addProperty("unchanged", true);
        } else {
            definition.contents().asMap().forEach(answer::add);
        }
        return new Reply(200, sign(answer));
    }

    /** Returns the value of a header; empty if there is none, or more than one. */
    private static String header(HttpExchange exchange, String name) {
        List<String> values = exchange.getRequestHeaders().getOrDefault(name, List.of());
        return values.size() == 1 ? values.get(0) : "";
    }

    private boolean isSigned(HttpExchange exchange, String parameters, ApplicationKey key) throws IOException {
        String authority = header(exchange, "Host").toLowerCase(Locale.ROOT);
        Matcher signature = SIGNATURE.matcher(header(exchange, "Signature"));
        if (!authorities.contains(authority) || !signature.matches()) {
            return false;
        }
        URI uri = exchange.getRequestURI();
        String base = "\"@method\": GET\n\"@authority\": " + authority + "\n\"@path\": " + uri.getRawPath()
                + "\n\"@query\": ?" + (uri.getRawQuery() == null ? "" : uri.getRawQuery())
                + "\n\"@signature-params\": " + parameters;
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SecretFiles.read(directory, key.secret()), "HmacSHA256"));
            byte[] expected = mac.doFinal(base.getBytes(StandardCharsets.UTF_8));
            return MessageDigest.isEqual(expected, Base64.getDecoder().decode(signature.group(1)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }

    /** Returns whether a nonce is new. Remembers it for twice the window, in which its request could be sent again. */
    private boolean isFirst(String nonce, Instant now) {
        synchronized (nonces) {
            Iterator<Instant> ends = nonces.values().iterator(); // the oldest first
            while (ends.hasNext() && ends.next().isBefore(now)) {
                ends.remove();
            }
            return nonces.putIfAbsent(nonce, now.plus(WINDOW.multipliedBy(2))) == null;
        }
    }

    private String sign(JsonObject payload) throws IOException {
        SigningKey key = signing.latest();
        if (key == null) {
            throw new IOException("the key of the platform is not readable: " + signing.path());
        }
        JsonObject header = new JsonObject();
        header.addProperty("alg", "EdDSA");
        header.addProperty("kid", key.id());
        header.addProperty("typ", "ostraka+jws");
        String signed = base64(header.toString().getBytes(StandardCharsets.UTF_8)) + "."
                + base64(payload.toString().getBytes(StandardCharsets.UTF_8));
        try {
            PrivateKey secret = KeyFactory.getInstance("Ed25519")
                    .generatePrivate(new PKCS8EncodedKeySpec(SecretFiles.read(directory, key.secret())));
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(secret);
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + base64(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new IOException("the key '" + key.id() + "' of the platform is not a private key of Ed25519", e);
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    // ---- files

    private static Map<String, ApplicationKey> keys(JsonObject json) {
        Map<String, ApplicationKey> read = new HashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        for (String id : json.keySet()) {
            JsonObject key = json.getAsJsonObject(id);
            WatchedFile.requireMembers(key, Set.of("application", "environment", "key"), Set.of());
            ApplicationKey next = new ApplicationKey(
                    WatchedFile.text(key, "application"),
                    WatchedFile.text(key, "environment"),
                    WatchedFile.text(key, "key"));
            if (!List.of(id, next.application(), next.environment()).stream().allMatch(name -> name.matches(NAME))) {
                throw new JsonParseException("a name in the key '" + id + "' is not accepted; accepted: " + NAME);
            }
            String owner = next.application() + "/" + next.environment();
            if (counts.merge(owner, 1, Integer::sum) > 2) {
                throw new JsonParseException(owner + " has more than two keys");
            }
            read.put(id, next);
        }
        return Map.copyOf(read);
    }

    private static Definition definition(JsonObject json, @Nullable Definition before) {
        WatchedFile.requireMembers(json, Set.of("revision", "jobs"), Set.of("connection"));
        long revision = json.get("revision").getAsBigDecimal().longValueExact();
        JsonObject contents = json.deepCopy();
        contents.remove("revision");
        if (!contents.asMap().values().stream().allMatch(JsonElement::isJsonObject)) {
            throw new JsonParseException("its members 'jobs' and 'connection' are not both objects");
        }
        if (revision < 1 || (before != null && revision < before.revision())) {
            throw new JsonParseException("its revision is " + revision + "; accepted: a whole number from "
                    + (before == null ? 1 : before.revision())
                    + ". To go back, publish the old contents as a new revision");
        }
        if (before != null && revision == before.revision() && !contents.equals(before.contents())) {
            throw new JsonParseException("its contents have changed, but its revision is still " + revision);
        }
        return new Definition(revision, contents);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
