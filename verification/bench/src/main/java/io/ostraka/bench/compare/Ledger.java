package io.ostraka.bench.compare;

import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The store to which all items of a cluster write. It keeps all reported events in the order of arrival, and writes
 * them to a file as JSON lines. It refuses a write whose token is smaller than an earlier token of the same item.
 * Thread-safe.
 */
final class Ledger implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    private final Gson gson = new Gson();
    private final BufferedWriter file;
    private final List<Entry> entries = new ArrayList<>();
    private final Map<String, Long> tokens = new HashMap<>();
    private boolean closed;

    Ledger(Path file) throws IOException {
        this.file = Files.newBufferedWriter(file);
        run(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Returns the number of entries. Entries that arrive later have this index or a larger one. */
    synchronized int size() {
        return entries.size();
    }

    /** Returns the entries with the given index and all later indices. */
    synchronized List<Entry> since(int from) {
        return List.copyOf(entries.subList(from, entries.size()));
    }

    /**
     * Waits until the predicate accepts an entry with the given index or a later one. Tests each entry once. Returns
     * false if the predicate accepts none in time.
     */
    synchronized boolean await(int from, Duration limit, Predicate<Entry> wanted) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        for (int next = from; ; next++) {
            while (next == entries.size()) {
                long millis = (deadline - System.nanoTime()) / 1_000_000;
                if (millis <= 0) {
                    return false;
                }
                wait(millis);
            }
            if (wanted.test(entries.get(next))) {
                return true;
            }
        }
    }

    /** Records an event. Returns whether the store accepts it. */
    synchronized boolean enter(Entry told) {
        boolean writes = told.kind() == Entry.Kind.START || told.kind() == Entry.Kind.EFFECT;
        boolean taken = !writes || told.token() >= tokens.merge(told.key(), told.token(), Math::max);
        Entry entry = taken ? told : told.as(Entry.Kind.REFUSED);
        if (!closed) {
            entries.add(entry);
            write(entry);
            notifyAll();
        }
        return taken;
    }

    private void write(Entry entry) {
        try {
            file.write(gson.toJson(entry));
            file.newLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            run(() -> serve(client));
        }
    }

    private void serve(Socket client) throws IOException {
        try (client;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
            client.setTcpNoDelay(true);
            OutputStream out = client.getOutputStream();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.write(enter(gson.fromJson(line, Entry.class)) ? Journal.ACCEPTED : Journal.REFUSED);
            }
        }
    }

    private interface Serving {
        void run() throws IOException;
    }

    private static void run(Serving serving) {
        Thread thread = new Thread(
                () -> {
                    try {
                        serving.run();
                    } catch (IOException e) {
                        // the worker was killed, or the ledger is closed
                    }
                },
                "ledger");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public synchronized void close() {
        closed = true;
        try {
            listening.close();
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
