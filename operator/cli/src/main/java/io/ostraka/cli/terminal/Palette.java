package io.ostraka.cli.terminal;

import java.util.Set;

/**
 * Colours of words, and the form of every text that is printed beside them.
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

    /** Returns a text without a colour, fit for a terminal. */
    public String plain(String text) {
        return Terminal.printable(text);
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
        String shown = plain(text);
        return colours ? "\u001b[" + colour + "m" + shown + "\u001b[0m" : shown;
    }
}
