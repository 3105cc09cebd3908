package io.ostraka.console.servlet;

import io.ostraka.console.Api;
import io.ostraka.console.Caller;
import io.ostraka.console.EventRequest;
import io.ostraka.console.EventRoutes;
import io.ostraka.console.Pages;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.live.LiveStream;
import io.ostraka.console.live.Reply;
import io.ostraka.console.security.CrossSiteCheck;
import io.ostraka.console.security.Hosts;
import io.ostraka.core.time.Clock;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The API and the pages behind the security of an application: the application authenticates the callers, and this
 * class checks that no page of another site sends a write. The pages themselves need no caller. Thread-safe.
 */
public final class ApplicationConsole implements ConsoleServlet.Handler {
    /**
     * Longest duration of a stream. The client then connects again, so that the application checks the caller again. It
     * also limits a stream whose caller has a session, because some session stores, such as Spring Session, do not tell
     * a session that has ended from one that lasts.
     */
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private final Api api;
    private final LiveStream live;
    private final CallerResolver callers;
    private final @Nullable Hosts hosts;
    private final Clock clock;
    private final Pages pages = new Pages();

    /**
     * Creates the console.
     *
     * @param callers finds the callers; a request without a caller is refused
     * @param hosts accepted hosts; null to accept every host
     * @param clock supplies the time at which a stream has reached its maximum length
     */
    public ApplicationConsole(Api api, LiveStream live, CallerResolver callers, @Nullable Hosts hosts, Clock clock) {
        this.api = api;
        this.live = live;
        this.callers = callers;
        this.hosts = hosts;
        this.clock = clock;
    }

    @Override
    public Reply handle(Request request, HttpServletRequest sent) {
        checkHost(request);
        if (Pages.serves(request)) {
            return Reply.of(pages.answer(request));
        }
        Caller caller = caller(sent);
        Optional<EventRequest> events = EventRoutes.match(request);
        if (events.isPresent()) {
            return Reply.of(live.subscribe(events.get(), caller, validity(sent)));
        }
        CrossSiteCheck.check(request);
        return Reply.of(api.handle(request, caller));
    }

    @Override
    public String admitLargeBody(Request head, HttpServletRequest sent) {
        checkHost(head);
        Caller caller = caller(sent);
        CrossSiteCheck.check(head);
        return caller.name();
    }

    private void checkHost(Request request) {
        if (hosts != null) {
            hosts.check(request);
        }
    }

    private Caller caller(HttpServletRequest sent) {
        Caller caller = callers.resolve(sent);
        if (caller == null) {
            throw new Problem(
                    Problem.Code.UNAUTHENTICATED,
                    "the application has not authenticated this request; log in to the application first");
        }
        return caller;
    }

    /**
     * Returns a check of whether a stream may continue: for a limited time, and not after the caller's session has ended.
     */
    private BooleanSupplier validity(HttpServletRequest sent) {
        HttpSession session = sent.getSession(false);
        long began = clock.monotonicNanos();
        return () -> clock.monotonicNanos() - began < LONGEST.toNanos() && (session == null || isValid(session));
    }

    private static boolean isValid(HttpSession session) {
        try {
            session.getCreationTime();
            return true;
        } catch (IllegalStateException e) { // it was invalidated
            return false;
        }
    }
}
