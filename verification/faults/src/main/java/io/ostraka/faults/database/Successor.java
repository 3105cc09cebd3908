package io.ostraka.faults.database;

import io.ostraka.api.event.SubscriberContext;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.operations.Operations;
import io.ostraka.history.Account;
import io.ostraka.history.Accounts;
import io.ostraka.history.History;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The process that starts on a host after the others have ended. It delivers the rest of their spools. */
public final class Successor implements AutoCloseable {
    private static final long LOOK_MILLIS = 100;

    private final HistoryAccess access;
    private final String namespace;
    private final History history;

    /** Starts to deliver the spools. */
    public Successor(HistoryAccess access, String namespace) {
        this.access = access;
        this.namespace = namespace;
        this.history = access.history();
        history.started(new Context(namespace));
    }

    private record Context(String namespace) implements SubscriberContext {
        @Override
        public Load load() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void problem(@Nullable String text) {}
    }

    /** Waits until all spools of dead processes are delivered. Returns false if this takes longer than the limit. */
    public boolean drain(Duration limit) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        while (spools() > 1 || history.statistics().waitingBytes() > 0) {
            if (System.nanoTime() - begun > limit.toNanos()) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return true;
    }

    /** Returns the number of spools, including the one of this process. */
    private long spools() throws IOException {
        try (Stream<Path> all = Files.list(Path.of(access.spool()).resolve(namespace))) {
            return all.filter(Files::isDirectory).count();
        }
    }

    /** Returns whether the database has refused rows, or rows could not be read. */
    public boolean hasRejected() {
        return Files.exists(Path.of(access.spool()).resolve("rejected.txt"));
    }

    /** Returns the account of a job's fires in a period. */
    public Account account(Operations operations, String job, Instant from, Instant to) throws SQLException {
        Accounts accounts = history.accounts(operations);
        return accounts.account(job, from, to);
    }

    /** Reads the tables. */
    public StoredHistory stored() throws SQLException {
        return StoredHistory.read(access.source());
    }

    @Override
    public void close() {
        history.close();
    }
}
