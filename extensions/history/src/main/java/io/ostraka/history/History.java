package io.ostraka.history;

import io.ostraka.api.event.BatchSubscriber;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.LeaderChanged;
import io.ostraka.api.event.SubscriberContext;
import io.ostraka.api.operations.Operations;
import io.ostraka.history.jdbc.Queries;
import io.ostraka.history.row.AuditEntry;
import io.ostraka.history.row.Row;
import io.ostraka.history.spool.SpoolDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a history of the jobs in the application's own database: runs, skipped fires and their reasons, takeovers and
 * commands. Pass the history to the builder of the registry with {@code eventSubscriber}, and close it after the
 * registry:
 *
 * <pre>{@code
 * History history = History.newBuilder(dataSource, Path.of("/var/lib/orders/history")).build();
 * ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(servers, "orders").eventSubscriber(history).connect();
 * }</pre>
 *
 * <p>The events of the instance are first appended to files on disk, the spool. A thread of the history moves them from
 * the spool into the database, in batches. Runs never wait for the disk or the database. If the database is not
 * available, the rows wait in the spool. If the process dies, the next process on the host delivers them. Thread-safe.
 *
 * <p>One history belongs to one registry at a time. Several instances and namespaces may share a database.
 */
public final class History implements BatchSubscriber, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(History.class);

    private static final Duration REPORT_INTERVAL = Duration.ofSeconds(10);

    private final HistoryBuilder settings;
    private final Time time;
    private final Tables tables;
    private final Texts texts;
    private volatile @Nullable Running running;

    private long reportedAt;
    /** Objects that exist while a registry uses the history. The next one may have other jobs and another leader. */
    private record Running(
            SubscriberContext context,
            SpoolDirectory spools,
            EventRows rows,
            Cleaning cleaning,
            Delivery delivery,
            Thread thread,
            Problem problem,
            AtomicLong notStored,
            AtomicReference<@Nullable String> spoolError) {}

    History(HistoryBuilder settings) {
        this.settings = settings;
        this.time = settings.time;
        this.reportedAt = time.nanoTime();
        this.tables = new Tables(settings.database, settings.tablePrefix, settings.schema);
        this.texts = new Texts(settings.redactor);
    }

    /**
     * Returns a builder.
     *
     * @param database data source of the application, whose connections the history takes for one transaction each
     * @param spool directory for the files of the spool. It must be on a local disk, and it should outlive the process:
     *     in a container, a volume. All processes of a host may share it
     */
    public static HistoryBuilder newBuilder(DataSource database, Path spool) {
        return new HistoryBuilder(database, spool);
    }

    /**
     * @throws UncheckedIOException if the spool does not open. The history counts rows as lost until the spool opens;
     *     close it if you do not use it
     */
    @Override
    public synchronized void started(SubscriberContext context) {
        if (running != null) {
            throw new IllegalStateException("this history already belongs to a registry of namespace '"
                    + context.namespace() + "'; close it first, or build another one");
        }
        SpoolDirectory spools = SpoolDirectory.open(settings.spool, context.namespace(), settings.spoolLimit);
        Cleaning cleaning = new Cleaning(settings.retention, time);
        Delivery delivery =
                new Delivery(spools, tables, context.namespace(), settings.spool, cleaning, time, this::report);
        Thread thread = new Thread(delivery, "ostraka-history");
        thread.setDaemon(true);
        running = new Running(
                context,
                spools,
                new EventRows(texts),
                cleaning,
                delivery,
                thread,
                new Problem(settings.spool),
                new AtomicLong(),
                new AtomicReference<>());
        try {
            spools.begin();
        } catch (IOException e) { // each row tries again
            context.problem(
                    "the history keeps nothing, because its spool in " + settings.spool + " does not open: " + e);
            context.historyLost();
            throw new UncheckedIOException(e);
        } finally {
            thread.start();
        }
    }

    @Override
    public boolean receives(Class<? extends Event> kind) {
        return EventRows.KINDS.contains(kind);
    }

    @Override
    public void on(List<Event> events) {
        Running now = running;
        if (now == null) {
            return;
        }
        BatchRows rows = new BatchRows();
        RuntimeException failure = null;
        for (Event event : events) {
            if (event instanceof LeaderChanged leader) {
                now.cleaning.leads(leader.leads());
            }
            try {
                rows.add(now.rows.of(event));
            } catch (RuntimeException e) { // must not lose the rows of the other events
                failure = e;
            }
        }
        if (!append(now, rows.all()) && running != now) { // no report follows
            now.context.historyLost();
        }
        long nanos = time.nanoTime();
        if (nanos - reportedAt > REPORT_INTERVAL.toNanos()) { // the delivery thread may be waiting for the database
            reportedAt = nanos;
            report();
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void dropped(long count) {
        Running now = running;
        if (now != null) {
            now.notStored.addAndGet(count);
            report();
        }
    }

    /**
     * Stores a step of an operator's command. Returns when the row is on disk, even if the database does not answer. If
     * the disk takes no rows, the row is lost, and {@link #statistics} counts it.
     *
     * @param job name of the job that the command names, for the redactor; null if it names none
     * @throws IllegalStateException if no registry uses the history, or if it was closed before the row was stored
     */
    public void audit(@Nullable String job, AuditEntry entry) {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("no registry uses this history");
        }
        if (!append(now, List.of(texts.redacted(job, entry))) && running != now) {
            throw new IllegalStateException("the history was closed before it had stored this step of a command");
        }
    }

    /**
     * Returns operations that store each command in the audit: a step before it is executed, and a step with its
     * outcome. If the disk takes no rows, commands are executed nevertheless. Dry runs are not stored. Values of
     * parameters and of overridden fields are not stored, because they may be secret.
     *
     * <p>These operations can also run items of any run again that the history contains: if ZooKeeper no longer has the
     * run that {@code Command.RerunItems} names, they find it in the history.
     *
     * @param operations operations that execute the commands
     * @param origin source of the commands, such as the name of a tool or an address; may be empty
     * @param role role of the caller; may be empty
     */
    public Operations audited(Operations operations, String origin, String role) {
        return new AuditedOperations(
                operations,
                origin,
                role,
                time.wall(),
                this::audit,
                (job, runId) -> running == null ? Optional.empty() : Repeatable.find(queries(), job, runId));
    }

    /** Returns whether the rows are stored. Counts them as lost if they are not. */
    private boolean append(Running now, List<Row> rows) {
        if (rows.isEmpty()) {
            return true;
        }
        boolean interrupted = Thread.interrupted(); // a write would close the file if the thread were interrupted
        try {
            now.spools.append(rows);
            return true;
        } catch (IOException | RuntimeException e) {
            now.notStored.addAndGet(rows.size());
            String error = reason(e);
            if (!error.equals(now.spoolError.getAndSet(error))) {
                log.error("rows of the history are lost, because the spool does not take them", e);
            }
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the reason of an exception without the path of the file, which may be another one at each attempt. */
    private static String reason(Exception e) {
        String reason = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
        return reason == null ? e.getClass().getSimpleName() : Texts.bounded(reason, Texts.LONGEST);
    }

    /**
     * Returns the queries of the history.
     *
     * @throws IllegalStateException if no registry uses the history
     * @throws SQLException if the database does not answer
     */
    public Queries queries() throws SQLException {
        return new Queries(tables.prepared(), namespace());
    }

    /**
     * Returns the accounts of the jobs' fires.
     *
     * @param operations views of the registry's namespace
     * @throws IllegalStateException if no registry uses the history
     * @throws SQLException if the database does not answer
     */
    public Accounts accounts(Operations operations) throws SQLException {
        return new Accounts(tables.prepared(), namespace(), operations);
    }

    private String namespace() {
        Running now = running;
        if (now == null) {
            throw new IllegalStateException("no registry uses this history");
        }
        return now.context.namespace();
    }

    /** Returns statistics about the history of this process. */
    public HistoryStatistics statistics() {
        Running now = running;
        return now == null
                ? new HistoryStatistics(0, 0, 0, 0, null)
                : new HistoryStatistics(
                        now.delivery.delivered(),
                        now.spools.waiting(),
                        now.notStored.get() + now.spools.lost(),
                        now.delivery.rejected(),
                        now.delivery.delayedSince());
    }

    /** Reports the present problem to the health of the instance. */
    private void report() {
        Running now = running;
        if (now != null) {
            synchronized (now.problem) {
                now.context.problem(
                        now.problem.of(statistics(), now.delivery.failure(), now.spoolError.get(), time.now()));
                if (now.problem.loss()) {
                    now.context.historyLost();
                }
            }
        }
    }

    /**
     * Waits until the database has all rows, at most for the {@linkplain HistoryBuilder#closeTimeout close timeout},
     * and releases the spool. Close the registry first. Closing again does nothing.
     */
    @Override
    public void close() {
        Running ended;
        synchronized (this) {
            ended = running;
            running = null;
        }
        if (ended == null) {
            return;
        }
        ended.delivery.close();
        try {
            ended.thread.join(Math.max(1, settings.closeTimeout.toMillis()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ended.delivery.abandon(ended.thread);
        try {
            ended.spools.close();
        } catch (IOException e) {
            log.warn(
                    "the spool of the history could not be closed; the next process on this host continues with it", e);
        }
    }
}
