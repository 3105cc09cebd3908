package io.ostraka.core.schedule;

import java.lang.ref.WeakReference;
import java.text.ParseException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.quartz.CronExpression;

/**
 * An expression that Quartz parses and evaluates, in UTC so that Quartz's own daylight saving has no effect.
 * Thread-safe: once the zone is set, evaluation only reads the expression (Quartz 2.5.2).
 */
@SuppressWarnings("JavaUtilDate") // Quartz's API requires it
final class QuartzCron implements LocalCron {
    /**
     * Expressions in use, shared by jobs with the same expression, since Quartz stores some 300 numbers in trees,
     * 14 KB. Guarded by itself. Unused entries disappear, because only the cron refers to the key.
     */
    private static final Map<String, WeakReference<QuartzCron>> IN_USE = new WeakHashMap<>();

    private final String text;
    private final CronExpression expression;

    // Cached, since each registration of a schedule needs both and they cost many evaluations; null until computed.
    private volatile @Nullable Boolean everyHour;
    private volatile @Nullable Optional<LocalDateTime> first;

    private QuartzCron(String text) throws ParseException {
        this.text = text;
        this.expression = new CronExpression(text);
        this.expression.setTimeZone(TimeZone.getTimeZone(ZoneOffset.UTC));
    }

    static QuartzCron of(String expression) throws ParseException {
        synchronized (IN_USE) {
            WeakReference<QuartzCron> known = IN_USE.get(expression);
            QuartzCron cron = known == null ? null : known.get();
            if (cron == null) {
                cron = new QuartzCron(new String(expression)); // a key to which no other object refers
                IN_USE.remove(expression); // otherwise the former key, which can be collected, would remain
                IN_USE.put(cron.text, new WeakReference<>(cron));
            }
            return cron;
        }
    }

    /** Returns whether the hour field allows every hour. */
    boolean firesInEveryHour() throws ParseException {
        Boolean known = everyHour;
        if (known == null) {
            known = inEveryHour(LocalCron.fields(text)[2]);
            everyHour = known;
        }
        return known;
    }

    private static boolean inEveryHour(String field) throws ParseException {
        if (field.equals("*")) {
            return true;
        }
        LocalCron hours = new QuartzCron("0 0 " + field + " * * ?");
        LocalDateTime hour = FIRST;
        LocalDateTime end = FIRST.plusDays(1);
        while (hour.isBefore(end) && hours.atOrAfter(hour).filter(hour::equals).isPresent()) {
            hour = hour.plusHours(1);
        }
        return hour.equals(end);
    }

    @Override
    public Optional<LocalDateTime> atOrAfter(LocalDateTime time) {
        if (!time.equals(FIRST)) {
            return LocalCron.super.atOrAfter(time);
        }
        Optional<LocalDateTime> known = first;
        if (known == null) {
            known = LocalCron.super.atOrAfter(time);
            first = known;
        }
        return known;
    }

    @Override
    public Optional<LocalDateTime> after(LocalDateTime time) {
        Date next = expression.getTimeAfter(new Date(time.toEpochSecond(ZoneOffset.UTC) * 1_000));
        return Optional.ofNullable(next)
                .map(date -> LocalDateTime.ofEpochSecond(Math.floorDiv(date.getTime(), 1_000L), 0, ZoneOffset.UTC));
    }
}
