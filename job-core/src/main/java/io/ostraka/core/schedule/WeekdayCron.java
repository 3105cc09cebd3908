package io.ostraka.core.schedule;

import java.text.ParseException;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A cron expression whose day of the month contains W, such as {@code 15W}, {@code LW} or {@code L-3W}, or a list with
 * L. W means the weekday nearest to a day in the same month.
 *
 * <p>Quartz 2.5.2 parses these expressions but misses some of their fires. For {@code 0 0 9 1W * ?}, a search from
 * Sunday the 2nd misses Monday the 3rd. For {@code 0 0 9,17 LW * ?}, a search from noon of another day misses the fire
 * at 9:00. For {@code 14W,15W} on a weekend, Quartz finds only the first day. For {@code 28-3,L-1}, it misses a day. This class therefore computes the days of
 * each month, and Quartz evaluates an expression with these days as numbers.
 */
final class WeekdayCron implements LocalCron {
    /** Index of the field for the day of the month. */
    static final int DAY_OF_MONTH = 3;

    private static final int MONTH = 4;
    private static final int YEAR = 6;
    private static final Pattern NAMED = Pattern.compile("(?:(\\d{1,2})(?=W)|L(?:-(\\d{1,2}))?)(W)?");

    private final String timeOfDay;
    private final String[] days;
    private final QuartzCron months;

    /** Creates a cron from the fields of an expression that Quartz and {@link CronField} have accepted. */
    WeekdayCron(String[] fields) throws ParseException {
        timeOfDay = String.join(" ", Arrays.copyOf(fields, DAY_OF_MONTH));
        days = fields[DAY_OF_MONTH].split(",");
        months = QuartzCron.of("0 0 0 1 " + fields[MONTH] + " ? " + (fields.length > YEAR ? fields[YEAR] : "*"));
    }

    @Override
    public Optional<LocalDateTime> after(LocalDateTime time) {
        LocalDateTime thisMonth = time.toLocalDate().withDayOfMonth(1).atStartOfDay();
        Optional<LocalDateTime> month = months.atOrAfter(thisMonth);
        while (month.isPresent()) {
            Optional<LocalDateTime> fire = in(YearMonth.from(month.get()), time);
            if (fire.isPresent()) {
                return fire;
            }
            month = months.after(month.get());
        }
        return Optional.empty();
    }

    private Optional<LocalDateTime> in(YearMonth month, LocalDateTime after) {
        String numbers = Arrays.stream(days)
                .map(day -> {
                    Matcher named = NAMED.matcher(day);
                    return named.matches() ? number(month, named) : day;
                })
                .filter(day -> !day.isEmpty())
                .collect(Collectors.joining(","));
        if (numbers.isEmpty()) {
            return Optional.empty();
        }
        try {
            return QuartzCron.of(timeOfDay + " " + numbers + " " + month.getMonthValue() + " ? " + month.getYear())
                    .after(after);
        } catch (ParseException e) {
            throw new IllegalStateException("Quartz accepts the parts but not the whole", e);
        }
    }

    /** Returns the day of the month as a number; an empty string if the month does not have the named day. */
    private static String number(YearMonth month, Matcher named) {
        int last = month.lengthOfMonth();
        int day = named.group(1) != null
                ? Integer.parseInt(named.group(1))
                : last - (named.group(2) == null ? 0 : Integer.parseInt(named.group(2)));
        if (!month.isValidDay(day)) {
            return "";
        }
        if (named.group(3) == null) {
            return Integer.toString(day);
        }
        int nearest =
                switch (month.atDay(day).getDayOfWeek()) {
                    case SATURDAY -> day == 1 ? day + 2 : day - 1;
                    case SUNDAY -> day == last ? day - 2 : day + 1;
                    default -> day;
                };
        return Integer.toString(nearest);
    }
}
