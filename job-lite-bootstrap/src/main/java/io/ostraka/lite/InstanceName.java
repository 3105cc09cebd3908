package io.ostraka.lite;

import io.ostraka.zk.LockFile;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The name of an instance: the configured name or, by default, the host name. If the host has several instances of a
 * namespace, each further instance appends the first free number to the name. A file lock reserves the name until this
 * process ends, so a restarted process gets the same name.
 */
final class InstanceName implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(InstanceName.class);
    private static final int MOST = 1_000;

    private final String name;
    private final @Nullable LockFile held;

    private InstanceName(String name, @Nullable LockFile held) {
        this.name = name;
        this.held = held;
    }

    /** Returns the configured name without locking it, so other instances may have the same name. */
    static InstanceName given(String name) {
        return new InstanceName(name, null);
    }

    /**
     * Returns the host name, or the host name with the first free number, and locks the name.
     *
     * @param directory directory of the lock files; all processes of the host must be able to write to it
     */
    static InstanceName onHost(Path directory, String namespace, String host) {
        IOException refused = null;
        String file = "ostraka-" + namespace.replaceAll("[^A-Za-z0-9._-]", "-") + "-" + host + "-";
        for (int number = 1; number <= MOST; number++) {
            try {
                LockFile lock = LockFile.tryLock(directory.resolve(file + number + ".lock"));
                if (lock != null) {
                    return new InstanceName(number == 1 ? host : host + "-" + number, lock);
                }
            } catch (IOException e) { // the lock file may belong to another user
                refused = e;
            }
        }
        log.warn(
                "cannot create a lock file ostraka-* in {}; this instance uses the name '{}', even if other instances on this"
                        + " host use it, too. Set instanceName(...) to give each instance its own name",
                directory,
                host,
                refused);
        return new InstanceName(host, null);
    }

    @Override
    public String toString() {
        return name;
    }

    /** Releases the name. */
    @Override
    public void close() {
        if (held != null) {
            held.close();
        }
    }
}
