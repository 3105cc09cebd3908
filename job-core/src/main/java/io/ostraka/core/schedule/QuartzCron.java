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
 * A cron expression that Quartz parses and evaluates. Local times are evaluated as UTC, so Quartz's handling of
 * daylight saving has no effect. Thread-safe, because after the zone is set, evaluation in Quartz 2.5.2 only reads the
 * parsed expression.
 */
@SuppressWarnings("JavaUtilDate") // Quartz's API requires it
final class QuartzCron implements LocalCron {
    /**
     * Cache of expressions, because a parsed expression takes about 14 KB and many jobs may use the same one. The
     * garbage collector removes the entry of a cron that is no longer used, because only the cron refers to the entry's
     * key. Guarded by itself.
     */
    private static final Map<String, WeakReference<QuartzCron>> IN_USE = new WeakHashMap<>();

    private final String text;
    private final CronExpression expression;

    // Cached results; each registration of a schedule needs both, and they cost many evaluations. Null until computed.
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
                cron = new QuartzCron(
                        new String(expression)); // the key must be a string to which only this cron refers
                IN_USE.remove(expression); // put alone would keep the old key object, which may be collected
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
