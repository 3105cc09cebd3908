package io.ostraka.core.model;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A manual trigger that waits or is being processed.
 *
 * @param name name of its node, a sequence number
 * @param zxid transaction that created the trigger
 * @param at time of the creation on the server's clock
 * @param request the request
 */
public record Trigger(String name, long zxid, Instant at, Request request) {
    /**
     * A request for a run.
     *
     * @param job name of the job
     * @param runId identity of the run, chosen by the caller
     * @param parameters parameters of the run
     * @param items requested items; empty for all
     */
    public record Request(String job, String runId, Map<String, String> parameters, Set<String> items) {
        /** Copies the collections, sorted. */
        public Request {
            Names.requireJob(job);
            Names.require("runId", runId);
            Names.require("item", items);
            parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
            items = Collections.unmodifiableSet(new TreeSet<>(items));
        }
    }

    /** Returns the fire of the trigger. */
    public Fire fire() {
        return new Fire(request.runId, at, zxid, request.parameters);
    }

    /** Returns whether the trigger requests an item. */
    public boolean concerns(String item) {
        return request.items.isEmpty() || request.items.contains(item);
    }
}
