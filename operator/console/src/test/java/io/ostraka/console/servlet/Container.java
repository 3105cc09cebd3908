package io.ostraka.console.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.EnumSet;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A servlet container with an application that mounts the console below {@code /app/ostraka}. The header {@code X-User}
 * names the user, and {@code X-Role} its role, in place of the application's security.
 */
final class Container implements AutoCloseable {
    /** Largest number of threads of the container. */
    static final int THREADS = 8;

    private final Server server;
    private final ServerConnector connector;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    Container(ConsoleServlet servlet) throws Exception {
        QueuedThreadPool threads = new QueuedThreadPool(THREADS, THREADS);
        server = new Server(threads);
        connector = new ServerConnector(server, 1, 1);
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/app", ServletContextHandler.SESSIONS);
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, "/ostraka/*");
        Filter security =
                (request, response, chain) -> chain.doFilter(new User((HttpServletRequest) request), response);
        FilterHolder filter = new FilterHolder(security);
        filter.setAsyncSupported(true);
        context.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST));
        server.setHandler(context);
        server.start();
    }

    private static final class User extends HttpServletRequestWrapper {
        private final String name;
        private final String role;

        User(HttpServletRequest request) {
            super(request);
            name = request.getHeader("X-User");
            role = request.getHeader("X-Role");
        }

        @Override
        public Principal getUserPrincipal() {
            return name == null ? null : () -> name;
        }

        @Override
        public boolean isUserInRole(String asked) {
            return asked.equals(role);
        }
    }

    int port() {
        return connector.getLocalPort();
    }

    String origin() {
        return "http://127.0.0.1:" + port();
    }

    /** Returns a request of a user. */
    HttpRequest.Builder as(String user, String role, String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(origin() + "/app/ostraka" + path));
        return request.header("X-User", user).header("X-Role", role);
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Sends a request as it is, and returns the connection. */
    Socket raw(String request) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    HttpClient client() {
        return client;
    }

    @Override
    public void close() throws Exception {
        server.stop();
    }
}
