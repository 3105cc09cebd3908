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
 * An expression as Quartz parses and evaluates it, in UTC, so that Quartz's own daylight saving plays no part. Shared
 * by threads: evaluating an expression only reads it (Quartz 2.5.2), once its zone is set.
 */
@SuppressWarnings("JavaUtilDate") // Quartz's API has nothing else
final class QuartzCron implements LocalCron {
    /**
     * Those in use, so that jobs of the same expression share it: Quartz keeps some 300 numbers in trees, 14 KB. Guarded by
     * itself. An expression that nobody uses any more goes, since only its cron refers to the key.
     */
    private static final Map<String, WeakReference<QuartzCron>> IN_USE = new WeakHashMap<>();

    private final String text;
    private final CronExpression expression;

    // Both are asked for whenever a schedule is read, and cost many evaluations; null until then.
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
                cron = new QuartzCron(new String(expression)); // a key that no other object refers to
                IN_USE.remove(expression); // or the former key would stay, which nobody holds any more
                IN_USE.put(cron.text, new WeakReference<>(cron));
            }
            return cron;
        }
    }

    /** Tells whether the hour field allows every hour. */
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
