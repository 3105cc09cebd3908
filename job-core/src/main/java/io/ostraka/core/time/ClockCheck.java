package io.ostraka.core.time;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compares this host's clock, by which fires are due, with the server's. Any thread, but for {@link #compared}. */
public final class ClockCheck {
    private static final Logger log = LoggerFactory.getLogger(ClockCheck.class);
    /** How far apart the two clocks may be. */
    static final Duration TOLERANCE = Duration.ofSeconds(10);
    /** How far apart they may be for a clock that was wrong to count as right again. */
    private static final Duration RIGHT_AGAIN = Duration.ofSeconds(5);
    /** How often a clock that is wrong is compared by a write of its own. */
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

    /** Whether the clock was found ahead when it was compared last. */
    public boolean foundAhead() {
        return finding == Finding.AHEAD;
    }

    /** Whether no scheduled fire may be started: it was found ahead, or must have been set forward since. */
    public boolean ahead() {
        return foundAhead() || find() == Finding.AHEAD;
    }

    /** Whether a time is in the future, by the server's clock. */
    public boolean future(Instant time) {
        return time.isAfter(serverTime.get().plus(TOLERANCE));
    }

    /** Whether another write should be made, to compare the clocks by. */
    public boolean due() {
        boolean wrongForLong = finding != Finding.RIGHT && clock.monotonicNanos() - comparedNanos >= RECHECK.toNanos();
        return wrongForLong || find() != finding;
    }

    /** Compares the clocks after a write, and says so when the finding is another; returns whether it is. */
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
                        "this host's clock is {} ahead of ZooKeeper's: no scheduled fire starts here, and items go to"
                                + " other instances until it is right; set it",
                        difference);
            case BEHIND ->
                log.warn(
                        "this host's clock is {} behind ZooKeeper's: scheduled fires start here by so much too late;"
                                + " set it",
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
