package io.ostraka.core.leader;

import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.JobShardingStrategy.Need;
import io.ostraka.api.OstrakaException;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.PlanTransaction.Leadership;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.time.Platform;
import io.ostraka.core.time.SerialExecutor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One time of leading: from taking the epoch to losing the place. Confined to the leader's lane. */
final class Term {
    private static final Logger log = LoggerFactory.getLogger(Term.class);

    final Coordination coordination;
    final Platform platform;
    final SerialExecutor lane;
    final Map<String, JobShardingStrategy> strategies;
    /** What the strategies must be told, by type. */
    final Map<String, Set<Need>> needs;

    final LeaderContext.Schedule schedule;
    final Duration drainDeadline;
    final Leadership leadership;
    final LeaderContext.Office office;
    final LeaderEvents events;
    private final Runnable lostPlace;
    private final Runnable handOn;
    private final Consumer<String> forget;

    final ItemDistribution landscape;

    final MembershipLog attendance;

    /** The registered instances, as read last. */
    List<InstanceInfo> instances = List.of();
    /** Whether {@link #instances} has been read in this term. */
    boolean instancesKnown;
    /** Whether another leads, or this instance leads anew: nothing of this term counts any more. */
    boolean over;

    Term(
            LeaderContext context,
            Leadership leadership,
            LeaderContext.Office office,
            Runnable lostPlace,
            Runnable handOn,
            Consumer<String> forget,
            Consumer<String> look) {
        this.coordination = context.coordination();
        this.platform = context.platform();
        this.lane = context.lane();
        this.strategies = context.strategies();
        this.needs = context.needs();
        this.schedule = context.schedule();
        this.drainDeadline = context.drainDeadline();
        this.leadership = leadership;
        this.office = office;
        this.events = context.events();
        this.lostPlace = lostPlace;
        this.handOn = handOn;
        this.forget = forget;
        this.attendance = new MembershipLog(leadership.former());
        this.landscape = new ItemDistribution(look);
    }

    /** Returns the ids of the registered instances. */
    Set<String> living() {
        return instances.stream().map(InstanceInfo::id).collect(Collectors.toSet());
    }

    /** Tells whether an instance takes items of a job. */
    boolean placeable(JobView job) {
        return instances.stream()
                .anyMatch(instance -> instance.state() == InstanceInfo.State.WORKING
                        && instance.jobs().contains(job.name())
                        && !job.overrideOrNone().disables(instance));
    }

    /** Tells whether an instance can tell a job's once-listeners. */
    boolean hasOnceListener(String job) {
        return instances.stream()
                .anyMatch(instance -> instance.onceListeners().contains(job)); // also one that is drained
    }

    /** Something can't be decided here that another instance can decide: it should lead. */
    void handOn() {
        handOn.run();
    }

    /** A write was refused because another has taken the epoch, or the candidate's node is gone. */
    void lostPlace() {
        lostPlace.run();
    }

    /** A job has no definition, and nobody hosts it: it was purged, or its nodes were deleted by hand. */
    void forget(String job) {
        landscape.forget(job);
        forget.accept(job);
    }

    /** What the job fires by; null while definition and override make no configuration together. */
    @Nullable FireTimes times(JobView seen, ShardingPlan plan) {
        try {
            return seen.definition() == null ? null : schedule.times(seen.effective(), plan);
        } catch (OstrakaException e) {
            log.debug("job '{}' has no configuration to go by: {}", seen.name(), e.toString());
            return null;
        }
    }
}
