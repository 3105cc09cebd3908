package io.ostraka.core.time;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares this host's clock with the clock of the ZooKeeper server. This host's clock decides when fires are due, so a
 * wrong clock would start fires too early or too late. Thread-safe, except that {@link #compared} must not be called
 * concurrently.
 */
public final class ClockCheck {
    private static final Logger log = LoggerFactory.getLogger(ClockCheck.class);
    /** Largest difference between the two clocks that is not reported as wrong. */
    public static final Duration TOLERANCE = Duration.ofSeconds(10);
    /**
     * Largest difference at which a wrong clock counts as right again. It is lower than {@link #TOLERANCE}, so that the
     * result does not change back and forth.
     */
    private static final Duration RIGHT_AGAIN = Duration.ofSeconds(5);
    /** Interval of additional writes to ZooKeeper while the clock is wrong; each write compares the clocks again. */
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
     * Returns whether this host's clock is ahead. While it is ahead, scheduled fires must not start. True if the last
     * comparison found the clock ahead, or if the clock has been set forward since then.
     */
    public boolean ahead() {
        return foundAhead() || find() == Finding.AHEAD;
    }

    /**
     * Returns the time by which this instance decides: this host's clock, or the server's while this host's is ahead. A
     * time from a clock that is ahead must not get into a record: no instance with a right clock would continue from it.
     */
    public Instant now() {
        return ahead() ? serverTime.get() : clock.now();
    }

    /** Returns the time that this host's clock will show at a time of {@link #now}. */
    public Instant local(Instant time) {
        return ahead() ? clock.now().plus(Duration.between(serverTime.get(), time)) : time;
    }

    /** Returns the time after which all times count as future: {@link #TOLERANCE} after the server's clock. */
    public Instant latest() {
        return serverTime.get().plus(TOLERANCE);
    }

    /** Returns whether the caller should write to ZooKeeper and then call {@link #compared}. */
    public boolean due() {
        boolean wrongForLong = finding != Finding.RIGHT && clock.monotonicNanos() - comparedNanos >= RECHECK.toNanos();
        return wrongForLong || find() != finding;
    }

    /**
     * Compares the clocks; call this after a write to ZooKeeper. If the result differs from the previous one, the
     * change is logged.
     *
     * @return whether the result differs from the previous one
     */
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
