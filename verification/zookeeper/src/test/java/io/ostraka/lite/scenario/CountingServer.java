package io.ostraka.lite.scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.MultiOperationRecord;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.NIOServerCnxn;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A real server in this process that counts its requests by kind, and exposes its watches and nodes. */
public final class CountingServer implements AutoCloseable {
    private static final Map<Integer, String> KINDS = Map.ofEntries(
            Map.entry(OpCode.addWatch, "addWatch"),
            Map.entry(OpCode.removeWatches, "removeWatches"),
            Map.entry(OpCode.setWatches, "setWatches"),
            Map.entry(OpCode.setWatches2, "setWatches"),
            Map.entry(OpCode.multi, "transaction"),
            Map.entry(OpCode.multiRead, "read"),
            Map.entry(OpCode.getData, "read"),
            Map.entry(OpCode.exists, "read"),
            Map.entry(OpCode.getChildren, "children"),
            Map.entry(OpCode.getChildren2, "children"),
            Map.entry(OpCode.sync, "sync"));

    private final Map<String, LongAdder> requests = new ConcurrentHashMap<>();
    private final LongAdder watchEvents = new LongAdder();
    private final Queue<Transaction> transactions = new ConcurrentLinkedQueue<>();
    private final Counting server;
    private volatile boolean keepsTransactions;
    private final ServerCnxnFactory connections;

    static {
        System.setProperty("zookeeper.maxCnxns", "1000"); // avoids a warning
    }

    /** Starts the server. */
    public CountingServer(Path directory) throws IOException, InterruptedException {
        server = new Counting(directory);
        connections = new Connections();
        connections.configure(new InetSocketAddress("127.0.0.1", 0), 200);
        connections.startup(server);
    }

    /** Connections that count the watch events that the server sends. */
    private final class Connections extends NIOServerCnxnFactory {
        @Override
        protected NIOServerCnxn createConnection(SocketChannel channel, SelectionKey key, SelectorThread selector)
                throws IOException {
            return new NIOServerCnxn(server, channel, key, this, selector) {
                @Override
                public void process(WatchedEvent event, List<ACL> acl) {
                    watchEvents.increment();
                    super.process(event, acl);
                }
            };
        }
    }

    private final class Counting extends ZooKeeperServer {
        Counting(Path directory) throws IOException {
            super(directory.toFile(), directory.toFile(), 500);
            setMaxSessionTimeout(3_600_000);
        }

        @Override
        public void submitRequest(Request request) {
            // not counted: openings, heartbeats and ends of sessions, since they do not depend on the number of jobs
            if (request.type > 0 && request.type != OpCode.ping) {
                requests.computeIfAbsent(KINDS.getOrDefault(request.type, "other"), kind -> new LongAdder())
                        .increment();
            }
            if (keepsTransactions && request.type == OpCode.multi) {
                transactions.add(transaction(request));
            }
            super.submitRequest(request);
        }
    }

    /**
     * A requested transaction, with any outcome.
     *
     * @param session session of the client
     * @param created paths of the nodes to create
     * @param paths paths of the nodes to check, write, create or delete
     */
    public record Transaction(long session, Set<String> created, Set<String> paths) {}

    private static Transaction transaction(Request request) {
        Set<String> created = new TreeSet<>();
        Set<String> paths = new TreeSet<>();
        try {
            for (Op operation : request.readRequestRecord(MultiOperationRecord::new)) {
                paths.add(operation.getPath());
                if (operation instanceof Op.Create) {
                    created.add(operation.getPath());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Transaction(request.sessionId, created, paths);
    }

    /** Keeps all transactions from now on. Without this call none are kept, to save memory. */
    public void keepTransactions() {
        keepsTransactions = true;
    }

    /** Returns all kept transactions in their order. */
    public List<Transaction> transactions() {
        return List.copyOf(transactions);
    }

    /** Returns the connect string for clients. */
    public String servers() {
        return "127.0.0.1:" + connections.getLocalPort();
    }

    /** Returns the number of requests since the last {@link #reset} by kind, without heartbeats. */
    Map<String, Long> requests() {
        Map<String, Long> counts = new TreeMap<>();
        requests.forEach((kind, count) -> counts.put(kind, count.sum()));
        return counts;
    }

    void reset() {
        requests.values().forEach(LongAdder::reset);
    }

    /** Returns the number of watch events sent; the server sends them before it answers the change itself. */
    long watchEvents() {
        return watchEvents.sum();
    }

    /** Cuts all connections; the sessions continue. */
    void cutConnections() {
        connections.closeAll(ServerCnxn.DisconnectReason.UNKNOWN);
    }

    private DataTree tree() {
        return server.getZKDatabase().getDataTree();
    }

    /** Returns the watched paths of each session. */
    List<Set<String>> watched() {
        return tree().getWatches().toMap().values().stream()
                .<Set<String>>map(TreeSet::new)
                .toList();
    }

    /** Returns the server's own count of its watches. */
    int watches() {
        return tree().getWatchCount();
    }

    long sessions() {
        return server.getZKDatabase().getSessionCount();
    }

    int nodes() {
        return tree().getNodeCount();
    }

    List<String> children(String path) {
        try {
            return tree().getChildren(path, null, null);
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        }
    }

    /** Returns the content of a node; empty if it does not exist. */
    String text(String path) {
        try {
            return new String(tree().getData(path, new Stat(), null), StandardCharsets.UTF_8);
        } catch (KeeperException.NoNodeException e) {
            return "";
        }
    }

    @Override
    public void close() {
        connections.shutdown();
        server.shutdown();
    }
}
