package io.ostraka.core.time;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares this host's clock, which decides when fires are due, with the clock of the ZooKeeper server. Thread-safe,
 * except that {@link #compared} must not be called concurrently.
 */
public final class ClockCheck {
    private static final Logger log = LoggerFactory.getLogger(ClockCheck.class);
    /** Largest accepted difference between the two clocks. */
    static final Duration TOLERANCE = Duration.ofSeconds(10);
    /** Largest difference at which a clock that was wrong counts as right again. */
    private static final Duration RIGHT_AGAIN = Duration.ofSeconds(5);
    /** Interval of the extra writes that compare a wrong clock again. */
    private static final Duration RECHECK = Duration.ofSeconds(10);

    private final Supplier<Instant> serverTime;
    private final Clock clock;
    private volatile Finding finding = Finding.RIGHT;
    private volatile long comparedNanos;

    private enum Finding {
        RIGHT,
        AHEAD,
        BEHIND
    }

    public ClockCheck(Supplier<Instant> serverTime, Clock clock) {
        this.serverTime = serverTime;
        this.clock = clock;
    }

    /** Returns whether the last comparison found the clock ahead. */
    public boolean foundAhead() {
        return finding == Finding.AHEAD;
    }

    /**
     * Returns whether scheduled fires must not start: the last comparison found the clock ahead, or the clock was
     * set forward since.
     */
    public boolean ahead() {
        return foundAhead() || find() == Finding.AHEAD;
    }

    /** Returns whether a time is in the future by the server's clock. */
    public boolean future(Instant time) {
        return time.isAfter(serverTime.get().plus(TOLERANCE));
    }

    /** Returns whether the caller should write to ZooKeeper again in order to compare the clocks. */
    public boolean due() {
        boolean wrongForLong = finding != Finding.RIGHT && clock.monotonicNanos() - comparedNanos >= RECHECK.toNanos();
        return wrongForLong || find() != finding;
    }

    /** Compares the clocks after a write and logs a changed finding. Returns whether the finding has changed. */
    public boolean compared() {
        comparedNanos = clock.monotonicNanos();
        Finding found = find();
        if (found == finding) {
            return false;
        }
        finding = found;
        Duration difference = difference().abs();
        switch (found) {
            case AHEAD ->
                log.warn(
                        "this host's clock is {} ahead of ZooKeeper's: scheduled fires do not start here, and other instances"
                                + " get the items until the clock is right; correct the clock",
                        difference);
            case BEHIND ->
                log.warn(
                        "this host's clock is {} behind ZooKeeper's: scheduled fires start here that much too late;"
                                + " correct the clock",
                        difference);
            case RIGHT -> log.info("this host's clock agrees with ZooKeeper's again");
        }
        return true;
    }

    private Finding find() {
        Duration ahead = difference();
        if (ahead.compareTo(finding == Finding.AHEAD ? RIGHT_AGAIN : TOLERANCE) > 0) {
            return Finding.AHEAD;
        }
        return ahead.negated().compareTo(finding == Finding.BEHIND ? RIGHT_AGAIN : TOLERANCE) > 0
                ? Finding.BEHIND
                : Finding.RIGHT;
    }

    private Duration difference() {
        return Duration.between(serverTime.get(), clock.now());
    }
}
