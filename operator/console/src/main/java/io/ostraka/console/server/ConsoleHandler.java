package io.ostraka.console.server;

import io.ostraka.console.Caller;
import io.ostraka.console.EventRequest;
import io.ostraka.console.EventRoutes;
import io.ostraka.console.Pages;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.live.LiveFeeds;
import io.ostraka.console.live.Reply;
import io.ostraka.console.security.SecuredApi;
import io.ostraka.core.time.SystemClock;
import java.util.Optional;

/** Passes requests for live events to a stream, those for the API to the secured API, and all others to the pages. */
final class ConsoleHandler implements Handler, AutoCloseable {
    /** Number of threads that read live events. A namespace that does not answer occupies one of them. */
    private static final int READERS = 16;

    private final SecuredApi secured;
    private final Pages pages = new Pages();
    private final LiveFeeds feeds;

    ConsoleHandler(SecuredApi secured, ZooKeeperNamespaces namespaces) {
        this.secured = secured;
        this.feeds = new LiveFeeds(namespaces::views, READERS, new SystemClock());
    }

    @Override
    public Reply handle(Request request) {
        if (Pages.serves(request)) {
            secured.checkTransport(request);
            return Reply.of(pages.answer(request));
        }
        Optional<EventRequest> events = events(request);
        if (events.isPresent()) {
            Caller caller = secured.authenticate(request);
            return Reply.of(feeds.subscribe(events.get(), caller, () -> secured.isStillAccepted(request)));
        }
        return Reply.of(secured.handle(request));
    }

    @Override
    public String admitLargeBody(Request head) {
        return secured.admitLargeBody(head);
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

    /** Ends all streams of events. */
    @Override
    public void close() {
        feeds.close();
    }
}
