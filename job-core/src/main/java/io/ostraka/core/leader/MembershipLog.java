package io.ostraka.core.leader;

import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs which instances have joined and left. Writes at most one line for each read of the instances, regardless of the
 * number of jobs and items. Confined to the leader's executor.
 */
final class MembershipLog {
    private static final Logger log = LoggerFactory.getLogger(MembershipLog.class);

    /** Id of the instance that led before this one; null if unknown. */
    private final @Nullable String former;

    /** Instances in the latest read, by id; null before the first read. */
    private @Nullable Map<String, InstanceInfo> present;
    /** Ids of absent instances that were logged already. */
    private final Set<String> missed = new TreeSet<>();

    MembershipLog(@Nullable String former) {
        this.former = former;
    }

    /** Compares the registered instances with those of the previous call, and logs the difference. */
    void observed(List<InstanceInfo> now) {
        Map<String, InstanceInfo> before = present;
        Map<String, InstanceInfo> after = new TreeMap<>();
        now.forEach(instance -> after.put(instance.id(), instance));
        present = after;
        if (before == null) {
            if (former != null && absent(former, after)) {
                log.info("{}{}", count(after), section("absent, the former leader", List.of(former)));
            }
            return;
        }
        if (after.isEmpty() || before.keySet().equals(after.keySet())) {
            return; // no change, or this leader was the last instance and is leaving
        }
        List<String> joined = after.values().stream()
                .filter(instance -> !before.containsKey(instance.id()))
                .map(MembershipLog::named)
                .toList();
        List<String> left = new ArrayList<>();
        List<String> gone = new ArrayList<>();
        before.forEach((id, instance) -> {
            if (!after.containsKey(id)) {
                missed.add(id); // plans may still name the instance, but it must not be logged again
                boolean closed = instance.state() == InstanceInfo.State.DRAINING
                        && instance.jobs().isEmpty();
                (closed ? left : gone).add(id);
            }
        });
        log.info(
                "{}{}{}{}",
                count(after),
                section("joined", joined),
                section("shut down", left),
                section("lost, session ended", gone));
    }

    /**
     * Returns the id of an instance, followed by the id of the same process in its previous session, if there was one.
     */
    private static String named(InstanceInfo instance) {
        List<String> earlier = instance.earlierIds();
        return instance.id() + (earlier.isEmpty() ? "" : " (before: " + earlier.get(earlier.size() - 1) + ")");
    }

    /**
     * Logs the instances that a job's plan names as owners although they left before this instance became the leader.
     * Each of them is logged only once.
     */
    void planned(Set<String> owners) {
        Map<String, InstanceInfo> now = present;
        if (now == null || now.keySet().containsAll(owners)) {
            return;
        }
        List<String> gone = owners.stream().filter(id -> absent(id, now)).toList();
        if (!gone.isEmpty()) {
            log.info("{}{}", count(now), section("absent, gone before this instance led", gone));
        }
    }

    /**
     * Returns whether an instance is absent and has not been logged before; if so, records it as logged. An instance is
     * not absent if its process is registered under a later id.
     */
    private boolean absent(String id, Map<String, InstanceInfo> present) {
        return !present.containsKey(id)
                && present.values().stream()
                        .noneMatch(living -> living.earlierIds().contains(id))
                && missed.add(id);
    }

    private static String count(Map<String, InstanceInfo> present) {
        return present.size() == 1 ? "1 instance" : present.size() + " instances";
    }

    private static String section(String change, List<String> ids) {
        if (ids.isEmpty()) {
            return "";
        }
        return "; " + change + ": " + Names.listed(ids);
    }
}
