package io.ostraka.lite;

import io.ostraka.api.AlarmTemplate;
import io.ostraka.api.Secret;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an application allows a process to do, besides running Java code: to start programs, and to send requests to
 * other servers. For modules of this library only. Immutable.
 *
 * @param scriptJobs true if script jobs may start programs
 * @param httpHosts hosts that HTTP jobs may send requests to
 * @param privateHosts hosts that may have addresses that are not public
 * @param webhook server that receives failures; null for none
 * @param alarmWebhook server that receives alarms; null for none
 * @param heartbeats servers that receive heartbeats
 */
public record Powers(
        boolean scriptJobs,
        Set<String> httpHosts,
        Set<String> privateHosts,
        @Nullable Webhook webhook,
        @Nullable AlarmTarget alarmWebhook,
        HeartbeatTargets heartbeats) {
    /** No power: the process runs Java code only. */
    public static final Powers NONE = new Powers(
            false, Set.of(), Set.of(), null, null, new HeartbeatTargets(null, Map.of(), Duration.ofMinutes(1)));

    public Powers {
        httpHosts = Set.copyOf(httpHosts);
        privateHosts = Set.copyOf(privateHosts);
    }

    /** URI that receives the reports of failures, and the secret that signs these reports. */
    public record Webhook(URI target, Secret secret) {}

    /**
     * A server that receives alarms.
     *
     * @param secret signs the requests; null for requests without a signature
     * @param template form of the requests; null for the library's JSON
     */
    public record AlarmTarget(URI target, @Nullable Secret secret, @Nullable AlarmTemplate template) {
        public AlarmTarget {
            Objects.requireNonNull(target, "target");
        }
    }

    /**
     * Servers that receive heartbeats.
     *
     * @param namespace receives a heartbeat after a success of any job; null for none
     * @param jobs receive a heartbeat after a success of one job, by the name of the job
     * @param interval shortest time between two heartbeats to one of them
     */
    public record HeartbeatTargets(@Nullable URI namespace, Map<String, URI> jobs, Duration interval) {
        public HeartbeatTargets {
            jobs = Map.copyOf(jobs);
        }

        /** Returns whether no server receives heartbeats. */
        public boolean isEmpty() {
            return namespace == null && jobs.isEmpty();
        }
    }

    /** Returns a copy that allows script jobs or not. */
    public Powers withScriptJobs(boolean allowed) {
        return new Powers(allowed, httpHosts, privateHosts, webhook, alarmWebhook, heartbeats);
    }

    /** Returns a copy that also allows HTTP jobs to send requests to the given hosts. */
    public Powers withHttpHosts(Collection<String> hosts) {
        return new Powers(scriptJobs, union(httpHosts, hosts), privateHosts, webhook, alarmWebhook, heartbeats);
    }

    /** Returns a copy that also allows the given hosts to have addresses that are not public. */
    public Powers withPrivateHosts(Collection<String> hosts) {
        return new Powers(scriptJobs, httpHosts, union(privateHosts, hosts), webhook, alarmWebhook, heartbeats);
    }

    Powers withWebhook(Webhook to) {
        return new Powers(scriptJobs, httpHosts, privateHosts, to, alarmWebhook, heartbeats);
    }

    Powers withAlarmWebhook(AlarmTarget to) {
        return new Powers(scriptJobs, httpHosts, privateHosts, webhook, to, heartbeats);
    }

    Powers withHeartbeat(URI namespace) {
        return withHeartbeats(new HeartbeatTargets(namespace, heartbeats.jobs, heartbeats.interval));
    }

    Powers withHeartbeat(String job, URI target) {
        Map<String, URI> jobs = new HashMap<>(heartbeats.jobs);
        jobs.put(job, target);
        return withHeartbeats(new HeartbeatTargets(heartbeats.namespace, jobs, heartbeats.interval));
    }

    Powers withHeartbeatInterval(Duration interval) {
        return withHeartbeats(new HeartbeatTargets(heartbeats.namespace, heartbeats.jobs, interval));
    }

    private Powers withHeartbeats(HeartbeatTargets to) {
        return new Powers(scriptJobs, httpHosts, privateHosts, webhook, alarmWebhook, to);
    }

    private static Set<String> union(Set<String> some, Collection<String> others) {
        Set<String> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }

    /** Returns the methods of the registry's builder that have granted powers. */
    List<String> granted() {
        List<String> methods = new ArrayList<>();
        if (scriptJobs) {
            methods.add("allowScriptJobs()");
        }
        if (!httpHosts.isEmpty()) {
            methods.add("allowHttpJobs(…)");
        }
        if (!privateHosts.isEmpty()) {
            methods.add("allowPrivateHosts(…)");
        }
        if (webhook != null) {
            methods.add("webhook(…)");
        }
        if (alarmWebhook != null) {
            methods.add("alarmWebhook(…)");
        }
        if (!heartbeats.isEmpty()) {
            methods.add("heartbeat(…)");
        }
        return methods;
    }
}
