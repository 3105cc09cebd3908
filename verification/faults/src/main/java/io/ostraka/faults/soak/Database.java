package io.ostraka.faults.soak;

import io.ostraka.faults.database.HistoryAccess;
import io.ostraka.fixtures.database.PostgreSqlServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;

/** The database of the workers' history, and the directory of their spools. Thread-safe. */
final class Database implements AutoCloseable {
    /** Size of the disk. The history of ten minutes takes half of it. */
    private static final int DISK_MEGABYTES = 700;

    private final PostgreSqlServer server;
    private final HistoryAccess access;

    private Database(PostgreSqlServer server, Path spool) {
        this.server = server;
        this.access = HistoryAccess.of(server.url(), spool);
    }

    /** Starts the server. */
    static Database start(Path spool) throws IOException {
        return new Database(PostgreSqlServer.startOnSmallDisk(DISK_MEGABYTES), spool);
    }

    /** Returns the address of the workers' history. */
    HistoryAccess access() {
        return access;
    }

    /**
     * Injects a fault. Returns the action that undoes it. Returns empty if the fault is a full disk and the size of
     * this disk is not limited.
     */
    Optional<FaultActions.Repair> inject(Fault fault) {
        switch (fault.kind()) {
            case DATABASE_KILLED -> {
                server.kill();
                return Optional.of(() -> carryOut(server::restart));
            }
            case DATABASE_FROZEN -> {
                server.freeze();
                return Optional.of(server::thaw);
            }
            default -> {
                if (!server.isDiskSmall()) {
                    return Optional.empty();
                }
                carryOut(server::fill);
                return Optional.of(() -> carryOut(server::free));
            }
        }
    }

    /** Undoes all faults. */
    void heal() {
        server.thaw();
        carryOut(server::free);
        carryOut(server::restart);
    }

    private interface Deed {
        void run() throws IOException;
    }

    private static void carryOut(Deed deed) {
        try {
            deed.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
