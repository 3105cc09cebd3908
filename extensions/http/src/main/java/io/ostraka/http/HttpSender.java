package io.ostraka.http;

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
 * Sends requests to targets that the guard allows. Follows no redirects and limits the size of the response body.
 * Thread-safe.
 *
 * <p>The JDK's client looks host names up itself, and may get a different address from the one that the guard checked.
 * An {@code http} request therefore uses the checked address as its proxy, so the client looks nothing up. An {@code
 * https} request cannot use the address in this way, because a proxy would receive a CONNECT request. For {@code
 * https}, the certificate proves the identity of the server.
 */
public final class HttpSender {
    /** Maximum number of body bytes that are read. */
    private static final int LONGEST_BODY = 64 << 10;

    /** Starts a thread for each name look-up. A look-up cannot be interrupted, but the thread that waits for it can. */
    private static final Executor LOOKUPS = lookup -> {
        Thread thread = new Thread(lookup, "ostraka-http-lookup");
        thread.setDaemon(true);
        thread.start();
    };

    private final HttpGuard guard;
    /** Checked address of the request that the current thread is sending. */
    private final ThreadLocal<InetAddress> checked = new ThreadLocal<>();

    /** Clients by connect timeout. Each timeout needs its own client, because a client has a fixed connect timeout. */
    private final Map<Duration, HttpClient> clients = new ConcurrentHashMap<>();

    /**
     * A response.
     *
     * @param status HTTP status
     * @param body beginning of the body
     */
    public record Answer(int status, byte[] body) {
        /** Returns whether the status is in the range 200 to 299. */
        public boolean success() {
            return status >= 200 && status < 300;
        }
    }

    /** @param guard decides which targets are allowed */
    public HttpSender(HttpGuard guard) {
        this.guard = guard;
    }

    /**
     * Sends a request and waits for the response. An interruption cancels the request.
     *
     * @param connecting time limit of the name look-up, and separately of the attempt to connect
     * @param limit time limit of everything after the look-up
     * @param kept number of body bytes to return
     * @throws HttpGuard.Refused if the target is not allowed
     */
    public Answer send(HttpRequest request, Duration connecting, Duration limit, int kept)
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
            exchange.cancel(true); // has no effect if the exchange has ended
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
            throw cause instanceof IOException known ? printable(known) : new IOException(cause);
        }
    }

    /**
     * Returns an exception for the log. The client's own exception contains text of the server as it is, for example a
     * status line that it could not read.
     */
    private static IOException printable(IOException failure) {
        String message = failure.getMessage();
        if (message == null || message.equals(Printable.line(message))) {
            return failure;
        }
        IOException shown = new IOException(Printable.line(message));
        shown.setStackTrace(failure.getStackTrace());
        return shown;
    }

    /** Returns the reader of a body. If the status is not a success, the reader reads only the bytes to be returned. */
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

    /** Routes each request to its checked address. The client calls this once per request, on the sending thread. */
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
            // the sender of the request receives the exception
        }
    }
}
