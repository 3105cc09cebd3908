package io.ostraka.console.server;

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
import java.util.concurrent.atomic.AtomicLong;
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
    private final AtomicLong bodies;

    // guarded by this
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private boolean ended;

    private volatile Scheduler.@Nullable Task deadline;

    /** @param bodies number of bytes of all request bodies in memory */
    Exchange(
            Request request,
            org.eclipse.jetty.server.Response response,
            Callback callback,
            Limits limits,
            AtomicLong bodies) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.limits = limits;
        this.bodies = bodies;
    }

    /** Reads the body, and answers the request on the executor. Returns at once. */
    void start(Handler handler, Executor executor) {
        if (request.getLength() > io.ostraka.console.Request.LARGEST_BODY) {
            refuse(tooLarge());
            return;
        }
        deadline = request.getComponents()
                .getScheduler()
                .schedule(
                        () -> fail(new TimeoutException("the body has not arrived within " + limits.body())),
                        limits.body().toMillis(),
                        TimeUnit.MILLISECONDS);
        read(() -> submit(handler, executor));
    }

    /** Reads the parts of the body that have arrived, and continues when further parts arrive. */
    private void read(Runnable onComplete) {
        while (!isEnded()) {
            Content.Chunk chunk = request.read();
            if (chunk == null) {
                request.demand(() -> read(onComplete));
                return;
            }
            if (Content.Chunk.isFailure(chunk)) {
                fail(chunk.getFailure());
                return;
            }
            boolean last = chunk.isLast();
            Problem refusal = keep(chunk);
            chunk.release();
            if (refusal != null) {
                refuse(refusal);
                return;
            }
            if (last) {
                onComplete.run();
                return;
            }
        }
    }

    /** Adds a part to the body. Returns the reason why the part is refused; null if it is accepted. */
    private synchronized @Nullable Problem keep(Content.Chunk chunk) {
        int size = chunk.remaining();
        if (body.size() + size > io.ostraka.console.Request.LARGEST_BODY) {
            return tooLarge();
        }
        if (ended) {
            return null;
        }
        if (bodies.addAndGet(size) > limits.bodies()) {
            bodies.addAndGet(-size);
            return full();
        }
        byte[] bytes = new byte[size];
        chunk.getByteBuffer().get(bytes);
        body.writeBytes(bytes);
        return null;
    }

    private void submit(Handler handler, Executor executor) {
        cancelDeadline();
        // The client may wait silently for longer than the idle time, because ZooKeeper may be slow. During a write
        // Jetty does not ask: it fails the write, so a client that reads nothing loses its connection.
        request.addIdleTimeoutListener(timeout -> false);
        try {
            executor.execute(() -> answer(handler));
        } catch (RejectedExecutionException e) {
            refuse(full());
        }
    }

    private void answer(Handler handler) {
        io.ostraka.console.Request received = received();
        Reply reply;
        try {
            reply = handler.handle(received);
        } catch (RuntimeException | StackOverflowError e) {
            reply = Reply.of(Problem.response(e, received.method(), received.path()));
        }
        write(reply);
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
    private void refuse(Problem problem) {
        write(Reply.of(problem.response().with("Connection", "close")));
    }

    private void write(Reply reply) {
        if (!end()) {
            return;
        }
        Subscription events = reply.events();
        if (events == null) {
            write(response, reply.response(), callback);
        } else {
            begin(response, reply.response());
            new EventWriter(events, response, callback).start();
        }
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
        bodies.addAndGet(-body.size());
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

    private static Problem tooLarge() {
        return new Problem(
                Problem.Code.TOO_LARGE,
                "the body has more than " + io.ostraka.console.Request.LARGEST_BODY
                        + " bytes, the largest accepted size");
    }

    private static Problem full() {
        return new Problem(
                        Problem.Code.UNAVAILABLE,
                        "the console has too many requests at the moment; nothing was done, so repeat the request later")
                .header("Retry-After", "1");
    }
}
