package io.ostraka.core.decide;

import io.ostraka.api.AlarmKind;
import io.ostraka.core.model.JobAlarms;
import io.ostraka.core.model.JobAlarms.Entry;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which alarms of a job begin and end. While an alarm lasts, further causes of its kind do not begin another
 * one, so that people receive one message about a problem with many items.
 *
 * @param known kinds whose causes are known. Alarms of other kinds do not change
 * @param causes present causes, by kind
 * @param silenced kinds that an operator has silenced
 * @param handlers names of the handlers that receive alarms
 * @param now current time on the server's clock
 */
public record AlarmDecision(
        Set<AlarmKind> known,
        Map<AlarmKind, AlarmCause> causes,
        Set<AlarmKind> silenced,
        Collection<String> handlers,
        Instant now) {
    /** Returns the next alarms of the job; the present ones if nothing changes. */
    public JobAlarms next(JobAlarms present) {
        JobAlarms next = present;
        for (AlarmKind kind : known) {
            AlarmCause cause = causes.get(kind);
            Optional<Entry> latest = next.latest(kind);
            Optional<Entry> firing = latest.filter(Entry::firing);
            if (firing.isPresent() && cause == null) {
                next = next.with(firing.get().ended(now));
            } else if (firing.isEmpty() && cause != null && !(kind == AlarmKind.LATE && wasMissed(present, cause))) {
                next = next.adding(begin(cause, present), handlers);
            }
        }
        for (Entry entry : next.alarms()) {
            if (entry.silenced() != silenced.contains(entry.kind()) && entry.firing()) {
                next = next.with(entry.silenced(silenced.contains(entry.kind())));
            }
        }
        return next;
    }

    /** Returns whether the fire that began late was reported as missed before. */
    private static boolean wasMissed(JobAlarms present, AlarmCause late) {
        return present.latest(AlarmKind.MISSED)
                .filter(missed -> !late.since().isBefore(missed.since())
                        && (missed.ended() == null || !late.since().isAfter(missed.ended())))
                .isPresent();
    }

    private Entry begin(AlarmCause cause, JobAlarms present) {
        // the start of a problem may be the same as that of an earlier alarm, but an alarm begins only once in an
        // instant
        String id = (present.job() == null ? "" : present.job() + "/") + cause.kind() + "/"
                + cause.since().toEpochMilli() + "-" + now.toEpochMilli();
        return new Entry(
                id,
                cause.kind(),
                cause.since(),
                now,
                null,
                cause.text(),
                List.copyOf(cause.items()),
                cause.itemCount(),
                silenced.contains(cause.kind()),
                Set.of(),
                Set.of());
    }
}
