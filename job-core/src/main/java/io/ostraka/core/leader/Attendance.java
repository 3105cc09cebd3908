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
 * Says in the leader's log which instances have come and gone: one line for all that is seen at a time, however many jobs and
 * items they have. Confined to the leader's lane.
 */
final class Attendance {
    private static final Logger log = LoggerFactory.getLogger(Attendance.class);

    /** Those that were there when they were read last, by id; null before that. */
    private @Nullable Map<String, InstanceInfo> present;
    /** Whom only plans have told of, and who is gone. */
    private final Set<String> missed = new TreeSet<>();

    /** These are there, now. */
    void observed(List<InstanceInfo> now) {
        Map<String, InstanceInfo> before = present;
        Map<String, InstanceInfo> after = new TreeMap<>();
        now.forEach(instance -> after.put(instance.id(), instance));
        present = after;
        if (before == null || after.isEmpty() || before.keySet().equals(after.keySet())) {
            return; // of its own end a leader needn't tell anybody
        }
        List<String> joined = after.values().stream()
                .filter(instance -> !before.containsKey(instance.id()))
                .map(Attendance::named)
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
                told("joined", joined),
                told("left in good order", left),
                told("gone, as their sessions have ended", gone));
    }

    /** With what the same process was under its session before. */
    private static String named(InstanceInfo instance) {
        List<String> earlier = instance.earlierIds();
        return instance.id() + (earlier.isEmpty() ? "" : " (before: " + earlier.get(earlier.size() - 1) + ")");
    }

    /** The plan of a job gives items to these; who of them was gone before this instance led is told here, once. */
    void planned(Set<String> owners) {
        Map<String, InstanceInfo> now = present;
        if (now == null || now.keySet().containsAll(owners)) {
            return;
        }
        List<String> gone = owners.stream()
                .filter(id -> !now.containsKey(id)
                        && now.values().stream()
                                .noneMatch(living -> living.earlierIds().contains(id))
                        && missed.add(id))
                .toList();
        if (!gone.isEmpty()) {
            log.info("{}{}", count(now), told("gone, as their sessions have ended", gone));
        }
    }

    private static String count(Map<String, InstanceInfo> present) {
        return present.size() == 1 ? "1 instance" : present.size() + " instances";
    }

    private static String told(String what, List<String> ids) {
        if (ids.isEmpty()) {
            return "";
        }
        return "; " + what + ": " + Names.listed(ids);
    }
}
