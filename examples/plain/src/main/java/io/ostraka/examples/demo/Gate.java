package io.ostraka.examples.demo;

/**
 * A gate between the last check of a run and its write. It can be closed on command, to stop the run at the moment at
 * which a pause of the process is most dangerous. The gate is initially open. Thread-safe.
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
     * Returns when the gate is open. Ignores interrupts, as much real code does, so that the write happens nevertheless
     * and only the fence can refuse it.
     *
     * @param held called if the run must wait at the gate
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
