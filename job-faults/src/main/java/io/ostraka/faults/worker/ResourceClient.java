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

/** Writes to the resource, on as many connections as there are threads that write at once. Thread-safe. */
final class ResourceClient {
    /** The resource has seen a larger token. */
    static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        RefusedException(Attempt attempt) {
            super("the resource refuses " + attempt);
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
                throw new IOException("the resource has gone");
            }
            return answer;
        }
    }

    private final String process;
    private final int port;
    private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();

    /**
     * Makes a client.
     *
     * @param process the worker's name
     * @param port the resource's, on this machine
     */
    ResourceClient(String process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Has an effect, with the tokens of its run.
     *
     * @param position how far a stream has come; null for what is no stream
     * @throws RefusedException when another run has had a larger token
     */
    void effect(ShardingContext context, @Nullable Long position) throws IOException {
        Attempt attempt = Attempt.of(process, context, position);
        Connection known = idle.poll();
        Connection connection = known == null ? new Connection(port) : known;
        try {
            String answer = connection.ask(Json.GSON.toJson(attempt));
            idle.push(connection);
            if (!answer.equals(Attempt.ACCEPTED)) {
                throw new RefusedException(attempt);
            }
        } catch (IOException e) {
            connection.socket.close();
            throw e;
        }
    }
}
