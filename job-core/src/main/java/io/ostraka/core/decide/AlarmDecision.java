package io.ostraka.core.decide;

import io.ostraka.api.AlarmKind;
import io.ostraka.core.model.JobAlarms;
import io.ostraka.core.model.JobAlarms.Entry;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which alarms of a job begin and end. While an alarm lasts, further causes of its kind do not begin another
 * alarm, so that people receive only one message about a problem with many items.
 */
public final class AlarmDecision {
    private AlarmDecision() {}

    /**
     * Returns the next alarms of the job; the present alarms if nothing changes.
     *
     * @param known the cause of each kind, empty if there is none. Alarms of other kinds do not change
     * @param silenced kinds that an operator has silenced
     * @param handlers names of the handlers that receive alarms
     * @param now current time on the server's clock
     */
    public static JobAlarms next(
            JobAlarms present,
            Map<AlarmKind, Optional<AlarmCause>> known,
            Set<AlarmKind> silenced,
            Collection<String> handlers,
            Instant now) {
        JobAlarms next = present;
        for (Map.Entry<AlarmKind, Optional<AlarmCause>> each : known.entrySet()) {
            AlarmCause cause = each.getValue().orElse(null);
            Entry firing = next.latest(each.getKey()).filter(Entry::firing).orElse(null);
            if (firing != null && cause == null) {
                next = next.with(firing.ended(now));
            } else if (firing != null && cause != null) {
                next = next.with(firing.described(cause.text(), cause.items(), cause.itemCount()));
            } else if (firing == null && cause != null && !missed(present, cause, handlers)) {
                next = next.adding(begin(present, cause, silenced, now), handlers);
            }
        }
        for (Entry entry : next.alarms()) {
            next = next.with(entry.silenced(silenced.contains(entry.kind())));
        }
        return next;
    }

    /**
     * Returns whether the cause is a late fire that an earlier alarm has reported as missed. A silenced alarm has
     * reported nothing to the handlers that have not received its beginning.
     */
    private static boolean missed(JobAlarms present, AlarmCause late, Collection<String> handlers) {
        return late.kind() == AlarmKind.LATE
                && present.latest(AlarmKind.MISSED)
                        .filter(missed -> !missed.silenced() || missed.told().containsAll(handlers))
                        .filter(missed -> !late.since().isBefore(missed.since())
                                && (missed.ended() == null || !late.since().isAfter(missed.ended())))
                        .isPresent();
    }

    private static Entry begin(JobAlarms present, AlarmCause cause, Set<AlarmKind> silenced, Instant now) {
        // two alarms may have the same cause, for example after a change of a limit, but they begin at different times
        String id = (present.job() == null ? "" : present.job() + "/") + cause.kind() + "/"
                + cause.since().toEpochMilli() + "-" + now.toEpochMilli();
        return new Entry(
                id,
                cause.kind(),
                cause.since(),
                now,
                null,
                cause.text(),
                cause.items(),
                cause.itemCount(),
                silenced.contains(cause.kind()),
                Set.of(),
                Set.of(),
                false,
                Map.of());
    }
}
