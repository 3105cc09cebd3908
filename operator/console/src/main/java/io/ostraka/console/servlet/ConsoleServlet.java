package io.ostraka.console.servlet;

import io.ostraka.console.LargeBodies;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.live.Reply;
import io.ostraka.console.live.Subscription;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the operations in a servlet container, below the path of its mapping, such as {@code /ostraka/*}. The servlet
 * must support asynchronous requests, because a stream of events has no end. It uses only the API of Servlet 6.0.
 */
public final class ConsoleServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private static final int PERMANENT_REDIRECT = 308;

    private static final Logger log = LoggerFactory.getLogger(ConsoleServlet.class);

    /** Answers requests. */
    @FunctionalInterface
    public interface Handler {
        /**
         * Answers a request.
         *
         * @param sent the request of the container, for its user
         * @throws Problem if the request is refused
         */
        Reply handle(Request request, HttpServletRequest sent);

        /**
         * Checks a request with a large body before the body is read.
         *
         * @param head the request without its body
         * @param sent the request of the container, for its user
         * @return name of the caller
         * @throws Problem if the request is refused, as it is by default
         */
        default String admitLargeBody(Request head, HttpServletRequest sent) {
            throw LargeBodies.tooLarge(LargeBodies.SMALL);
        }
    }

    private final transient Handler handler;
    private final transient LargeBodies bodies = new LargeBodies();

    /** Creates a servlet that serves the routes of a handler. */
    public ConsoleServlet(Handler handler) {
        this.handler = handler;
    }

    @Override
    protected void service(HttpServletRequest from, HttpServletResponse to) throws IOException {
        Response response;
        String large = null; // the caller with a place among the large bodies
        try {
            Request head = head(from);
            byte[] body = small(from);
            if (LargeBodies.isLarge(Math.max(body.length, from.getContentLengthLong()))) {
                String caller = handler.admitLargeBody(head, from);
                if (!bodies.enter(caller)) {
                    throw LargeBodies.full();
                }
                large = caller;
                body = whole(from, body);
            }
            Reply reply = head.path().isEmpty() ? Reply.of(root(from)) : handler.handle(head.with(body), from);
            Subscription events = reply.events();
            if (events != null) {
                start(events, reply.response(), from, to);
                return;
            }
            response = reply.response();
        } catch (RuntimeException | Error e) {
            response = Problem.response(e, from.getMethod(), from.getRequestURI(), from.getRemoteAddr());
        } finally {
            if (large != null) {
                bodies.leave(large);
            }
        }
        begin(to, response);
        to.getOutputStream().write(response.body());
    }

    private static void begin(HttpServletResponse to, Response response) {
        to.setStatus(response.status());
        response.sentHeaders().forEach(to::setHeader);
    }

    /** Adds the slash to the path of the mapping, because relative addresses in a page depend on the slash. */
    private static Response root(HttpServletRequest from) {
        String path = from.getRequestURI();
        String query = from.getQueryString() == null ? "" : "?" + from.getQueryString();
        return Response.empty(PERMANENT_REDIRECT)
                .with("Location", "." + path.substring(path.lastIndexOf('/')) + "/" + query);
    }

    private static void start(Subscription events, Response response, HttpServletRequest from, HttpServletResponse to) {
        AsyncContext async;
        try {
            async = from.startAsync(from, to);
        } catch (IllegalStateException e) { // a filter or the servlet does not support it
            events.close();
            throw e;
        }
        try {
            async.setTimeout(0);
            begin(to, response);
            new EventWriter(async, events).start();
        } catch (IOException | IllegalStateException e) {
            log.debug("a stream of events could not begin", e);
            events.close();
            async.complete();
        }
    }

    /** Returns the request without its body, with its path below the mapping, still as sent; empty for the path of the mapping itself. */
    private static Request head(HttpServletRequest from) {
        Map<String, List<String>> headers = new TreeMap<>();
        for (String name : new TreeSet<>(Collections.list(from.getHeaderNames()))) {
            headers.put(name, Collections.list(from.getHeaders(name)));
        }
        return new Request(
                from.getMethod(),
                path(from),
                from.getQueryString() == null ? "" : from.getQueryString(),
                headers,
                new byte[0],
                from.getRemoteAddr(),
                from.isSecure());
    }

    private static String path(HttpServletRequest from) {
        String mapping = from.getContextPath() + from.getServletPath();
        String path = from.getRequestURI();
        if (!path.startsWith(mapping)) { // the path of the mapping itself is percent-encoded
            throw new Problem(Problem.Code.NOT_FOUND, "there is no such route");
        }
        return path.substring(mapping.length());
    }

    /** Returns the body if it is small; otherwise, its beginning or nothing. */
    private static byte[] small(HttpServletRequest from) throws IOException {
        return from.getContentLengthLong() > LargeBodies.SMALL
                ? new byte[0]
                : from.getInputStream().readNBytes(LargeBodies.SMALL + 1);
    }

    private static byte[] whole(HttpServletRequest from, byte[] beginning) throws IOException {
        byte[] rest = from.getInputStream().readNBytes(Request.LARGEST_BODY + 1 - beginning.length);
        byte[] body = Arrays.copyOf(beginning, beginning.length + rest.length);
        System.arraycopy(rest, 0, body, beginning.length, rest.length);
        LargeBodies.isLarge(body.length); // throws if the client has sent more than accepted
        return body;
    }
}
