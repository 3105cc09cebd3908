package io.ostraka.console.server;

import io.ostraka.console.Caller;
import io.ostraka.console.EventRequest;
import io.ostraka.console.EventRoutes;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.live.LiveFeeds;
import io.ostraka.console.live.LiveStream;
import io.ostraka.console.security.SecuredApi;
import io.ostraka.core.time.SystemClock;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Answers requests by the secured API, and requests for live events by a stream. */
final class ConsoleHandler implements Handler, AutoCloseable {
    /** A read of live events waits while ZooKeeper does not answer, so this is the number of independent namespaces. */
    private static final int READERS = 16;

    private static final int WAITING_READS = 10_000;

    private final SecuredApi secured;
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
            Optional<EventRequest> events = events(request);
            if (events.isPresent()) {
                return stream(request, events.get());
            }
        } catch (Problem e) {
            return new Reply.Whole(withHeaders(e.response()));
        } catch (RuntimeException e) { // for example, ZooKeeper does not answer
            return new Reply.Whole(withHeaders(Problem.of(e).response()));
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
        Map<String, String> headers = new HashMap<>(SecuredApi.HEADERS);
        headers.putAll(LiveStream.HEADERS);
        return new Reply.Stream(headers, feeds.subscribe(events, caller, () -> secured.isStillAccepted(request)));
    }

    private static Response withHeaders(Response response) {
        Response more = response;
        for (Map.Entry<String, String> header : SecuredApi.HEADERS.entrySet()) {
            more = more.with(header.getKey(), header.getValue());
        }
        return more;
    }

    /** Ends all streams of events. */
    @Override
    public void close() {
        feeds.close();
        timer.shutdownNow();
        reads.shutdownNow();
    }
}
