package io.ostraka.history.spool;

import io.ostraka.history.row.Row;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows that one process has reported, in the order of the reports, in the files of one directory. The directory
 * belongs to the process that holds its lock. This is the process that writes the rows or, after its death, another
 * process that delivers the remaining rows. Thread-safe.
 */
public final class Spool implements AutoCloseable {
    /** Size at which a new segment begins, in bytes. */
    static final long SEGMENT_SIZE = 4L << 20;

    private static final Logger log = LoggerFactory.getLogger(Spool.class);
    private static final Pattern SEGMENT = Pattern.compile("(\\d{1,18})\\.log");
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private final Path directory;
    private final SpoolLock lock;
    private final long segmentSize;

    // guarded by this
    private final TreeMap<Long, SegmentFile> segments = new TreeMap<>();
    private @Nullable Segment active;
    /** Segments that are complete, but not forced to the disk. */
    private final List<Segment> complete = new ArrayList<>();

    private Position delivered = Position.START;
    /** Number of rows before {@code delivered} in its segment, if all rows of this segment were appended here. */
    private long deliveredRows;
    /** Number of the latest segment; 0 before the first one. */
    private long latest;

    private boolean closed;

    /**
     * A segment's file and its size, as far as they are known.
     *
     * @param size number of bytes that are written completely
     * @param rows number of rows; -1 if it was not counted
     * @param identity identity of the file to which this process appends; null for other files
     */
    private record SegmentFile(Path file, long size, long rows, @Nullable Object identity) {}

    /**
     * Rows that were read.
     *
     * @param rows rows in their order; empty if there are none now
     * @param next position after these rows, and after everything that could not be read
     * @param unreadable parts that could not be read, in their order
     */
    public record Chunk(List<SpooledRow> rows, Position next, List<Unreadable> unreadable) {
        /** Returns the number of entries that were read, including the unreadable ones. */
        public int size() {
            return rows.size() + unreadable.size();
        }
    }

    /**
     * A part that could not be read.
     *
     * @param at position of the part
     * @param why description for people
     * @param entry bytes of an entry that this version cannot decode as a row; null if a file is missing, or if the rest
     *     of it is damaged
     * @param rows number of rows that are lost with the part; 1 if the number is not known
     */
    public record Unreadable(Position at, String why, byte @Nullable [] entry, long rows) {}

    /** Entries of a chunk. */
    private record Entries(List<SpooledRow> rows, List<Unreadable> unreadable, int most) {
        boolean full() {
            return rows.size() + unreadable.size() >= most;
        }
    }

    private Spool(Path directory, SpoolLock lock, long segmentSize) {
        this.directory = directory;
        this.lock = lock;
        this.segmentSize = segmentSize;
    }

    /** Creates the spool of this process. */
    static Spool create(Path directory, long segmentSize) throws IOException {
        Files.createDirectories(
                Objects.requireNonNull(directory.toAbsolutePath().getParent(), "a spool has a parent"));
        boolean posix = directory.getFileSystem().supportedFileAttributeViews().contains("posix");
        if (!Files.isDirectory(directory)) { // rows may contain personal data, so other users must not read them
            Files.createDirectory(directory, posix ? new FileAttribute<?>[] {OWNER_ONLY} : new FileAttribute<?>[0]);
        }
        Spool spool = tryOpen(directory, segmentSize);
        if (spool == null) {
            throw new IOException("the directory " + directory + " is in use by another process");
        }
        return spool;
    }

    /**
     * Returns the spool of a dead process. Returns null if the process is alive, if another process delivers the spool,
     * or if the spool has no segments.
     */
    static @Nullable Spool adopt(Path directory) throws IOException {
        Spool spool = tryOpen(directory, SEGMENT_SIZE);
        if (spool != null && spool.size() == 0) {
            spool.delete();
            return null;
        }
        return spool;
    }

