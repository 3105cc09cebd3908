package io.ostraka.faults.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** What a {@link JavaProcess} is told by whoever has started it, as its own program sees it. */
public final class Orders {
    private Orders() {}

    /**
     * Takes every line that the process is told, one after the other, on this thread. When whoever started it is gone, or
     * has closed it, the process ends at once, without shutdown hooks; so this doesn't return.
     *
     * @param order is given each line; what it throws ends the process
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
