package io.ostraka.testkit.net;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;

/** The data on one connection. A separate thread reads each direction. */
interface Conversation {
    /**
     * Reads the next piece of data.
     *
     * @return the data to pass on
     * @throws EOFException if the sender has ended the connection
     * @throws Cut to reset the connection instead
     */
    byte[] next(Direction direction, DataInputStream sender) throws IOException;

    /** The connection breaks here, and the data that was read is lost. */
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
