package io.ostraka.history.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
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
    private FileLock lock;

    private SpoolLock(Path file, String reservation, FileChannel channel, Object identity, FileLock lock) {
        this.file = file;
        this.reservation = reservation;
        this.channel = channel;
        this.identity = identity;
        this.lock = lock;
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
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return new SpoolLock(file, reservation, channel, identity(file), lock);
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
            lock.release(); // otherwise the JVM refuses to lock the file again
            FileLock again = channel.tryLock();
            if (again == null) {
                return false;
            }
            lock = again;
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
