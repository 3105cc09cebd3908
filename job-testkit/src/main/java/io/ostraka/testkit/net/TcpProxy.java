package io.ostraka.testkit.net;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A TCP proxy for a server on this machine. The proxy can hold and delay data and cut connections. Held data arrives
 * after {@link #heal}, unless its connection was lost before. Thread-safe.
 */
public class TcpProxy implements AutoCloseable {
    /** Pause between two attempts to connect to the server. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final int serverPort;
    private final Duration patience;
    private final Supplier<Conversation> conversations;
    private final ServerSocket listening;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<Connection> connections = new HashSet<>();
    private final Set<Direction> held = EnumSet.noneOf(Direction.class);
    private final Map<Direction, Duration> delays = new EnumMap<>(Direction.class);
    private boolean cut;

    /**
     * Opens a proxy on a free port.
     *
     * @param serverPort port of the server, which may start later
     */
    public TcpProxy(int serverPort) {
        this(serverPort, Duration.ZERO);
    }

    /**
     * Opens a proxy on a free port.
     *
     * @param serverPort port of the server, which may start later
     * @param patience time for which the proxy tries to connect to a server that does not listen yet, before it closes
     *     the client's connection
     */
    public TcpProxy(int serverPort, Duration patience) {
        this(serverPort, patience, Conversation::ofBytes);
    }

    TcpProxy(int serverPort, Duration patience, Supplier<Conversation> conversations) {
        this.serverPort = serverPort;
        this.patience = patience;
        this.conversations = conversations;
        try {
            listening = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        run("accepts", this::accept);
    }

    /** Returns the port for clients. */
    public int port() {
        return listening.getLocalPort();
    }

    /** Returns the address for clients, {@code host:port}. */
    public String connectString() {
        return "127.0.0.1:" + port();
    }

    /** Resets every connection. Clients can connect again. Returns the number of reset connections. */
    public int reset() {
        lock.lock();
        try {
            List<Connection> present = List.copyOf(connections);
            present.forEach(connection -> connection.close(true));
            changed.signalAll();
            return present.size();
        } finally {
            lock.unlock();
        }
    }

    /** Resets every connection, and until {@link #heal}, also each new connection at once. */
    public void cut() {
        locked(() -> {
            cut = true;
            reset();
        });
    }

    /**
     * Holds all data of a direction until {@link #heal}. Both sides stay connected and do not notice that data is held.
     */
    public void hold(Direction direction) {
        locked(() -> held.add(direction));
    }

    /** Delays all data of a direction until {@link #heal}. */
    public void delay(Direction direction, Duration by) {
        locked(() -> delays.put(direction, by));
    }

    /** Ends all cuts, holds and delays. */
    public void heal() {
        locked(() -> {
            cut = false;
            held.clear();
            delays.clear();
        });
    }

    /** Closes all connections and the port. */
    @Override
    public void close() {
        cut();
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            run("to " + serverPort, () -> connect(client));
        }
    }

    private void connect(Socket client) throws IOException {
        for (Duration left = patience; ; left = left.minus(PAUSE)) {
            try {
                var connection = new Connection(client, new Socket(InetAddress.getLoopbackAddress(), serverPort));
                locked(() -> {
                    connections.add(connection);
                    if (cut) {
                        connection.close(true);
                    }
                });
                connection.start();
                return;
            } catch (IOException e) {
                if (left.isNegative() || left.isZero() || !pause()) {
                    client.close(); // the server is down
                    return;
                }
            }
        }
    }

    /**
     * Pauses before another attempt. Returns false if no attempt should follow, because connections are cut or this
     * thread was interrupted.
     */
    private boolean pause() {
        lock.lock();
        try {
            long nanos = PAUSE.toNanos();
            while (nanos > 0 && !cut) {
                nanos = changed.awaitNanos(nanos);
            }
            return !cut;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** A connection from a client to the proxy, and the proxy's connection to the server that belongs to it. */
    private final class Connection {
        private final Conversation conversation = conversations.get();
        private final Socket client;
        private final Socket server;
        private boolean open = true;

        Connection(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void start() {
            run("from " + serverPort, () -> pump(Direction.TO_CLIENT, server, client));
            pump(Direction.TO_SERVER, client, server);
        }

        private void pump(Direction direction, Socket from, Socket to) {
            boolean broken = true;
            try {
                from.setTcpNoDelay(true);
                to.setTcpNoDelay(true);
                DataInputStream in = new DataInputStream(new BufferedInputStream(from.getInputStream()));
                OutputStream out = to.getOutputStream();
                while (true) {
                    byte[] piece = conversation.next(direction, in);
                    if (!passes(direction)) {
                        return;
                    }
                    out.write(piece);
                    out.flush();
                }
            } catch (EOFException e) {
                broken = false;
            } catch (IOException e) {
                // one side has closed the connection, or a test cuts it
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                boolean reset = broken;
                locked(() -> close(reset));
            }
        }

        /** Waits until data may pass. Returns whether the connection still exists then. */
        private boolean passes(Direction direction) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (open && held.contains(direction)) {
                    changed.await();
                }
                long nanos = delays.getOrDefault(direction, Duration.ZERO).toNanos();
                while (open && nanos > 0) {
                    nanos = changed.awaitNanos(nanos);
                }
                return open;
            } finally {
                lock.unlock();
            }
        }

        /** Closes both sockets. Called under the lock. */
        void close(boolean reset) {
            if (open) {
                open = false;
                connections.remove(this);
                close(client, reset);
                close(server, reset);
            }
        }

        private void close(Socket socket, boolean reset) {
            try (socket) {
                if (reset) {
                    socket.setSoLinger(true, 0);
                }
            } catch (IOException e) {
                // already closed by the other side
            }
        }
    }

    private interface Piping {
        void run() throws IOException;
    }

    private static void run(String what, Piping piping) {
        var thread = new Thread(
                () -> {
                    try {
                        piping.run();
                    } catch (IOException e) {
                        // the port was closed
                    }
                },
                "proxy " + what);
        thread.setDaemon(true);
        thread.start();
    }
}
