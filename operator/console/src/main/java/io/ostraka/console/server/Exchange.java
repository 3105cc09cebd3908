package io.ostraka.console.server;

import io.ostraka.console.LargeBodies;
import io.ostraka.console.Problem;
import io.ostraka.console.Response;
import io.ostraka.console.live.Reply;
import io.ostraka.console.live.Subscription;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request and its response. No thread waits for the client while the body is read or the response is written,
 * so a slow client costs only memory.
 */
final class Exchange {
    private final Request request;
    private final org.eclipse.jetty.server.Response response;
    private final Callback callback;
    private final Limits limits;
    private final LargeBodies bodies;

    // guarded by this
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private boolean ended;
    /** The caller, if the exchange has a place among the large bodies; otherwise null. */
    private @Nullable String large;

    /** Number of bytes that have arrived. Only the thread that reads uses it. */
    private long arrived;
    /** True if the body is not kept, because there is no place for it. Only the thread that reads uses it. */
    private boolean discarded;

    private volatile Scheduler.@Nullable Task deadline;

    /** @param bodies places of all exchanges with a large body */
    Exchange(
            Request request,
            org.eclipse.jetty.server.Response response,
            Callback callback,
            Limits limits,
            LargeBodies bodies) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.limits = limits;
        this.bodies = bodies;
    }

    /** Reads the body, and answers the request on the executor. Returns at once. */
    void start(Handler handler, Executor executor) {
        deadline = request.getComponents()
                .getScheduler()
                .schedule(
                        () -> fail(new TimeoutException("the body has not arrived within " + limits.body())),
                        limits.body().toMillis(),
                        TimeUnit.MILLISECONDS);
        read(handler, executor);
    }

    /** Reads the parts of the body that have arrived, and continues when further parts arrive. */
    private void read(Handler handler, Executor executor) {
        try {
            admit(handler, request.getLength());
            while (!isEnded()) {
                Content.Chunk chunk = request.read();
                if (chunk == null) {
                    request.demand(() -> read(handler, executor));
                    return;
                }
                if (Content.Chunk.isFailure(chunk)) {
                    fail(chunk.getFailure());
                    return;
                }
                boolean last = chunk.isLast();
                arrived += chunk.remaining();
                try {
                    admit(handler, arrived);
                    keep(chunk);
                } finally {
                    chunk.release();
                }
                if (last && discarded) { // many clients read an answer only after they have sent the whole body
                    throw LargeBodies.full();
                } else if (last) {
                    submit(handler, executor);
                    return;
                }
            }
        } catch (Throwable e) { // an exchange that fails gives its place back
            refuse(problem(e));
        }
    }

    /** Takes a place when the body becomes large, if the handler accepts a large body. */
    private void admit(Handler handler, long size) {
        if (!LargeBodies.isLarge(size) || isLarge() || discarded) {
            return;
        }
        String caller = handler.admitLargeBody(received());
        discarded = !bodies.enter(caller);
        if (discarded) {
            return;
        }
        synchronized (this) {
            large = ended ? null : caller;
        }
        if (!isLarge()) { // the deadline has ended the exchange meanwhile
            bodies.leave(caller);
        }
    }

    private synchronized boolean isLarge() {
        return large != null;
    }

    private synchronized void keep(Content.Chunk chunk) {
        byte[] bytes = new byte[chunk.remaining()];
        chunk.getByteBuffer().get(bytes);
        if (!ended && !discarded) {
            body.writeBytes(bytes);
        }
    }

    private void submit(Handler handler, Executor executor) {
        cancelDeadline();
        // The client may wait silently for longer than the idle time, because ZooKeeper may be slow. During a write
        // Jetty does not ask: it fails the write, so a client that reads nothing loses its connection.
        request.addIdleTimeoutListener(timeout -> false);
        try {
            executor.execute(() -> answer(handler));
        } catch (RejectedExecutionException e) {
            refuse(full().response());
        }
    }

    private void answer(Handler handler) {
        try {
            write(handler.handle(received()));
        } catch (Throwable e) { // also an Error ends the exchange, and gives its place back
            write(Reply.of(problem(e)));
        }
    }

    private Response problem(Throwable failure) {
        return Problem.response(
                failure,
                request.getMethod(),
                String.valueOf(request.getHttpURI().getPath()),
                Request.getRemoteAddr(request));
    }

    private io.ostraka.console.Request received() {
        Map<String, List<String>> headers = new TreeMap<>();
        for (HttpField field : request.getHeaders()) {
            headers.computeIfAbsent(field.getLowerCaseName(), name -> new ArrayList<>())
                    .add(field.getValue() == null ? "" : field.getValue());
        }
        String path = request.getHttpURI().getPath();
        String query = request.getHttpURI().getQuery();
        return new io.ostraka.console.Request(
                request.getMethod(),
                path == null ? "" : path,
                query == null ? "" : query,
                headers,
                body.toByteArray(),
                Request.getRemoteAddr(request),
                request.isSecure());
    }

    /** Answers without reading the rest of the body, and closes the connection, on which the rest would arrive. */
    private void refuse(Response problem) {
        write(Reply.of(problem.with("Connection", "close")));
    }

    private void write(Reply reply) {
        if (!end()) {
            return;
        }
        Subscription events = reply.events();
        if (events == null) {
            write(response, secured(reply.response()), callback);
        } else {
            begin(response, secured(reply.response()));
            new EventWriter(events, response, callback).start();
        }
    }

    /** Tells browsers to use TLS for this host from now on, if the connection has it and the host is not the browser's. */
    private Response secured(Response answer) {
        return request.isSecure() && !"localhost".equalsIgnoreCase(Request.getServerName(request))
                ? answer.with("Strict-Transport-Security", "max-age=31536000")
                : answer;
    }

    /** Writes a complete response. */
    static void write(org.eclipse.jetty.server.Response to, Response answer, Callback callback) {
        begin(to, answer);
        to.write(true, ByteBuffer.wrap(answer.body()), callback);
    }

    private static void begin(org.eclipse.jetty.server.Response to, Response answer) {
        to.setStatus(answer.status());
        answer.sentHeaders().forEach(to.getHeaders()::put);
    }

    private void fail(Throwable cause) {
        if (end()) {
            callback.failed(cause);
        }
    }

    /** Ends the exchange. Returns false if it has ended before. */
    private synchronized boolean end() {
        if (ended) {
            return false;
        }
        ended = true;
        cancelDeadline();
        body.reset();
        if (large != null) {
            bodies.leave(large);
        }
        return true;
    }

    private synchronized boolean isEnded() {
        return ended;
    }

    private void cancelDeadline() {
        Scheduler.Task task = deadline;
        if (task != null) {
            task.cancel();
        }
    }

    private static Problem full() {
        return new Problem(
                        Problem.Code.UNAVAILABLE,
                        "the console has too many requests at the moment; nothing was done, so repeat the request later")
                .header("Retry-After", "1");
    }
}
