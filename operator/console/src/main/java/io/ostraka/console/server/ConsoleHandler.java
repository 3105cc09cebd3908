package io.ostraka.console.server;

import io.ostraka.console.Caller;
import io.ostraka.console.EventRequest;
import io.ostraka.console.EventRoutes;
import io.ostraka.console.Pages;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.live.LiveFeeds;
import io.ostraka.console.live.LiveStream;
import io.ostraka.console.security.SecuredApi;
import io.ostraka.core.time.SystemClock;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes requests for live events to a stream, those for the API to the secured API, and all others to the pages. */
final class ConsoleHandler implements Handler, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ConsoleHandler.class);

    /**
     * Number of threads that read live events. A read waits while ZooKeeper does not answer, so a namespace that does
     * not answer occupies one thread.
     */
    private static final int READERS = 16;

    private static final int WAITING_READS = 10_000;

    private final SecuredApi secured;
    private final Pages pages = new Pages();
    private final LiveFeeds feeds;
    private final ExecutorService reads;
    private final ScheduledExecutorService timer;

    ConsoleHandler(SecuredApi secured, ZooKeeperNamespaces namespaces) {
        this.secured = secured;
        this.reads = Workers.pool("ostraka-console-live", READERS, WAITING_READS);
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "ostraka-console-timer");
            thread.setDaemon(true);
            return thread;
        });
        this.feeds = new LiveFeeds(namespaces::views, reads, timer, new SystemClock());
    }

    @Override
    public Reply handle(Request request) {
        try {
            if (Pages.serves(request)) {
                secured.checkTransport(request);
                return new Reply.Whole(pages.answer(request));
            }
            Optional<EventRequest> events = events(request);
            if (events.isPresent()) {
                return stream(request, events.get());
            }
        } catch (RuntimeException e) { // a problem, or ZooKeeper does not answer
            Problem problem = Problem.of(e);
            if (problem.code() == Problem.Code.INTERNAL_ERROR) {
                log.error("a request for live events or a page failed", e);
            }
            return new Reply.Whole(problem.response());
        }
        return new Reply.Whole(secured.handle(request));
    }

    /** Returns the request for events. The caller is checked before a mistake in the request is named. */
    private Optional<EventRequest> events(Request request) {
        try {
            return EventRoutes.match(request);
        } catch (Problem e) {
            secured.authenticate(request);
            throw e;
        }
    }

    private Reply stream(Request request, EventRequest events) {
        Caller caller = secured.authenticate(request);
        return new Reply.Stream(
                LiveStream.HEADERS, feeds.subscribe(events, caller, () -> secured.isStillAccepted(request)));
    }

    /** Ends all streams of events. */
    @Override
    public void close() {
        feeds.close();
        timer.shutdownNow();
        reads.shutdownNow();
    }
}
