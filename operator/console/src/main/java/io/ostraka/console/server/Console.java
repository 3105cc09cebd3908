package io.ostraka.console.server;

import com.zaxxer.hikari.HikariDataSource;
import io.ostraka.api.operations.Operations;
import io.ostraka.console.Api;
import io.ostraka.console.Caller;
import io.ostraka.console.PlaygroundRoutes;
import io.ostraka.console.security.JobLabels;
import io.ostraka.console.security.LoginAudit;
import io.ostraka.console.security.SecuredApi;
import io.ostraka.history.History;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A running console. Close it to stop it. Thread-safe. */
public final class Console implements AutoCloseable {
    /** Time limit of the read that shows whether ZooKeeper answers. */
    private static final Duration PROBE = Duration.ofSeconds(5);

    private final ZooKeeperNamespaces namespaces;
    private final @Nullable HikariDataSource database;
    private final Health health;
    private final ConsoleHandler handler;
    private final HttpServer server;

    private Console(
            ZooKeeperNamespaces namespaces,
            @Nullable HikariDataSource database,
            Health health,
            ConsoleHandler handler,
            HttpServer server) {
        this.namespaces = namespaces;
        this.database = database;
        this.health = health;
        this.handler = handler;
        this.server = server;
    }

    /**
     * Starts the console of a playground in this process. ZooKeeper and the database need not be reachable.
     *
     * @param settings properties file with the settings
     * @param environment variables that replace values of the file, such as {@code OSTRAKA_CONSOLE_HISTORY_PASSWORD}
     * @param playground routes of the playground
     * @param printer receives the one-time password for the first login if the settings contain no user, token or proxy
     * @throws IllegalArgumentException if the settings have mistakes; the message names all of them
     * @throws IOException if the console cannot listen at its address; the message says why
     */
    public static Console start(
            Path settings, Map<String, String> environment, PlaygroundRoutes playground, Consumer<String> printer)
            throws IOException {
        ConsoleSettings read;
        try {
            read = ConsoleSettings.read(settings, environment);
        } catch (SettingsException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        return start(read, Limits.DEFAULT, Clock.systemUTC(), printer, playground);
    }

    /**
     * Starts a console. ZooKeeper and the database need not be reachable.
     *
     * @param printer receives the one-time password for the first login if the settings contain no user, token or proxy
     * @throws IOException if the console cannot listen at its address; the message says why
     */
    static Console start(ConsoleSettings settings, Limits limits, Clock clock, Consumer<String> printer)
            throws IOException {
        return start(settings, limits, clock, printer, null);
    }

    private static Console start(
            ConsoleSettings settings,
            Limits limits,
            Clock clock,
            Consumer<String> printer,
            @Nullable PlaygroundRoutes playground)
            throws IOException {
        HistorySettings history = settings.history();
        HikariDataSource database = history == null ? null : history.open();
        Supplier<History> newHistory = history == null || database == null ? null : () -> history.build(database);
        ZooKeeperSettings zooKeeper = settings.zooKeeper();
        Ensemble ensemble = new Ensemble(() -> zooKeeper.builder(PROBE).namespaces(), clock);
        List<String> configured = zooKeeper.namespaces();
        ZooKeeperNamespaces namespaces = new ZooKeeperNamespaces(
                configured.isEmpty() ? ensemble::names : () -> configured,
                name -> zooKeeper.builder(zooKeeper.timeouts().operation()).connect(name),
                newHistory,
                Math.max(1, limits.threads() / 4));
        Api api = newHistory == null
                ? new Api(namespaces, settings.views().maskParameters())
                : new Api(namespaces, settings.views().maskParameters(), namespaces);
        SecuredApi secured = new SecuredApi(
                new ConsoleService(api, settings.views().logs(), playground),
                settings.access(),
                new JobLabels(namespaces, clock),
                clock,
                LoginAudit.log(),
                printer);
        Health health = new Health(ensemble::answers);
        ConsoleHandler handler = new ConsoleHandler(secured, namespaces);
        try {
            HttpServer server =
                    HttpServer.start(settings.listen(), limits, new JettyAdapter(handler, health, limits, clock));
            return new Console(namespaces, database, health, handler, server);
        } catch (IOException | RuntimeException e) {
            handler.close();
            close(namespaces, database);
            throw e;
        }
    }

    /** Returns the address for clients on this machine. */
    public URI uri() {
        return server.uri();
    }

    /**
     * Returns operations that store each command in the audit of the history, as if the caller had sent a request.
     *
     * @throws IllegalArgumentException if the console does not show the namespace
     */
    public Operations operations(String namespace, Caller caller) {
        return namespaces
                .audited(namespace, caller, "in this process", null)
                .orElseThrow(() -> new IllegalArgumentException("this console has no namespace '" + namespace + "'"));
    }

    /** Ends the streams of events, waits for running requests for a limited time, and ends all connections. */
    @Override
    public void close() {
        health.stopping();
        handler.close();
        server.close();
        close(namespaces, database);
    }

    private static void close(ZooKeeperNamespaces namespaces, @Nullable HikariDataSource database) {
        namespaces.close();
        if (database != null) {
            database.close();
        }
    }
}
