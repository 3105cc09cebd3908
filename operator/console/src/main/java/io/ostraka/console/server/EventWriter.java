package io.ostraka.console.server;

import io.ostraka.console.live.Subscription;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * Writes a stream of events to a client without a thread of its own. There is at most one write at a time. A client
 * that reads nothing for the idle time loses its connection, because the write fails.
 */
final class EventWriter implements Callback {
    private final Subscription events;
    private final Response response;
    private final Callback callback;

    /**
     * Number of reasons to look for frames: the start, the end of a write, and each call of the listener. The thread
     * that raises the number from zero does the work.
     */
    private final AtomicInteger reasons = new AtomicInteger();

    private boolean writing;
    private boolean over;
    private volatile boolean written = true;

    EventWriter(Subscription events, Response response, Callback callback) {
        this.events = events;
        this.response = response;
        this.callback = callback;
    }

    /** Sends the headers, and begins to write. */
    void start() {
        writing = true;
        written = false;
        response.write(false, BufferUtil.EMPTY_BUFFER, this);
        events.onReady(this::look);
    }

    /** Writes frames if there are any and no write is under way. */
    private void look() {
        if (reasons.getAndIncrement() > 0) {
            return;
        }
        int seen;
        do {
            seen = reasons.get();
            if (written) {
                writing = false;
            }
            if (!writing && !over) {
                write();
            }
        } while (!reasons.compareAndSet(seen, 0));
    }

    private void write() {
        byte[] frames = events.poll();
        if (frames != null) {
            writing = true;
            written = false;
            response.write(false, ByteBuffer.wrap(frames), this);
        } else if (events.ended()) {
            over = true;
            response.write(true, BufferUtil.EMPTY_BUFFER, callback);
        }
    }

    /** Called by Jetty at the end of a write. */
    @Override
    public void succeeded() {
        written = true;
        look();
    }

    /** Called by Jetty if the client is gone, or if it reads nothing. */
    @Override
    public void failed(Throwable failure) {
        events.close();
        callback.failed(failure);
    }
}
