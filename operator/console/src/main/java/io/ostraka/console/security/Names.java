package io.ostraka.console.security;

/** Checks names that come from outside, and makes them printable. */
public final class Names {
    /** Longest name of a caller, which is the longest name of an actor. */
    static final int LONGEST = 128;

    private Names() {}

    /** Returns whether a caller can have this name: 1 to {@value #LONGEST} visible characters and inner blanks. */
    public static boolean accepts(String name) {
        return !name.isEmpty()
                && name.length() <= LONGEST
                && name.equals(name.strip())
                && name.codePoints().allMatch(Names::isVisible);
    }

    /** Returns a text for the log or a message: shortened, and without characters that control the output. */
    static String printable(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().limit(LONGEST).forEach(each -> shown.appendCodePoint(isVisible(each) ? each : '?'));
        return text.codePointCount(0, text.length()) > LONGEST
                ? shown.append('…').toString()
                : shown.toString();
    }

    /** Returns whether a character neither controls the output nor is half a surrogate pair. */
    public static boolean isVisible(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
