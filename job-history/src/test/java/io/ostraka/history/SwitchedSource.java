package io.ostraka.history;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A database that can be away, and whose connections can break right after a commit. Thread-safe. */
final class SwitchedSource {
    private final DataSource database;
    private final AtomicInteger breaks = new AtomicInteger();
    private volatile boolean away;

    SwitchedSource(DataSource database) {
        this.database = database;
    }

    void away(boolean now) {
        away = now;
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
