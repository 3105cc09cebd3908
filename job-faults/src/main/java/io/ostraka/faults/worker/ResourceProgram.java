package io.ostraka.faults.worker;

import com.google.gson.JsonParseException;
import io.ostraka.faults.process.Orders;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * What jobs write to, as a process of its own: a {@link FencedLedger} behind a port of the loopback interface. Each line
 * of a connection is an {@link Attempt}, and is answered by a line. Who is gone before its answer hears none, and what it
 * had asked for is done.
 */
public final class ResourceProgram {
    private final FencedLedger ledger;

    private ResourceProgram(FencedLedger ledger) {
        this.ledger = ledger;
    }

    /** Takes the file of its log; says its port. */
    public static void main(String[] arguments) throws IOException {
        var program = new ResourceProgram(new FencedLedger(new EventLog(Path.of(arguments[0]))));
        ServerSocket server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        start(() -> program.accept(server), "accepts");
        System.out.println(server.getLocalPort());
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
