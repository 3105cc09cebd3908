package io.ostraka.console.servlet;

import io.ostraka.console.live.Subscription;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a stream of events without blocking a thread. Both the container and the feed report that there may be
 * something to write. One thread at a time does the work, and holds no lock while it calls the container.
 */
final class EventWriter implements WriteListener, AsyncListener {
    private static final Logger log = LoggerFactory.getLogger(EventWriter.class);

    private final AsyncContext async;
    private final Subscription stream;
    private final ServletOutputStream out;
    private final AtomicInteger reports = new AtomicInteger();
    private final AtomicBoolean completed = new AtomicBoolean();
    private volatile boolean writable;

    /** True if headers or bytes were written after the last flush. Only the thread that does the work uses it. */
    private boolean unflushed = true;

    EventWriter(AsyncContext async, Subscription stream) throws IOException {
        this.async = async;
        this.stream = stream;
        this.out = async.getResponse().getOutputStream();
    }

    void start() {
        async.addListener(this);
        stream.onReady(this::work);
        out.setWriteListener(this);
    }

    @Override
    public void onWritePossible() {
        writable = true;
        work();
    }

    private void work() {
        if (!writable || reports.getAndIncrement() != 0) {
            return; // the container reports when it is ready, or another thread does the work
        }
        int seen = 1;
        do {
            write();
            seen = reports.addAndGet(-seen);
        } while (seen != 0);
    }

    private void write() {
        try {
            while (!stream.ended() && out.isReady()) {
                if (unflushed) {
                    unflushed = false;
                    out.flush();
                    continue;
                }
                byte[] bytes = stream.poll();
                if (bytes == null) {
                    break;
                }
                unflushed = true;
                out.write(bytes);
            }
        } catch (IOException | IllegalStateException e) {
            log.debug("the client of a stream of events has gone", e);
            stream.close();
        }
        if (stream.ended()) {
            complete();
        }
    }

    private void complete() {
        if (completed.compareAndSet(false, true)) {
            try {
                async.complete();
            } catch (IllegalStateException e) { // the container has already ended the request
                log.debug("a stream of events has already ended", e);
            }
        }
    }

    @Override
    public void onError(Throwable failure) {
        log.debug("the client of a stream of events has gone", failure);
        end();
    }

    @Override
    public void onError(AsyncEvent event) {
        end();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        end();
    }

    private void end() {
        stream.close();
        complete();
    }

    @Override
    public void onComplete(AsyncEvent event) {
        completed.set(true);
        stream.close();
    }

    @Override
    public void onStartAsync(AsyncEvent event) {}
}
