package io.ostraka.playground;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.LoggerFactory;

/** The open resources of the playground. Closing the stage closes them, the latest first. Thread-safe. */
final class Stage implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private boolean closed;

    /**
     * Adds a resource.
     *
     * @throws IllegalStateException if the stage is closed; the resource is then closed, too
     */
    synchronized <T extends AutoCloseable> T keep(T resource) {
        open.push(resource);
        if (closed) {
            close();
            throw new IllegalStateException("the playground is ending");
        }
        return resource;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) { // the other resources must be closed even if this fails
                LoggerFactory.getLogger(Stage.class).warn("not all resources of the playground could be closed", e);
            }
        }
    }
}
