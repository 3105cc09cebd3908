package io.ostraka.core.schedule;

import java.text.ParseException;
import java.time.LocalDateTime;
import java.util.Optional;
import java.util.regex.Pattern;

/** Parses cron expressions in Quartz's syntax. */
final class CronParser {
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
        LocalCron cron = QuartzCron.of(expression);
        String[] fields = LocalCron.fields(expression);
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
