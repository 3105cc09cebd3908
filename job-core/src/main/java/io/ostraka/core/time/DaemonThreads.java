package io.ostraka.core.time;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates daemon threads, so that code which never returns does not keep the process alive. A new thread inherits
 * nothing from the code that happens to need it, such as a run of users' code: no thread locals and no priority. Its
 * context class loader is that of the thread that created this object. Thread-safe.
 */
public final class DaemonThreads implements ThreadFactory {
    private final Supplier<String> names;
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

    private DaemonThreads(Supplier<String> names) {
        this.names = names;
    }

    /** Returns a factory whose threads all have the same name. */
    public static DaemonThreads named(String name) {
        return new DaemonThreads(() -> name);
    }

    /** Returns a factory whose threads have a common prefix and a number, counted from 1. */
    public static DaemonThreads numbered(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return new DaemonThreads(() -> prefix + number.incrementAndGet());
    }

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(null, task, names.get(), 0, false);
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setContextClassLoader(loader);
        return thread;
    }
}
