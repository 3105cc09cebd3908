package io.ostraka.history.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file of a spool. It begins with a header. Each entry has its length, a CRC-32C checksum and its bytes. Not
 * thread-safe.
 */
final class Segment implements AutoCloseable {
    /** Largest entry. Rows are much smaller, because their texts are bounded. */
    static final int LARGEST_ENTRY = 1 << 20;

    /** Number of bytes before the first entry. */
    static final int HEADER = 8;

    private static final int MAGIC = 0x4f535448; // "OSTH"
    private static final int VERSION = 1;
    private static final int FRAME = 8;
    /** Number of bytes that are read at once. */
    private static final int WINDOW = 64 << 10;

    private final FileChannel channel;
    private long size;
    /** Bytes that were read last. */
    private ByteBuffer window = ByteBuffer.allocate(0);

    private long windowAt;

    Segment(FileChannel channel, long size) {
        this.channel = channel;
        this.size = size;
    }

    /** Result of reading an entry. */
    sealed interface Read {
        /**
         * An entry.
         *
         * @param bytes bytes of the entry
         * @param next offset of the next entry
         */
        record Entry(byte[] bytes, long next) implements Read {}

        /** There is no further entry. */
        record End() implements Read {}

        /**
         * The rest of the file is not readable.
         *
         * @param why description for people
         * @param unfinished true if the file looks as if its writer was killed before it had written the last entry
         */
        record Damaged(String why, boolean unfinished) implements Read {}
    }

    /** Creates a segment for writing. */
    static Segment create(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            var segment = new Segment(channel, 0);
            segment.write(
                    ByteBuffer.allocate(HEADER).putInt(MAGIC).putInt(VERSION).flip());
            return segment;
        } catch (IOException e) {
            channel.close();
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /** Opens a segment for reading. */
    static Segment open(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        return new Segment(channel, channel.size());
    }

    /** Returns the number of bytes that are written completely. */
    long size() {
        return size;
    }

    /** Returns the number of bytes that entries take in a segment. */
    static int length(List<byte[]> entries) {
        return entries.stream().mapToInt(entry -> FRAME + entry.length).sum();
    }

    /**
     * Appends entries with one system call. If the process is killed during the call, the segment contains the first
     * entries, and may end with an incomplete one.
     *
     * @throws IOException if the entries are not written; the segment is then as before
     */
    void append(List<byte[]> entries) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length(entries));
        for (byte[] entry : entries) {
            if (entry.length == 0 || entry.length > LARGEST_ENTRY) {
                throw new IOException("an entry has " + entry.length + " bytes; accepted: 1 to " + LARGEST_ENTRY);
            }
            bytes.putInt(entry.length).putInt(checksum(entry)).put(entry);
        }
        write(bytes.flip());
    }

    private void write(ByteBuffer bytes) throws IOException {
        long at = size;
        try {
            while (bytes.hasRemaining()) {
                at += channel.write(bytes, at);
            }
        } catch (IOException e) { // for example, the disk is full
            try {
                channel.truncate(size);
            } catch (IOException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
        size = at;
    }

    /**
     * Reads the entry at an offset. If the disk cannot read the file, its rest counts as damaged.
     *
     * @param offset offset of an entry, or 0 for the first one
     * @param end number of bytes that are written completely
     * @throws ClosedChannelException if this thread was interrupted
     */
    Read read(long offset, long end) throws ClosedChannelException {
        try {
            return next(offset, end);
        } catch (ClosedChannelException e) { // an interrupt has closed the file
            throw e;
        } catch (IOException e) {
            return new Read.Damaged("it cannot be read: " + e.getMessage(), false);
        }
    }

    private Read next(long offset, long end) throws IOException {
        long at = offset;
        if (at == 0) {
            ByteBuffer header = bytes(0, HEADER, end);
            if (header == null) {
                return endsEarly(0, end);
            }
            String why = problem(header.getInt(), header.getInt());
            if (why != null) {
                return new Read.Damaged(why, false);
            }
            at = HEADER;
        }
        if (at == end) {
            return new Read.End();
        }
        ByteBuffer frame = bytes(at, FRAME, end);
        if (frame == null) {
            return endsEarly(at, end);
        }
        int length = frame.getInt();
        int checksum = frame.getInt();
        if (length == 0 && checksum == 0 && zeros(at, end)) { // a file system may add zeros when the machine fails
            return endsEarly(at, end);
        }
        if (length <= 0 || length > LARGEST_ENTRY) {
            return new Read.Damaged("an entry at byte " + at + " has the length " + length, false);
        }
        ByteBuffer entry = bytes(at + FRAME, length, end);
        if (entry == null) {
            return isShorter(at + FRAME, checksum, end)
                    ? new Read.Damaged("an entry at byte " + at + " has the wrong length " + length, false)
                    : endsEarly(at, end);
        }
        if (checksum(entry.array()) != checksum) {
            return new Read.Damaged("the checksum of the entry at byte " + at + " is wrong", false);
        }
        return new Read.Entry(entry.array(), at + FRAME + length);
    }

    private Read endsEarly(long at, long end) throws IOException {
        boolean shortened = channel.size() < end;
        return new Read.Damaged("it ends before the end of the entry at byte " + at, !shortened);
    }

    /** Returns whether an entry with this checksum is complete, so that only its length is wrong. */
    private boolean isShorter(long at, int checksum, long end) throws IOException {
        ByteBuffer rest = bytes(at, (int) (end - at), end);
        var prefix = new CRC32C();
        while (rest != null && rest.hasRemaining()) {
            prefix.update(rest.get());
            if ((int) prefix.getValue() == checksum) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable String problem(int magic, int version) {
        return magic != MAGIC
                ? "it is not a segment of a history"
                : version != VERSION ? "it has the format " + version + "; this version knows " + VERSION : null;
    }

    private boolean zeros(long from, long end) throws IOException {
        for (long at = from; at < end; at += LARGEST_ENTRY) {
            int length = (int) Math.min(LARGEST_ENTRY, end - at);
            ByteBuffer bytes = bytes(at, length, end);
            if (bytes == null) {
                return true;
            }
            for (byte each : bytes.array()) {
                if (each != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns bytes of the file; null if the file ends before them. */
    private @Nullable ByteBuffer bytes(long at, int length, long end) throws IOException {
        if (at + length > end) {
            return null;
        }
        if (at < windowAt || at + length > windowAt + window.limit()) {
            window = ByteBuffer.allocate((int) Math.min(Math.max(length, WINDOW), end - at));
            windowAt = at;
            while (window.hasRemaining() && channel.read(window, at + window.position()) >= 0) {}
            window.flip();
        }
        int from = (int) (at - windowAt);
        return from + length > window.limit()
                ? null
                : ByteBuffer.wrap(Arrays.copyOfRange(window.array(), from, from + length));
    }

    private static int checksum(byte[] entry) {
        var checksum = new CRC32C();
        checksum.update(entry);
        return (int) checksum.getValue();
    }

    /** Forces the entries to the disk, so that they survive a failure of the machine. */
    void force() throws IOException {
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
