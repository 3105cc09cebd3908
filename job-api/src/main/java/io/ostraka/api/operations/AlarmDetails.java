package io.ostraka.api.operations;

import io.ostraka.api.AlarmKind;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A current alarm of a job or of the namespace, or the latest ended alarm of its kind. Immutable.
 *
 * @param id id of the alarm, as in {@link io.ostraka.api.Alarm#id()}
 * @param job name of the job; null if the alarm concerns the whole namespace
 * @param since start of the problem
 * @param began time, by ZooKeeper's clock, at which the alarm began
 * @param ended time, by ZooKeeper's clock, at which the alarm ended; null while it lasts
 * @param text description of the problem as the leader last found it, for example with the latest error
 * @param items keys of the affected items in that description, at most {@value io.ostraka.api.Alarm#MOST_ITEMS}
 * @param itemCount total number of affected items in that description
 * @param silenced true if an operator silences the alarm, or silenced it until its end. Handlers that are not in {@code
 *     received} then receive no message about it
 * @param silence the command that silences the alarm now; null if no operator silences it, after its end, or if the
 *     command is unknown
 * @param received names of the handlers that have received the beginning of the alarm, sorted; {@code log} stands for
 *     the log
 * @param receivedEnd names of the handlers that have received the end of the alarm, sorted
 */
public record AlarmDetails(
        String id,
        @Nullable String job,
        AlarmKind kind,
        Instant since,
        Instant began,
        @Nullable Instant ended,
        String text,
        List<String> items,
        int itemCount,
        boolean silenced,
        @Nullable Change silence,
        List<String> received,
        List<String> receivedEnd) {
    /** Copies the lists. */
    public AlarmDetails {
        items = List.copyOf(items);
        received = List.copyOf(received);
        receivedEnd = List.copyOf(receivedEnd);
    }

    /** Returns whether the alarm still lasts. */
    public boolean firing() {
        return ended == null;
    }
}
