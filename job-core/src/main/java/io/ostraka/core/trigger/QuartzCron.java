package io.ostraka.core.trigger;

import java.lang.ref.WeakReference;
import java.text.ParseException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import java.util.WeakHashMap;
import org.quartz.CronExpression;

/**
 * An expression as Quartz parses and evaluates it, in UTC, so that Quartz's own daylight saving plays no part. Shared
 * by threads: evaluating an expression only reads it (Quartz 2.5.2), once its zone is set.
 */
@SuppressWarnings("JavaUtilDate") // Quartz's API has nothing else
final class QuartzCron implements LocalCron {
    /**
     * Those in use, so that jobs of the same expression share it: Quartz keeps some 300 numbers in trees, 16 KB. Guarded by
     * itself. An expression that nobody uses any more goes, since only its cron refers to the key.
     */
    private static final Map<String, WeakReference<QuartzCron>> IN_USE = new WeakHashMap<>();

    private final String text;
    private final CronExpression expression;

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

    @Override
    public Optional<LocalDateTime> after(LocalDateTime time) {
        Date next = expression.getTimeAfter(new Date(time.toEpochSecond(ZoneOffset.UTC) * 1_000));
        return Optional.ofNullable(next)
                .map(date -> LocalDateTime.ofEpochSecond(Math.floorDiv(date.getTime(), 1_000L), 0, ZoneOffset.UTC));
    }
}
