package io.ostraka.core.job;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobHealth;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.event.Events;
import io.ostraka.core.model.Definition;
import io.ostraka.core.run.RunSession;
import io.ostraka.core.run.RunSlots;
import io.ostraka.core.time.ClockCheck;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutorStatistics;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all jobs of an instance share.
 *
 * @param coordination the port
 * @param platform time and executors
 * @param slots in which items run
 * @param runs answers what runs ask
 * @param instance told what concerns the whole instance
 * @param clock whether this host's clock can be believed
 * @param events publishes what happens
 * @param lanes counts what the jobs' lanes do
 * @param claims numbers the claims of all jobs, one that was unregistered and registered again included
 */
public record JobContext(
        Coordination coordination,
        Platform platform,
        RunSlots slots,
        RunSession runs,
        Instance instance,
        ClockCheck clock,
        Events events,
        SerialExecutorStatistics lanes,
        AtomicLong claims) {
    /** Why a job does not run of which ZooKeeper has not answered yet. */
    public static final String UNANSWERED = "not registered yet; retrying until ZooKeeper answers";

    /** What a job tells its instance; may be called on any lane. */
    public interface Instance {
        /** The instance's own node says something that is no longer true. */
        void announceAgain();

        /** The instance's own node is missing though its session lives. */
        void nodeMissing();

        /** A definition that this process has registered is missing, damaged, or of a lower revision. */
        void restore(Definition definition);

        /** A definition that this process has registered was replaced by another of the same revision. */
        void reclaim(Definition definition);

        /** A job's nodes were changed. */
        void readPlan(String job);

        /** The progress of a fire may have changed. */
        void fireChanged(String fire);

        /** This instance has ended a triggered fire. */
        void fireEnded(String fire, Map<String, ItemOutcome> outcomes);

        /** What keeps a job from running here, by kind; empty for nothing. */
        void jobStands(String job, Map<JobHealth.Kind, String> reasons);

        /** A trigger that was known is gone. */
        void readTriggers();
    }
}
