package io.ostraka.spring;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;

/** A platform on a real HTTP server. It does not check the signatures of requests; {@code ostraka-job-remote} tests these. */
final class PlatformServer implements AutoCloseable {
    /** Key of the application. */
    static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);

    private static final KeyPair KEYS = keys();
    private static final Pattern NONCE = Pattern.compile("nonce=\"([^\"]+)\"");

    private final HttpServer server;
    private final String scheme;
    private volatile String contents = "";

    private PlatformServer(HttpServer server, String scheme) {
        this.server = server;
        this.scheme = scheme;
        server.createContext("/v1/applications/orders", this::answer);
        server.start();
    }

    static PlatformServer start() throws IOException {
        return start(0);
    }

    static PlatformServer start(int port) throws IOException {
        return new PlatformServer(HttpServer.create(local(port), 0), "http");
    }

    static PlatformServer startTls(SSLContext context) throws IOException {
        HttpsServer server = HttpsServer.create(local(0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return new PlatformServer(server, "https");
    }

    private static InetSocketAddress local(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    int port() {
        return server.getAddress().getPort();
    }

    String address() {
        return scheme + "://localhost:" + port();
    }

    /** Returns the properties of an application that asks this platform. */
    String[] properties(String... more) {
        List<String> all = new ArrayList<>(List.of(properties(address())));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    /** Returns the properties of an application that asks a platform at an address. */
    static String[] properties(String address) {
        return new String[] {
            "ostraka.remote.url=" + address,
            "ostraka.remote.application=orders",
            "ostraka.remote.key-id=orders-1",
            "ostraka.remote.key=" + KEY,
            "ostraka.remote.trusted-keys.p1="
                    + Base64.getEncoder().encodeToString(KEYS.getPublic().getEncoded()),
            "ostraka.remote.poll-interval=1s"
        };
    }

    /**
     * Publishes a revision.
     *
     * @param members members of the answer {@code jobs} and {@code connection}, with single quotes in place of double
     */
    void publish(long revision, String members) {
        contents = "\"revision\":" + revision + "," + members.replace('\'', '"');
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Matcher nonce = NONCE.matcher(exchange.getRequestHeaders().getFirst("Signature-Input"));
            if (!nonce.find()) {
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            byte[] signed = sign("{\"schema\":\"ostraka-remote/1\",\"application\":\"orders\","
                            + "\"environment\":\"default\",\"nonce\":\"" + nonce.group(1) + "\",\"issuedAt\":\""
                            + Instant.now() + "\"," + contents + "}")
                    .getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(200, signed.length);
            exchange.getResponseBody().write(signed);
        }
    }

    private static String sign(String payload) {
        String signed =
                base64("{\"alg\":\"EdDSA\",\"kid\":\"p1\",\"typ\":\"ostraka+jws\"}".getBytes(StandardCharsets.UTF_8))
                        + "." + base64(payload.getBytes(StandardCharsets.UTF_8));
        try {
            Signature signature = Signature.getInstance("Ed25519");
            signature.initSign(KEYS.getPrivate());
            signature.update(signed.getBytes(StandardCharsets.US_ASCII));
            return signed + "." + base64(signature.sign());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static KeyPair keys() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
