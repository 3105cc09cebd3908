package io.ostraka.api;

import org.jspecify.annotations.Nullable;

/** Checks whether a text comes back unchanged after ZooKeeper has stored it as JSON in UTF-8, and measures it. */
final class StoredText {
    static final String ACCEPTED = "text without null, the character U+0000 and halves of surrogate pairs";

    private StoredText() {}

    /** Returns whether the text comes back unchanged. U+0000 would, but programs and databases do not take it. */
    static boolean accepts(@Nullable String text) {
        for (int i = 0; text != null && i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (c == 0 || (Character.isSurrogate(c) && !pair)) {
                return false;
            }
            i += pair ? 1 : 0;
        }
        return text != null;
    }

    /** Returns the size of an accepted text in JSON, in bytes, with its quotation marks. */
    static long bytes(String text) {
        long bytes = 2;
        for (int i = 0; i < text.length(); i++) {
            bytes += bytes(text.charAt(i));
        }
        return bytes;
    }

    private static int bytes(char c) {
        if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f') {
            return 2;
        }
        if (c < ' ' || c == '\u2028' || c == '\u2029') {
            return 6; // such as \u001f
        }
        if (c < 0x80) {
            return 1;
        }
        return c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
}
