package io.ostraka.core.schedule;

import java.text.ParseException;
import java.time.LocalDateTime;
import java.util.Optional;
import java.util.regex.Pattern;

/** Parses cron expressions in Quartz's syntax. */
final class CronParser {
    private static final int DAY_OF_WEEK = 5;
    private static final Pattern NUMBERED_DAY = Pattern.compile("(^|[,-])\\d");

    private CronParser() {}

    /**
     * Parses an expression.
     *
     * @throws ParseException if Quartz rejects the expression, cannot evaluate it, or would ignore a part of it
     */
    static LocalCron parse(String expression) throws ParseException {
        if (expression.length() > 1_000
                || Pattern.compile("\\d{5}").matcher(expression).find()) {
            // Quartz stores every year of a range: 1970-999999999 would exhaust the memory
            throw new ParseException("at most 1000 characters, numbers of at most 4 digits", 0);
        }
        String[] fields = LocalCron.fields(expression);
        requireQuestionMark(fields);
        LocalCron cron = QuartzCron.of(expression);
        CronField.require(fields);
        String days = fields[WeekdayCron.DAY_OF_MONTH];
        if (days.contains("W") || (days.contains("L") && days.contains(","))) {
            cron = new WeekdayCron(fields);
        }
        try {
            Optional<LocalDateTime> unused = cron.atOrAfter(LocalCron.FIRST);
        } catch (RuntimeException e) {
            // a field such as ',' has no values: Quartz parses it and throws at each evaluation
            throw new ParseException("a field has no values", 0);
        }
        return cron;
    }

    /** Refuses an expression of another dialect, such as Spring's {@code 0 0 6 * * *}, with a hint how to write it here. */
    private static void requireQuestionMark(String[] fields) throws ParseException {
        if (fields.length <= DAY_OF_WEEK
                || fields[WeekdayCron.DAY_OF_MONTH].equals("?")
                || fields[DAY_OF_WEEK].equals("?")) {
            return;
        }
        int free = fields[DAY_OF_WEEK].equals("*")
                ? DAY_OF_WEEK
                : fields[WeekdayCron.DAY_OF_MONTH].equals("*") ? WeekdayCron.DAY_OF_MONTH : -1;
        String hint = "day of month or day of week must be '?'";
        if (free > 0) {
            fields = fields.clone();
            fields[free] = "?";
            String rewritten = String.join(" ", fields);
            hint += parses(rewritten) ? "; write " + rewritten : "";
        }
        if (NUMBERED_DAY.matcher(fields[DAY_OF_WEEK]).find()) { // other dialects count from Monday
            hint += "; days of the week are 1 (Sunday) to 7, or SUN to SAT";
        }
        throw new ParseException(hint, 0);
    }

    private static boolean parses(String expression) {
        try {
            LocalCron unused = parse(expression);
            return true;
        } catch (ParseException e) {
            return false;
        }
    }

    /**
     * Returns whether the hour field of a valid expression allows every hour.
     *
     * @throws IllegalArgumentException if the expression is invalid
     */
    static boolean firesInEveryHour(String expression) {
        try {
            return QuartzCron.of(expression).firesInEveryHour();
        } catch (ParseException e) {
            throw new IllegalArgumentException("cron expression '" + expression + "' is not valid", e);
        }
    }
}
