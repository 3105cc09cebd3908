package io.ostraka.http;

import java.util.regex.Pattern;

/**
 * Makes text of another program or server fit for a log or a message. The text can then neither forge a line of a log,
 * nor control a terminal, nor look like another text.
 */
public final class Printable {
    /**
     * Colour codes of terminals, control characters, separators of lines, and marks that change the direction of text;
     * except line feeds and tabs.
     */
    private static final Pattern HIDDEN = Pattern.compile("\\e\\[[0-9;]*[A-Za-z]"
            + "|[\\p{Cc}\\p{Zl}\\p{Zp}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069&&[^\\n\\t]]");

    private static final Pattern BREAKS = Pattern.compile("[\\n\\t]+");

    private Printable() {}

    /** Returns a text without hidden characters. Keeps line feeds and tabs. */
    public static String lines(String text) {
        return HIDDEN.matcher(text).replaceAll("");
    }

    /** Returns a text without hidden characters in one line. */
    public static String line(String text) {
        return BREAKS.matcher(lines(text).strip()).replaceAll(" ");
    }
}
