package io.ostraka.console.security;

/**
 * A pattern of a name. Each {@code *} stands for any number of characters; all other characters stand for themselves.
 * Immutable.
 *
 * <p>The search never backtracks: each part between two asterisks is searched once, after the match of the previous
 * part. The first match of a part is always good enough, because it leaves the longest rest for the other parts.
 *
 * @param text the pattern
 */
record Wildcard(String text) {
    static final Wildcard ALL = new Wildcard("*");

    private static final int LONGEST = 128;

    /** Returns whether a text is a pattern: letters, digits and {@code . _ - *}. */
    static boolean accepts(String text) {
        return !text.isEmpty()
                && text.length() <= LONGEST
                && text.chars()
                        .allMatch(each -> each >= 'a' && each <= 'z'
                                || each >= 'A' && each <= 'Z'
                                || each >= '0' && each <= '9'
                                || "._-*".indexOf(each) >= 0);
    }

    /** Returns whether the pattern matches every name. */
    boolean matchesAll() {
        return text.chars().allMatch(each -> each == '*');
    }

    boolean matches(String name) {
        int asterisk = text.indexOf('*');
        if (asterisk < 0) {
            return text.equals(name);
        }
        if (!name.startsWith(text.substring(0, asterisk))) {
            return false;
        }
        int from = asterisk;
        int start = asterisk + 1;
        for (int next = text.indexOf('*', start); next >= 0; next = text.indexOf('*', start)) {
            String part = text.substring(start, next);
            int at = name.indexOf(part, from);
            if (at < 0) {
                return false;
            }
            from = at + part.length();
            start = next + 1;
        }
        String last = text.substring(start);
        return name.length() - last.length() >= from && name.endsWith(last);
    }
}
