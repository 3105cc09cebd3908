package io.ostraka.console.live;

import org.jspecify.annotations.Nullable;

/**
 * A client's stream of live events. An adapter writes the frames that {@link #poll} returns, and closes the connection
 * when {@link #ended} returns true. No method blocks. Thread-safe, but only one thread at a time may call
 * {@link #poll}, so that the frames keep their order.
 */
public interface Subscription extends AutoCloseable {
    /**
     * Returns the next bytes for the client: one or more whole frames. Frames that the adapter has not taken are
     * bounded: a client that reads too slowly gets an event {@code reset} in place of the missed events.
     *
     * @return null if there is nothing to write now, or if the stream has ended
     */
    byte @Nullable [] poll();

    /**
     * Sets the listener and calls it once. The listener is called again whenever {@link #poll} may have something to
     * return, and after the end of the stream. It is called on threads of the feed and must return at once.
     */
    void onReady(Runnable listener);

    /** Returns whether the stream has ended, because it was closed or because the caller is no longer valid. */
    boolean ended();

    /** Ends the stream, which then no longer counts towards the limit of streams. A second call does nothing. */
    @Override
    void close();
}
