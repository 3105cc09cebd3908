package io.ostraka.spring;

import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/** Adds this instance and its jobs to the actuator's {@code info} endpoint. */
final class OstrakaInfo implements InfoContributor {
    private final OstrakaLifecycle lifecycle;

    OstrakaInfo(OstrakaLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    @Override
    public void contribute(Info.Builder builder) {
        lifecycle.registry().ifPresent(registry -> {
            Map<String, String> jobs = new TreeMap<>();
            lifecycle
                    .configurations()
                    .forEach((name, each) ->
                            jobs.put(name, String.valueOf(each.configuration().schedule())));
            builder.withDetail(
                    "ostraka",
                    Map.of(
                            "instance",
                            registry.instanceId().orElse(registry.instanceName() + ", not connected yet"),
                            "jobs",
                            jobs));
        });
    }
}
