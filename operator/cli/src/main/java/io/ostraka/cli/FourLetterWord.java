package io.ostraka.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks a ZooKeeper server with one of its four-letter words. */
final class FourLetterWord {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final int LARGEST = 256 << 10;

    private FourLetterWord() {}

    /**
     * Asks a server.
     *
     * @return the answer; empty if the server is not reachable, or has not sent its whole answer within 5 seconds
     */
    static Optional<String> ask(InetSocketAddress server, String word) {
        return ask(server, word, LIMIT);
    }

    /** @param limit longest time from the look-up of the name to the end of the answer */
    static Optional<String> ask(InetSocketAddress server, String word, Duration limit) {
        try (Socket socket = new Socket()) { // its end also ends the thread that still reads
            FutureTask<String> answer = new FutureTask<>(() -> ask(socket, server, word));
            Thread thread = new Thread(answer, "ostraka-four-letter-word");
            thread.setDaemon(true);
            thread.start();
            return Optional.of(answer.get(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (IOException | ExecutionException | TimeoutException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static String ask(Socket socket, InetSocketAddress server, String word) throws IOException {
        // an unresolved address cannot connect, so its name is looked up again
        socket.connect(new InetSocketAddress(server.getHostString(), server.getPort()));
        socket.getOutputStream().write(word.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        socket.shutdownOutput();
        return new String(socket.getInputStream().readNBytes(LARGEST), StandardCharsets.UTF_8);
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
