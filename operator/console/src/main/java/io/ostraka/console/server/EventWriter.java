package io.ostraka.console.server;

import io.ostraka.console.live.Subscription;
import java.nio.ByteBuffer;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a stream of events to a client without a thread of its own. There is at most one write at a time. A client
 * that reads nothing for the idle time loses its connection, because the write fails.
 */
final class EventWriter extends IteratingCallback {
    private static final Logger log = LoggerFactory.getLogger(EventWriter.class);

    private final Subscription events;
    private final Response response;
    private final Callback callback;
    private boolean begun;

    EventWriter(Subscription events, Response response, Callback callback) {
        this.events = events;
        this.response = response;
        this.callback = callback;
    }

    /** Sends the headers, and begins to write. */
    void start() {
        events.onReady(this::iterate);
    }

    @Override
    protected Action process() {
        byte[] frames = begun ? events.poll() : new byte[0]; // the headers do not wait for the first event
        begun = true;
        if (frames != null) {
            response.write(false, ByteBuffer.wrap(frames), this);
            return Action.SCHEDULED;
        }
        return events.ended() ? Action.SUCCEEDED : Action.IDLE;
    }

    @Override
    protected void onCompleteSuccess() {
        response.write(true, BufferUtil.EMPTY_BUFFER, callback);
    }

    /** Called by Jetty if the client is gone, or if it reads nothing. */
    @Override
    protected void onCompleteFailure(Throwable failure) {
        if (failure instanceof RuntimeException) {
            log.warn("a stream of events failed and ends", failure);
        }
        events.close();
        callback.failed(failure);
    }
}
