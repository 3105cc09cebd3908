package io.ostraka.history.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** A source whose connections break at chosen calls. Passes executed statements on. */
final class FaultySource {
    private final DataSource database;
    private int callsUntilBreak = Integer.MAX_VALUE;
    private boolean breakAfterCommit;
    private Consumer<Query> queries = query -> {};

    /**
     * An executed statement.
     *
     * @param sql text
     * @param parameters parameters in their order
     */
    record Query(String sql, List<Object> parameters) {}

    FaultySource(DataSource database) {
        this.database = database;
    }

    /** Breaks the connection instead of the n-th execution or commit from now on. */
    void breakAt(int n) {
        callsUntilBreak = n;
    }

    /** Breaks the connection once, after its commit has succeeded. */
    void breakAfterCommit() {
        breakAfterCommit = true;
    }

    /** Passes executed statements on, but not batches. */
    void onQuery(Consumer<Query> receiver) {
        queries = receiver;
    }

    DataSource source() {
        return proxy(DataSource.class, (method, arguments) -> {
            Object result = method.invoke(database, arguments);
            return result instanceof Connection connection ? connection(connection) : result;
        });
    }

    private Connection connection(Connection connection) {
        return proxy(Connection.class, (method, arguments) -> {
            boolean commit = method.getName().equals("commit");
            if (commit) {
                count(connection);
            }
            Object result = method.invoke(connection, arguments);
            if (commit && breakAfterCommit) {
                breakAfterCommit = false;
                connection.close();
                throw broken();
            }
            return result instanceof PreparedStatement statement
                    ? statement(connection, statement, (String) arguments[0])
                    : result;
        });
    }

    private PreparedStatement statement(Connection connection, PreparedStatement statement, String sql) {
        List<Object> parameters = new ArrayList<>();
        return proxy(PreparedStatement.class, (method, arguments) -> {
            String name = method.getName();
            if (name.startsWith("set") && arguments.length == 2) {
                int index = (int) arguments[0];
                while (parameters.size() < index) {
                    parameters.add(null);
                }
                parameters.set(index - 1, arguments[1]);
            } else if (name.startsWith("execute")) {
                count(connection);
                if (!name.equals("executeBatch")) {
                    queries.accept(new Query(sql, new ArrayList<>(parameters)));
                }
            }
            return method.invoke(statement, arguments);
        });
    }

    private void count(Connection connection) throws SQLException {
        if (--callsUntilBreak == 0) {
            connection.rollback(); // as the server does when a connection is lost
            connection.close();
            throw broken();
        }
    }

    private static SQLException broken() {
        return new SQLException("the connection is broken", "08006");
    }

    @FunctionalInterface
    private interface Call {
        Object invoke(java.lang.reflect.Method method, Object[] arguments)
                throws SQLException, ReflectiveOperationException;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return call.invoke(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
