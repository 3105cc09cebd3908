package io.ostraka.history.spool;

import io.ostraka.history.row.Row;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The spools of one namespace on this host: the spool of this process, and the spools of dead processes that this
 * process delivers. The directory must be local to the host and survive a restart of the process. Several processes may
 * share it. Thread-safe.
 */
public final class SpoolDirectory implements AutoCloseable {
    private static final int ATTEMPTS = 5;
    private static final Logger log = LoggerFactory.getLogger(SpoolDirectory.class);

    private final Path directory;
    private final long limit;
    private final long segmentSize;
    private final Spool own;

    private final Set<Path> unusable = ConcurrentHashMap.newKeySet();

    // guarded by this
    private final Deque<Spool> adopted = new ArrayDeque<>();
    private long dropped;
    private boolean closed;

    /**
     * Opens the directory and begins the spool of this process.
     *
     * @param root directory of all namespaces; created if it does not exist
     * @param namespace namespace of the application
     * @param limit largest size of all spools together that this process keeps, in bytes
     * @throws IOException if the directory cannot be written; the message names it
     */
    public static SpoolDirectory open(Path root, String namespace, long limit) throws IOException {
        return new SpoolDirectory(
                root.resolve(
                        URLEncoder.encode(namespace, StandardCharsets.UTF_8).replace("..", "%2E%2E")),
                limit,
                Math.min(Spool.SEGMENT_SIZE, Math.max(1, limit / 4)));
    }

    SpoolDirectory(Path directory, long limit, long segmentSize) throws IOException {
        this.directory = directory;
        this.limit = limit;
        this.segmentSize = segmentSize;
        this.own = create();
    }

    /**
     * Creates a spool. Tries again if another process takes and deletes the new directory before this process has
     * locked it.
     */
    private Spool create() throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return Spool.create(directory.resolve(UUID.randomUUID().toString()), segmentSize);
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Returns the spool of this process. */
    public Spool own() {
        return own;
    }

    /**
     * Appends rows to the spool of this process with one write. If the spools exceed their limit, their oldest rows are
     * dropped.
     *
     * @throws IOException if the rows are not stored, for example because the disk is full
     */
    public void append(List<Row> rows) throws IOException {
        if (own.append(rows)) {
            keepLimit();
        }
    }

    /** Drops the oldest segments until there is room for a full one. */
    private synchronized void keepLimit() throws IOException {
        long size = own.size() + adopted.stream().mapToLong(Spool::size).sum();
        while (size + segmentSize > limit) {
            long lost = -1;
            for (Spool each : adopted) { // the oldest spool first
                lost = each.dropOldest();
                if (lost >= 0) {
                    break;
                }
            }
            if (lost < 0) {
                lost = own.dropOldest();
            }
            if (lost < 0) {
                return;
            }
            if (lost > 0 && dropped == 0) {
                log.error(
                        "the spool {} of the history has reached its limit of {} bytes: the oldest rows are dropped and will"
                                + " be missing in the history; check the database",
                        directory,
                        limit);
            }
            dropped += lost;
            size = own.size() + adopted.stream().mapToLong(Spool::size).sum();
        }
    }

    /** Returns the number of rows that were dropped because the spools had reached their limit. */
    public synchronized long dropped() {
        return dropped;
    }

    /** Returns the number of bytes that the database does not have yet. */
    public synchronized long waiting() {
        return own.waiting() + adopted.stream().mapToLong(Spool::waiting).sum();
    }

    /**
     * Looks for spools of dead processes, and takes them over. Returns all spools to deliver, with those of dead
     * processes first. After the close, there are none.
     */
    public List<Spool> spools() throws IOException {
        var found = new TreeSet<Path>();
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(directory, Files::isDirectory)) {
            directories.forEach(found::add);
        }
        for (Path each : found) {
            if (!each.getFileName().toString().equals(own.source()) && !isAdopted(each)) {
                Spool spool = adopt(each);
                if (spool != null && !take(spool)) {
                    spool.close();
                }
            }
        }
        synchronized (this) {
            List<Spool> all = new ArrayList<>(adopted);
            all.add(own);
            return closed ? List.of() : all;
        }
    }

    private synchronized boolean take(Spool spool) {
        if (!closed) {
            log.info("the history continues with the spool {} of a process that has ended", spool.source());
            adopted.add(spool);
        }
        return !closed;
    }

    /** Returns the spool of a dead process; null if it cannot be taken, so that other spools need not wait for it. */
    private @Nullable Spool adopt(Path path) {
        try {
            return Spool.adopt(path);
        } catch (IOException e) {
            if (unusable.add(path)) {
                log.error(
                        "the history cannot read the spool {}; its rows stay there, and the other spools continue",
                        path,
                        e);
            }
            return null;
        }
    }

    private synchronized boolean isAdopted(Path path) {
        return adopted.stream()
                .anyMatch(spool -> spool.source().equals(path.getFileName().toString()));
    }

    /** Deletes the spool of a dead process after its last row was delivered. */
    public void finished(Spool spool) throws IOException {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (!adopted.remove(spool)) {
                throw new IllegalArgumentException("not the spool of a dead process: " + spool.source());
            }
        }
        spool.delete();
    }

    /**
     * Releases all spools. A spool whose rows are all delivered is deleted; another process on this host delivers the
     * others.
     */
    @Override
    public void close() throws IOException {
        List<Spool> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(adopted);
            all.add(own);
            adopted.clear();
        }
        for (Spool spool : all) {
            if (spool.waiting() == 0) {
                spool.delete();
            } else {
                spool.close();
            }
        }
    }
}
