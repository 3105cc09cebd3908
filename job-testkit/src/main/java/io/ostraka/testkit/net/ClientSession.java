package io.ostraka.testkit.net;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The session of a ZooKeeper client. Tests use it to act on the session without the client: they can end the session,
 * as the server does after a timeout, or keep it alive after the client has stopped using it. Thread-safe.
 */
public final class ClientSession {
    private static final int PING = 11;
    private static final int CLOSE = -11;
    private static final int NUMBER_OF_PINGS = -2;

    private final int serverPort;
    private final int timeoutMillis;
    private final long id;
    private final byte[] password;

    private ClientSession(int serverPort, int timeoutMillis, long id, byte[] password) {
        this.serverPort = serverPort;
        this.timeoutMillis = timeoutMillis;
        this.id = id;
        this.password = password;
    }

    /** Reads the session from the server's reply to a connecting client. */
    static ClientSession of(int serverPort, byte[] answer) {
        ByteBuffer content = ByteBuffer.wrap(answer);
        content.getInt(); // protocol version
        int timeoutMillis = content.getInt();
        long id = content.getLong();
        byte[] password = new byte[content.getInt()];
        content.get(password);
        return new ClientSession(serverPort, timeoutMillis, id, password);
    }

    /** Returns the number of the session, which the server has chosen. */
    public long id() {
        return id;
    }

    /** Ends the session. Returns when the server has deleted the session's ephemeral nodes. */
    public void end() {
        try (Socket socket = connect()) {
            send(socket, ByteBuffer.allocate(8).putInt(1).putInt(CLOSE));
            while (socket.getInputStream().read()
                    >= 0) {} // the server closes the connection after the end of the session
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Keeps the session alive until the returned object is closed. The session then ends after its timeout. */
    public AutoCloseable keep() {
        AtomicBoolean over = new AtomicBoolean();
        Socket first;
        try {
            first = connect();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var pings = new Thread(() -> keep(first, over), "keeps session " + Long.toHexString(id));
        pings.setDaemon(true);
        pings.start();
        return () -> over.set(true);
    }

    /**
     * Keeps the session alive. If the client resumes the session, the server closes this connection. This method then
     * resumes the session itself.
     */
    private void keep(Socket first, AtomicBoolean over) {
        Socket present = first;
        while (!over.get()) {
            try (Socket socket = present) {
                socket.setSoTimeout(Math.max(1, timeoutMillis / 8));
                DataInputStream in = new DataInputStream(socket.getInputStream());
                byte[] rest = new byte[16 * 1024];
                while (!over.get()) {
                    send(socket, ByteBuffer.allocate(8).putInt(NUMBER_OF_PINGS).putInt(PING));
                    quiet(in, rest);
                }
            } catch (IOException e) {
                // the server has closed the connection
            }
            try {
                present = over.get() ? present : connect();
            } catch (IOException e) {
                return; // the session has ended
            }
        }
    }

    /** Reads and discards data until no data has arrived for an eighth of the session timeout. */
    private static void quiet(DataInputStream in, byte[] rest) throws IOException {
        try {
            while (true) {
                if (in.read(rest) < 0) {
                    throw new IOException("closed by the server");
                }
            }
        } catch (SocketTimeoutException e) {
            // the next ping is due
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        ByteBuffer request = ByteBuffer.allocate(29 + password.length)
                .putInt(0)
                .putLong(0)
                .putInt(timeoutMillis)
                .putLong(id)
                .putInt(password.length)
                .put(password)
                .put((byte) 0);
        send(socket, request);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] answer = new byte[in.readInt()];
        in.readFully(answer);
        if (of(serverPort, answer).id != id) {
            socket.close();
            throw new IOException("session " + Long.toHexString(id) + " is over");
        }
        return socket;
    }

    private static void send(Socket socket, ByteBuffer frame) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        byte[] whole = ByteBuffer.allocate(4 + frame.capacity())
                .putInt(frame.capacity())
                .put(frame.array())
                .array();
        out.write(whole);
        out.flush();
    }
}
