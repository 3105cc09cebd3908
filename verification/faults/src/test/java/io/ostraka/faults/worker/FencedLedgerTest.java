package io.ostraka.faults.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.Event;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FencedLedgerTest {
    @TempDir
    Path directory;

    @Test
    void smallerTokenOrGenerationIsRefusedAndLogged() throws IOException {
        Path path = directory.resolve("events");
        try (EventLog log = new EventLog(path)) {
            var ledger = new FencedLedger(log);

            assertThat(ledger.take(request("0", 5, 1))).isTrue();
            assertThat(ledger.take(request("0", 5, 1))).isTrue();
            assertThat(ledger.take(request("0", 4, 1))).isFalse();
            assertThat(ledger.take(request("1", 4, 2))).isTrue();
            assertThat(ledger.take(request("0", 6, 1))).isFalse();
            assertThat(ledger.take(request("0", 5, 2))).isTrue();
        }

        assertThat(EventLog.read(path))
                .extracting(line -> ((Event.Effect) line.event()).accepted())
                .containsExactly(true, true, false, true, false, true);
    }

    private static WriteRequest request(String item, long token, long generation) {
        return new WriteRequest("worker", "job", item, token, generation, null);
    }
}
