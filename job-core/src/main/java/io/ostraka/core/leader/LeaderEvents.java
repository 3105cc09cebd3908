package io.ostraka.core.leader;

import io.ostraka.api.Alarm;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.AlarmChanged;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.LeaderChanged;
import io.ostraka.api.event.PlanChanged;
import io.ostraka.api.event.RunLost;
import io.ostraka.core.coordination.PlanTransaction.RecordWrite;
import io.ostraka.core.event.Events;
import io.ostraka.core.event.RecordedEvents;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Publishes the decisions of the leader as events. */
public final class LeaderEvents {
    private final Events events;
    private final Supplier<String> self;
    private final Clock clock;

    /** @param self returns the id of this instance */
    public LeaderEvents(Events events, Supplier<String> self, Clock clock) {
        this.events = events;
        this.self = self;
        this.clock = clock;
    }

    void leads(boolean leads) {
        if (events.received(LeaderChanged.class)) {
            events.publish(new LeaderChanged(leads, self.get(), clock.now()));
        }
    }

    void alarm(Alarm alarm, boolean silenced) {
        if (events.received(AlarmChanged.class)) {
            events.publish(new AlarmChanged(alarm, silenced, self.get(), clock.now()));
        }
    }

    void planChanged(String job, int version, @Nullable ShardingPlan from, ShardingPlan to) {
        if (!events.received(PlanChanged.class)) {
            return;
        }
        Map<String, Integer> items = new TreeMap<>();
        to.items().forEach((instance, keys) -> items.put(instance, keys.size()));
        Map<String, String> before = from == null ? Map.of() : from.owners();
        int moved = (int) to.owners().entrySet().stream()
                .filter(owner -> before.containsKey(owner.getKey())
                        && !Objects.equals(before.get(owner.getKey()), owner.getValue()))
                .count();
        events.publish(new PlanChanged(
                job, version, to.incarnation(), to.keys().size(), to.closed(), items, moved, self.get(), clock.now()));
    }

    /**
     * Publishes the ended runs and the latest skips in records that the leader is about to rewrite for another
     * incarnation, or to retire. After that, no owner may be left to publish them.
     */
    void recorded(String job, Collection<RecordWrite> writes) {
        for (RecordWrite write : writes) {
            ItemRecord from = write.from() == null ? null : write.from().value();
            if (from != null
                    && (write.to().incarnation() != from.incarnation()
                            || write.to().state() == ItemState.RETIRED)) {
                recorded(job, write.item(), from);
            }
        }
    }

    /** Publishes the ended runs and the latest skip that a record shows. */
    void recorded(String job, String item, ItemRecord record) {
        Instant now = clock.now();
        RecordedEvents.ends(events, job, item, null, record, self.get(), now);
        RecordedEvents.skips(events, job, item, null, record, self.get(), now);
    }

    /** Publishes the cursor of an item that ceases to exist. */
    void last(String job, String item, ItemRecord record) {
        RecordedEvents.last(events, job, item, record, self.get(), clock.now());
    }

    /** Publishes the interrupted runs that the written item records end. */
    void lost(String job, Collection<RecordWrite> writes) {
        for (RecordWrite write : writes) {
            Versioned<ItemRecord> from = write.from();
            ItemOutcome outcome = write.to().outcome();
            if (from != null
                    && outcome != null
                    && from.value().unfinished()
                    && !write.to().unfinished()
                    && events.received(RunLost.class)) {
                events.publish(new RunLost(
                        from.value().claim(job, write.item(), from.mzxid()), outcome, self.get(), clock.now()));
            }
        }
    }

    /**
     * Publishes the skipped scheduled fires that the written item records contain, the cursors that have advanced
     * without a skipped fire, and those of new items, which may have no owner that could publish them.
     */
    void skipped(String job, Collection<RecordWrite> writes) {
        for (RecordWrite write : writes) {
            ItemRecord from = write.from() == null ? null : write.from().value();
            ItemRecord to = write.to();
            if (from != null && !to.skipped().equals(from.skipped())) {
                // the leader may have ended an interrupted run, which has advanced the cursor before the skip
                Instant after = to.skip() == null ? from.cursor() : to.skip().after();
                Skipped.parts(to.skipped(), after, to.cursor()).forEach(part -> skipped(job, write.item(), part, to));
            } else if (to.skippedFires().isEmpty()) {
                RecordedEvents.skips(events, job, write.item(), from, to, self.get(), clock.now());
            }
            if (from != null && to.state() == ItemState.RETIRED && from.state() != ItemState.RETIRED) {
                last(job, write.item(), to.cursor().isAfter(from.cursor()) ? to : from);
            }
        }
    }

    /** Publishes a range of scheduled fires that one item skips. */
    void skipped(String job, String item, Skipped.Part part, ItemRecord to) {
        if (events.received(FiresSkipped.class)) {
            events.publish(new FiresSkipped(
                    job,
                    item,
                    to.incarnation(),
                    to.openedIn(to.incarnation()),
                    null,
                    part.fires().from(),
                    part.fires().to(),
                    part.fires().count(),
                    part.fires().reason(),
                    part.after(),
                    part.upTo(),
                    self.get(),
                    clock.now()));
        }
    }

    /** Publishes that items skip the fire of a manual trigger. */
    void skipped(String job, Collection<String> items, long incarnation, Fire trigger, SkipReason reason) {
        if (!events.received(FiresSkipped.class)) {
            return;
        }
        items.forEach(item -> events.publish(new FiresSkipped(
                job,
                item,
                incarnation,
                null,
                trigger.runId(job),
                trigger.at(),
                trigger.at(),
                1,
                reason,
                null,
                null,
                self.get(),
                clock.now())));
    }
}
