package io.ostraka.console.server;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.Operations;
import io.ostraka.console.Caller;
import io.ostraka.console.CommandAudit;
import io.ostraka.console.HistorySource;
import io.ostraka.console.Namespaces;
import io.ostraka.console.Problem;
import io.ostraka.console.live.Bulkhead;
import io.ostraka.console.live.SharedViews;
import io.ostraka.core.time.SystemClock;
import io.ostraka.history.Accounts;
import io.ostraka.history.History;
import io.ostraka.history.jdbc.Queries;
import io.ostraka.lite.ZooKeeperOperations;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The namespaces of an ensemble. The first request for a namespace opens a connection for this namespace, as an
 * observer, so a namespace that does not answer does not affect the others. Close it after the last request.
 * Thread-safe.
 */
final class ZooKeeperNamespaces implements Namespaces, HistorySource, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ZooKeeperNamespaces.class);

    private final Supplier<List<String>> names;
    private final Function<String, ZooKeeperOperations> connect;
    private final @Nullable Supplier<History> newHistory;
    private final int places;

    // guarded by this
    private final Map<String, Open> open = new TreeMap<>();
    private boolean closed;

    /** An open namespace. */
    private static final class Open {
        final ZooKeeperOperations connection;
        /** The views, shared by all clients, so that ten clients cost as much as one. */
        final SharedViews views;
        /** The same for requests, of which only some run at the same time. */
        final Operations operations;

        /** Guarded by this object. */
        @Nullable History history;

        Open(ZooKeeperOperations connection, SharedViews views, Operations operations) {
            this.connection = connection;
            this.views = views;
            this.operations = operations;
        }
    }

    /**
     * Creates the namespaces. Nothing is opened yet.
     *
     * @param names returns the names of the namespaces, sorted
     * @param connect connects to a namespace
     * @param newHistory builds the history of a namespace; null if there is no history
     * @param places largest number of requests for one namespace that run at the same time
     */
    ZooKeeperNamespaces(
            Supplier<List<String>> names,
            Function<String, ZooKeeperOperations> connect,
            @Nullable Supplier<History> newHistory,
            int places) {
        this.names = names;
        this.connect = connect;
        this.newHistory = newHistory;
        this.places = places;
    }

    @Override
    public List<String> names() {
        return names.get();
    }

    @Override
    public Optional<Operations> operations(String namespace) {
        return names().contains(namespace) ? Optional.of(open(namespace).operations) : Optional.empty();
    }

    /** Returns the shared views of a namespace; empty if the configuration does not name it. */
    Optional<SharedViews> views(String namespace) {
        return names().contains(namespace) ? Optional.of(open(namespace).views) : Optional.empty();
    }

    @Override
    public Optional<Operations> audited(String namespace, Caller caller, String client, @Nullable String job) {
        Optional<Operations> operations = operations(namespace);
        History history = operations.isEmpty() || newHistory == null ? null : historyOrNull(namespace);
        if (history == null) {
            return operations;
        }
        CommandAudit audit = history::audited;
        return operations.map(each -> audit.audited(each, caller, client, namespace, job));
    }

    @Override
    public Queries queries(String namespace) throws SQLException {
        return history(namespace).queries();
    }

    @Override
    public Accounts accounts(String namespace) throws SQLException {
        return history(namespace).accounts(open(namespace).operations);
    }

    private synchronized Open open(String namespace) {
        if (closed) {
            throw new CoordinationException("the console is stopping; nothing was done");
        }
        return open.computeIfAbsent(namespace, name -> {
            ZooKeeperOperations connection = connect.apply(name);
            SharedViews views = new SharedViews(connection.operations(), new SystemClock());
            return new Open(connection, views, Bulkhead.around(name, views, places));
        });
    }

    /** Returns the history; null if its spool does not open, because commands must be possible nevertheless. */
    private @Nullable History historyOrNull(String namespace) {
        try {
            return history(namespace);
        } catch (Problem e) {
            log.error("a command in namespace '{}' is not stored in the audit; check the spool", namespace);
            return null;
        }
    }

    /** @throws Problem if the spool of the history does not open */
    private History history(String namespace) {
        Open opened = open(namespace);
        synchronized (opened) { // a spool that opens slowly delays no other namespace
            open(namespace); // throws if the console has been closed meanwhile
            History history = opened.history == null ? start(namespace) : opened.history;
            opened.history = history;
            return history;
        }
    }

    private History start(String namespace) {
        if (newHistory == null) {
            throw new IllegalStateException("there is no history");
        }
        History history = null;
        try {
            history = newHistory.get();
            history.started(new HistoryContext(namespace));
            return history;
        } catch (RuntimeException e) {
            if (history != null) {
                history.close();
            }
            log.error("namespace '{}': the spool of the history does not open", namespace, e);
            throw new Problem(
                    Problem.Code.UNAVAILABLE,
                    "the spool of the history does not open; check the directory of history.spool, and look into"
                            + " the log of the console");
        }
    }

    /** Ends all connections, and releases the spools. */
    @Override
    public void close() {
        List<Open> ended;
        synchronized (this) {
            closed = true;
            ended = List.copyOf(open.values());
            open.clear();
        }
        ended.parallelStream().forEach(each -> {
            each.connection.close();
            History history;
            synchronized (each) {
                history = each.history;
            }
            if (history != null) {
                history.close();
            }
        });
    }
}
