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
 * Logs, in the leader, which instances have joined and left: one line for each look at them, whatever the number of jobs and
 * items. Confined to the leader's lane.
 */
final class MembershipLog {
    private static final Logger log = LoggerFactory.getLogger(MembershipLog.class);

    /** The instance that led before this one; null if not known. */
    private final @Nullable String former;

    /** The instances as read last, by id; null before the first reading. */
    private @Nullable Map<String, InstanceInfo> present;
    /** Ids of instances whose absence the log has told. */
    private final Set<String> missed = new TreeSet<>();

    MembershipLog(@Nullable String former) {
        this.former = former;
    }

    /** Compares the instances that are present with those of the last call. */
    void observed(List<InstanceInfo> now) {
        Map<String, InstanceInfo> before = present;
        Map<String, InstanceInfo> after = new TreeMap<>();
        now.forEach(instance -> after.put(instance.id(), instance));
        present = after;
        if (before == null) {
            if (former != null && absent(former, after)) {
                log.info("{}{}", count(after), section("no longer here, the former leader", List.of(former)));
            }
            return;
        }
        if (after.isEmpty() || before.keySet().equals(after.keySet())) {
            return; // a leader does not report its own end
        }
        List<String> joined = after.values().stream()
                .filter(instance -> !before.containsKey(instance.id()))
                .map(MembershipLog::named)
                .toList();
        List<String> left = new ArrayList<>();
        List<String> gone = new ArrayList<>();
        before.forEach((id, instance) -> {
            if (!after.containsKey(id)) {
                missed.add(id); // plans tell nothing new of it
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
                section("gone, session ended", gone));
    }

    /** Returns the id, with the id that the same process had in its former session. */
    private static String named(InstanceInfo instance) {
        List<String> earlier = instance.earlierIds();
        return instance.id() + (earlier.isEmpty() ? "" : " (before: " + earlier.get(earlier.size() - 1) + ")");
    }

    /** Reports, once, the owners in a job's plan that had gone before this instance led. */
    void planned(Set<String> owners) {
        Map<String, InstanceInfo> now = present;
        if (now == null || now.keySet().containsAll(owners)) {
            return;
        }
        List<String> gone = owners.stream().filter(id -> absent(id, now)).toList();
        if (!gone.isEmpty()) {
            log.info("{}{}", count(now), section("gone, session ended", gone));
        }
    }

    /** Returns whether the log is still to tell that an instance is absent; true once for each. */
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
