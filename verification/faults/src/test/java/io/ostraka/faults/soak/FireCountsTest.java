package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.Event;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FireCountsTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void countsBegunFailedOverAndEndedFires() {
        FireCounts tally = FireCounts.of(List.of(
                Written.first(1, AT),
                Written.record(2, AT, "RUNNING", "n1", 1, 0xa),
                effect(2, true),
                Written.endOfSession(3, AT, 0xa),
                Written.record(4, AT, "RUNNING", "n2", 2, 0xb),
                effect(4, true),
                effect(2, false),
                effect(2, false),
                Written.record(5, AT, "IDLE", "n2", 2, 0xb),
                told("w", false),
                told("w", true),
                told("v", false),
                told("u", false),
                new Event.Killed(AT, "w"),
                new Event.Killed(AT, "v")));

        assertThat(tally)
                .isEqualTo(new FireCounts(
                        Map.of("job", new FireCounts.Fires(1, 1, 0, Map.of("SUCCEEDED", 1L), Map.of())),
                        5,
                        0,
                        4,
                        2,
                        1,
                        1));
    }

    private static Event.Announced told(String process, boolean returned) {
        return new Event.Announced(AT, process, "job", "run", process + "@1@a", false, returned, Map.of());
    }

    private static Event.Effect effect(long token, boolean accepted) {
        return new Event.Effect(AT, "w", new Event.RunKey(Written.ITEM, token), accepted);
    }
}
