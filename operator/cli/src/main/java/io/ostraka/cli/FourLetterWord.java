package io.ostraka.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Asks a ZooKeeper server with one of its four-letter words. */
final class FourLetterWord {
    private static final int CONNECT_MILLIS = 3000;
    private static final int READ_MILLIS = 3000;
    private static final int LARGEST = 256 << 10;

    private FourLetterWord() {}

    /**
     * Asks a server.
     *
     * @return the answer; empty if the server is not reachable
     */
    static Optional<String> ask(InetSocketAddress server, String word) {
        try (Socket socket = new Socket()) {
            // an unresolved address cannot connect, so its name is looked up again
            socket.connect(new InetSocketAddress(server.getHostString(), server.getPort()), CONNECT_MILLIS);
            socket.setSoTimeout(READ_MILLIS);
            socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            socket.shutdownOutput();
            return Optional.of(new String(socket.getInputStream().readNBytes(LARGEST), StandardCharsets.UTF_8));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /** Returns whether the server has refused to answer, because its whitelist does not contain the word. */
    static boolean isRefused(String answer) {
        return answer.contains("not in the whitelist");
    }

    /** Returns the lines {@code name=value} or {@code name<TAB>value} of an answer. */
    static Map<String, String> values(String answer) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String line : answer.split("\n", -1)) {
            String[] parts = line.strip().split("[=\t]|: ", 2);
            if (parts.length == 2) {
                values.put(parts[0].strip(), parts[1].strip());
            }
        }
        return values;
    }
}
