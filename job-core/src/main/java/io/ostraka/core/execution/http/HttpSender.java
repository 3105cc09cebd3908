package io.ostraka.core.execution.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends requests where a guard lets them go, follows no redirect, and reads no more of an answer than it must. Thread-safe.
 *
 * <p>The JDK's client resolves names by itself. A request of {@code http} is therefore sent as to a proxy, which is the very
 * address that the guard has looked at: then nothing is resolved any more. A request of {@code https} can't be, as a proxy
 * would be asked for a tunnel; there the certificate says whose server it is.
 */
final class HttpSender {
    /** More of a body is not waited for. */
    private static final int LONGEST_BODY = 64 << 10;

    private final HttpGuard guard;
    /** By the time that connecting may take, which is a property of the client. */
    private final Map<Duration, HttpClient> clients = new ConcurrentHashMap<>();

    /**
     * What came back.
     *
     * @param status of the answer
     * @param body its beginning
     */
    record Answer(int status, byte[] body) {
        /** Tells whether what was asked for was done. */
        boolean success() {
            return status >= 200 && status < 300;
        }
    }

    HttpSender(HttpGuard guard) {
        this.guard = guard;
    }

    /**
     * Sends a request and waits for its answer; an interruption ends both.
     *
     * @param connecting how long connecting may take
     * @param limit how long everything may take
     * @param kept how many bytes of the body are returned
     * @throws HttpGuard.Refused when it may not go where it is to
     */
    Answer send(HttpRequest request, Duration connecting, Duration limit, int kept)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<byte[]>> exchange;
        try {
            exchange = client(connecting).sendAsync(request, head -> body(head, kept));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        try {
            HttpResponse<byte[]> response = exchange.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            return new Answer(response.statusCode(), response.body());
        } catch (TimeoutException e) {
            throw new HttpTimeoutException("no complete answer within " + limit);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
        } finally {
            exchange.cancel(true); // ends the exchange if it is still under way
        }
    }

    /** Of an answer that is no success nothing is needed but what is kept. */
    private static HttpResponse.BodySubscriber<byte[]> body(HttpResponse.ResponseInfo head, int kept) {
        boolean success = head.statusCode() >= 200 && head.statusCode() < 300;
        return new BoundedBody(kept, success ? LONGEST_BODY : kept);
    }

    private HttpClient client(Duration connecting) {
        return clients.computeIfAbsent(connecting, timeout -> HttpClient.newBuilder()
                .connectTimeout(timeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(new Route())
                .build());
    }

    /** Where each request goes: asked for by the client once a request, on the thread that sends it. */
    private final class Route extends ProxySelector {
        @Override
        public List<Proxy> select(URI uri) {
            try {
                InetAddress address = guard.resolve(uri);
                return List.of(
                        "http".equalsIgnoreCase(uri.getScheme())
                                ? new Proxy(Proxy.Type.HTTP, new InetSocketAddress(address, HttpGuard.port(uri)))
                                : Proxy.NO_PROXY);
            } catch (UnknownHostException e) {
                throw new UncheckedIOException("The host " + uri.getHost() + " has no address", e);
            }
        }

        @Override
        public void connectFailed(URI uri, SocketAddress address, IOException e) {
            // whoever sent the request is told
        }
    }
}
