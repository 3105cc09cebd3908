package io.ostraka.core.event;

import io.ostraka.api.SkipReason;
import io.ostraka.api.event.RunRecorded;
import io.ostraka.api.event.SkipRecorded;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Skipped;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the ends of runs and the skips of fires that an instance finds in an item's record. The instance that has
 * written the record may have died before its own events reached their subscribers.
 */
public final class RecordedEvents {
    private RecordedEvents() {}

    /**
     * Publishes the ended runs that a record shows.
     *
     * @param known the record as this instance has last read it, whose ended runs are left out; null if there is none
     * @param self id of this instance
     */
    public static void ends(
            Events events,
            String job,
            String item,
            @Nullable ItemRecord known,
            ItemRecord read,
            String self,
            Instant now) {
        if (!events.received(RunRecorded.class)) {
            return;
        }
        Set<String> before = known == null
                ? Set.of()
                : known.ends().stream().map(end -> end.run().nonce()).collect(Collectors.toSet());
        for (ItemRecord.End end : read.ends()) {
            if (!before.contains(end.run().nonce())) {
                events.publish(new RunRecorded(
                        read.claim(job, item, end),
                        end.outcome(),
                        end.error(),
                        end.cursorAtEnd(),
                        end.endedAt(),
                        self,
                        now));
            }
        }
    }

    /**
     * Publishes the scheduled fires that the latest decision in a record has skipped.
     *
     * @param known the record as this instance has last read it; if it contains the same skip, no event is published.
     *     Null if there is none
     * @param self id of this instance
     */
    public static void skips(
            Events events,
            String job,
            String item,
            @Nullable ItemRecord known,
            ItemRecord read,
            String self,
            Instant now) {
        ItemRecord.Skip skip = read.skip();
        if (skip == null || (known != null && skip.equals(known.skip())) || !events.received(SkipRecorded.class)) {
            return;
        }
        if (read.skippedFires().isEmpty()) {
            cursor(events, job, item, read, skip, SkipReason.ITEM_COUNT_CHANGED, self, now);
        }
        for (Skipped.Part part : Skipped.parts(read.skippedFires(), skip.after(), skip.upTo())) {
            events.publish(new SkipRecorded(
                    job,
                    item,
                    skip.incarnation(),
                    read.openedIn(skip.incarnation()),
                    part.fires().from(),
                    part.fires().to(),
                    part.fires().count(),
                    part.fires().reason(),
                    part.after(),
                    part.upTo(),
                    self,
                    now));
        }
    }

    /** Publishes the cursor of an item that ceases to exist. Later, no other event shows whether an event was lost. */
    public static void last(Events events, String job, String item, ItemRecord record, String self, Instant now) {
        if (events.received(SkipRecorded.class)) {
            var end = new ItemRecord.Skip(record.cursor(), record.cursor(), record.incarnation());
            cursor(events, job, item, record, end, SkipReason.REMOVED, self, now);
        }
    }

    private static void cursor(
            Events events,
            String job,
            String item,
            ItemRecord record,
            ItemRecord.Skip skip,
            SkipReason reason,
            String self,
            Instant now) {
        events.publish(new SkipRecorded(
                job,
                item,
                skip.incarnation(),
                record.openedIn(skip.incarnation()),
                skip.upTo(),
                skip.upTo(),
                0,
                reason,
                skip.after(),
                skip.upTo(),
                self,
                now));
    }
}
