package io.ostraka.core.instance;

import io.ostraka.core.coordination.Jobs;
import io.ostraka.core.job.HostedJob;
import io.ostraka.core.model.Definition;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The definitions of the jobs that an instance hosts: brought to ZooKeeper, for as long as it takes, and put back if they
 * were damaged there. Confined to the instance's lane.
 */
final class DefinitionRegistrar {
    private static final Logger log = LoggerFactory.getLogger(DefinitionRegistrar.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Jobs store;
    private final InstanceExecutor executor;
    private final InstanceRegistration registration;
    private final Map<String, HostedJob> jobs;
    private final Consumer<String> defined;
    /** Definitions that ZooKeeper doesn't have yet. */
    private final Map<String, Definition> undefined = new HashMap<>();
    /** Jobs whose definitions are being put back. */
    private final Set<String> repairing = new HashSet<>();

    /**
     * @param jobs what the instance hosts; a view
     * @param defined told of each job whose definition is there, or is not brought any more
     */
    DefinitionRegistrar(
            Jobs store,
            InstanceExecutor executor,
            InstanceRegistration registration,
            Map<String, HostedJob> jobs,
            Consumer<String> defined) {
        this.store = store;
        this.executor = executor;
        this.registration = registration;
        this.jobs = jobs;
        this.defined = defined;
    }

    /** A job is hosted from now on. */
    void add(Definition definition) {
        undefined.put(definition.jobName(), definition);
        define(definition.jobName());
    }

    /** A job is hosted no longer. */
    void remove(String job) {
        undefined.remove(job);
        defined.accept(job);
    }

    /** Whether a job's definition is on its way. */
    boolean lacks(String job) {
        return undefined.containsKey(job);
    }

    /** The instance is registered on a connection. */
    void connected() {
        List.copyOf(undefined.keySet()).forEach(this::define);
    }

    private void define(String job) {
        Definition definition = undefined.get(job);
        if (definition == null || !registration.established()) {
            return;
        }
        Stages.of(() -> store.define(definition, instance()))
                .whenComplete((replaced, error) -> executor.execute(() -> {
                    HostedJob hosted = jobs.get(job);
                    if (hosted == null || registration.closing() || !definition.equals(undefined.get(job))) {
                        return; // another attempt, made meanwhile, has brought it, or another definition is to come
                    }
                    if (error != null) {
                        hosted.registered("not registered yet, and tried again: " + error.getMessage());
                        executor.after(PAUSE, () -> define(job));
                        return;
                    }
                    undefined.remove(job, definition);
                    defined.accept(job);
                    hosted.registered(null);
                    replaced.ifPresent(
                            other -> log.warn("job '{}': definition {} replaces {}", job, definition, other));
                    registration.announceAtOnce(); // the leader looks at the job
                    hosted.planChanged();
                }));
    }

    /** The definition in ZooKeeper can't be read: this is what was read last. */
    void restore(Definition definition) {
        String job = definition.jobName();
        HostedJob hosted = beginRepair(job);
        if (hosted != null) {
            Stages.of(() -> store.restore(definition, instance()))
                    .whenComplete((done, error) -> executor.after(PAUSE, () -> {
                        repairing.remove(job);
                        hosted.planChanged();
                    }));
        }
    }

    /** Another definition of the same revision is in force: this process's own takes its place once that one's process is gone. */
    void reclaim(Definition definition) {
        String job = definition.jobName();
        HostedJob hosted = beginRepair(job);
        if (hosted != null) {
            Stages.of(() -> store.reclaim(definition, instance()))
                    .whenComplete((done, error) -> executor.execute(() -> {
                        repairing.remove(job);
                        if (error == null && done) {
                            log.warn(
                                    "job '{}': the process is gone that registered the definition in force; this instance's own"
                                            + " definition replaces it: {}",
                                    job,
                                    definition);
                            hosted.planChanged();
                        }
                    }));
        }
    }

    /** Returns the hosted job whose definition is to be repaired; null if it must not be repaired now. */
    private @Nullable HostedJob beginRepair(String job) {
        HostedJob hosted = jobs.get(job);
        return hosted != null
                        && !hosted.draining()
                        && registration.established()
                        && !undefined.containsKey(job)
                        && repairing.add(job)
                ? hosted
                : null;
    }

    private String instance() {
        return Objects.requireNonNull(registration.session(), "session").instanceId();
    }
}
