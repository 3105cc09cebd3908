package io.ostraka.spring;

import io.ostraka.api.Health;
import io.ostraka.api.JobHealth;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Health of the instance for Spring Boot's health endpoint. It is up if and only if {@link Health#ready()} is true, so
 * it can be part of the readiness group. An outage of ZooKeeper or a failing job does not make it down; its detail
 * {@code needsAttention} shows whether an operator must act. Immutable.
 *
 * @param up whether the instance is ready
 * @param details details for people, by name
 */
public record InstanceHealth(boolean up, Map<String, Object> details) {
    /**
     * Returns the health of a registry.
     *
     * @param lifecycle lifecycle that has opened the registry
     */
    public static InstanceHealth of(OstrakaLifecycle lifecycle) {
        return lifecycle
                .registry()
                .map(registry -> of(registry.health(), lifecycle.platformDetails()))
                .orElse(new InstanceHealth(!lifecycle.isEnabled(), Map.of("state", "no instance")));
    }

    private static InstanceHealth of(Health health, Map<String, Object> platform) {
        Map<String, Object> details = new LinkedHashMap<>();
        put(details, "instance", health.instanceId());
        details.put("state", health.state().toString());
        details.put("connected", health.connected());
        details.put("live", health.live());
        details.put("good", health.good());
        details.put("needsAttention", health.needsAttention());
        put(details, "problem", health.problem());
        Map<String, Object> jobs = new TreeMap<>();
        health.jobs().forEach((name, job) -> {
            if (job.status() != JobHealth.Status.RUNNING) {
                jobs.put(name, job.reasons().stream().map(Object::toString).toList());
            }
        });
        put(details, "jobs", jobs.isEmpty() ? null : jobs);
        put(details, "remote", platform.isEmpty() ? null : platform);
        return new InstanceHealth(health.ready(), details);
    }

    private static void put(Map<String, Object> details, String name, @Nullable Object value) {
        if (value != null) {
            details.put(name, value);
        }
    }
}
