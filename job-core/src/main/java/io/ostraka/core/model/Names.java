package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks names that become part of a node's path. Constructors call these checks, so an invalid name fails where it is
 * created.
 */
public final class Names {
    private static final String ACCEPTED = "1 to 255 letters, digits and . _ @ -, but neither . nor ..";
    private static final String STORABLE = "text without null, the character U+0000 and halves of surrogate pairs";
    static final int LONGEST = 255;

    /** End of a text that was cut. */
    private static final String CUT = "…";

    private static final int CUT_BYTES = 3;
    private static final int MAX_TEXT = 4_000;
    private static final int MOST_LISTED = 10;

    private Names() {}

    /**
     * Returns the argument if it is a valid job name.
     *
     * @throws JobConfigurationException if it is not a valid job name
     */
    public static String requireJob(String job) {
        if (!JobConfiguration.NAME.matcher(job).matches()) {
            throw new JobConfigurationException(job, "jobName", job, JobConfiguration.NAME.pattern());
        }
        return job;
    }

    /**
     * Returns the argument if it is a valid item key.
     *
     * @throws JobConfigurationException if it is not a valid item key
     */
    public static String requireItem(String job, String item) {
        if (!accepted(item)) {
            throw new JobConfigurationException(job, "item", item, "a number, or the key of an item: " + ACCEPTED);
        }
        return item;
    }

    /** Returns a list of names for a message: the first ten names, and the number of further names. */
    public static String listed(Collection<String> names) {
        String first = String.join(", ", names.stream().limit(MOST_LISTED).toList());
        return names.size() <= MOST_LISTED ? first : first + " and " + (names.size() - MOST_LISTED) + " more";
    }

    /** Returns the names of items for a message, such as "item 3" or "items 3, 4". */
    public static String items(Collection<String> keys) {
        return counted("item", keys);
    }

    /** Returns names for a message, after a noun that gets a plural "s" if there are several names. */
    public static String counted(String noun, Collection<String> names) {
        return noun + (names.size() == 1 ? " " : "s ") + listed(names);
    }

    /**
     * Returns the argument if it is a valid name.
     *
     * @throws IllegalArgumentException if it is not a valid name
     */
    public static String require(String what, String name) {
        if (!accepted(name)) {
            throw new IllegalArgumentException(what + " is '" + printable(name, LONGEST) + "'; accepted: " + ACCEPTED);
        }
        return name;
    }

    /**
     * Returns the beginning of a text, with a question mark in place of each control character, line separator and mark
     * of the direction, so that a hostile text cannot forge log lines.
     *
     * @param longest length in characters from which the text is cut
     */
    public static String printable(String text, int longest) {
        String shown = text.length() > longest ? text.substring(0, longest) + "…" : text;
        return shown.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
    }

    /**
     * Returns whether a name is valid. This method uses no regular expression, because it is called several times for
     * each fire.
     */
    public static boolean accepted(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && "._@-".indexOf(c) < 0) {
                return false;
            }
        }
        return !name.isEmpty() && name.length() <= LONGEST && !name.equals(".") && !name.equals("..");
    }

    static void require(String what, Collection<String> names) {
        names.forEach(name -> require(what, name));
    }

    /** Checks that a message is not too long and has no control characters, which could forge log lines. */
    static void requirePrintable(String what, String text) {
        requirePrintable(what, text, MAX_TEXT);
    }

    /** Checks that a message has at most the given number of characters and no control characters. */
    static void requirePrintable(String what, String text, int most) {
        if (text.length() > most || text.chars().anyMatch(Character::isISOControl) || hasUnpaired(text)) {
            throw new IllegalArgumentException(what + " has " + text.length() + " characters; accepted: " + most
                    + ", none of them a control character or half a surrogate pair");
        }
    }

    /**
     * Checks the parameters of a run. Null and halves of surrogate pairs do not survive storage, and programs and
     * databases do not take U+0000.
     *
     * @throws JobConfigurationException if a name or a value is not accepted
     */
    public static void requireParameters(String job, Map<String, String> parameters) {
        parameters.forEach((name, value) -> {
            if (!isStorable(name) || !isStorable(value)) {
                // the value may be secret, and the audit stores the message
                String shown = name + "=" + (value == null ? "null" : "…");
                throw new JobConfigurationException(job, "trigger parameters", shown, STORABLE);
            }
        });
    }

    static void requireStorable(String what, String text) {
        if (!isStorable(text)) {
            throw new IllegalArgumentException(what + " is '" + text + "'; accepted: " + STORABLE);
        }
    }

    private static boolean isStorable(@Nullable String text) {
        return text != null && text.indexOf('\0') < 0 && !hasUnpaired(text);
    }

    private static boolean hasUnpaired(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i)) && isUnpaired(text, i)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the beginning of a message, for a node or a log. Control characters become spaces. A message that is cut
     * ends with {@code …}.
     *
     * @param most largest size of the result in JSON, in bytes of UTF-8
     */
    public static String excerpt(String text, int most) {
        StringBuilder shown = null; // stays null for most texts, which need no change
        int bytes = 0;
        int beforeMark = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean bad = Character.isISOControl(c) || c == '\u2028' || c == '\u2029' || isUnpaired(text, i);
            bytes += bad ? 1 : c == '"' || c == '\\' ? 2 : c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
            if (bytes > most) {
                return (shown == null ? text : shown).subSequence(0, beforeMark) + CUT;
            }
            if (bad && shown == null) {
                shown = new StringBuilder(text.length()).append(text, 0, i);
            }
            if (shown != null) {
                shown.append(bad ? ' ' : c);
            }
            if (bytes <= most - CUT_BYTES && !Character.isHighSurrogate(c)) {
                beforeMark = i + 1;
            }
        }
        return shown == null ? text : shown.toString();
    }

    private static boolean isUnpaired(String text, int at) {
        char c = text.charAt(at);
        if (Character.isHighSurrogate(c)) {
            return at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
        }
        return Character.isLowSurrogate(c) && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
    }

    static void requireRange(String what, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " is " + value + "; accepted: " + least + " to " + most);
        }
    }
}
