package io.ostraka.faults.worker;

import com.google.gson.JsonParseException;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.ostraka.faults.process.Orders;
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
 * What jobs write to, as a process of its own: a {@link FencedLedger} behind a port of the loopback interface. Each line
 * of a connection is an {@link Attempt}, and is answered by a line. Who is gone before its answer hears none, and what it
 * had asked for is done. So it is behind another port, where requests of HTTP tell an attempt in their headers, which is made
 * twice, and some time lies in between.
 */
public final class ResourceProgram {
    /** For how long it works for a request at most. */
    private static final int MOST_MILLIS = 250;

    private final FencedLedger ledger;

    private ResourceProgram(FencedLedger ledger) {
        this.ledger = ledger;
    }

    /** Takes the file of its log; says its ports. */
    public static void main(String[] arguments) throws IOException {
        var program = new ResourceProgram(new FencedLedger(new EventLog(Path.of(arguments[0]))));
        ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        start(() -> program.accept(server), "accepts");
        HttpServer requests = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        requests.createContext("/work", program::answer);
        requests.setExecutor(task -> start(task, "answers"));
        requests.start();
        System.out.println(server.getLocalPort() + " " + requests.getAddress().getPort());
        Orders.follow(order -> {
            throw new IllegalArgumentException("the resource takes no orders, but has: " + order);
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
                throw new IllegalStateException("the resource can't be reached any more", e);
            }
        }
    }

    /** Works for a request's run, whether or not its worker still lives when that is done. */
    private void answer(HttpExchange exchange) throws IOException {
        Headers headers = exchange.getRequestHeaders();
        Attempt attempt = new Attempt(
                headers.getFirst(Outside.WORKER),
                headers.getFirst("Ostraka-Job-Name"),
                headers.getFirst("Ostraka-Sharding-Item"),
                Long.parseLong(headers.getFirst("Ostraka-Fencing-Token")),
                Long.parseLong(headers.getFirst("Ostraka-Generation-Token")),
                null);
        boolean accepted = ledger.take(attempt);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(accepted ? attempt.token() % MOST_MILLIS : 0));
        boolean still = accepted && ledger.take(attempt);
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
                boolean accepted = ledger.take(Json.GSON.fromJson(line, Attempt.class));
                String answer = (accepted ? Attempt.ACCEPTED : Attempt.REFUSED) + "\n";
                out.write(answer.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException | JsonParseException e) {
            // its worker was killed, perhaps in the middle of a line
        }
    }
}
