package io.ostraka.core.instance;

import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Results of the runs during a shutdown. Immutable.
 *
 * @param ended number of runs that ended by themselves and were recorded
 * @param givenUp items whose run was stopped and has returned. These items were handed over or, if failover is
 *     disabled, recorded as interrupted
 * @param running items whose code still runs, or whose run could not be recorded as ended. Other instances take these
 *     items over after the session has ended
 * @param left true if ZooKeeper has confirmed that the instance's node was removed
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
     * Logs the report in one line, as a warning if anything did not end properly.
     *
     * @param took duration of the shutdown
     * @param late descriptions of other parts of the process that did not end in time
     */
    public void log(Duration took, List<String> late) {
        String text = ended + " runs ended, " + counted(givenUp, "handed over") + ", "
                + counted(running, "still running")
                + (left ? "" : "; ZooKeeper has not confirmed the end of the instance")
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
