package io.ostraka.api;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text form of a policy in properties, such as {@code fire-once} or {@code queue(5)}.
 *
 * @param name name in lower case without hyphens and underscores, followed by {@code (n)} if the text has a number
 * @param number number in parentheses; 0 if there is none
 */
record PolicyText(String name, int number) {
    private static final Pattern FORM = Pattern.compile("([A-Za-z_-]{1,40})(?:\\((\\d{1,9})\\))?");

    static PolicyText parse(String text) {
        Matcher form = FORM.matcher(text.trim());
        if (!form.matches()) {
            return new PolicyText("", 0);
        }
        String name = form.group(1).replaceAll("[_-]", "").toLowerCase(Locale.ROOT);
        return form.group(2) == null
                ? new PolicyText(name, 0)
                : new PolicyText(name + "(n)", Integer.parseInt(form.group(2)));
    }

    static IllegalArgumentException refused(String what, String text, String accepted) {
        return new IllegalArgumentException(what + " policy is '" + text + "'; accepted: " + accepted);
    }
}
