package io.ostraka.core.decide;

import io.ostraka.api.InstanceMatch;
import io.ostraka.api.JobConfiguration;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.PlacementReasons.Cause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The instances that are eligible to own items of a job, ordered by preference.
 *
 * @param takers all working instances that host the job, ordered by id
 * @param ahead working instances that host the job and get no items, because their clock is too far ahead
 * @param apart ids of instances that own items of a job that this job avoids (anti-affinity)
 * @param disabled ids of instances that an operator has disabled for the job
 * @param tiers eligible instances in at most two groups: first the preferred instances, then all others. No group is
 *     empty, and each is ordered by id
 */
record Eligibility(
        JobConfiguration job,
        List<InstanceInfo> takers,
        List<InstanceInfo> ahead,
        Set<String> apart,
        Set<String> disabled,
        List<List<InstanceInfo>> tiers) {

    static Eligibility of(JobConfiguration job, List<InstanceInfo> instances, PlacementContext circumstances) {
        Set<String> apart = circumstances.apart();
        Set<String> disabled = circumstances.disabled();
        List<InstanceInfo> hosts = hosts(job.jobName(), instances);
        List<InstanceInfo> ahead = ahead(hosts, disabled);
        List<InstanceInfo> takers =
                hosts.stream().filter(instance -> !ahead.contains(instance)).toList();
        List<InstanceInfo> preferred = new ArrayList<>();
        List<InstanceInfo> others = new ArrayList<>();
        for (InstanceInfo instance : takers) {
            if (matches(job.requiredInstances(), instance)
                    && !apart.contains(instance.id())
                    && !disabled.contains(instance.id())) {
                (matches(job.preferredInstances(), instance) ? preferred : others).add(instance);
            }
        }
        List<List<InstanceInfo>> tiers = new ArrayList<>(List.of(preferred, others));
        tiers.removeIf(List::isEmpty);
        return new Eligibility(job, takers, ahead, apart, disabled, tiers);
    }

    /** Returns the working instances that host the job. */
    private static List<InstanceInfo> hosts(String job, List<InstanceInfo> instances) {
        return instances.stream()
                .filter(instance -> instance.state() == InstanceInfo.State.WORKING
                        && instance.jobs().contains(job))
                .sorted(Comparator.comparing(InstanceInfo::id))
                .toList();
    }

    /**
     * Returns the instances that get no items because of their clock. An instance whose clock is too far ahead can only
     * start triggered fires, so it is left out if another enabled instance has a correct clock.
     */
    private static List<InstanceInfo> ahead(List<InstanceInfo> hosts, Set<String> disabled) {
        boolean onTime =
                hosts.stream().anyMatch(instance -> !instance.clockAhead() && !disabled.contains(instance.id()));
        return hosts.stream()
                .filter(instance -> onTime && instance.clockAhead())
                .toList();
    }

    private static boolean matches(Optional<InstanceMatch> match, InstanceInfo instance) {
        return match.map(wanted -> wanted.matches(instance.self())).orElse(true);
    }

    List<InstanceInfo> all() {
        return tiers.stream().flatMap(List::stream).toList();
    }

    /** Returns the maximum number of the job's items per instance; {@code Integer.MAX_VALUE} if not limited. */
    int maximum() {
        return job.maxItemsPerInstance() == 0 ? Integer.MAX_VALUE : job.maxItemsPerInstance();
    }

    /**
     * Returns the reason why an item has no owner, as a text for operators. The plan stores this text. The text does
     * not mention the number of instances, because each instance that joins or leaves would then change the plan.
     */
    String refusal() {
        List<InstanceInfo> matching = takers.stream()
                .filter(instance -> matches(job.requiredInstances(), instance))
                .toList();
        if (matching.isEmpty()) {
            String required =
                    job.requiredInstances().map(InstanceMatch::toString).orElse("");
            return ahead.stream().anyMatch(instance -> matches(job.requiredInstances(), instance))
                    ? "every instance that matches requiredInstances, '" + required
                            + "', has a clock that is too far ahead of ZooKeeper's; correct the clock"
                    : "no instance that hosts the job matches requiredInstances, '" + required + "'";
        } else if (disabled(matching)) {
            return "every eligible instance is disabled by an operator";
        }
        return "every eligible instance has "
                + (tiers.isEmpty()
                        ? "items of job '" + job.antiAffinity().orElse("") + "', which antiAffinity keeps it apart from"
                        : "reached maxItemsPerInstance, " + job.maxItemsPerInstance())
                + (matching.stream().anyMatch(instance -> disabled.contains(instance.id()))
                        ? ", or is disabled by an operator"
                        : "");
    }

    private boolean disabled(List<InstanceInfo> all) {
        return all.stream().allMatch(instance -> disabled.contains(instance.id()));
    }

    /**
     * Returns the reason why an item with static sharding has no owner, as a text for operators.
     *
     * @param name name of the instance that the item must stay on
     */
    String refusal(String name) {
        List<InstanceInfo> there = takers.stream()
                .filter(instance -> instance.self().name().equals(name))
                .toList();
        return there.isEmpty() || !disabled(there)
                ? "no instance called '" + name + "' is eligible now, and staticSharding keeps the item there"
                : "instance '" + name + "', where staticSharding keeps the item, is disabled by an operator";
    }

    /**
     * Returns the reason why an item moves.
     *
     * @param from the previous owner; null if its session has ended
     * @param full true if the strategy left the item on {@code from} although {@code from} had too many items
     */
    Cause cause(String item, @Nullable InstanceInfo from, InstanceInfo to, boolean full) {
        if (from == null) {
            return Cause.FAILED_OVER;
        } else if (from.state() != InstanceInfo.State.WORKING) {
            return Cause.DRAINED;
        } else if (!from.jobs().contains(job.jobName())) {
            return Cause.UNHOSTED;
        } else if (disabled.contains(from.id())) {
            return Cause.DISABLED;
        } else if (from.clockAhead() && !to.clockAhead()) {
            return Cause.CLOCK_AHEAD;
        } else if (!matches(job.requiredInstances(), from)) {
            return Cause.REQUIRED;
        } else if (apart.contains(from.id())) {
            return Cause.ANTI_AFFINITY;
        } else if (!from.takes(job.jobName(), item)) {
            return Cause.UNRETURNED;
        }
        boolean wasPreferred = matches(job.preferredInstances(), from);
        boolean isPreferred = matches(job.preferredInstances(), to);
        if (isPreferred && !wasPreferred) {
            return Cause.PREFERRED;
        }
        return full || (wasPreferred && !isPreferred) ? Cause.MAXIMUM : Cause.STRATEGY;
    }
}