    private static @Nullable Spool tryOpen(Path directory, long segmentSize) throws IOException {
        Path real;
        try {
            real = directory.toRealPath(); // other code may change the target of a symbolic link
        } catch (NoSuchFileException e) { // another process has deleted the directory
            return null;
        }
        SpoolLock lock = SpoolLock.tryLock(real);
        if (lock == null) {
            return null;
        }
        try {
            var spool = new Spool(real, lock, segmentSize);
            spool.findSegments();
            return spool;
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private synchronized void findSegments() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Matcher name = SEGMENT.matcher(file.getFileName().toString());
                if (name.matches()) {
                    segments.put(Long.parseLong(name.group(1)), new SegmentFile(file, Files.size(file), -1, null));
                }
            }
        }
    }

    /** Returns the name of the spool, which is unique. */
    public String source() {
        return directory.getFileName().toString();
    }

    /**
     * Returns whether this process still has the lock of the directory, and the file to which it appends. It has not if
     * these files were deleted or replaced, or if another process has the lock.
     */
    synchronized boolean isOwn() {
        return !closed
                && lock.isHeld()
                && (active == null || exists(segments.lastEntry().getValue()));
    }

    private static boolean exists(SegmentFile segment) {
        try {
            return segment.identity == null
                    ? Files.exists(segment.file)
                    : segment.identity.equals(SpoolLock.identity(segment.file));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Closes a spool that this process no longer owns. Another process, or this one, delivers the rows whose files still
     * exist.
     *
     * @return number of rows that are lost with their files
     */
    synchronized long leave() {
        long lost = 0;
        for (Map.Entry<Long, SegmentFile> each : segments.entrySet()) {
            lost += exists(each.getValue()) ? 0 : waitingRows(each.getKey(), each.getValue());
        }
        try {
            close();
        } catch (IOException e) {
            log.warn("the lock of the spool {} of the history could not be closed", directory, e);
        }
        return lost;
    }

    /** Returns the number of rows of a segment that the database does not have; 1 if the number is not known. */
    private long waitingRows(long number, SegmentFile segment) {
        Position end = new Position(number, Math.max(segment.size, Segment.HEADER));
        if (delivered.compareTo(end) >= 0) {
            return 0;
        }
        return segment.rows < 0 ? 1 : segment.rows - (number == delivered.segment() ? deliveredRows : 0);
    }

    /**
     * Appends rows with one write. When this method returns, the rows survive a kill of the process, but not a failure
     * of the machine.
     *
     * @return true if the rows began a new segment
     * @throws IOException if the rows are not stored
     */
    boolean append(List<Row> rows) throws IOException {
        List<byte[]> entries = rows.stream().map(RowCodec::encode).toList();
        synchronized (this) {
            if (closed) {
                throw new IOException("the spool is closed");
            }
            Segment segment = active;
            boolean begins = segment == null || segment.size() + Segment.length(entries) > segmentSize;
            if (begins) {
                segment = begin();
            }
            try {
                Objects.requireNonNull(segment).append(entries);
            } catch (IOException e) { // the disk is full, or an interrupt has closed the file
                active = null;
                close(segment);
                throw e;
            }
            Map.Entry<Long, SegmentFile> last = segments.lastEntry();
            SegmentFile before = last.getValue();
            segments.put(
                    last.getKey(),
                    new SegmentFile(before.file, segment.size(), before.rows + rows.size(), before.identity));
            return begins;
        }
    }

    private Segment begin() throws IOException {
        if (active != null) {
            complete.add(active);
            active = null;
        }
        long number = ++latest;
        Path file = directory.resolve(String.format(Locale.ROOT, "%08d.log", number));
        Segment created = Segment.create(file);
        segments.put(number, new SegmentFile(file, created.size(), 0, SpoolLock.identity(file)));
        active = created;
        return created;
    }

    /** Forces the complete segments to the disk. Needs no lock, because the disk may take long. */
    void force() {
        List<Segment> ended;
        synchronized (this) {
            ended = List.copyOf(complete);
            complete.clear();
        }
        ended.forEach(this::end);
    }

    /** Forces a segment to the disk, and closes it. If this fails, its rows are still in the file. */
    private void end(Segment segment) {
        try {
            segment.force();
        } catch (IOException e) {
            log.warn("a segment of the history could not be forced to the disk: {}", directory, e);
        }
        close(segment);
    }

    private void close(Segment segment) {
        try {
            segment.close();
        } catch (IOException e) {
            log.warn("a segment of the history could not be closed: {}", directory, e);
        }
    }

    /**
     * Reads rows.
     *
     * @param from a position that an earlier call returned, or the position that the database knows
     * @param most largest number of rows and of parts that are not readable, from 1
     */
    public Chunk read(Position from, int most) throws IOException {
        Entries entries = new Entries(new ArrayList<>(), new ArrayList<>(), most);
        Position next = from;
        Map.Entry<Long, SegmentFile> entry;
        boolean last;
        do {
            synchronized (this) {
                entry = segments.ceilingEntry(next.segment());
                last = entry == null || segments.lastKey().equals(entry.getKey());
            }
            if (entry == null) {
                break;
            }
            long number = entry.getKey();
            next = number == next.segment() ? next : new Position(number, 0);
            next = read(entry.getValue(), next, last, entries);
            boolean end = next.segment() != number;
            if (!end || last) { // the chunk is full, or more rows may still be appended here
                next = end && last ? new Position(number, Math.max(entry.getValue().size, next.offset())) : next;
                break;
            }
        } while (!entries.full());
        return new Chunk(entries.rows, next, entries.unreadable);
    }

    /**
     * Reads rows of one segment. Returns the position after them, or the beginning of the next segment at the end. The
     * last row of a dead process may be unfinished, because the process was killed before it had stored this row.
     */
    private Position read(SegmentFile segment, Position from, boolean last, Entries into) throws IOException {
        Position after = new Position(from.segment() + 1, 0);
        long offset = from.offset();
        int before = into.rows.size();
        try (Segment open = Segment.open(segment.file)) {
            while (!into.full()) {
                Position at = new Position(from.segment(), Math.max(offset, Segment.HEADER));
                Segment.Read read = open.read(offset, segment.size);
                if (read instanceof Segment.Read.End) {
                    return after;
                } else if (read instanceof Segment.Read.Damaged damaged) {
                    if (last && segment.rows < 0 && damaged.unfinished()) {
                        return after;
                    }
                    into.unreadable.add(new Unreadable(
                            at,
                            segment.file.getFileName() + " is damaged: " + damaged.why(),
                            null,
                            Math.max(1, missing(from.segment()) - into.rows.size() + before)));
                    keepDamaged(segment.file);
                    return after;
                } else if (read instanceof Segment.Read.Entry entry) {
                    try {
                        into.rows.add(new SpooledRow(at, RowCodec.decode(entry.bytes())));
                    } catch (IOException e) {
                        String why = segment.file.getFileName() + " at byte " + at.offset() + ": " + e.getMessage();
                        into.unreadable.add(new Unreadable(at, why, entry.bytes(), 0));
                    }
                    offset = entry.next();
                }
            }
        } catch (NoSuchFileException e) {
            long rows = missing(from.segment());
            if (rows > 0) {
                into.unreadable.add(new Unreadable(from, segment.file + " is missing", null, rows));
            }
            return after;
        }
        return new Position(from.segment(), offset);
    }

    /** Returns the number of rows of a segment that wait; 0 if the segment was dropped because of the size limit. */
    private synchronized long missing(long number) {
        SegmentFile segment = segments.get(number);
        return segment == null ? 0 : waitingRows(number, segment);
    }

    /** Copies a damaged segment, for people, before it is deleted. If this fails, the other segments do not wait. */
    private static void keepDamaged(Path file) {
        try {
            Path copy = file.resolveSibling(file.getFileName() + ".damaged");
            Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            log.warn("the damaged file {} of the history could not be copied", file, e);
        }
    }

    /**
     * Deletes the segments whose rows are all in the database.
     *
     * @param position position up to which the database has all rows
     * @param rows number of rows that the database has received since the last call
     */
    public synchronized void delivered(Position position, long rows) {
        if (position.compareTo(delivered) < 0) { // the database was restored
            deliveredRows = 0;
        } else {
            deliveredRows += rows;
            for (SegmentFile passed :
                    segments.subMap(delivered.segment(), position.segment()).values()) {
                deliveredRows = Math.max(0, deliveredRows - passed.rows);
            }
        }
        delivered = position;
        while (!closed && !segments.isEmpty()) { // after the close, the files may belong to another process
            Map.Entry<Long, SegmentFile> first = segments.firstEntry();
            boolean complete = first.getKey() < position.segment()
                    || (first.getKey() == position.segment()
                            && position.offset() >= first.getValue().size
                            && segments.size() > 1);
            if (!complete) {
                return;
            }
            segments.remove(first.getKey());
            try {
                Files.deleteIfExists(first.getValue().file);
            } catch (IOException e) {
                log.warn("the file {} of the history could not be deleted", first.getValue().file, e);
            }
        }
    }

    /**
     * Deletes the oldest segment, even if the database does not have its rows. Never deletes the segment to which this
     * process appends.
     *
     * @return number of rows that are lost; -1 if there is no segment to delete
     */
    synchronized long dropOldest() throws IOException {
        Map.Entry<Long, SegmentFile> first = segments.firstEntry();
        if (first == null || (active != null && segments.size() == 1)) {
            return -1;
        }
        long number = first.getKey();
        long lost = waitingRows(number, first.getValue());
        if (lost > 0 && first.getValue().rows < 0) {
            lost = count(first.getValue(), number == delivered.segment() ? delivered.offset() : 0);
        }
        Files.deleteIfExists(first.getValue().file);
        deliveredRows = number == delivered.segment() ? 0 : deliveredRows;
        segments.remove(number);
        return lost;
    }

    private static long count(SegmentFile segment, long from) throws IOException {
        long rows = 0;
        long offset = from;
        try (Segment open = Segment.open(segment.file)) {
            while (open.read(offset, segment.size) instanceof Segment.Read.Entry entry) {
                rows++;
                offset = entry.next();
            }
        } catch (NoSuchFileException e) {
            return 1;
        }
        return rows;
    }

    /** Returns the number of bytes on disk. */
    synchronized long size() {
        return segments.values().stream().mapToLong(SegmentFile::size).sum();
    }

    /** Returns the number of bytes that the database does not have yet. */
    public synchronized long waiting() {
        long bytes = 0;
        for (Map.Entry<Long, SegmentFile> each :
                segments.tailMap(delivered.segment()).entrySet()) {
            long done = each.getKey() == delivered.segment() ? delivered.offset() : 0;
            bytes += Math.max(0, each.getValue().size - Math.max(done, Segment.HEADER));
        }
        return bytes;
    }

    /** Deletes the directory of a spool whose rows are all in the database. Keeps damaged segments. */
    synchronized void delete() throws IOException {
        for (SegmentFile segment : segments.values()) {
            Files.deleteIfExists(segment.file);
        }
        segments.clear();
        close();
        boolean empty = true;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                empty &= file.getFileName().toString().equals(SpoolLock.FILE);
            }
        } catch (NoSuchFileException e) { // other code has deleted the directory
            return;
        }
        Files.deleteIfExists(directory.resolve(SpoolLock.FILE));
        if (empty) {
            Files.deleteIfExists(directory);
        }
    }

    /** Stops appending, and releases the directory to other processes. Closing again does nothing. */
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        if (active != null) {
            complete.add(active);
            active = null;
        }
        complete.forEach(this::end);
        complete.clear();
        lock.close();
    }
}
