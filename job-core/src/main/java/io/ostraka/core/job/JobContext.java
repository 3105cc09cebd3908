package io.ostraka.core.job;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobHealth;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.event.Events;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.run.RunSession;
import io.ostraka.core.run.RunSlots;
import io.ostraka.core.time.ClockCheck;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutorStatistics;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Services that all jobs of an instance share.
 *
 * @param coordination access to the coordination service
 * @param platform clock, timers and executors
 * @param slots slots in which items run
 * @param runs answers requests of user code, such as the request to read a checkpoint
 * @param schedule computes the jobs' fire times
 * @param instance receives the jobs' reports that concern the whole instance
 * @param clock compares this machine's clock with the server's clock
 * @param events publishes the engine's events
 * @param executors statistics of the jobs' serial executors
 * @param claims number of the latest claim in this process. It is never reset, so a job that is registered again reuses
 *     no number
 */
public record JobContext(
        Coordination coordination,
        Platform platform,
        RunSlots slots,
        RunSession runs,
        FireTimes.Source schedule,
        Instance instance,
        ClockCheck clock,
        Events events,
        SerialExecutorStatistics executors,
        AtomicLong claims) {
    /** Message about a job until ZooKeeper answers its registration. */
    public static final String UNANSWERED = "not registered yet; retrying until ZooKeeper answers";

    /**
     * Receives reports from the jobs. Each job calls the methods on its own serial executor, so an implementation must
     * be thread-safe.
     */
    public interface Instance {
        /**
         * Returns whether items may start in this instance. Returns false if an operator has frozen the namespace, or
         * if this instance does not know yet whether the namespace is frozen. May be called on any thread.
         */
        boolean startsItems();

        /** Called when the instance's node must be written again because its contents are outdated. */
        void announceAgain();

        /** Called when a transaction found that the instance's node is missing although the session is still alive. */
        void nodeMissing();

        /**
         * Called when the registered definition of a job is missing, is damaged, or has a lower revision than this
         * instance's definition.
         */
        void restore(Definition definition);

        /**
         * Called when another instance has replaced this instance's definition with a different one of the same
         * revision.
         */
        void reclaim(Definition definition);

        /** Called when the plan of a job must be read again. */
        void readPlan(String job);

        /** Called when the progress of a fire may have changed. */
        void fireChanged(String fire);

        /** Called when a transaction of this instance has ended a triggered fire. */
        void fireEnded(String fire, Map<String, ItemOutcome> outcomes);

        /**
         * Called when the reasons why a job does not run in this instance have changed.
         *
         * @param reasons the new reasons with their descriptions; empty if the job runs
         */
        void reasonsChanged(String job, Map<JobHealth.Kind, String> reasons);

        /**
         * Returns the time at which the operators' orders for the namespace have last changed, on the server's clock;
         * {@link Instant#MIN} if there were none. May be called on any thread.
         */
        Instant ordersChangedAt();

        /**
         * Called when the set of kinds of alarms changes for which this instance has found causes.
         *
         * @param kinds all kinds with a cause; empty if there is no cause
         */
        void alarmsChanged(String job, Set<AlarmKind> kinds);

        /** Called when a transaction has found that a known trigger was deleted. */
        void readTriggers();
    }
}
