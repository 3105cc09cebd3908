package io.ostraka.lite;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The name of an instance: the one that was asked for, or its host's, with a number from the host's second instance of a
 * namespace on. The number is the first that is free; a lock on a file holds it, which the operating system takes back when the
 * process ends, in whatever way, so that the next process has the same name at once.
 */
final class InstanceName implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(InstanceName.class);
    private static final int MOST = 1_000;

    private final String name;
    private final @Nullable FileChannel held;

    private InstanceName(String name, @Nullable FileChannel held) {
        this.name = name;
        this.held = held;
    }

    /** Takes a name that was asked for; others may have the same. */
    static InstanceName given(String name) {
        return new InstanceName(name, null);
    }

    /**
     * Takes the first name of a host that is free.
     *
     * @param directory of the files, which all processes of the host see that may write there
     */
    static InstanceName onHost(Path directory, String namespace, String host) {
        IOException refused = null;
        String file = "ostraka-" + namespace.replaceAll("[^A-Za-z0-9._-]", "-") + "-" + host + "-";
        for (int number = 1; number <= MOST; number++) {
            try {
                FileChannel channel = locked(directory.resolve(file + number + ".lock"));
                if (channel != null) {
                    return new InstanceName(number == 1 ? host : host + "-" + number, channel);
                }
            } catch (IOException e) { // perhaps another user's
                refused = e;
            }
        }
        log.warn(
                "no lock file ostraka-* can be made in {}: this instance is called '{}' whichever other instances its host has; set"
                        + " instanceName(...) to tell them apart",
                directory,
                host,
                refused);
        return new InstanceName(host, null);
    }

    private static @Nullable FileChannel locked(Path file) throws IOException {
        FileChannel channel = FileChannel.open(
                file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) { // another registry of this process has it
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
        channel.close();
        return null;
    }

    @Override
    public String toString() {
        return name;
    }

    /** Gives the name back. */
    @Override
    public void close() {
        if (held != null) {
            try {
                held.close();
            } catch (IOException e) {
                log.debug("the lock of name '{}' goes with the process", name, e);
            }
        }
    }
}
