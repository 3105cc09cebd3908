package io.ostraka.core.trigger;

import java.text.ParseException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.Optional;
import java.util.TimeZone;
import org.quartz.CronExpression;

/**
 * An expression as Quartz parses and evaluates it, in UTC, so that Quartz's own daylight saving plays no part. Shared
 * by threads: evaluating an expression only reads it (Quartz 2.5.2), once its zone is set.
 */
@SuppressWarnings("JavaUtilDate") // Quartz's API has nothing else
final class QuartzCron implements LocalCron {
    private final CronExpression expression;

    QuartzCron(String expression) throws ParseException {
        this.expression = new CronExpression(expression);
        this.expression.setTimeZone(TimeZone.getTimeZone(ZoneOffset.UTC));
    }

    @Override
    public Optional<LocalDateTime> after(LocalDateTime time) {
        Date next = expression.getTimeAfter(new Date(time.toEpochSecond(ZoneOffset.UTC) * 1_000));
        return Optional.ofNullable(next)
                .map(date -> LocalDateTime.ofEpochSecond(Math.floorDiv(date.getTime(), 1_000L), 0, ZoneOffset.UTC));
    }
}
