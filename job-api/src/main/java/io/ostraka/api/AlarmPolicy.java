package io.ostraka.api;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the alarms of a job begin. All kinds are on by default, with generous limits; see {@link AlarmKind}.
 * Example: {@code AlarmPolicy.defaults().after(AlarmKind.MISSED, Duration.ofMinutes(1)).failuresInARow(1)}. Immutable
 * and thread-safe.
 */
public final class AlarmPolicy {
    private static final AlarmPolicy DEFAULTS = new AlarmPolicy(Map.of());
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final int MOST_FAILURES = 1_000_000;
    private static final String OFF = "off";
    private static final String DEFAULT_TEXT = "default";
    private static final String ACCEPTED =
            "'default', 'off', or settings such as 'MISSED=PT10M FAILING=3 LATE=off', each kind once";

    private final Map<AlarmKind, Setting> settings;

    /** @param limit null if the kind is off, or if the setting is a number */
    private record Setting(@Nullable Duration limit, int failures) {
        static final Setting OFF = new Setting(null, 0);

        @Override
        public String toString() {
            return limit != null ? limit.toString() : failures > 0 ? Integer.toString(failures) : AlarmPolicy.OFF;
        }
    }

    private AlarmPolicy(Map<AlarmKind, Setting> settings) {
        this.settings = settings;
    }

    /** Returns the default policy: all kinds of alarms with the limits in {@link AlarmKind}. */
    public static AlarmPolicy defaults() {
        return DEFAULTS;
    }

    /** Returns a policy without alarms. */
    public static AlarmPolicy none() {
        AlarmPolicy policy = DEFAULTS;
        for (AlarmKind kind : AlarmKind.values()) {
            policy = kind.isOfJob() ? policy.without(kind) : policy;
        }
        return policy;
    }

    /**
     * Parses a policy from text, such as the value of a property.
     *
     * @param text {@code default}, {@code off}, or settings separated by spaces or commas, such as {@code MISSED=PT10M
     *     FAILING=3 LATE=off}; in upper or lower case. A kind that is not named keeps its default
     * @throws IllegalArgumentException if the text is not a policy
     */
    public static AlarmPolicy of(String text) {
        String trimmed = text.trim();
        if (trimmed.equalsIgnoreCase(DEFAULT_TEXT)) {
            return DEFAULTS;
        }
        if (trimmed.equalsIgnoreCase(OFF)) {
            return none();
        }
        AlarmPolicy policy = DEFAULTS;
        for (String each : trimmed.split("[\\s,]+")) {
            int equals = each.indexOf('=');
            if (equals < 1) {
                throw refused(text);
            }
            AlarmKind kind = kind(text, each.substring(0, equals));
            if (policy.settings.containsKey(kind)) {
                throw refused(text);
            }
            policy = policy.with(kind, each.substring(equals + 1), text);
        }
        return policy;
    }

    private static AlarmKind kind(String text, String name) {
        try {
            return AlarmKind.valueOf(name.replace('-', '_').toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw refused(text); // without the cause, whose message is about a part of the text
        }
    }

    private AlarmPolicy with(AlarmKind kind, String value, String text) {
        try {
            if (value.equalsIgnoreCase(OFF)) {
                return without(kind);
            }
            return kind == AlarmKind.FAILING
                    ? failuresInARow(Integer.parseInt(value))
                    : after(kind, Duration.parse(value.toUpperCase(Locale.ROOT)));
        } catch (DateTimeException | NumberFormatException e) {
            throw refused(text); // without the cause, whose message is about a part of the text
        }
    }

    private static IllegalArgumentException refused(String text) {
        return new IllegalArgumentException("alarm policy is '" + text + "'; accepted: " + ACCEPTED);
    }

    /**
     * Returns a copy with a time limit for a kind.
     *
     * @param kind a kind with a time limit: all but {@code FAILING}, {@code QUARANTINED} and {@code HISTORY_LOST}
     * @param limit time after which the alarm begins; positive, at most 36500 days
     * @throws IllegalArgumentException if the kind has no time limit, or the limit is not accepted
     */
    public AlarmPolicy after(AlarmKind kind, Duration limit) {
        if (!kind.isLimited()) {
            throw new IllegalArgumentException(
                    "alarm " + kind + " has the time limit " + limit + "; only other kinds accept a time limit");
        }
        if (limit.isNegative() || limit.isZero() || limit.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("the time limit of alarm " + kind + " is " + limit
                    + "; accepted: a positive duration of at most 36500 days");
        }
        return with(kind, new Setting(limit, 0));
    }

    /**
     * Returns a copy in which the alarm {@link AlarmKind#FAILING} begins after the given number of failed fires.
     *
     * @param failures number of failed fires of an item in a row, from 1
     * @throws IllegalArgumentException if the number is not accepted
     */
    public AlarmPolicy failuresInARow(int failures) {
        if (failures < 1 || failures > MOST_FAILURES) {
            throw new IllegalArgumentException("alarm " + AlarmKind.FAILING + " begins after " + failures
                    + " failures; accepted: 1 to " + MOST_FAILURES);
        }
        return with(AlarmKind.FAILING, new Setting(null, failures));
    }

    /**
     * Returns a copy in which a kind of alarm is off.
     *
     * @throws IllegalArgumentException if the kind does not belong to a job
     */
    public AlarmPolicy without(AlarmKind kind) {
        if (!kind.isOfJob()) {
            throw new IllegalArgumentException("alarm " + kind + " belongs to the namespace; no job can turn it off");
        }
        return with(kind, Setting.OFF);
    }

    private AlarmPolicy with(AlarmKind kind, Setting setting) {
        Map<AlarmKind, Setting> next = new EnumMap<>(AlarmKind.class);
        next.putAll(settings);
        next.put(kind, setting);
        return new AlarmPolicy(next);
    }

    /** Returns whether a kind of alarm is on. */
    public boolean has(AlarmKind kind) {
        return !Setting.OFF.equals(settings.get(kind));
    }

    /** Returns the time limit of a kind; empty if the kind is off, has no limit, or the limit depends on the job. */
    public Optional<Duration> limit(AlarmKind kind) {
        Setting setting = settings.get(kind);
        return Optional.ofNullable(setting == null ? kind.limit() : setting.limit);
    }

    /**
     * Returns the number of consecutive failed fires after which {@link AlarmKind#FAILING} begins; empty if it is not
     * set.
     */
    public OptionalInt failuresInARow() {
        Setting setting = settings.get(AlarmKind.FAILING);
        return setting == null || setting.failures == 0 ? OptionalInt.empty() : OptionalInt.of(setting.failures);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AlarmPolicy policy && policy.settings.equals(settings);
    }

    @Override
    public int hashCode() {
        return settings.hashCode();
    }

    /** Returns the text that {@link #of} parses. */
    @Override
    public String toString() {
        List<String> texts = new ArrayList<>();
        settings.forEach((kind, setting) -> texts.add(kind + "=" + setting));
        return texts.isEmpty() ? DEFAULT_TEXT : String.join(" ", texts);
    }
}
