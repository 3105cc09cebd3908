package io.ostraka.history;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database that can be away, and whose connections can break right after a commit. Thread-safe. */
final class SwitchedSource {
    private final DataSource database;
    private final AtomicInteger breaks = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    private volatile boolean away;
    private volatile boolean readOnly;
    private String awaited = "";
    private @Nullable Runnable action;
    private @Nullable CountDownLatch hold;
    private @Nullable Thread held;

    SwitchedSource(DataSource database) {
        this.database = database;
    }

    void away(boolean now) {
        away = now;
    }

    /** Sets whether statements that write are refused. */
    void readOnly(boolean now) {
        readOnly = now;
    }

    /** Does something once, before the next statement with this text is prepared. */
    synchronized void before(String text, Runnable once) {
        awaited = text;
        action = once;
    }

    private synchronized @Nullable Runnable action(String sql) {
        Runnable found = sql.contains(awaited) ? action : null;
        action = found == null ? action : null;
        return found;
    }

    /** Returns the number of statements that were refused because they write. */
    int refusals() {
        return refusals.get();
    }

    /** Gives no connection until {@link #release}, although the waiting thread is interrupted, as many drivers do. */
    synchronized void hold() {
        hold = new CountDownLatch(1);
    }

    /** Returns the thread that waits for a connection; waits until there is one. */
    synchronized Thread held() throws InterruptedException {
        while (held == null) {
            wait();
        }
        return held;
    }

    synchronized void release() {
        hold.countDown();
    }

    private void waitForRelease() {
        CountDownLatch latch;
        synchronized (this) {
            latch = hold;
            if (latch == null) {
                return;
            }
            held = Thread.currentThread();
            notifyAll();
        }
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Breaks the connections of the next commits after the database has executed them. */
    void breakAfterCommits(int count) {
        breaks.set(count);
    }

    /** Returns whether all these connections have broken. */
    boolean broken() {
        return breaks.get() == 0;
    }

    private static SQLException failure() {
        return new SQLException("the database is away", "08006");
    }

    DataSource source() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    waitForRelease();
                    if (away) {
                        throw failure();
                    }
                    Object result = method.invoke(database, arguments);
                    return result instanceof Connection connection ? connection(connection) : result;
                });
    }

    private Connection connection(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    Runnable first = method.getName().equals("prepareStatement") ? action((String) arguments[0]) : null;
                    if (first != null) {
                        first.run();
                    }
                    if (readOnly
                            && method.getName().equals("prepareStatement")
                            && !((String) arguments[0]).startsWith("SELECT")) {
                        refusals.incrementAndGet();
                        throw failure();
                    }
                    if (away && !method.getName().equals("close")) {
                        throw failure();
                    }
                    try {
                        Object result = method.invoke(connection, arguments);
                        if (method.getName().equals("commit") && breaks.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                            connection.close();
                            throw failure();
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
