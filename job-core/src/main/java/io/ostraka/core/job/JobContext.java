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
 * Services that all jobs of an instance share.
 *
 * @param coordination port to the coordination service
 * @param platform clock, timers and executors
 * @param slots slots that items run in
 * @param runs answers the queries of runs
 * @param instance receives reports that concern the whole instance
 * @param clock compares this host's clock with the server's
 * @param events publishes the engine's events
 * @param executors statistics of the jobs' serial executors
 * @param claims last number of a claim of this process; a job that is registered again continues it
 */
public record JobContext(
        Coordination coordination,
        Platform platform,
        RunSlots slots,
        RunSession runs,
        Instance instance,
        ClockCheck clock,
        Events events,
        SerialExecutorStatistics executors,
        AtomicLong claims) {
    /** Reason of a job that ZooKeeper has not accepted yet. */
    public static final String UNANSWERED = "not registered yet; retrying until ZooKeeper answers";

    /** Receives the reports of jobs. Called on any serial executor. */
    public interface Instance {
        /** Reports that the instance's node is outdated. */
        void announceAgain();

        /** Reports that the instance's node is missing although its session lives. */
        void nodeMissing();

        /** Reports that a registered definition is missing, damaged, or of a lower revision. */
        void restore(Definition definition);

        /** Reports that another definition of the same revision replaced a registered one. */
        void reclaim(Definition definition);

        /** Reports that a job's nodes were changed. */
        void readPlan(String job);

        /** Reports that the progress of a fire may have changed. */
        void fireChanged(String fire);

        /** Reports that this instance has ended a triggered fire. */
        void fireEnded(String fire, Map<String, ItemOutcome> outcomes);

        /** Reports why a job does not run here, by kind; empty if it runs. */
        void reasonsChanged(String job, Map<JobHealth.Kind, String> reasons);

        /** Reports that a known trigger was deleted. */
        void readTriggers();
    }
}
