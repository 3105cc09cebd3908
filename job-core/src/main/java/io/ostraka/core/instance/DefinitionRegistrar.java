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
 * Writes the definitions of hosted jobs to ZooKeeper, retrying until it succeeds, and repairs them if they are damaged
 * there. Confined to the instance's executor.
 */
final class DefinitionRegistrar {
    private static final Logger log = LoggerFactory.getLogger(DefinitionRegistrar.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Jobs store;
    private final InstanceExecutor executor;
    private final InstanceRegistration registration;
    private final Map<String, HostedJob> jobs;
    private final Consumer<String> defined;
    /** Definitions that are not yet in ZooKeeper. */
    private final Map<String, Definition> undefined = new HashMap<>();
    /** Jobs with a repair under way. */
    private final Set<String> repairing = new HashSet<>();

    /**
     * @param jobs view of the hosted jobs by name
     * @param defined receives each job after its definition was written, or will not be written
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

    /** Writes the definition of a newly hosted job. */
    void add(Definition definition) {
        undefined.put(definition.jobName(), definition);
        define(definition.jobName());
    }

    /** Stops writing the definition of a job that is no longer hosted. */
    void remove(String job) {
        undefined.remove(job);
        defined.accept(job);
    }

    /** Returns whether a job's definition has yet to be written. */
    boolean lacks(String job) {
        return undefined.containsKey(job);
    }

    /** Resumes writing on a new connection. */
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
                        return; // another attempt wrote the definition meanwhile, or another definition follows
                    }
                    if (error != null) {
                        hosted.registered("not registered yet; retrying: " + error.getMessage());
                        executor.after(PAUSE, () -> define(job));
                        return;
                    }
                    undefined.remove(job, definition);
                    defined.accept(job);
                    hosted.registered(null);
                    replaced.ifPresent(
                            other -> log.warn("job '{}': definition {} replaces {}", job, definition, other));
                    registration.announceAtOnce(); // the leader then plans the job
                    hosted.planChanged();
                }));
    }

    /** Restores the definition that was read last, because the one in ZooKeeper cannot be read. */
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

    /**
     * Replaces another definition of the same revision by this process's own, once the process that registered the other
     * one has ended.
     */
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

    /** Marks a job's definition as under repair and returns the job; null if it must not be repaired now. */
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
