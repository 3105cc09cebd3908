package io.ostraka.testkit.net;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;

/** Splits the data on one connection into pieces that a proxy passes on. Each direction has its own thread. */
interface Conversation {
    /**
     * Reads the next piece of data.
     *
     * @return the data to pass on
     * @throws EOFException if the sender has ended the connection
     * @throws Cut if the proxy must reset the connection instead
     */
    byte[] next(Direction direction, DataInputStream sender) throws IOException;

    /** Thrown to make the proxy reset the connection. The data that was read last is lost. */
    final class Cut extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** Returns a conversation that passes all data on as it arrives. */
    static Conversation ofBytes() {
        return (direction, sender) -> {
            byte[] buffer = new byte[16 * 1024];
            int read = sender.read(buffer);
            if (read < 0) {
                throw new EOFException();
            }
            return Arrays.copyOf(buffer, read);
        };
    }
}
