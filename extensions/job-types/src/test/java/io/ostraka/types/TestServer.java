package io.ostraka.types;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/** A real server on the loopback interface that records its requests. */
final class TestServer implements AutoCloseable {
    final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    /** A received request. */
    record Received(HttpExchange exchange, byte[] body) {
        String header(String name) {
            return String.valueOf(exchange.getRequestHeaders().getFirst(name));
        }
    }

    TestServer(HttpHandler answers) throws IOException {
        this(HttpServer.create(), answers);
    }

    TestServer(HttpServer server, HttpHandler answers) throws IOException {
        this.server = server;
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            received.add(new Received(exchange, body));
            try (exchange) {
                answers.handle(exchange);
            }
        });
        server.start();
    }

    /** Answers with a status and an empty body. */
    static HttpHandler status(int status) {
        return exchange -> exchange.sendResponseHeaders(status, -1);
    }

    int port() {
        return server.getAddress().getPort();
    }

    URI uri(String path) {
        return URI.create("http://localhost:" + port() + path);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
