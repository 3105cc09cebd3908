package io.ostraka.console.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A client that sends bytes as they are. */
final class RawClient implements AutoCloseable {
    private static final int LIMIT_MILLIS = 60_000;

    final Socket socket;

    /**
     * A response.
     *
     * @param headers headers by name in lower case
     */
    record Answer(int status, Map<String, String> headers, String body) {}

    RawClient(URI server) throws IOException {
        socket = new Socket(server.getHost(), server.getPort());
        socket.setSoTimeout(LIMIT_MILLIS);
    }

    /** Connects from another address of this machine. */
    RawClient(URI server, String from) throws IOException {
        socket = new Socket(InetAddress.getByName(server.getHost()), server.getPort(), InetAddress.getByName(from), 0);
        socket.setSoTimeout(LIMIT_MILLIS);
    }

    /** Sends a request, and returns the response; the server then ends the connection. */
    static Answer once(URI server, String bytes) throws IOException {
        try (RawClient client = new RawClient(server)) {
            client.send(bytes);
            return client.read();
        }
    }

    void send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    /** Reads a response with a Content-Length, or one without a body. */
    Answer read() throws IOException {
        return read(true);
    }

    Answer read(boolean hasBody) throws IOException {
        String[] status = line().split(" ", 3);
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        int length = hasBody ? Integer.parseInt(headers.getOrDefault("content-length", "0")) : 0;
        byte[] body = socket.getInputStream().readNBytes(length);
        return new Answer(Integer.parseInt(status[1]), headers, new String(body, StandardCharsets.UTF_8));
    }

    String line() throws IOException {
        InputStream in = socket.getInputStream();
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int each = in.read(); each != '\n'; each = in.read()) {
            if (each < 0) {
                throw new IOException("the connection has ended after '" + line + "'");
            }
            if (each != '\r') {
                line.write(each);
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    /** Returns whether the server ends the connection without a further byte. */
    boolean isEnded() throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) { // reset by the server
            return true;
        }
    }

    /** Returns whether the server has ended the connection, without waiting. */
    boolean isEndedNow() throws IOException {
        socket.setSoTimeout(1);
        try {
            return isEnded();
        } catch (SocketTimeoutException e) {
            return false;
        } finally {
            socket.setSoTimeout(LIMIT_MILLIS);
        }
    }

    /** Reads the rest, and returns whether the server then ends the connection. */
    boolean isEndedAfterRest() throws IOException {
        try {
            socket.getInputStream().readAllBytes();
            return true;
        } catch (SocketException e) { // reset by the server
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
