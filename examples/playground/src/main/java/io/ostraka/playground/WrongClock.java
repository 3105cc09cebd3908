package io.ostraka.playground;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Gives a process a wrong clock, by means of the tool {@code faketime} if it is installed. */
final class WrongClock {
    private static final String AHEAD = "+7m";

    private WrongClock() {}

    /**
     * Returns the environment of a process whose clock is seven minutes ahead; empty if the tool is not installed.
     */
    static Map<String, String> environment() {
        try {
            Process process = new ProcessBuilder("faketime", "-f", AHEAD, "printenv", "LD_PRELOAD")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String library = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.waitFor() == 0 && !library.isEmpty()
                    // without the last variable, waits in the JVM return at once, so its threads would loop without a
                    // pause
                    ? Map.of(
                            "LD_PRELOAD",
                            library,
                            "FAKETIME",
                            AHEAD,
                            "FAKETIME_DONT_FAKE_MONOTONIC",
                            "1",
                            "FAKETIME_FORCE_MONOTONIC_FIX",
                            "0")
                    : Map.of();
        } catch (IOException e) { // it is not installed
            return Map.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Map.of();
        }
    }
}
