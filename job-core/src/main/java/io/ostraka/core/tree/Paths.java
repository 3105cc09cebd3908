package io.ostraka.core.tree;

import io.ostraka.api.JobConfiguration;
import io.ostraka.core.model.DelayedTrigger;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.Names;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Paths of all nodes in a namespace. */
final class Paths {
    static final String INSTANCES = "/instances";
    static final String LEADER = "/leader";
    static final String LATCH = LEADER + "/latch";
    static final String EPOCH = LEADER + "/epoch";
    static final String TRIGGERS = "/triggers";
    static final String DELAYED = "/delayed";
    static final String DELAYED_RUNS = "/delayed-runs";
    static final String STOPS = "/stops";
    static final String BACKFILLS = "/backfills";
    /** Parent of the alarm nodes. The parent does not exist before the first alarm. */
    static final String ALARMS = "/alarms";
    /** Node of the operators' orders for the namespace. The node does not exist before the first order. */
    static final String ORDERS = "/orders";

    static final String HEALTH = "/health";
    static final String JOBS = "/jobs";

    /** Nodes that exist in every namespace, in the order of their creation. */
    static final List<String> PARENTS =
            List.of(INSTANCES, LEADER, LATCH, TRIGGERS, DELAYED, DELAYED_RUNS, STOPS, BACKFILLS, HEALTH, JOBS, EPOCH);

    private static final String EVICTION = "evict~";
    /** Node of the alarms of the namespace. No job has this name. */
    private static final String NAMESPACE_ALARMS = ALARMS + "/~namespace";

    private static final Pattern LASTING = Pattern.compile(JOBS + "/[^/]+/(failover|fires)");

    private Paths() {}

    static String instance(String id) {
        return INSTANCES + "/" + id;
    }

    static String health(String instance) {
        return HEALTH + "/" + instance;
    }

    static String trigger(String name) {
        return TRIGGERS + "/" + name;
    }

    static String delayed(DelayedTrigger delayed) {
        return DELAYED + "/" + delayed.name();
    }

    static String stop(FireStop stop) {
        return STOPS + "/" + stop.name();
    }

    static String backfill(String job) {
        return BACKFILLS + "/" + Names.requireJob(job);
    }

    /** @param job name of the job; null for the alarms of the namespace */
    static String alarms(@Nullable String job) {
        return job == null ? NAMESPACE_ALARMS : ALARMS + "/" + Names.requireJob(job);
    }

    /** Returns whether a node may contain alarms. */
    static boolean isAlarms(String path) {
        return path.equals(NAMESPACE_ALARMS)
                || JobConfiguration.NAME.matcher(name(path)).matches();
    }

    /** Returns the job to whose alarms the node belongs; null for the alarms of the namespace. */
    static @Nullable String jobOfAlarms(String path) {
        return path.equals(NAMESPACE_ALARMS) ? null : name(path);
    }

    /** Returns the run node of a delayed trigger. The run node exists as long as the trigger waits. */
    static String delayedRun(DelayedTrigger delayed) {
        return delayedRun(delayed.request().job(), delayed.request().runId());
    }

    static String delayedRun(String job, String runId) {
        return DELAYED_RUNS + "/" + DelayedTrigger.prefix(job) + runId;
    }

    static String eviction(String instance) {
        return STOPS + "/" + EVICTION + Names.require("id", instance);
    }

    /** Returns the instance that a child of {@link #STOPS} evicts; empty if the child is not an eviction. */
    static Optional<String> evicted(String name) {
        return name.startsWith(EVICTION) ? Optional.of(name.substring(EVICTION.length())) : Optional.empty();
    }

    static String job(String job) {
        return JOBS + "/" + Names.requireJob(job);
    }

    static String config(String job) {
        return job(job) + "/config";
    }

    static String override(String job) {
        return job(job) + "/override";
    }

    static String plan(String job) {
        return job(job) + "/sharding";
    }

    static String record(String job, String item) {
        return plan(job) + "/" + item;
    }

    static String running(String job, String item) {
        return record(job, item) + "/running";
    }

    static String checkpoint(String job, String item) {
        return record(job, item) + "/checkpoint";
    }

    static String progress(String job, String item) {
        return record(job, item) + "/progress";
    }

    static String handovers(String job) {
        return job(job) + "/failover";
    }

    static String handover(String job, String item) {
        return handovers(job) + "/" + item;
    }

    static String fires(String job) {
        return job(job) + "/fires";
    }

    static String fire(String job, String fire) {
        return fires(job) + "/" + fire;
    }

    /** Returns whether a node must always exist, or must exist as long as its job does. */
    static boolean lasting(String path) {
        return PARENTS.contains(path)
                || path.equals(ALARMS)
                || (path.startsWith(JOBS + "/") && LASTING.matcher(path).matches());
    }

    static String parent(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }

    static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
