package io.ostraka.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.Write;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FireCountsTest {
    private static final RecurringJob JOB = new RecurringJob("job", 2, 1, 0);

    private final List<Entry> entries = new ArrayList<>();
    private final List<Event.Transaction> transactions = new ArrayList<>();

    private void told(Entry.Kind kind, int item, long second) {
        entries.add(new Entry("worker", kind, "job", item, second * 1000, 0, second));
    }

    private void skipped(int item, long from, long to) {
        String data = "{\"skipped\":[{\"from\":\"%s\",\"to\":\"%s\",\"count\":1}]}"
                .formatted(Instant.ofEpochSecond(from), Instant.ofEpochSecond(to));
        transactions.add(new Event.Transaction(
                1,
                Instant.EPOCH,
                1,
                false,
                List.of(new Write.Changed("/jobs/job/sharding/" + item, data), new Write.Changed("/jobs/job/x", "?"))));
    }

    private FireCounts.Count between(long from, long to) {
        return new FireCounts(entries, transactions).count(JOB, from * 1000, to * 1000);
    }

    @Test
    void fireOfItemThatRanOnceIsInOrder() {
        for (int item = 0; item < 2; item++) {
            told(Entry.Kind.END, item, 10);
            told(Entry.Kind.END, item, 11);
        }

        assertThat(between(10, 11)).isEqualTo(new FireCounts.Count(4, 0, 0, 0));
    }

    @Test
    void fireThatBeganButDidNotEndIsLost() {
        told(Entry.Kind.END, 0, 10);
        told(Entry.Kind.START, 1, 10);

        assertThat(between(10, 10)).isEqualTo(new FireCounts.Count(2, 0, 0, 1));
    }

    @Test
    void fireThatEndedTwiceIsCountedAsTwice() {
        told(Entry.Kind.END, 0, 10);
        told(Entry.Kind.END, 0, 10);
        told(Entry.Kind.END, 1, 10);

        assertThat(between(10, 10)).isEqualTo(new FireCounts.Count(2, 1, 0, 0));
    }

    @Test
    void fireSkippedInItsItemsRecordIsNotLost() {
        told(Entry.Kind.END, 0, 12);
        told(Entry.Kind.END, 1, 12);
        skipped(0, 10, 11);

        assertThat(between(10, 12)).isEqualTo(new FireCounts.Count(6, 0, 2, 2));
    }
}
