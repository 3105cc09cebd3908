package io.ostraka.bench.compare;

import io.ostraka.bench.Contender;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Reports the events of one run to the {@link Ledger}. Each answer of the ledger says whether the store accepts the
 * event.
 */
final class Journal implements AutoCloseable {
    static final int REFUSED = 0;
    static final int ACCEPTED = 1;

    private final String worker;
    private final Contender.ItemRun run;
    private final long fire;
    private final Socket ledger;

    Journal(int port, String worker, Contender.ItemRun run, long fire) throws IOException {
        this.worker = worker;
        this.run = run;
        this.fire = fire;
        ledger = new Socket(InetAddress.getLoopbackAddress(), port);
        ledger.setTcpNoDelay(true);
    }

    /** Reports an event, and waits until the ledger has recorded it. Returns whether the store accepted it. */
    boolean tell(Entry.Kind kind) throws IOException {
        String line = String.format(
                Locale.ROOT,
                "{\"worker\":\"%s\",\"kind\":\"%s\",\"job\":\"%s\",\"item\":%d,\"fire\":%d,\"token\":%d,\"nanos\":%d}%n",
                worker,
                kind,
                run.job(),
                run.item(),
                fire,
                run.token(),
                System.nanoTime());
        ledger.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
        int answer = ledger.getInputStream().read();
        if (answer < 0) {
            throw new EOFException("the ledger is closed");
        }
        return answer == ACCEPTED;
    }

    @Override
    public void close() throws IOException {
        ledger.close();
    }
}
