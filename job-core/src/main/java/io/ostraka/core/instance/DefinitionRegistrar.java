package io.ostraka.core.instance;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.coordination.Jobs;
import io.ostraka.core.job.HostedJob;
import io.ostraka.core.model.ConfigurationChanges;
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
 * Writes the definitions of hosted jobs to ZooKeeper, and retries each write until it succeeds. Also restores a
 * definition that is later damaged in ZooKeeper or missing from it. Confined to the instance's executor.
 */
final class DefinitionRegistrar {
    private static final Logger log = LoggerFactory.getLogger(DefinitionRegistrar.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Jobs store;
    private final InstanceExecutor executor;
    private final InstanceRegistration registration;
    private final HostedJobs jobs;
    private final Consumer<String> defined;
    /** Definitions that have not been written yet, by job name. */
    private final Map<String, Definition> undefined = new HashMap<>();
    /** Names of the jobs whose definition this instance is repairing. */
    private final Set<String> repairing = new HashSet<>();

    /**
     * @param defined called with a job's name after the job's definition was written, or when the definition will never
     *     be written because the job was removed
     */
    DefinitionRegistrar(
            Jobs store,
            InstanceExecutor executor,
            InstanceRegistration registration,
            HostedJobs jobs,
            Consumer<String> defined) {
        this.store = store;
        this.executor = executor;
        this.registration = registration;
        this.jobs = jobs;
        this.defined = defined;
    }

    /** Starts writing the definition of a job that this instance has begun to host. */
    void add(Definition definition) {
        undefined.put(definition.jobName(), definition);
        define(definition.jobName());
    }

    /** Writes a newer definition of a hosted job. */
    void replace(Definition definition) {
        if (undefined.replace(definition.jobName(), definition) != null) {
            define(definition.jobName());
        }
    }

    /** Stops writing the definition of a job that this instance no longer hosts. */
    void remove(String job) {
        undefined.remove(job);
        defined.accept(job);
    }

    /** Returns whether the definition of a job has not been written yet. */
    boolean lacks(String job) {
        return undefined.containsKey(job);
    }

    /** Called on a new connection. Writes the definitions that have not been written yet. */
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
                        return; // nothing is left to write, or another call writes a newer definition
                    }
                    if (error != null) {
                        Throwable cause = Stages.cause(error);
                        hosted.registered(
                                "not registered yet; retrying: " + cause.getMessage(),
                                cause instanceof CoordinationException refused
                                        && refused.kind() == CoordinationException.Kind.REFUSED);
                        executor.after(PAUSE, () -> define(job));
                        return;
                    }
                    undefined.remove(job, definition);
                    defined.accept(job);
                    hosted.registered(null, false);
                    replaced.ifPresent(other -> log.warn(
                            "job '{}': this instance's definition replaces another one, with {}",
                            job,
                            differences(other, definition)));
                    registration.announceAtOnce(); // the leader can then plan the job
                    hosted.planChanged();
                }));
    }

    /**
     * Writes this instance's definition of a job again, because the definition in ZooKeeper is missing, is damaged, or
     * has a lower revision.
     */
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
     * If ZooKeeper has a different definition with the same revision, replaces it with this instance's definition.
     * Replaces nothing while the process that registered the other definition still hosts the job.
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

    /** Marks a job's definition as being repaired. Returns the job; null if its definition must not be repaired now. */
    private @Nullable HostedJob beginRepair(String job) {
        HostedJob hosted = jobs.get(job);
        return hosted != null
                        && !hosted.shutdown().draining()
                        && registration.established()
                        && !undefined.containsKey(job)
                        && repairing.add(job)
                ? hosted
                : null;
    }

    private static String differences(Definition before, Definition now) {
        List<String> changes = ConfigurationChanges.of(before.configuration(), now.configuration());
        return changes.isEmpty() ? "once-listeners in one of them only" : String.join(", ", changes);
    }

    private String instance() {
        return Objects.requireNonNull(registration.session(), "session").instanceId();
    }
}
