package io.ostraka.history.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a spool's directory. On Linux, a process loses its lock of a file when it closes any handle of this file.
 * Therefore a directory is first reserved in the process, and only the holder of the reservation opens the lock file.
 * The reservation is a system property, which all class loaders share. Not thread-safe.
 *
 * <p>A process can only find out whether it still has a lock by locking again what it has released before. Therefore
 * the holder locks two bytes of the file, one by one, and releases only one of them at a time. Another process needs
 * both bytes in one step. A third byte admits only one such process, until it has locked each byte by itself.
 */
final class SpoolLock implements AutoCloseable {
    /** Name of the lock file. */
    static final String FILE = "lock";

    private static final String RESERVED = "ostraka.history.spool.";
    /** Handles of files that code without a reservation has locked. If they were closed, that lock would be lost. */
    private static final List<FileChannel> LEFT_OPEN = new CopyOnWriteArrayList<>();

    private final Path file;
    private final String reservation;
    private final FileChannel channel;
    private final Object identity;
    /** The lock of the byte that was locked earlier than the other one. */
    private FileLock earlier;

    private FileLock later;

    private SpoolLock(
            Path file, String reservation, FileChannel channel, Object identity, FileLock earlier, FileLock later) {
        this.file = file;
        this.reservation = reservation;
        this.channel = channel;
        this.identity = identity;
        this.earlier = earlier;
        this.later = later;
    }

    /**
     * Locks a directory. Returns null if this process or another one holds its lock, or if the directory does not exist.
     *
     * @throws IOException if the lock file cannot be opened
     */
    static @Nullable SpoolLock tryLock(Path directory) throws IOException {
        String reservation;
        try {
            reservation = RESERVED + directory.toRealPath();
        } catch (NoSuchFileException e) { // another process has deleted the directory
            return null;
        }
        if (System.getProperties().putIfAbsent(reservation, "") != null) {
            return null;
        }
        Path file = directory.resolve(FILE);
        FileChannel channel = null;
        try {
            if (Files.exists(file) && !Files.isRegularFile(file)) { // opening a named pipe waits for a second program
                throw new FileSystemException(file.toString(), null, "it is not a regular file");
            }
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            SpoolLock lock = tryLock(file, reservation, channel);
            if (lock != null) {
                return lock;
            }
        } catch (NoSuchFileException e) { // another process has deleted the directory or the file
            release(channel, reservation);
            return null;
        } catch (OverlappingFileLockException e) {
            LEFT_OPEN.add(channel);
            throw new IOException("other code of this process has locked " + file, e);
        } catch (IOException | RuntimeException e) {
            release(channel, reservation);
            throw e;
        }
        release(channel, reservation);
        return null;
    }

    private static @Nullable SpoolLock tryLock(Path file, String reservation, FileChannel channel) throws IOException {
        FileLock admission = channel.tryLock(2, 1, false);
        FileLock both = admission == null ? null : channel.tryLock(0, 2, false);
        if (both == null) {
            return null;
        }
        both.release();
        FileLock earlier = channel.tryLock(0, 1, false);
        FileLock later = channel.tryLock(1, 1, false);
        if (earlier == null || later == null) { // code that does not know the third byte was faster
            return null;
        }
        admission.release();
        return new SpoolLock(file, reservation, channel, identity(file), earlier, later);
    }

    /** Returns a value that differs between two files, even if one has replaced the other. */
    static Object identity(Path file) throws IOException {
        Object key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        return key == null ? file : key;
    }

    /**
     * Returns whether this process still has the lock. If code of this process has released the lock by closing a handle
     * of the file, this method locks the file again.
     */
    boolean isHeld() {
        try {
            if (!channel.isOpen() || !identity(file).equals(identity)) {
                return false;
            }
            earlier.release(); // otherwise the JVM refuses to lock the byte again
            FileLock again = channel.tryLock(earlier.position(), 1, false);
            if (again == null) {
                return false;
            }
            earlier = later;
            later = again;
            return true;
        } catch (IOException e) { // for example, the directory does not exist
            return false;
        }
    }

    private static void release(@Nullable FileChannel channel, String reservation) throws IOException {
        try (channel) {
            // the end of the block closes the file, which releases the lock
        } finally {
            System.getProperties().remove(reservation);
        }
    }

    /** Releases the lock. Closing again does nothing. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            release(channel, reservation);
        }
    }
}
