package io.ostraka.zk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lock on a file that lasts until it is closed or the process ends. Thread-safe.
 *
 * <p>On Linux, a process loses its lock of a file when it closes any handle of this file. Therefore each file is first
 * reserved in the process, and only the holder of the reservation opens the file. The reservation is a system property,
 * which all class loaders share.
 */
public final class LockFile implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LockFile.class);
    private static final String RESERVED = "ostraka.lock.";
    /** Handles of files that code without a reservation has locked. If they were closed, that lock would be lost. */
    private static final List<FileChannel> LEFT_OPEN = new CopyOnWriteArrayList<>();

    private final FileChannel channel;
    private final String reservation;

    private LockFile(FileChannel channel, String reservation) {
        this.channel = channel;
        this.reservation = reservation;
    }

    /**
     * Locks a file, which is created if it does not exist. Returns null if this process or another one holds the lock.
     *
     * @param file its directory must exist
     * @throws IOException if the file cannot be created or locked, or if it is not a regular file; a symbolic link is
     *     none
     */
    public static @Nullable LockFile tryLock(Path file) throws IOException {
        Path name = file.getFileName();
        Path directory = file.toAbsolutePath().getParent();
        if (name == null || directory == null) {
            throw new IllegalArgumentException("the lock file is '" + file + "'; accepted: a file in a directory");
        }
        String reservation = RESERVED + directory.toRealPath().resolve(name);
        if (System.getProperties().putIfAbsent(reservation, "") != null) {
            return null;
        }
        FileChannel channel = null;
        try {
            channel = FileChannel.open(
                    RegularFile.require(file, LinkOption.NOFOLLOW_LINKS),
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
            if (channel.tryLock() != null) {
                return new LockFile(channel, reservation);
            }
        } catch (OverlappingFileLockException e) {
            LEFT_OPEN.add(channel);
            return null;
        } catch (IOException | RuntimeException e) {
            release(channel, reservation);
            throw e;
        }
        release(channel, reservation);
        return null;
    }

    private static void release(@Nullable FileChannel channel, String reservation) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            log.debug("a lock file cannot be closed; its lock is released when the process ends", e);
        } finally {
            System.getProperties().remove(reservation);
        }
    }

    /** Releases the lock. Closing again does nothing. */
    @Override
    public synchronized void close() {
        if (channel.isOpen()) {
            release(channel, reservation);
        }
    }
}
