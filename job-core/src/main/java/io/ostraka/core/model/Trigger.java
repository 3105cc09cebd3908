package io.ostraka.core.model;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A manual request to run a job. The request is waiting or being processed.
 *
 * @param name name of the trigger's node, which ends with a sequence number from ZooKeeper
 * @param zxid transaction that created the trigger
 * @param at time of the creation on the server's clock
 * @param request the request
 */
public record Trigger(String name, long zxid, Instant at, Request request) {
    /** Largest total length of a trigger's parameters, in characters. */
    private static final int MOST_PARAMETERS = 16 << 10;
    /** Largest total length of the item keys in a trigger, in characters. */
    private static final int MOST_ITEM_NAMES = 64 << 10;

    /**
     * The content of a trigger: the job to run, and how.
     *
     * @param job name of the job
     * @param runId identity of the run, chosen by the caller
     * @param parameters parameters of the run
     * @param items requested items; empty for all
     * @param by requester of the run, at most {@link #LONGEST_BY} printable characters; null if unknown
     * @param reason reason for the request, at most {@link #LONGEST_REASON} printable characters; null if unknown
     * @param fireTime fire time that user code receives; null for the time of the trigger's creation
     * @param rerunOf fire that is run again; null if the trigger repeats no fire
     * @param total item count for which the items were chosen. If the plan has a different count, or the job's items
     *     are not numbered, no item runs. 0 if any count is accepted
     * @param notAfter latest creation time on the server's clock. A trigger that is created later runs no item; null
     *     for no limit
     */
    public record Request(
            String job,
            String runId,
            Map<String, String> parameters,
            Set<String> items,
            @Nullable String by,
            @Nullable String reason,
            @Nullable Instant fireTime,
            @Nullable String rerunOf,
            int total,
            @Nullable Instant notAfter) {
        /** Largest length of {@link #by}, in characters. */
        public static final int LONGEST_BY = 128;
        /** Largest length of {@link #reason}, in characters. */
        public static final int LONGEST_REASON = 500;
        /** Latest time that a node may contain. */
        private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

        public Request {
            Names.requireJob(job);
            Names.require("runId", runId);
            Names.require("item", items);
            if (by != null) {
                Names.requirePrintable("by", by, LONGEST_BY);
            }
            if (reason != null) {
                Names.requirePrintable("reason", reason, LONGEST_REASON);
            }
            if (rerunOf != null) {
                Names.requirePrintable("rerunOf", rerunOf, Names.LONGEST);
            }
            Names.requireRange("total", total, 0, JobConfiguration.MAX_ITEMS);
            requireTime("fireTime", fireTime);
            requireTime("notAfter", notAfter);
            Names.requireParameters(job, parameters);
            parameters = Collections.unmodifiableMap(new TreeMap<>(parameters));
            items = Collections.unmodifiableSet(new TreeSet<>(items));
        }

        private static void requireTime(String what, @Nullable Instant time) {
            if (time != null && (time.isBefore(Instant.EPOCH) || time.isAfter(LATEST))) {
                throw new IllegalArgumentException(
                        what + " is " + time + "; accepted: " + Instant.EPOCH + " to " + LATEST);
            }
        }

        /** Creates a request without the optional components. */
        public Request(String job, String runId, Map<String, String> parameters, Set<String> items) {
            this(job, runId, parameters, items, null, null, null, null, 0, null);
        }

        /** Returns the request with this requester and this reason. */
        public Request requestedBy(String actor, @Nullable String why) {
            return new Request(job, runId, parameters, items, actor, why, fireTime, rerunOf, total, notAfter);
        }

        /** Returns the request with this latest creation time; null for no limit. */
        public Request within(@Nullable Instant limit) {
            return new Request(job, runId, parameters, items, by, reason, fireTime, rerunOf, total, limit);
        }

        /** Returns the request with this fire time for user code. */
        public Request at(Instant time) {
            return new Request(job, runId, parameters, items, by, reason, time, rerunOf, total, notAfter);
        }

        /**
         * Returns the request that runs items of a fire again.
         *
         * @param fire run id of that fire
         * @param count item count of that fire; 0 if the job's items are not numbered
         */
        public Request rerunning(String fire, int count) {
            return new Request(job, runId, parameters, items, by, reason, fireTime, fire, count, notAfter);
        }
    }

    /**
     * Checks that the parameters and the requested items fit into a trigger's node.
     *
     * @throws JobConfigurationException if the parameters have more than 16,384 characters in total, or the items more
     *     than 65,536
     */
    public static void requireSize(String job, Map<String, String> parameters, Set<String> items) {
        int length = parameters.entrySet().stream()
                .mapToInt(entry -> entry.getKey().length() + entry.getValue().length())
                .sum();
        if (length > MOST_PARAMETERS) {
            throw new JobConfigurationException(
                    job, "trigger parameters", length + " characters", MOST_PARAMETERS + " characters at most");
        }
        int named = items.stream().mapToInt(String::length).sum();
        if (named > MOST_ITEM_NAMES) {
            throw new JobConfigurationException(
                    job,
                    "trigger items",
                    items.size() + " items of " + named + " characters",
                    MOST_ITEM_NAMES + " characters at most, or no items for all");
        }
    }

    /** Returns the fire that the trigger causes. */
    public Fire fire() {
        return new Fire(request.runId, at, zxid, request.parameters, request.fireTime);
    }

    /**
     * Returns whether the trigger requests this item. A trigger without items requests all items. A trigger that was
     * created after its time limit requests no item; this happens, for example, if a client sends its request again.
     */
    public boolean concerns(String item) {
        return !late() && (request.items.isEmpty() || request.items.contains(item));
    }

    private boolean late() {
        return request.notAfter != null && at.isAfter(request.notAfter);
    }

    /** Returns whether the trigger's items were chosen for an item count that the plan does not have. */
    public boolean chosenForOtherItems(ShardingPlan plan) {
        return request.total != 0 && !(ShardingPlan.numbered(plan.scope()) && plan.total() == request.total);
    }
}
