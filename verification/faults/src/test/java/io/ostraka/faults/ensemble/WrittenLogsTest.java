package io.ostraka.faults.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.faults.history.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the reading of transaction log files. The files are written as servers write them, and some are then damaged.
 */
class WrittenLogsTest {
    private static final int MAGIC_BYTE = 3;

    @TempDir
    Path directory;

    @BeforeEach
    void directories() throws IOException {
        for (int server = 0; server < 3; server++) {
            Files.createDirectories(logs(server));
        }
    }

    private Path server(int number) {
        return directory.resolve("server-" + number);
    }

    private Path logs(int server) {
        return server(server).resolve("version-2");
    }

    /** Writes a file, which is named after its first transaction. */
    private Path write(int server, LoggedTransaction... transactions) throws IOException {
        try (FileTxnLog log = new FileTxnLog(logs(server).toFile())) {
            for (LoggedTransaction each : transactions) {
                log.append(new Request(
                        Logged.SESSION, 0, each.header().getType(), each.header(), each.content(), each.zxid()));
            }
            log.commit();
        }
        return logs(server).resolve("log." + Long.toHexString(transactions[0].zxid()));
    }

    private static byte[] untilTheLastOf(byte[] file) {
        int end = file.length;
        while (file[end - 1] == 0) {
            end--; // preallocated space
        }
        return Arrays.copyOf(file, end);
    }

    private List<Long> read() throws IOException {
        return ServerLog.read(server(0)).stream().map(LoggedTransaction::zxid).toList();
    }

    @Test
    void onlyLogFilesAreReadInOrderOfTheirTransactions() throws IOException {
        write(0, Logged.create(0x9, "/a", false), Logged.change(0xa, "/a", 1));
        write(0, Logged.change(0x10, "/a", 2));
        Files.writeString(logs(0).resolve("snapshot.b"), "not read, because this is not a transaction log");

        assertThat(read()).containsExactly(0x9L, 0xaL, 0x10L);
        try (Stream<Path> files = Files.list(logs(0))) {
            assertThat(files).hasSize(3);
        }
    }

    @Test
    void tornTransactionIsIgnored() throws IOException {
        Path file = write(0, Logged.create(1, "/a", false), Logged.create(2, "/b", false));
        byte[] whole = untilTheLastOf(Files.readAllBytes(file));
        int first = untilTheLastOf(Files.readAllBytes(write(1, Logged.create(1, "/a", false)))).length;

        for (int length = first; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThat(read()).as("of %d bytes %d", whole.length, length).containsExactly(1L);
        }
    }

    @Test
    void damagedFileIsRefused() throws IOException {
        Path file = write(0, Logged.create(1, "/a", false), Logged.create(2, "/b", false));
        byte[] whole = untilTheLastOf(Files.readAllBytes(file));

        byte[] changed = whole.clone();
        changed[whole.length / 2] ^= 1;
        Files.write(file, changed);
        assertThatThrownBy(this::read).isInstanceOf(IOException.class).hasMessageContaining("wrong checksum");

        changed = whole.clone();
        changed[MAGIC_BYTE] ^= 1;
        Files.write(file, changed);
        assertThatThrownBy(this::read).isInstanceOf(IOException.class).hasMessageContaining("not a transaction log");
    }

    @Test
    void namespaceHasItsTransactionsAndEndsOfAllSessions() throws IOException {
        for (int server = 0; server < 3; server++) {
            write(
                    server,
                    Logged.create(1, "/app", false),
                    Logged.create(2, "/app/a", false),
                    Logged.create(3, "/apple/a", true),
                    Logged.endOfSession(4, "/apple/a"));
        }

        List<Event.Transaction> history = logsOfAll().of("app");
        assertThat(history).extracting(Event.Transaction::zxid).containsExactly(2L, 4L);
        assertThat(history.get(0).writes()).extracting("path").containsExactly("/a");
        assertThat(history.get(1).endsSession()).isTrue();
        assertThat(history.get(1).writes()).isEmpty();
    }

    @Test
    void uncommittedProposalIsIgnoredWithoutAnError() throws IOException {
        write(0, Logged.create(1, "/app/a", false), Logged.change(2, "/app/a", 1));
        write(1, Logged.create(1, "/app/a", false), Logged.change((1L << 32) + 1, "/app/a", 1));
        write(2, Logged.create(1, "/app/a", false), Logged.change((1L << 32) + 1, "/app/a", 1));

        assertThat(logsOfAll().of("app")).extracting(Event.Transaction::zxid).containsExactly(1L, (1L << 32) + 1);
    }

    private TransactionLogs logsOfAll() throws IOException {
        return TransactionLogs.read(List.of(server(0), server(1), server(2)));
    }
}
