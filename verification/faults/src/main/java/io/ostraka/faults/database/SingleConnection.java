package io.ostraka.faults.database;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A pool that keeps one idle connection to PostgreSQL. Statements fail if the server does not answer within a few
 * seconds. Thread-safe.
 */
final class SingleConnection implements DataSource {
    private static final int TIMEOUT_SECONDS = 5;

    private final PGSimpleDataSource server = new PGSimpleDataSource();
    private @Nullable Connection idle;

    SingleConnection(String url) {
        server.setUrl(url);
        server.setConnectTimeout(TIMEOUT_SECONDS);
        server.setLoginTimeout(TIMEOUT_SECONDS);
        server.setSocketTimeout(TIMEOUT_SECONDS);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection taken = take();
        Connection real = taken == null ? server.getConnection() : taken;
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        giveBack(real);
                        return null;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private synchronized @Nullable Connection take() {
        Connection taken = idle;
        idle = null;
        return taken;
    }

    private void giveBack(Connection real) throws SQLException {
        if (real.isClosed()) {
            return; // a connection that has failed is already closed by the driver
        }
        synchronized (this) {
            if (idle == null) {
                idle = real;
                return;
            }
        }
        real.close();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the URL names the user");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return TIMEOUT_SECONDS;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("wraps no " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
