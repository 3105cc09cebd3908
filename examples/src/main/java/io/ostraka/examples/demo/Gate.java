package io.ostraka.examples.demo;

/**
 * Stops a run between its last check and its write, when commanded. At this moment a pause of the process is dangerous.
 * The gate is initially open. Thread-safe.
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
     * Returns when the gate is open. Ignores interruptions, as much real code does: the fence must refuse the write
     * that follows.
     */
    synchronized void pass(Runnable held) {
        if (closed) {
            held.run();
        }
        while (closed) {
            try {
                wait();
            } catch (InterruptedException e) {
                // intentional, see above
            }
        }
    }
}
