package io.ostraka.examples.demo;

/**
 * Where a run stands still between its last check and its write, on command: the moment at which a pause of the process
 * is dangerous. Open at first. Thread-safe.
 */
final class Gate {
    private boolean closed;

    synchronized void close() {
        closed = true;
    }

    synchronized void open() {
        closed = false;
        notifyAll();
    }

    /**
     * Returns at once while the gate is open, and otherwise when it is opened. Takes no notice of interruptions, as too
     * much code in the world does: what follows is then refused by the fence, not prevented by good manners.
     */
    synchronized void pass(Runnable held) {
        if (closed) {
            held.run();
        }
        while (closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                // on purpose, see above
            }
        }
    }
}
