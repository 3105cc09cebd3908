package io.ostraka.core.leader;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.OstrakaException;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.ItemView;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.Refresh;
import io.ostraka.core.time.SerialExecutor;
import io.ostraka.core.time.Stages;
import io.ostraka.core.time.TimedExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One term of leadership. The term begins when this instance increases the version of the epoch node, and ends when
 * this instance loses the leadership or its connection. Confined to the leader's executor.
 */
final class Term implements TimedExecutor {
    private static final Logger log = LoggerFactory.getLogger(Term.class);

    final Coordination coordination;
    final Platform platform;
    final SerialExecutor executor;
    final Strategies strategies;
    final FireTimes.Source schedule;
    final Duration drainDeadline;
    final Leadership leadership;
    final LeaderContext.LeadingInstance leadingInstance;
    final LeaderEvents events;
    private final Listener listener;
    private final long startedNanos;

    final ItemDistribution distribution;

    final MembershipLog membership;

    /** Operators' requests to stop fires, as last read in this session. */
    List<FireStop> stops = List.of();
    /** Reasons why backfills do not continue, by job. */
    Map<String, String> backfillProblems = Map.of();
    /** Numbers of alarms that handlers have not received and that were dropped, by job and by handler. */
    private final Map<String, Map<String, Integer>> alarmsDropped = new HashMap<>();
    /** Last valid configuration of each job that an operator has not removed. */
    private final Map<String, Valid> valid = new HashMap<>();
    /** Registered instances, as last read. */
    List<InstanceInfo> instances = List.of();
    /** True after {@link #instances} was first read in this term. */
    boolean instancesKnown;
    /**
     * True after the term has ended. The state of the term must not be used after that. Written on the leader's
     * executor, read on any thread.
     */
    volatile boolean over;

    /**
     * A valid configuration of a job.
     *
     * @param instances registered instances at the time at which it was last seen to be valid
     */
    private record Valid(JobConfiguration configuration, List<InstanceInfo> instances) {}

    /** Receives the events of a term, on the leader's executor. */
    interface Listener {
        /**
         * Called when this instance no longer leads: another instance has increased the version of the epoch node, or
         * this instance's node in the leader election was deleted.
         */
        void placeLost();

        /** Called when this instance lacks a sharding strategy that another instance may have. */
        void strategyMissing();

        /** Called when a job has no definition and no instance hosts it. */
        void jobGone(String job);

        /**
         * Called when a job must be reconciled again. Either its placement depends on another job whose items have
         * moved, or the problem of its backfill has changed.
         */
        void jobAffected(String job);

        /** Called with all items of a job after an audit has read them. */
        void itemsRead(JobView job, List<ItemView> items);
    }

    /** @param startedNanos start of this instance, in monotonic nanoseconds */
    Term(
            LeaderContext context,
            Leadership leadership,
            LeaderContext.LeadingInstance leadingInstance,
            LeaderEvents events,
            Listener listener,
            long startedNanos) {
        this.coordination = context.coordination();
        this.platform = context.platform();
        this.executor = context.executor();
        this.strategies = context.strategies();
        this.schedule = context.schedule();
        this.drainDeadline = context.drainDeadline();
        this.leadership = leadership;
        this.leadingInstance = leadingInstance;
        this.events = events;
        this.listener = listener;
        this.startedNanos = startedNanos;
        this.membership = new MembershipLog(leadership.former());
        this.distribution = new ItemDistribution(listener::jobAffected);
    }

    /** Runs a step on the leader's executor, unless the term has ended by then. May be called on any thread. */
    @Override
    public void execute(Runnable step) {
        executor.execute(() -> {
            if (!over) {
                step.run();
            }
        });
    }

    /** Runs a step after a delay, unless the term has ended by then. May be called on any thread. */
    @Override
    public Runnable after(Duration delay, Runnable step) {
        return platform.timer().after(delay, () -> execute(step));
    }

    /**
     * Sends a request and passes the reply to a callback, unless the term has ended by then. The callback receives
     * either a value or an error.
     */
    <T> void onReply(Supplier<CompletionStage<T>> request, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        Stages.of(request).whenComplete((value, error) -> execute(() -> then.accept(value, error)));
    }

    /**
     * Creates a refresh that ends with the term.
     *
     * @see Refresh#Refresh
     */
    <T> Refresh<T> refresh(
            String what, @Nullable Duration pause, Supplier<CompletionStage<T>> request, Consumer<? super T> take) {
        return new Refresh<>(what, this, pause, () -> !over, request, take);
    }

    /** Returns the time since the start of this instance. */
    Duration instanceAge() {
        return Duration.ofNanos(platform.clock().monotonicNanos() - startedNanos);
    }

    /** Returns the ids of the registered instances. */
    Set<String> living() {
        return instances.stream().map(InstanceInfo::id).collect(Collectors.toSet());
    }

    /**
     * Returns whether the job has an instance that may own its items. The instance must be in the state WORKING, host
     * the job, and not be disabled for the job by an operator.
     */
    boolean placeable(JobView job) {
        return instances.stream()
                .anyMatch(instance -> instance.state() == InstanceInfo.State.WORKING
                        && instance.jobs().contains(job.name())
                        && !job.overrideOrNone().disables(instance));
    }

