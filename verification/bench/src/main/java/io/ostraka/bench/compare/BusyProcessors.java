package io.ostraka.bench.compare;

/** Keeps every processor of this machine busy until it is closed. */
final class BusyProcessors implements AutoCloseable {
    private volatile boolean closed;

    BusyProcessors() {
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            Thread busy = new Thread(this::work, "load-" + i);
            busy.setDaemon(true);
            busy.start();
        }
    }

    private void work() {
        while (!closed) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
