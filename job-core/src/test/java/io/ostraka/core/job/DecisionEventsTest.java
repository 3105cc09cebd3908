package io.ostraka.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.core.decide.Due;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.Versioned;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that, after a lost reply, only the instance that wrote the record publishes the events of the decision. */
class DecisionEventsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    /** The owner's request was lost with its session, and the item's next owner makes the same decision. */
    @Test
    void ofTwoThatLeaveTheSameOutTheOneThatWroteItTells() {
        Fire trigger = new Fire("run-1", NOW, 7, Map.of());
        Versioned<ItemRecord> from = new Versioned<>(ItemRecord.fresh(NOW, 0, 1), 3, 1, 1, NOW, new JsonObject());
        ItemRecord decided = from.value().skipped(trigger, SkipReason.NOT_CONCERNED);
        Due due = new Due.Settle(trigger, decided, ItemOutcome.SKIPPED);
        DecisionEvents events = DecisionEvents.of(from, Interruption.NONE, due, decided.decidedBy("host-0@1@a"));

        assertThat(events.wrote(read(decided.decidedBy("host-0@1@a")))).isTrue();
        assertThat(events.wrote(read(decided.decidedBy("host-1@1@b")))).isFalse();
    }

    private static Versioned<ItemRecord> read(ItemRecord record) {
        return new Versioned<>(record, 4, 1, 9, NOW, new JsonObject());
    }
}
