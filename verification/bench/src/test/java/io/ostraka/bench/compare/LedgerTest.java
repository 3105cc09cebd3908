package io.ostraka.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.bench.Contender;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerTest {
    @TempDir
    Path directory;

    @Test
    void effectsOfOlderRunAreRefusedOnceNewerRunHasBegun() throws Exception {
        Path file = directory.resolve("ledger");
        try (Ledger ledger = new Ledger(file);
                Journal older = journal(ledger, 0, 1);
                Journal newer = journal(ledger, 0, 2);
                Journal other = journal(ledger, 1, 1)) {
            assertThat(older.tell(Entry.Kind.START)).isTrue();
            assertThat(older.tell(Entry.Kind.EFFECT)).isTrue();
            assertThat(newer.tell(Entry.Kind.START)).isTrue();
            assertThat(older.tell(Entry.Kind.EFFECT)).isFalse();
            assertThat(other.tell(Entry.Kind.START)).isTrue();
            assertThat(newer.tell(Entry.Kind.END)).isTrue();

            assertThat(ledger.since(3)).extracting(Entry::kind).startsWith(Entry.Kind.REFUSED);
        }
        assertThat(Files.readAllLines(file)).hasSize(6);
    }

    @Test
    void runWithoutTokenIsNeverRefused() throws Exception {
        try (Ledger ledger = new Ledger(directory.resolve("ledger"));
                Journal older = journal(ledger, 0, 0);
                Journal newer = journal(ledger, 0, 0)) {
            assertThat(older.tell(Entry.Kind.START)).isTrue();
            assertThat(newer.tell(Entry.Kind.START)).isTrue();
            assertThat(older.tell(Entry.Kind.EFFECT)).isTrue();
        }
    }

    private static Journal journal(Ledger ledger, int item, long token) throws Exception {
        return new Journal(ledger.port(), "worker", new Contender.ItemRun("job", item, 0, token), 0);
    }
}
