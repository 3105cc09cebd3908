package io.ostraka.testkit.net;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;

/** What is said on one connection. Each direction is asked by a thread of its own. */
interface Conversation {
    /**
     * Reads the next piece.
     *
     * @return what is passed on
     * @throws EOFException when the sender has nothing more to say
     * @throws Cut when the connection is to be reset instead
     */
    byte[] next(Direction direction, DataInputStream sender) throws IOException;

    /** The connection breaks here, and what was read is lost. */
    final class Cut extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /** Returns one whose pieces are whatever has come. */
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
