package io.ostraka.core.model;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A manual trigger that waits or is being worked off.
 *
 * @param name of its node, a sequence number
 * @param zxid transaction that created it
 * @param at the server's clock at that moment
 * @param request what was asked for
 */
public record Trigger(String name, long zxid, Instant at, Request request) {
    /**
     * What is asked for.
     *
     * @param job which job
     * @param runId the run's identity, chosen by whoever asks
     * @param parameters for the run
     * @param items which items; empty for all
     */
    public record Request(String job, String runId, Map<String, String> parameters, Set<String> items) {
        /** Copies, in order. */
        public Request {
            Names.requireJob(job);
            Names.require("runId", runId);
            Names.require("item", items);
            parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
            items = Collections.unmodifiableSet(new TreeSet<>(items));
        }
    }

    /** Returns the fire that it stands for. */
    public Fire fire() {
        return new Fire(request.runId, at, zxid, request.parameters);
    }

    /** Tells whether it asks for an item. */
    public boolean concerns(String item) {
        return request.items.isEmpty() || request.items.contains(item);
    }
}
