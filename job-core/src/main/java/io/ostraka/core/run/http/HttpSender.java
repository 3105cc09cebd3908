package io.ostraka.core.run.http;

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
import java.util.concurrent.Executor;
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

    /** Names are looked up on threads of their own, which nothing can interrupt: whoever waits for one can be. */
    private static final Executor LOOKUPS = lookup -> {
        Thread thread = new Thread(lookup, "ostraka-http-lookup");
        thread.setDaemon(true);
        thread.start();
    };

    private final HttpGuard guard;
    /** The address that was looked at, on the thread that is sending to it. */
    private final ThreadLocal<InetAddress> checked = new ThreadLocal<>();

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
     * @param connecting how long the look-up of the name may take, and then connecting
     * @param limit how long everything may take from then on
     * @param kept how many bytes of the body are returned
     * @throws HttpGuard.Refused when it may not go where it is to
     */
    Answer send(HttpRequest request, Duration connecting, Duration limit, int kept)
            throws IOException, InterruptedException {
        CompletableFuture<InetAddress> lookup = CompletableFuture.supplyAsync(() -> address(request.uri()), LOOKUPS);
        checked.set(await(lookup, connecting, "no address of " + request.uri().getHost()));
        CompletableFuture<HttpResponse<byte[]>> exchange;
        try {
            exchange = client(connecting).sendAsync(request, head -> body(head, kept));
        } finally {
            checked.remove();
        }
        try {
            HttpResponse<byte[]> response = await(exchange, limit, "no complete answer");
            return new Answer(response.statusCode(), response.body());
        } finally {
            exchange.cancel(true); // ends the exchange if it is still under way
        }
    }

    private InetAddress address(URI uri) {
        try {
            return guard.resolve(uri);
        } catch (UnknownHostException e) {
            throw new UncheckedIOException("The host " + uri.getHost() + " has no address", e);
        }
    }

    private static <T> T await(CompletableFuture<T> stage, Duration limit, String lacking)
            throws IOException, InterruptedException {
        try {
            return stage.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new HttpTimeoutException(lacking + " within " + limit);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() instanceof UncheckedIOException wrapped ? wrapped.getCause() : e.getCause();
            if (cause instanceof RuntimeException refused) {
                throw refused;
            }
            throw cause instanceof IOException known ? known : new IOException(cause);
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
            InetAddress address = checked.get();
            if (address == null) {
                throw new IllegalStateException("the client asks on another thread than the one that sends");
            }
            return List.of(
                    "http".equalsIgnoreCase(uri.getScheme())
                            ? new Proxy(Proxy.Type.HTTP, new InetSocketAddress(address, HttpGuard.port(uri)))
                            : Proxy.NO_PROXY);
        }

        @Override
        public void connectFailed(URI uri, SocketAddress address, IOException e) {
            // whoever sent the request is told
        }
    }
}
