package io.ostraka.console.server;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The console's HTTP server, with HTTP/1.1 only. Close it to stop it. */
final class HttpServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HttpServer.class);

    /** Jetty's threads only move bytes, so a few are enough. */
    private static final int JETTY_THREADS = 8;

    private final Server server;
    private final ServerConnector connector;
    private final boolean secure;

    private HttpServer(Server server, ServerConnector connector, boolean secure) {
        this.server = server;
        this.connector = connector;
        this.secure = secure;
    }

    /**
     * Starts the server.
     *
     * @param adapter answers the requests
     * @throws IOException if it cannot listen at the address, or cannot use the key store; the message says why
     */
    static HttpServer start(Listen listen, Limits limits, JettyAdapter adapter) throws IOException {
        QueuedThreadPool threads = new QueuedThreadPool(JETTY_THREADS, 1);
        threads.setName("ostraka-http");
        threads.setDaemon(true);
        Server server = new Server(threads);
        HttpConnectionFactory http = new HttpConnectionFactory(configuration(listen.tls() != null));
        SslContextFactory.Server tls = tls(listen.tls());
        ServerConnector connector = tls == null
                ? new ServerConnector(server, 1, 1, http)
                : new ServerConnector(server, 1, 1, new SslConnectionFactory(tls, http.getProtocol()), http);
        open(connector, listen.port(), listen, limits);
        connector.addBean(adapter.watch(connector, listen.proxied()));
        if (listen.healthPort() != null) {
            ServerConnector probes = new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration(false)));
            probes.setName(JettyAdapter.PROBES);
            open(probes, listen.healthPort(), listen, limits);
        }
        server.setErrorHandler(new ProblemPages());
        server.setHandler(new GracefulHandler(adapter));
        server.setStopTimeout(Limits.STOP.toMillis());
        HttpServer started = new HttpServer(server, connector, tls != null);
        try {
            server.start();
        } catch (Exception e) { // the exception type that Jetty declares
            started.close();
            throw new IOException(
                    "the console cannot listen at " + listen.address() + ":" + listen.port() + ": " + reason(e), e);
        }
        return started;
    }

    /** Adds a connector, with a limit of connections of its own. */
    private static void open(ServerConnector connector, int port, Listen listen, Limits limits) {
        connector.setHost(listen.address());
        connector.setPort(port);
        connector.setIdleTimeout(limits.idle().toMillis());
        connector.setShutdownIdleTimeout(Duration.ofSeconds(1).toMillis());
        connector.getServer().addConnector(connector);
        connector.getServer().addBean(new NetworkConnectionLimit(limits.connections(), connector));
    }

    private static HttpConfiguration configuration(boolean secure) {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setSendXPoweredBy(false);
        configuration.setRequestHeaderSize(Limits.HEADERS);
        configuration.setResponseHeaderSize(Limits.HEADERS);
        configuration.setHttpCompliance(HttpCompliance.RFC9110);
        configuration.setUriCompliance(UriCompliance.UNSAFE); // the API checks the path as the client sent it
        if (secure) {
            configuration.addCustomizer(new SecureRequestCustomizer(false)); // the API checks the host
        }
        return configuration;
    }

    private static SslContextFactory.@Nullable Server tls(Listen.@Nullable KeyStore store) throws IOException {
        if (store == null) {
            return null;
        }
        SslContextFactory.Server factory = new SslContextFactory.Server();
        factory.setKeyStorePath(store.file().toUri().toString());
        factory.setKeyStorePassword(new String(store.password().read()));
        factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
        factory.setRenegotiationAllowed(false);
        return factory;
    }

    private static String reason(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /** Returns the port of the probes, which the server has chosen if the settings leave it open. */
    int healthPort() {
        return ((ServerConnector) server.getConnectors()[server.getConnectors().length - 1]).getLocalPort();
    }

    /** Returns the address for clients, with the port that the server has. */
    URI uri() {
        String host = connector.getHost();
        String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return URI.create((secure ? "https://" : "http://") + shown + ":" + connector.getLocalPort());
    }

    /** Stops the server. Running requests end within {@link Limits#STOP}; new ones are refused. */
    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) { // the exception type that Jetty declares
            log.warn("requests were still running when the console stopped", e);
        } finally {
            server.destroy();
        }
    }
}
