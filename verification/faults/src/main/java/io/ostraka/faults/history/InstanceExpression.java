package io.ostraka.faults.history;

import com.google.gson.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A boolean expression over the attributes of an instance's node: {@code tag}, {@code tag=value}, {@code host=…} and
 * {@code zone=…}. The operators are {@code !}, {@code &} and {@code |}, in this order of precedence. Parentheses are
 * allowed.
 */
final class InstanceExpression {
    private static final String SIGNS = "!&|()=\" ";

    private final String text;
    private final JsonObject self;
    private int at;

    private InstanceExpression(String text, JsonObject self) {
        this.text = text;
        this.self = self;
    }

    /** Returns whether the expression matches an instance with these attributes. */
    static boolean matches(String text, JsonObject self) {
        var reader = new InstanceExpression(text, self);
        boolean matches = reader.any();
        if (reader.at < text.length()) {
            throw new IllegalArgumentException("invalid expression '" + text + "' at position " + reader.at);
        }
        return matches;
    }

    private boolean any() {
        boolean any = all();
        while (took('|')) {
            any |= all();
        }
        return any;
    }

    private boolean all() {
        boolean all = one();
        while (took('&')) {
            all &= one();
        }
        return all;
    }

    private boolean one() {
        if (took('!')) {
            return !one();
        }
        if (!took('(')) {
            return has();
        }
        boolean any = any();
        if (!took(')')) {
            throw new IllegalArgumentException("missing ')' in expression '" + text + "'");
        }
        return any;
    }

    private boolean has() {
        String actual = actual(word());
        if (!took('=')) {
            return actual != null;
        }
        return (took('"') ? quoted() : word()).equals(actual);
    }

    private @Nullable String actual(String name) {
        if (name.equals("host") || name.equals("zone")) {
            String attribute = self.get(name).getAsString();
            return attribute.isEmpty() ? null : attribute;
        }
        JsonObject tags = self.getAsJsonObject("tags");
        return tags.has(name) ? tags.get(name).getAsString() : null;
    }

    private String word() {
        blanks();
        int start = at;
        while (at < text.length() && SIGNS.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(start, at);
    }

    private String quoted() {
        int start = at;
        at = text.indexOf('"', start) + 1;
        return text.substring(start, at - 1);
    }

    private boolean took(char sign) {
        blanks();
        boolean there = at < text.length() && text.charAt(at) == sign;
        at += there ? 1 : 0;
        return there;
    }

    private void blanks() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }
}
