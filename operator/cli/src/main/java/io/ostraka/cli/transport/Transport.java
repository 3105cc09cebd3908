package io.ostraka.cli.transport;

import io.ostraka.console.Request;
import io.ostraka.console.Response;

/** A connection to the API, over HTTP or in this process. Thread-safe. */
public interface Transport extends AutoCloseable {
    /**
     * Sends a request and waits for the response.
     *
     * @throws Broken if no complete response arrived
     */
    Response send(Request request);

    @Override
    void close();

    /** Opens a transport. */
    @FunctionalInterface
    interface Factory {
        /** Opens the transport that the settings describe. */
        Transport open(Connection connection);
    }

    /** Thrown if a request ends without a complete response. */
    final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean sent;

        /** @param sent true if the server may have received the request */
        public Broken(boolean sent, String message) {
            super(message);
            this.sent = sent;
        }

        public boolean sent() {
            return sent;
        }

        public String text() {
            return String.valueOf(getMessage());
        }
    }
}
