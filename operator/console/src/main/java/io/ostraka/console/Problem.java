package io.ostraka.console;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.core.model.Names;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A refused request. The response is a problem document according to RFC 9457, with a {@code code} for programs and a
 * {@code detail} for people.
 */
public final class Problem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final Logger log = LoggerFactory.getLogger(Problem.class);

    private static final int LONGEST_LOGGED = 200;
    private static final String MEDIA_TYPE = "application/problem+json";

    /** Kinds of problems, with their HTTP status. */
    public enum Code {
        /** The request is not readable: its path, a parameter, a header or the JSON of its body. */
        BAD_REQUEST(400),
        /** The request names no valid caller. */
        UNAUTHENTICATED(401),
        /** The caller has no role that permits the operation, or the request comes from another site. */
        FORBIDDEN(403),
        /** There is no such route, namespace, job, run, instance or backfill. */
        NOT_FOUND(404),
        /** The route exists, but not for this method. */
        METHOD_NOT_ALLOWED(405),
        /** The client did not send the request in time. */
        TIMEOUT(408),
        /** The state of the namespace does not permit the command. */
        REFUSED(409),
        /** The node no longer has the version in {@code If-Match}; nothing was changed. */
        CONFLICT(412),
        /** The body is larger than accepted. */
        TOO_LARGE(413),
        /** The body is not JSON. */
        UNSUPPORTED_MEDIA_TYPE(415),
        /** The header {@code Host} names a host that is not in the list of accepted hosts. */
        MISDIRECTED(421),
        /** A value is not accepted; {@code field} names it. */
        INVALID(422),
        /** There were too many requests. */
        TOO_MANY_REQUESTS(429),
        /** The request failed because of a defect in this program. */
        INTERNAL_ERROR(500),
        /** ZooKeeper or the database does not answer, or the spool of the history does not open. */
        UNAVAILABLE(503),
        /** ZooKeeper did not answer in time, so the command may or may not have been applied. */
        OUTCOME_UNKNOWN(504);

        private final int status;

        Code(int status) {
            this.status = status;
        }

        /** Returns the HTTP status code. */
        public int status() {
            return status;
        }
    }

    /** Kinds that show an attack, or a person in need of help. */
    private static final Set<Code> REFUSED_ACCESS =
            EnumSet.of(Code.UNAUTHENTICATED, Code.FORBIDDEN, Code.MISDIRECTED, Code.TOO_MANY_REQUESTS);

    private final Code code;
    private final transient Map<String, JsonElement> more = new LinkedHashMap<>();
    private final transient Map<String, String> headers = new LinkedHashMap<>();

    /**
     * Creates a problem.
     *
     * @param detail description of the problem and of the action that solves it; without secrets. Control characters, which a text
     *     from the request may contain, are replaced
     */
    public Problem(Code code, String detail) {
        super(plain(detail));
        this.code = code;
    }

    /**
     * Returns the response to a request that failed. Logs the failure if it is a defect of this program, and one line if
     * the caller was refused access.
     *
     * @param client address of the client
     */
    public static Response response(Throwable failure, String method, String path, String client) {
        Problem problem = of(failure);
        if (problem.code == Code.INTERNAL_ERROR) {
            log.error("request {} {} failed", printable(method), printable(path), failure);
        } else if (REFUSED_ACCESS.contains(problem.code)) {
            log.info(
                    "request {} {} from {} was refused with {}: {}",
                    printable(method),
                    printable(path),
                    printable(client),
                    problem.code.status(),
                    printable(String.valueOf(problem.getMessage())));
        }
        return problem.response();
    }

    /** Returns a text from the network for the log. */
    private static String printable(String text) {
        return Names.printable(text, LONGEST_LOGGED);
    }

    private static Problem of(Throwable e) {
        if (e instanceof Problem problem) {
            return problem;
        } else if (e instanceof JobConfigurationException refused) {
            return new Problem(Code.INVALID, message(refused)).with("field", refused.field());
        } else if (e instanceof CoordinationException failed) {
            return new Problem(
                    switch (failed.kind()) {
                        case NOT_FOUND -> Code.NOT_FOUND;
                        case REFUSED -> Code.REFUSED;
                        case UNAVAILABLE -> Code.UNAVAILABLE;
                    },
                    message(failed));
        } else if (e instanceof IllegalArgumentException) {
            return new Problem(Code.INVALID, message(e));
        }
        return new Problem(Code.INTERNAL_ERROR, "the request failed; the log of the console has the cause");
    }

    private static String message(Throwable e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    /** Adds a member to the document. */
    public Problem with(String name, String value) {
        more.put(name, new JsonPrimitive(plain(value)));
        return this;
    }

    /** Adds a member to the document. */
    public Problem with(String name, long value) {
        more.put(name, new JsonPrimitive(value));
        return this;
    }

    /** Adds a header to the response. */
    public Problem header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** Returns the kind of the problem. */
    public Code code() {
        return code;
    }

    /** Returns the response to the caller. */
    public Response response() {
        String name = code.name().toLowerCase(Locale.ROOT).replace('_', '-');
        JsonObject json = new JsonObject();
        json.addProperty("type", "urn:ostraka:problem:" + name);
        json.addProperty("title", title(name));
        json.addProperty("status", code.status());
        json.addProperty("code", code.name());
        json.addProperty("detail", getMessage());
        more.forEach(json::add);
        Response response = Response.json(code.status(), MEDIA_TYPE, json);
        for (Map.Entry<String, String> header : headers.entrySet()) {
            response = response.with(header.getKey(), header.getValue());
        }
        return response;
    }

    private static String plain(String text) {
        StringBuilder plain = new StringBuilder(text);
        for (int i = 0; i < plain.length(); i++) {
            if (Character.isISOControl(plain.charAt(i))) {
                plain.setCharAt(i, '?');
            }
        }
        return plain.toString();
    }

    private static String title(String name) {
        return Character.toUpperCase(name.charAt(0)) + name.substring(1).replace('-', ' ');
    }
}
