package io.ostraka.console.server;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The connections of clients. Ends a connection on which no request has arrived completely for a while, even if bytes
 * trickle in, and a connection of an address that has too many already. So a few clients cannot take all connections.
 * Thread-safe.
 */
final class Connections implements Connection.Listener {
    private final ServerConnector connector;
    private final int mostOfAddress;
    private final Duration longest;
    private final Map<Connection, Scheduler.Task> deadlines = new ConcurrentHashMap<>();
    /** Addresses of the open connections. A closed connection no longer knows its address. */
    private final Map<Connection, String> addresses = new ConcurrentHashMap<>();

    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    /**
     * Watches the connections of a connector.
     *
     * @param mostOfAddress largest number of connections of one address
     * @param longest longest time of a connection without a complete request
     */
    Connections(ServerConnector connector, int mostOfAddress, Duration longest) {
        this.connector = connector;
        this.mostOfAddress = mostOfAddress;
        this.longest = longest;
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof SslConnection) { // the connection inside is counted
            return;
        }
        String address = address(connection);
        addresses.put(connection, address);
        await(connection);
        if (counts.merge(address, 1, Integer::sum) > mostOfAddress) {
            connector.getExecutor().execute(connection.getEndPoint()::close); // after it has been opened completely
        }
    }

    @Override
    public void onClosed(Connection connection) {
        String address = addresses.remove(connection);
        if (address != null) {
            cancel(deadlines.remove(connection));
            counts.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Called when the headers of a request have arrived. The other limits of the exchange are valid until its end. */
    void began(Request request) {
        Connection connection = request.getConnectionMetaData().getConnection();
        cancel(deadlines.remove(connection));
        Request.addCompletionListener(request, failure -> await(connection));
    }

    private void await(Connection connection) {
        if (connection.getEndPoint().isOpen()) {
            cancel(deadlines.put(
                    connection,
                    connector
                            .getScheduler()
                            .schedule(() -> end(connection), longest.toMillis(), TimeUnit.MILLISECONDS)));
        }
    }

    private void end(Connection connection) {
        deadlines.remove(connection);
        connection.getEndPoint().close();
    }

    private static void cancel(Scheduler.@Nullable Task deadline) {
        if (deadline != null) {
            deadline.cancel();
        }
    }

    private static String address(Connection connection) {
        SocketAddress address = connection.getEndPoint().getRemoteSocketAddress();
        return address instanceof InetSocketAddress client
                ? client.getAddress().getHostAddress()
                : String.valueOf(address);
    }
}
