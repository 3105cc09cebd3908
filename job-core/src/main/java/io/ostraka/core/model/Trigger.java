package io.ostraka.core.model;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A manual request to run a job, which is waiting or being processed.
 *
 * @param name name of the trigger's node, which ends with a sequence number from ZooKeeper
 * @param zxid transaction that created the trigger
 * @param at time of the creation on the server's clock
 * @param request the request
 */
public record Trigger(String name, long zxid, Instant at, Request request) {
    /**
     * The content of a trigger: the job to run, and how.
     *
     * @param job name of the job
     * @param runId identity of the run, chosen by the caller
     * @param parameters parameters of the run
     * @param items requested items; empty for all
     */
    public record Request(String job, String runId, Map<String, String> parameters, Set<String> items) {
        public Request {
            Names.requireJob(job);
            Names.require("runId", runId);
            Names.require("item", items);
            parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
            items = Collections.unmodifiableSet(new TreeSet<>(items));
        }
    }

    /** Returns the fire that the trigger causes. */
    public Fire fire() {
        return new Fire(request.runId, at, zxid, request.parameters);
    }

    /** Returns whether the trigger requests this item. A trigger without items requests all. */
    public boolean concerns(String item) {
        return request.items.isEmpty() || request.items.contains(item);
    }
}
