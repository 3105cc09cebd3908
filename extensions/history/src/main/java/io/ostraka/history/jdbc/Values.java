package io.ostraka.history.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Converts values of rows to values of columns. */
final class Values {
    /** Largest number of milliseconds of a duration, about 285 years. Sums of many such values still fit a column. */
    private static final long LONGEST_MS = 9_000_000_000_000L;

    private Values() {}

    /** Returns the milliseconds since 1970 in UTC, or the nearest number if an instant is too far away. */
    static long millis(Instant at) {
        try {
            return at.toEpochMilli();
        } catch (ArithmeticException tooFar) {
            return at.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    static @Nullable Long millisOrNull(@Nullable Instant at) {
        return at == null ? null : (Long) millis(at);
    }

    /** Returns the milliseconds of a duration, from 0 to about 285 years. */
    static long millis(Duration duration) {
        if (duration.isNegative()) {
            return 0;
        }
        return duration.compareTo(Duration.ofMillis(LONGEST_MS)) > 0 ? LONGEST_MS : duration.toMillis();
    }

    static @Nullable Long millisOrNull(@Nullable Duration duration) {
        return duration == null ? null : (Long) millis(duration);
    }

    static Instant instant(ResultSet row, String column) throws SQLException {
        return Instant.ofEpochMilli(row.getLong(column));
    }

    static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : Instant.ofEpochMilli(value);
    }

    static @Nullable Duration durationOrNull(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? null : Duration.ofMillis(value);
    }

    /** Returns 1 for true and 0 for false. */
    static long flag(boolean value) {
        return value ? 1 : 0;
    }

    /** Returns the constant with a name; {@code other} if this version of the library does not know the name. */
    static <E extends Enum<E>> E constant(String name, E other) {
        return Arrays.stream(other.getDeclaringClass().getEnumConstants())
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElse(other);
    }

    /**
     * Returns the beginning of a text. Unpaired surrogates and the character 0, which databases refuse, are replaced.
     *
     * @param most largest number of characters
     */
    static String text(String text, int most) {
        int end = Math.min(text.length(), most);
        if (end < text.length() && end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        StringBuilder changed = null;
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(text.charAt(i + 1));
            if (pair) {
                i++;
            } else if (c == 0 || Character.isSurrogate(c)) {
                if (changed == null) {
                    changed = new StringBuilder(text);
                }
                changed.setCharAt(i, '\uFFFD');
            }
        }
        return changed == null ? text.substring(0, end) : changed.substring(0, end);
    }

    static @Nullable String textOrNull(@Nullable String text, int most) {
        return text == null ? null : text(text, most);
    }
}
