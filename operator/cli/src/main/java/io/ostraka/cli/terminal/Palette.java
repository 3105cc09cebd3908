package io.ostraka.cli.terminal;

import java.util.Set;

/**
 * Colours of words.
 *
 * @param colours true to use colours
 */
public record Palette(boolean colours) {
    public static final Palette PLAIN = new Palette(false);

    private static final Set<String> BAD = Set.of(
            "UNREADABLE",
            "QUARANTINED",
            "FAILED",
            "TIMED_OUT",
            "CRASHED",
            "INTERRUPTED",
            "ERROR",
            "FIRING",
            "STOPPED",
            "AHEAD");
    private static final Set<String> NOTABLE = Set.of(
            "PAUSED", "REMOVED", "CHANGING", "UNPLANNED", "DRAINING", "FROZEN", "WARNING", "SKIPPED", "CANCELLED");

    /** Colours a text if it is the name of a state. */
    String word(String text) {
        return BAD.contains(text) ? bad(text) : NOTABLE.contains(text) ? coloured(text, 33) : text;
    }

    public String bad(String text) {
        return coloured(text, 31);
    }

    String header(String text) {
        return coloured(text, 1);
    }

    public String command(String text) {
        return coloured(text, 36);
    }

    private String coloured(String text, int colour) {
        return colours ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
    }
}
