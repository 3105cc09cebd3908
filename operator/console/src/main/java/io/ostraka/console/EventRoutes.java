package io.ostraka.console;

import io.ostraka.api.JobConfiguration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The route of the live events: {@code GET /api/v1/namespaces/{namespace}/events?job=a&show=b}. Its answer has no end, so
 * {@link Api} does not serve it. An adapter asks this class first, and opens a stream for a match.
 */
public final class EventRoutes {
    /** Path of the route, as in the OpenAPI document. */
    public static final String PATH = Routes.NAMESPACES + "/{namespace}/events";

    /** Header with which a client asks for the events that it missed. */
    private static final String LAST_EVENT_ID = "last-event-id";

    private static final String JOB = "job";
    private static final String SHOW = "show";

    /** Parameter in place of the header, because the first request of a browser's event source has no such header. */
    static final String LAST = "lastEventId";

    /** Names of the query parameters. */
    static final Set<String> QUERY = Set.of(JOB, SHOW, LAST);

    private static final int SEGMENTS = 5;

    private EventRoutes() {}

    /**
     * Returns the request for events; empty if the request is for another route.
     *
     * @throws Problem if the request has the path of this route and is not accepted
     */
    public static Optional<EventRequest> match(Request request) {
        if (!request.path().startsWith(Routes.NAMESPACES + "/")) {
            return Optional.empty();
        }
        List<String> segments = Path.segments(request.path());
        if (segments.size() != SEGMENTS || !segments.get(SEGMENTS - 1).equals("events")) {
            return Optional.empty();
        }
        if (!request.method().equals("GET")) {
            throw new Problem(Problem.Code.METHOD_NOT_ALLOWED, "the method is not accepted here; accepted: [GET]")
                    .header("Allow", "GET");
        }
        Parameters parameters = new Parameters(Map.of(), Path.parameters(request.query()));
        parameters.accept(QUERY);
        return Optional.of(new EventRequest(
                segments.get(SEGMENTS - 2),
                names(parameters, JOB, EventRequest.MOST_JOBS),
                new HashSet<>(names(parameters, SHOW, EventRequest.MOST_SHOWN)),
                request.header(LAST_EVENT_ID).or(() -> parameters.text(LAST)).orElse(null)));
    }

    private static List<String> names(Parameters parameters, String parameter, int most) {
        List<String> names = parameters.all(parameter).stream().distinct().toList();
        if (names.size() > most) {
            throw Parameters.invalid(parameter, names.size() + " names", most + " names at most");
        }
        for (String name : names) {
            if (!JobConfiguration.NAME.matcher(name).matches()) {
                throw Parameters.invalid(parameter, name, JobConfiguration.NAME.pattern());
            }
        }
        return names;
    }
}
