package io.ostraka.core.model;

import java.util.Comparator;

/** Compares item keys. */
public final class ItemKeys {
    /** Sorts shorter keys first, and keys of equal length alphabetically. Numbers are thus sorted by value. */
    public static final Comparator<String> ORDER =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    private static final int MOST_DIGITS = 6;

    private ItemKeys() {}

    /** Returns whether both keys are numbers and {@code second} is {@code first + 1}. */
    public static boolean follows(String first, String second) {
        int number = number(first);
        return number >= 0 && number(second) == number + 1;
    }

    /**
     * Returns the number of an item, or -1 if the key is not a number. This method parses the digits itself to save
     * time, because it is called for each item of a plan.
     */
    static int number(String key) {
        int number = key.isEmpty() || key.length() > MOST_DIGITS ? -1 : 0;
        for (int i = 0; number >= 0 && i < key.length(); i++) {
            int digit = key.charAt(i) - '0';
            number = digit >= 0 && digit <= 9 ? number * 10 + digit : -1;
        }
        return number;
    }
}
