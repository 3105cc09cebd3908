package io.ostraka.console.servlet;

import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import io.ostraka.console.live.LiveStream;
import io.ostraka.console.live.Subscription;
import io.ostraka.console.security.SecuredApi;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    /** Answers requests. A {@link Problem} that it throws becomes the response. */
    @FunctionalInterface
    public interface Handler {
        /**
         * Answers a request.
         *
         * @param sent the request of the container, for its user
         */
        Response handle(Request request, HttpServletRequest sent);
    }

    /** Opens streams of events. */
    @FunctionalInterface
    public interface Events {
        /**
         * Opens a stream of events.
         *
         * @param sent the request of the container, for its user
         * @return empty if the request is not for events
         * @throws Problem if the request is for events and is refused
         */
        Optional<Subscription> open(Request request, HttpServletRequest sent);
    }

    private final transient Handler handler;
    private final transient Events events;

    /** Creates a servlet that serves the routes of a handler and streams of events. */
    public ConsoleServlet(Handler handler, Events events) {
        this.handler = handler;
        this.events = events;
    }

    @Override
    protected void service(HttpServletRequest from, HttpServletResponse to) throws IOException {
        Response response;
        try {
            Request request = request(from);
            if (request.path().isEmpty()) {
                redirectToRoot(from, to);
                return;
            }
            Optional<Subscription> stream = events.open(request, from);
            if (stream.isPresent()) {
                start(stream.get(), from, to);
                return;
            }
            response = handler.handle(request, from);
        } catch (RuntimeException e) {
            Problem problem = Problem.of(e);
            if (problem.code() == Problem.Code.INTERNAL_ERROR) {
                log.error("a request of the console failed", e);
            }
            response = problem.response();
        }
        to.setStatus(response.status());
        SecuredApi.HEADERS.forEach(to::setHeader);
        response.headers().forEach(to::setHeader);
        if (response.body().length > 0) { // the response to HEAD has the length of the body that it leaves out
            to.setContentLength(response.body().length);
        }
        to.getOutputStream().write(response.body());
    }

    /** Adds the slash to the path of the mapping, because relative addresses in a page depend on the slash. */
    private static void redirectToRoot(HttpServletRequest from, HttpServletResponse to) {
        String path = from.getRequestURI();
        String query = from.getQueryString() == null ? "" : "?" + from.getQueryString();
        to.setStatus(PERMANENT_REDIRECT);
        to.setHeader("Location", "." + path.substring(path.lastIndexOf('/')) + "/" + query);
    }

    private static void start(Subscription stream, HttpServletRequest from, HttpServletResponse to) {
        AsyncContext async;
        try {
            async = from.startAsync(from, to);
        } catch (IllegalStateException e) { // a filter or the servlet does not support it
            stream.close();
            throw e;
        }
        try {
            async.setTimeout(0);
            to.setStatus(HttpServletResponse.SC_OK);
            SecuredApi.HEADERS.forEach(to::setHeader);
            LiveStream.HEADERS.forEach(to::setHeader);
            new EventWriter(async, stream).start();
        } catch (IOException | IllegalStateException e) {
            log.debug("a stream of events could not begin", e);
            stream.close();
            async.complete();
        }
    }

    /** Returns the request with its path below the mapping, still as sent; empty for the path of the mapping itself. */
    private static Request request(HttpServletRequest from) throws IOException {
        Map<String, List<String>> headers = new TreeMap<>();
        for (String name : new TreeSet<>(Collections.list(from.getHeaderNames()))) {
            headers.put(name, Collections.list(from.getHeaders(name)));
        }
        return new Request(
                from.getMethod(),
                path(from),
                from.getQueryString() == null ? "" : from.getQueryString(),
                headers,
                body(from),
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

    private static byte[] body(HttpServletRequest from) throws IOException {
        long declared = from.getContentLengthLong();
        byte[] body = declared > Request.LARGEST_BODY
                ? new byte[0]
                : from.getInputStream().readNBytes(Request.LARGEST_BODY + 1);
        if (declared > Request.LARGEST_BODY || body.length > Request.LARGEST_BODY) {
            throw new Problem(
                    Problem.Code.TOO_LARGE,
                    "the body is too large; accepted: at most " + Request.LARGEST_BODY + " bytes");
        }
        return body;
    }
}
