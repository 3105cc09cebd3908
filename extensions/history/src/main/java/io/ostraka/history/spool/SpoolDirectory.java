package io.ostraka.history.spool;

import io.ostraka.history.row.Row;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
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
    private final Set<Path> unusable = ConcurrentHashMap.newKeySet();

    // guarded by this
    private final Deque<Spool> adopted = new ArrayDeque<>();
    private @Nullable Spool own;
    private long lost;
    private boolean full;
    private boolean closed;

    /**
     * Returns the spools of a namespace. The spool of this process begins with its first rows, or with {@link #begin}.
     *
     * @param root directory of all namespaces; created if it does not exist
     * @param namespace namespace of the application
     * @param limit largest size of all spools together that this process keeps, in bytes
     */
    public static SpoolDirectory open(Path root, String namespace, long limit) {
        return new SpoolDirectory(
                root.resolve(
                        URLEncoder.encode(namespace, StandardCharsets.UTF_8).replace("..", "%2E%2E")),
                limit,
                Math.min(Spool.SEGMENT_SIZE, Math.max(1, limit / 4)));
    }

    SpoolDirectory(Path directory, long limit, long segmentSize) {
        this.directory = directory;
        this.limit = limit;
        this.segmentSize = segmentSize;
    }

    /**
     * Begins the spool of this process.
     *
     * @throws IOException if the directory cannot be written; the message names it. {@link #append} then tries again
     */
    public synchronized void begin() throws IOException {
        prepareOwn();
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

    /** Returns the spool of this process; null if it has not begun. */
    public synchronized @Nullable Spool own() {
        return own;
    }

    /**
     * Appends rows to the spool of this process with one write. If the spools exceed their limit, their oldest rows are
     * dropped. If this process has no spool or has lost it, it continues in a new one.
     *
     * @throws IOException if the rows are not stored, for example because the disk is full, or after the close
     */
    public void append(List<Row> rows) throws IOException {
        Spool spool;
        synchronized (this) {
            if (closed) { // the close may already have decided to delete the spool
                throw new IOException("the history is closed");
            }
            spool = prepareOwn();
            if (spool.append(rows)) {
                keepLimit();
            }
        }
        spool.force();
    }

    /**
     * Returns the spool of this process. Begins a new one if there is none, if the files of the present one were
     * deleted, or if another process has its lock.
     */
    private Spool prepareOwn() throws IOException {
        Spool present = own;
        if (present != null && present.isOwn()) {
            return present;
        }
        Spool next = create();
        own = next;
        if (present == null) {
            return next;
        }
        long gone = present.leave();
        lost += gone;
        log.error(
                "the spool {} of the history was deleted or taken by another process: {} rows are lost; the history"
                        + " continues in the spool {}; check which program changes files in {}",
                present.source(),
                gone,
                next.source(),
                directory);
        return next;
    }

    /**
     * Drops the oldest segments until there is room for a full one, the oldest spool first. A spool whose files cannot be
     * deleted does not count, so that its trouble costs no rows of the others.
     */
    private void keepLimit() {
        long size = 0;
        for (Spool each : present()) {
            size += each.size();
        }
        for (Spool each : present()) {
            long before = each.size();
            try {
                while (size + segmentSize > limit && dropOldest(each)) {
                    size -= before - each.size();
                    before = each.size();
                }
            } catch (IOException e) {
                size -= before;
                cannotUse(directory.resolve(each.source()), e);
            }
        }
    }

    private boolean dropOldest(Spool spool) throws IOException {
        long rows = spool.dropOldest();
        if (rows > 0 && !full) {
            full = true;
            log.error(
                    "the spool {} of the history has reached its limit of {} bytes: the oldest rows are dropped and will"
                            + " be missing in the history; check the database",
                    directory,
                    limit);
        }
        lost += Math.max(0, rows);
        return rows >= 0;
    }

    /** Counts rows that are lost because their file is damaged or missing. */
    public synchronized void countLost(long rows) {
        lost += rows;
    }

    /**
     * Returns the number of rows that are lost: dropped because the spools had reached their limit, or in files that are
     * damaged or were deleted.
     */
    public synchronized long lost() {
        return lost;
    }

    /** Returns the number of bytes that the database does not have yet. */
    public synchronized long waiting() {
        return present().stream().mapToLong(Spool::waiting).sum();
    }

    /** Returns the known spools, with those of dead processes first. After the close, there are none. */
    public synchronized List<Spool> present() {
        if (closed) {
            return List.of();
        }
        List<Spool> all = new ArrayList<>(adopted);
        if (own != null) {
            all.add(own);
        }
        return all;
    }

    /**
     * Looks for spools of dead processes, and takes them over. A spool that makes trouble is logged, and the others
     * continue. Returns {@linkplain #present all known spools}.
     */
    public List<Spool> spools() {
        var found = new TreeSet<Path>();
        try {
            synchronized (this) {
                if (!closed) {
                    prepareOwn();
                }
            }
            try (DirectoryStream<Path> directories = Files.newDirectoryStream(directory, Files::isDirectory)) {
                directories.forEach(found::add);
            }
        } catch (IOException | DirectoryIteratorException e) {
            cannotUse(directory, e);
        }
        for (Path each : found) {
            if (!isKnown(each)) {
                adopt(each);
            }
        }
        return present();
    }

    private void adopt(Path path) {
        try {
            Spool spool = Spool.adopt(path);
            if (spool != null && !take(spool)) {
                spool.close();
            }
        } catch (IOException | RuntimeException e) {
            cannotUse(path, e);
        }
    }

    private synchronized boolean take(Spool spool) {
        if (!closed) {
            log.info("the history continues with the spool {} of a process that has ended", spool.source());
            adopted.add(spool);
        }
        return !closed;
    }

    private void cannotUse(Path path, Exception why) {
        if (unusable.add(path)) {
            log.error(
                    "the history cannot use the spool {}; its rows stay there, and the other spools continue",
                    path,
                    why);
        }
    }

    private synchronized boolean isKnown(Path path) {
        return present().stream()
                .anyMatch(spool -> spool.source().equals(path.getFileName().toString()));
    }

    /** Deletes the spool of a dead process after its last row was delivered. */
    public synchronized void finished(Spool spool) throws IOException {
        if (closed) {
            return;
        }
        if (!adopted.contains(spool)) {
            throw new IllegalArgumentException("not the spool of a dead process: " + spool.source());
        }
        spool.delete();
        adopted.remove(spool);
    }

    /**
     * Releases all spools. A spool whose rows are all delivered is deleted; another process on this host delivers the
     * others.
     *
     * @throws IOException if a spool cannot be released; the others are released nevertheless
     */
    @Override
    public void close() throws IOException {
        List<Spool> all;
        synchronized (this) {
            all = present();
            closed = true;
            adopted.clear();
        }
        IOException failure = null;
        for (Spool spool : all) {
            try {
                release(spool);
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static void release(Spool spool) throws IOException {
        long gone;
        synchronized (spool) { // what waits must not change before the files are deleted
            if (spool.waiting() == 0) {
                spool.delete();
                return;
            }
            gone = spool.leave();
        }
        if (gone > 0) {
            log.error("the files of the spool {} of the history were deleted: {} rows are lost", spool.source(), gone);
        }
    }
}
