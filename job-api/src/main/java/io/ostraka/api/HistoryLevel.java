package io.ostraka.api;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Selects the runs of a job that the history keeps as single rows. The history's roll-ups (aggregated counts) always
 * include all runs and all skipped fires. Without the module {@code ostraka-job-history}, the level has no effect. Immutable
 * and thread-safe.
 */
public final class HistoryLevel {
    /** Keeps all runs and all skipped fires. The history can account for each fire of a job only with this level. */
    public static final HistoryLevel ALL = new HistoryLevel(Kind.ALL, null);

    /** Keeps the runs that did not succeed, and all skipped fires. */
    public static final HistoryLevel FAILURES = new HistoryLevel(Kind.FAILURES, null);

    /** Keeps no runs and no skipped fires. */
    public static final HistoryLevel NONE = new HistoryLevel(Kind.NONE, null);

    private static final Pattern SLOW = Pattern.compile("SLOW\\(([A-Za-z0-9.+-]{1,40})\\)");
    private static final String ACCEPTED =
            "ALL, FAILURES, SLOW(threshold) with a positive duration such as" + " SLOW(PT10S), or NONE";

    private final Kind kind;
    private final @Nullable Duration threshold;

    /** Kinds of levels. */
    public enum Kind {
        /** See {@link HistoryLevel#ALL}. */
        ALL,
        /** See {@link HistoryLevel#FAILURES}. */
        FAILURES,
        /** See {@link HistoryLevel#slow}. */
        SLOW,
        /** See {@link HistoryLevel#NONE}. */
        NONE
    }

    private HistoryLevel(Kind kind, @Nullable Duration threshold) {
        this.kind = kind;
        this.threshold = threshold;
    }

    /**
     * Returns a level that keeps the runs that took at least as long as the threshold, the runs that did not succeed,
     * and all skipped fires.
     *
     * @param threshold a positive duration
     * @throws IllegalArgumentException if the threshold is not positive
     */
    public static HistoryLevel slow(Duration threshold) {
        if (threshold.isNegative() || threshold.isZero()) {
            throw refused("SLOW(" + threshold + ")", null);
        }
        return new HistoryLevel(Kind.SLOW, threshold);
    }

    /**
     * Parses a level from text, such as the value of a property.
     *
     * @param text {@code ALL}, {@code FAILURES}, {@code SLOW(PT10S)} or {@code NONE}, in upper or lower case
     * @throws IllegalArgumentException if the text is not a level
     */
    public static HistoryLevel of(String text) {
        String upper = text.trim().toUpperCase(Locale.ROOT);
        Matcher slow = SLOW.matcher(upper);
        if (slow.matches()) {
            try {
                return slow(Duration.parse(slow.group(1)));
            } catch (DateTimeParseException | ArithmeticException e) {
                throw refused(text, e);
            }
        }
        return switch (upper) {
            case "ALL" -> ALL;
            case "FAILURES" -> FAILURES;
            case "NONE" -> NONE;
            default -> throw refused(text, null);
        };
    }

    private static IllegalArgumentException refused(String text, @Nullable Exception cause) {
        return new IllegalArgumentException("history level is '" + text + "'; accepted: " + ACCEPTED, cause);
    }

    /** Returns the kind of the level. */
    public Kind kind() {
        return kind;
    }

    /** Returns whether the history keeps skipped fires as rows. */
    public boolean keepsSkippedFires() {
        return kind != Kind.NONE;
    }

    /**
     * Returns whether the history keeps a run as a row.
     *
     * @param succeeded true if the run has succeeded
     * @param ran total run time of the code; null if unknown
     */
    public boolean keepsRun(boolean succeeded, @Nullable Duration ran) {
        return switch (kind) {
            case ALL -> true;
            case FAILURES -> !succeeded;
            case SLOW -> !succeeded || (ran != null && threshold != null && ran.compareTo(threshold) >= 0);
            case NONE -> false;
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HistoryLevel level && level.kind == kind && Objects.equals(level.threshold, threshold);
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind, threshold);
    }

    /** Returns the text that {@link #of} parses. */
    @Override
    public String toString() {
        return kind == Kind.SLOW ? "SLOW(" + threshold + ")" : kind.name();
    }
}
