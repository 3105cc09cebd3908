package io.ostraka.console.server;

import com.google.gson.JsonObject;
import io.ostraka.console.Problem;
import io.ostraka.console.Request;
import io.ostraka.console.Response;
import java.util.function.BooleanSupplier;

/**
 * Answers probes of the health. They need no credential and no known host name, because a probe has neither: it uses
 * the address of a container or of a machine. The answers are therefore fixed texts without names or addresses.
 */
final class Health {
    /** Path of the probe that shows that the process works. */
    static final String LIVE = "/health/live";
    /** Path of the probe that shows that the process can answer requests. */
    static final String READY = "/health/ready";

    private final BooleanSupplier reachable;
    private volatile boolean stopping;

    /** @param reachable returns whether ZooKeeper answers; may wait */
    Health(BooleanSupplier reachable) {
        this.reachable = reachable;
    }

    /** Marks the console as not ready, because it is stopping. */
    void stopping() {
        stopping = true;
    }

    /**
     * Answers a probe. Waits for ZooKeeper only if the path is {@link #READY}.
     *
     * @param workers threads that answer all other requests
     */
    Response handle(Request request, Workers workers) {
        if (request.isHead()) {
            return handle(request.asGet(), workers).withoutBody();
        }
        if (!request.method().equals("GET")) {
            return new Problem(Problem.Code.METHOD_NOT_ALLOWED, "the method is not accepted here; accepted: GET")
                    .header("Allow", "GET")
                    .response();
        }
        if (request.path().equals(LIVE)) {
            return up("LIVE");
        }
        if (stopping) {
            return unavailable("the console is stopping");
        }
        if (workers.areStuck()) {
            return unavailable("the console has answered no request for " + Workers.STUCK.toSeconds()
                    + " s; restart it, after a thread dump for a report of the defect");
        }
        return reachable.getAsBoolean()
                ? up("READY")
                : unavailable(
                        "ZooKeeper does not answer, or refuses the console; the log of the console has the cause");
    }

    private static Response up(String status) {
        JsonObject json = new JsonObject();
        json.addProperty("status", status);
        return Response.json(200, json);
    }

    private static Response unavailable(String why) {
        return new Problem(Problem.Code.UNAVAILABLE, why).response();
    }
}
