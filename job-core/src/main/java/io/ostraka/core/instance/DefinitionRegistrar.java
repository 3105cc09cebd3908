package io.ostraka.core.instance;

import io.ostraka.core.coordination.Jobs;
import io.ostraka.core.job.HostedJob;
import io.ostraka.core.model.Definition;
import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.time.Stages;
import io.ostraka.core.time.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
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
    private final Timer timer;
    private final SerialExecutor lane;
    private final InstanceRegistration presence;
    private final Map<String, HostedJob> jobs;
    private final Consumer<String> defined;
    /** Definitions that ZooKeeper doesn't have yet. */
    private final Map<String, Definition> undefined = new HashMap<>();
    /** Jobs whose definitions are being put back. */
    private final Set<String> restoring = new HashSet<>();

    /**
     * @param jobs what the instance hosts; a view
     * @param defined told of each job whose definition is there, or is not brought any more
     */
    DefinitionRegistrar(
            Jobs store,
            Timer timer,
            SerialExecutor lane,
            InstanceRegistration presence,
            Map<String, HostedJob> jobs,
            Consumer<String> defined) {
        this.store = store;
        this.timer = timer;
        this.lane = lane;
        this.presence = presence;
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
        if (definition == null || !presence.established()) {
            return;
        }
        Stages.of(() -> store.define(definition, instance()))
                .whenComplete((replaced, error) -> lane.execute(() -> {
                    HostedJob facade = jobs.get(job);
                    if (facade == null || presence.closing() || !definition.equals(undefined.get(job))) {
                        return; // another attempt, made meanwhile, has brought it, or another definition is to come
                    }
                    if (error != null) {
                        facade.registered("not registered yet, and tried again: " + error.getMessage());
                        timer.after(PAUSE, () -> lane.execute(() -> define(job)));
                        return;
                    }
                    undefined.remove(job, definition);
                    defined.accept(job);
                    facade.registered(null);
                    replaced.ifPresent(
                            other -> log.warn("job '{}': definition {} replaces {}", job, definition, other));
                    presence.announceAtOnce(); // the leader looks at the job
                    facade.planChanged();
                }));
    }

    /** The definition in ZooKeeper can't be read: this is what was read last. */
    void restore(Definition definition) {
        String job = definition.jobName();
        HostedJob facade = jobs.get(job);
        if (facade != null
                && !facade.draining()
                && presence.established()
                && !undefined.containsKey(job)
                && restoring.add(job)) {
            Stages.of(() -> store.restore(definition, instance()))
                    .whenComplete((done, error) -> timer.after(
                            PAUSE,
                            () -> lane.execute(() -> {
                                restoring.remove(job);
                                facade.planChanged();
                            })));
        }
    }

    /** Another definition of the same revision is in force: this process's own takes its place once that one's process is gone. */
    void reclaim(Definition definition) {
        String job = definition.jobName();
        HostedJob facade = jobs.get(job);
        if (facade != null
                && !facade.draining()
                && presence.established()
                && !undefined.containsKey(job)
                && restoring.add(job)) {
            Stages.of(() -> store.reclaim(definition, instance()))
                    .whenComplete((done, error) -> lane.execute(() -> {
                        restoring.remove(job);
                        if (error == null && done) {
                            log.warn(
                                    "job '{}': the process is gone that registered the definition in force; this instance's own"
                                            + " definition replaces it: {}",
                                    job,
                                    definition);
                            facade.planChanged();
                        }
                    }));
        }
    }

    private String instance() {
        return Objects.requireNonNull(presence.session(), "session").instanceId();
    }
}
