package io.ostraka.faults.worker;

import com.google.gson.JsonParseException;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.ostraka.fixtures.process.ParentCommands;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The program of the resource: a {@link FencedLedger} behind a port of the loopback interface. Each line that a client
 * sends is a {@link WriteRequest}, and each answer is one line. If a client disconnects before it receives the answer,
 * its write still takes effect. A second port accepts HTTP requests, whose headers contain the write. Each HTTP request
 * causes two writes, with some time in between.
 */
public final class ResourceProgram {
    /** Longest time between the two writes of an HTTP request. */
    private static final int MOST_MILLIS = 250;

    private final FencedLedger ledger;

    private ResourceProgram(FencedLedger ledger) {
        this.ledger = ledger;
    }

    /** Runs the resource. The only argument is the path of its log. The program prints its two ports. */
    public static void main(String[] arguments) throws IOException {
        var program = new ResourceProgram(new FencedLedger(new EventLog(Path.of(arguments[0]))));
        ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        start(() -> program.accept(server), "accepts");
        HttpServer requests = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        requests.createContext("/work", program::answer);
        requests.setExecutor(task -> start(task, "answers"));
        requests.start();
        System.out.println(server.getLocalPort() + " " + requests.getAddress().getPort());
        ParentCommands.follow(order -> {
            throw new IllegalArgumentException("the resource accepts no commands, but received: " + order);
        });
    }

    private static void start(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept(ServerSocket server) {
        while (true) {
            try {
                Socket client = server.accept();
                start(() -> serve(client), "serves " + client.getPort());
            } catch (IOException e) {
                throw new IllegalStateException("the resource can no longer accept connections", e);
            }
        }
    }

    /** Answers an HTTP request. Writes twice for the run that sent it, even if the run's worker dies meanwhile. */
    private void answer(HttpExchange exchange) throws IOException {
        Headers headers = exchange.getRequestHeaders();
        WriteRequest request = new WriteRequest(
                headers.getFirst(ExternalJobs.WORKER),
                headers.getFirst("Ostraka-Job-Name"),
                headers.getFirst("Ostraka-Sharding-Item"),
                Long.parseLong(headers.getFirst("Ostraka-Fencing-Token")),
                Long.parseLong(headers.getFirst("Ostraka-Generation-Token")),
                null);
        boolean accepted = ledger.take(request);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(accepted ? request.token() % MOST_MILLIS : 0));
        boolean still = accepted && ledger.take(request);
        exchange.sendResponseHeaders(still ? HttpURLConnection.HTTP_NO_CONTENT : HttpURLConnection.HTTP_CONFLICT, -1);
        exchange.close();
    }

    private void serve(Socket client) {
        try (client;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
            client.setTcpNoDelay(true);
            OutputStream out = client.getOutputStream();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                boolean accepted = ledger.take(Json.GSON.fromJson(line, WriteRequest.class));
                String answer = (accepted ? WriteRequest.ACCEPTED : WriteRequest.REFUSED) + "\n";
                out.write(answer.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException | JsonParseException e) {
            // the worker was killed, possibly in the middle of a line
        }
    }
}
