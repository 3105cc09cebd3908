package io.ostraka.console.security;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Recognises passwords that attackers try first: a frequent password or word, repeated or with digits and signs around it,
 * and characters in the order of the alphabet or of a keyboard. The list contains the rest of the most frequent
 * passwords of at least 12 characters without digits and signs.
 */
final class KnownPasswords {
    private static final Set<String> WORDS = Set.of(
            "admin",
            "administrator",
            "changeme",
            "changeit",
            "console",
            "default",
            "dragon",
            "football",
            "guest",
            "iloveyou",
            "letmein",
            "login",
            "master",
            "monkey",
            "ostraka",
            "passw",
            "passwd",
            "password",
            "passwordpassword",
            "princess",
            "qwerty",
            "root",
            "secret",
            "server",
            "shadow",
            "sunshine",
            "superman",
            "system",
            "test",
            "toor",
            "trustno",
            "user",
            "welcome",
            "welcometo",
            "zookeeper",
            "correcthorsebatterystaple",
            "mypassword",
            "thisismypassword",
            "newpassword",
            "letmeinnow",
            "iloveyousomuch",
            "adminadmin");
    private static final List<String> ROWS = List.of(
            "abcdefghijklmnopqrstuvwxyz",
            "qwertyuiopasdfghjklzxcvbnm",
            "qwertzuiopasdfghjklyxcvbnm",
            "qazwsxedcrfvtgbyhnujmikolp",
            "012345678901234567890");
    private static final int FEW = 5;

    private KnownPasswords() {}

    /** Returns whether attackers try a password early. */
    static boolean contains(char[] password) {
        String text = new String(password).toLowerCase(Locale.ROOT);
        String plain =
                text.replace('0', 'o').replace('@', 'a').replace('$', 's').replace('3', 'e');
        return text.chars().distinct().count() < FEW || isKnown(text) || isKnown(plain);
    }

    private static boolean isKnown(String text) {
        String letters = text.replaceAll("[^a-z]", "");
        String digits = text.replaceAll("[^0-9]", "");
        boolean wordDominates = letters.length() >= text.length() / 2 || repeats(digits);
        return letters.isEmpty()
                ? digits.length() == text.length() && repeats(digits)
                : wordDominates && repeats(letters);
    }

    /** Returns whether a text is a known word or a part of a row, or repetitions of one. */
    private static boolean repeats(String text) {
        for (int length = 1; length <= text.length(); length++) {
            String part = text.substring(0, length);
            if ((WORDS.contains(part) || isInRow(part))
                    && part.repeat(text.length() / length + 1).startsWith(text)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isInRow(String part) {
        for (String row : ROWS) {
            if (row.contains(part) || new StringBuilder(row).reverse().indexOf(part) >= 0) {
                return true;
            }
        }
        return false;
    }
}
