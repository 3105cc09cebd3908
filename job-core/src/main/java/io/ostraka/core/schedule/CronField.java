package io.ostraka.core.schedule;

import java.text.ParseException;
import java.util.regex.Pattern;

/**
 * The fields of a cron expression and what they accept. Quartz ignores the parts of a field that it does not
 * understand, such as the step of {@code MON/2} and the Friday of {@code MON#2,FRI}, so this check refuses such fields.
 * Quartz checks the largest numbers.
 */
enum CronField {
    SECOND("second", "numbers from 0 to 59", Text.NUMBER, "", ""),
    MINUTE("minute", "numbers from 0 to 59", Text.NUMBER, "", ""),
    HOUR("hour", "numbers from 0 to 23", Text.NUMBER, "", ""),
    DAY_OF_MONTH(
            "day of month",
            "numbers from 1 to 31, L (the last day), L-3, LW, 15W (the weekday nearest to the 15th); or ?",
            Text.FROM_1,
            "|L(-\\d{1,2})?W?|(0?[1-9]|[12]\\d|3[01])W",
            "[?]"),
    MONTH("month", "numbers from 1 to 12 or names from JAN to DEC", Text.FROM_1, "|" + range(Text.MONTHS), ""),
    DAY_OF_WEEK(
            "day of week",
            "numbers from 1 (Sunday) to 7 or names from SUN to SAT; or ?, L (Saturday), FRIL (the last Friday) or MON#2"
                    + " (the second Monday) alone",
            Text.FROM_1,
            "|" + range(Text.DAYS),
            "[?L]|(" + Text.DAYS + "|0?[1-7])(L|#0?[1-5])"),
    YEAR("year", "numbers from 1970 to 2199", "(19[7-9]\\d|2[01]\\d\\d)", "", "");

    private static final class Text {
        /** A number below 90, because Quartz accepts 98 and 99 with the meaning of {@code ?} and {@code *}. */
        static final String NUMBER = "0{0,2}[0-8]?\\d";
        /** A number that is not zero, because Quartz accepts zero as the end of a range. */
        static final String FROM_1 = "0{0,2}(0?[1-9]|[1-8]\\d)";

        static final String STEP = "/0{0,3}[1-9]\\d{0,3}";
        static final String MONTHS = "(JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)";
        static final String DAYS = "(SUN|MON|TUE|WED|THU|FRI|SAT)";
    }

    private final String label;
    private final String accepted;
    /** One part of a list. */
    private final Pattern part;
    /** A field that is no list. */
    private final Pattern alone;

    /**
     * @param number a number, as a regular expression
     * @param others further forms of a part, as regular expressions that each begin with a bar
     * @param alone form of a field that is no list
     */
    CronField(String label, String accepted, String number, String others, String alone) {
        this.label = label;
        this.accepted = accepted;
        this.part = Pattern.compile("([*]|" + range(number) + ")(" + Text.STEP + ")?|" + Text.STEP + others);
        this.alone = Pattern.compile(alone);
    }

    private static String range(String value) {
        return value + "(-" + value + ")?";
    }

    /** @throws ParseException if Quartz would ignore a part of a field; the message says what is accepted */
    static void require(String[] fields) throws ParseException {
        if (fields.length > values().length) {
            throw new ParseException("there are " + fields.length + " fields", 0);
        }
        for (int i = 0; i < fields.length; i++) {
            values()[i].require(fields[i]);
        }
    }

    private void require(String field) throws ParseException {
        if (alone.matcher(field).matches()) {
            return;
        }
        for (String each : field.split(",", -1)) {
            if (!part.matcher(each).matches()) {
                throw new ParseException(
                        "the " + label + " is '" + field + "'; accepted: *, or a list with commas of " + accepted
                                + "; numbers may have ranges and steps, such as 2-6 and 1/2, and names may have ranges",
                        0);
            }
        }
    }
}