    /** Returns whether a registered instance hosts a job. */
    boolean hosts(String job) {
        return instances.stream().anyMatch(instance -> instance.jobs().contains(job));
    }

    /**
     * Returns the time since which a job without a host has had none. If the former leader has emptied the plan because
     * the last host left, this is the time of that write. If there is no plan, it is the time of the latest change of
     * the definition. Otherwise it is the current time.
     */
    Instant unhostedSince(JobView job) {
        Versioned<ShardingPlan> plan = job.plan();
        Instant now = coordination.membership().serverTime();
        if (plan == null) {
            return job.definition() == null ? now : job.definition().modified();
        }
        return plan.value().items().isEmpty() ? plan.modified() : now;
    }

    /** Reports all items of a job after an audit has read them. */
    void itemsRead(JobView job, List<ItemView> items) {
        listener.itemsRead(job, items);
    }

    /** Returns whether a registered instance has the once-listeners of a job. */
    boolean hasOnceListener(String job) {
        return instances.stream()
                .anyMatch(instance -> instance.onceListeners().contains(job)); // drained instances count too
    }

    /** Gives up the leadership, because another instance may have a strategy that this one lacks. */
    void handOn() {
        listener.strategyMissing();
    }

    /**
     * Stores the numbers of a job's dropped alarms by handler, and reconciles the job if they have changed.
     *
     * @param job name of the job; null for the alarms of the namespace, which no job reports
     */
    void alarmsDropped(@Nullable String job, Map<String, Integer> counts) {
        if (job != null && !counts.equals(alarmsDropped(job))) {
            alarmsDropped.put(job, counts);
            listener.jobAffected(job);
        }
    }

    /** Returns the numbers of a job's dropped alarms by handler; empty if none was dropped. */
    Map<String, Integer> alarmsDropped(String job) {
        return alarmsDropped.getOrDefault(job, Map.of());
    }

    /** Stores the reasons why backfills do not continue, by job. Reconciles the jobs whose reason has changed. */
    void backfillProblems(Map<String, String> problems) {
        Map<String, String> before = backfillProblems;
        backfillProblems = problems;
        Stream.concat(before.keySet().stream(), problems.keySet().stream())
                .distinct()
                .filter(job -> !Objects.equals(before.get(job), problems.get(job)))
                .forEach(listener::jobAffected);
    }

    /** Deletes requests to stop fires. If a deletion fails, a later cleanup repeats it. */
    void delete(List<FireStop> ended) {
        ended.forEach(
                stop -> coordination.fires().deleteStop(leadership, stop).thenAcceptAsync(this::checked, executor));
    }

    /** Returns the given result. Ends the term if the result shows that this instance no longer leads. */
    TransactionResult checked(TransactionResult result) {
        if (!over
                && result instanceof TransactionResult.Outdated outdated
                && outdated.about() == TransactionResult.About.LEADERSHIP) {
            log.debug("the leader has lost its place");
            listener.placeLost();
        }
        return result;
    }

    /**
     * Forgets a job that has no definition and that no instance hosts. The job was purged, or an operator deleted its
     * nodes.
     */
    void forget(String job) {
        distribution.forget(job);
        valid.remove(job);
        listener.jobGone(job);
    }

    /**
     * Returns the fire times of a job; null if the job has no definition, or if no valid configuration of it is known.
     */
    @Nullable FireTimes times(JobView seen, ShardingPlan plan) {
        JobConfiguration effective = effective(seen);
        try {
            return effective == null ? null : schedule.times(effective, plan);
        } catch (OstrakaException e) {
            log.debug("job '{}' has no valid schedule: {}", seen.name(), e.toString());
            return null;
        }
    }

    /**
     * Returns the effective configuration. While definition and override together are invalid, returns the last valid
     * configuration of this term. Null if the definition is missing, or if no valid configuration is known.
     */
    @Nullable JobConfiguration effective(JobView seen) {
        if (seen.definition() == null) {
            return null;
        }
        try {
            JobConfiguration effective = seen.effective();
            if (seen.overrideOrNone().removed()) {
                valid.remove(seen.name());
            } else {
                valid.put(seen.name(), new Valid(effective, instances));
            }
            return effective;
        } catch (OstrakaException e) {
            log.debug("job '{}' has no valid configuration: {}", seen.name(), e.toString());
            Valid last = valid.get(seen.name());
            return last == null ? null : last.configuration;
        }
    }

    /**
     * Returns whether an instance hosted a job when the job's configuration was last valid. While the configuration is
     * invalid, other instances cannot run the job, because they do not know the last valid one. Also true if this
     * leader does not know it.
     */
    boolean knowsConfiguration(String job, InstanceInfo instance) {
        Valid last = valid.get(job);
        return last == null
                || last.instances == instances // the configuration is valid now
                || last.instances.stream()
                        .anyMatch(known -> known.jobs().contains(job)
                                && (known.id().equals(instance.id())
                                        || instance.earlierIds().contains(known.id())));
    }
}
