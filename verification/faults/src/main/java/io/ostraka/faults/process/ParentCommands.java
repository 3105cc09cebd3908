package io.ostraka.faults.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Receives the lines that the parent process sends with a {@link JavaProcess}. The program of the child process uses
 * this class.
 */
public final class ParentCommands {
    private ParentCommands() {}

    /**
     * Passes every received line to the consumer, on this thread. When the parent process ends or closes the
     * connection, this process ends at once, without running shutdown hooks. This method therefore never returns.
     *
     * @param order receives each line; an exception ends the process
     */
    public static void follow(Consumer<String> order) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                order.accept(line);
            }
            Runtime.getRuntime().halt(0);
        } catch (IOException | RuntimeException e) {
            e.printStackTrace();
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }
}
