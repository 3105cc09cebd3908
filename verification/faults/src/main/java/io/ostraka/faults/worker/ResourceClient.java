package io.ostraka.faults.worker;

import io.ostraka.api.ShardingContext;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/** Writes to the resource. Threads that write at the same time use separate connections. Thread-safe. */
final class ResourceClient {
    /** Thrown if the resource has seen a larger token. */
    static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        RefusedException(WriteRequest request) {
            super("the resource has seen a larger token and refuses " + request);
        }
    }

    private static final class Connection {
        final Socket socket;
        final BufferedReader in;

        Connection(int port) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        }

        String ask(String line) throws IOException {
            socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            String answer = in.readLine();
            if (answer == null) {
                throw new IOException("the resource has closed the connection");
            }
            return answer;
        }
    }

    private final String process;
    private final int port;
    private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();

    /**
     * Creates a client.
     *
     * @param process name of the worker
     * @param port port of the resource on this machine
     */
    ResourceClient(String process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Writes to the resource with the tokens of a run.
     *
     * @param position position of the write in its stream; null for a run without a stream
     * @throws RefusedException if the resource has seen a larger token
     */
    void effect(ShardingContext context, @Nullable Long position) throws IOException {
        WriteRequest request = WriteRequest.of(process, context, position);
        Connection known = idle.poll();
        Connection connection = known == null ? new Connection(port) : known;
        try {
            String answer = connection.ask(Json.GSON.toJson(request));
            idle.push(connection);
            if (!answer.equals(WriteRequest.ACCEPTED)) {
                throw new RefusedException(request);
            }
        } catch (IOException e) {
            connection.socket.close();
            throw e;
        }
    }
}
