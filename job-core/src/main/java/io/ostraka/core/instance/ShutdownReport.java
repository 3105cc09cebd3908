package io.ostraka.core.instance;

import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What became of the runs that were under way when an instance was closed. Immutable.
 *
 * @param ended how many have ended by themselves, and are recorded
 * @param givenUp what was told to end, has returned, and is handed over, or with failover off recorded as interrupted
 * @param running what has not returned, or whose end could not be recorded: it is taken over once the session is over
 * @param left whether ZooKeeper has confirmed that the instance is gone
 */
public record ShutdownReport(int ended, List<String> givenUp, List<String> running, boolean left) {
    private static final Logger log = LoggerFactory.getLogger(ShutdownReport.class);
    private static final int MOST_NAMED = 10;

    /** Copies the lists. */
    public ShutdownReport {
        givenUp = List.copyOf(givenUp);
        running = List.copyOf(running);
    }

    /**
     * Says it in one line of the log, a warning if something is left behind.
     *
     * @param took how long closing has taken
     * @param late what else of the process didn't end in its time
     */
    public void log(Duration took, List<String> late) {
        String text = ended + " runs ended, " + counted(givenUp, "given up for others") + ", "
                + counted(running, "left as they run")
                + (left ? "" : "; ZooKeeper has not confirmed that the instance is gone")
                + (late.isEmpty() ? "" : "; not ended in time: " + String.join(", ", late));
        if (running.isEmpty() && late.isEmpty() && left) {
            log.info("closed in {}: {}", took, text);
        } else {
            log.warn("closed in {}: {}", took, text);
        }
    }

    private static String counted(List<String> some, String what) {
        String names = some.isEmpty()
                ? ""
                : " ("
                        + String.join(", ", some.subList(0, Math.min(some.size(), MOST_NAMED)))
                        + (some.size() > MOST_NAMED ? ", …" : "") + ")";
        return some.size() + " " + what + names;
    }
}
