package io.ostraka.core.model;

import java.util.Collection;
import java.util.regex.Pattern;

/**
 * What a value may be that becomes part of a node's path: whatever it was read from, a bad one is refused where it is made
 * and not where it is used.
 */
final class Names {
    private static final Pattern NAME = Pattern.compile("(?!\\.{1,2}$)[A-Za-z0-9._@-]{1,255}");

    private Names() {}

    static void require(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(what + " is '" + name + "'; accepted: " + NAME.pattern());
        }
    }

    static void require(String what, Collection<String> names) {
        names.forEach(name -> require(what, name));
    }

    static void requireRange(String what, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " is " + value + "; accepted: " + least + " to " + most);
        }
    }
}
