package io.ostraka.core.coordination;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * What instances of one namespace do together, in the protocol's own words: the port between the engine and the store
 * that coordinates it. {@link #over} puts it on any {@link NodeStore}; the protocol's transactions and the form of every
 * node are written there, once.
 *
 * <p>Thread-safe, never blocks. Stages are completed on the store's thread: whoever gets them only enqueues. A stage of
 * something read, or changed by reading and writing, fails with a {@link CoordinationException} when it can't be known
 * what became of it.
 */
public interface Coordination extends AutoCloseable {
    /**
     * Puts the protocol on a store.
     *
     * @param clock for measuring the age of the server's last answer, and the distance to its clock
     */
    static Coordination over(NodeStore store, Clock clock) {
        return new TreeCoordination(store, clock);
    }

    /** Starts connecting, in the background and for ever; reports manual triggers from the beginning. */
    void start(Listener listener);

    /** Writes this session's instance node. The first write of a session creates it, and the namespace with it. */
    CompletionStage<Verdict> announce(InstanceInfo self);

    /** Removes an instance node of this session. */
    CompletionStage<Verdict> withdraw(String instanceId);

    /** Reads all registered instances; one that can't be read is left out. */
    CompletionStage<List<InstanceInfo>> instances();

    /**
     * Registers a job's definition, reviving a removed job: creates it, or replaces an earlier one unless that has a
     * higher revision.
     *
     * @return the definition that it replaced, if that was another
     */
    CompletionStage<Optional<JobConfiguration>> define(JobConfiguration definition);

    /** Changes what an operator wants of a job. It fails when the job is not known. */
    CompletionStage<Void> amend(String job, UnaryOperator<JobOverride> change);

    /** Deletes every node of a removed job. It fails while the job is not removed, or an instance hosts it. */
    CompletionStage<Void> purge(String job);

    /** Lists the names of all jobs, removed ones included. */
    CompletionStage<List<String>> jobs();

    /** Reads what decides for all items of a job. */
    CompletionStage<JobView> job(String job);

    /**
     * Reads items of a job, after every write that has been answered to anyone.
     *
     * @param watchRunning whether to report, once, that a running node that is there goes
     */
    CompletionStage<List<ItemView>> items(String job, Collection<String> items, boolean watchRunning);

    /** Lists the keys of all records of a job. */
    CompletionStage<List<String>> itemKeys(String job);

    /** Carries out what an instance does to items; sent once. */
    CompletionStage<Verdict> commit(ItemTransaction transaction);

    /** Carries out what the leader does to a job; sent once. */
    CompletionStage<Verdict> commit(PlanTransaction transaction);

    /** Adds a manual trigger, exactly once, however often replies are lost. */
    CompletionStage<Void> trigger(Trigger.Request request);

    /** Reads all manual triggers, oldest first; one that can't be read is left out. */
    CompletionStage<List<Trigger>> triggers();

    /** Reads the progress of a fire, empty when none is kept. */
    CompletionStage<Optional<Versioned<FireProgress>>> fire(String job, String fire);

    /** Lists the ids of the fires of a job whose progress is kept. */
    CompletionStage<List<String>> fires(String job);

    /** Deletes the progress of a fire if it ended before an instant of the server's clock. */
    CompletionStage<Void> forgetFire(String job, String fire, Instant endedBefore);

    /** Reads an item's checkpoint. */
    CompletionStage<Optional<byte[]>> checkpoint(String job, String item);

    /**
     * Saves an item's checkpoint if its record still has a version.
     *
     * @return {@link Verdict.About#RECORD} outdated when it has not
     */
    CompletionStage<Verdict> saveCheckpoint(String job, String item, int recordVersion, byte[] checkpoint);

    /** Reports changes of a job's plan from now on, or no more. */
    void followJob(String job, boolean follow);

    /** Reports changes of a job's definition and override from now on, or no more: what a leader needs besides. */
    void followConfiguration(String job, boolean follow);

    /** Reports changes of a fire's progress from now on, or no more. */
    void followFire(String job, String fire, boolean follow);

    /** Stands for leader until {@link #resign}. */
    void campaign(String instanceId);

    /** Gives the place up, or the candidacy. */
    void resign();

    /** Takes the epoch, so that no earlier leader can write any more, and reports changes of instances from now on. */
    CompletionStage<Leadership> lead(String candidate);

    /** Asks the server for a sign of life. */
    void ping();

    /** Returns the age, by the monotonic clock, of the last request that was answered, since it was sent. */
    Duration lastAnswerAge();

    /** Returns the server's clock, as far as the last write told. */
    Instant serverTime();

    /** Ends the session; the store's ephemeral nodes go. */
    @Override
    void close();

    /** Is told what happens; only enqueues. */
    interface Listener {
        /** A connection is there, first or again; with another session id everything of the old session is gone. */
        void connected(long sessionId, Duration sessionTimeout);

        /** The connection is gone; the session may live. */
        void suspended();

        /** The session is over. */
        void lost();

        /** Leadership was won or lost. */
        void leadership(Optional<String> candidate);

        /** Instances have come, gone or changed. */
        void instancesChanged();

        /** A job's plan has changed. */
        void planChanged(String job);

        /** A job's definition or override has changed. */
        void configurationChanged(String job);

        /** A running node that was waited for is gone. */
        void runningGone(String job, String item);

        /** Manual triggers have come or gone. */
        void triggersChanged();

        /** A fire's progress has changed. */
        void fireChanged(String job, String fire);
    }
}
