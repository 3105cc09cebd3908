package io.ostraka.core.leader;

import io.ostraka.api.JobHealth.Kind;
import io.ostraka.core.model.JobView;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Problems of one job that only the leader can see. Reports them to its instance. Confined to the leader's executor. */
final class PlanningProblems {
    /**
     * Time without a host after which health reports that no instance hosts the job. Shorter times are normal, because
     * a deployment may restart the only host.
     */
    private static final Duration RESTART = Duration.ofMinutes(1);

    private final String job;
    private final Term term;
    /** True if an instance has hosted the job during this term. */
    private boolean hosted;
    /** Start of the time without a host, on the server's clock; null while an instance hosts the job. */
    private @Nullable Instant noHostSince;
    /** True if the job has no definition and no host any more. */
    private boolean forgotten;
    /** Problems in the latest report; empty if there were none. */
    private Map<Kind, String> reported = Map.of();

    PlanningProblems(String job, Term term) {
        this.job = job;
        this.term = term;
    }

    /** Returns whether the latest report contains this problem. */
    boolean reported(Kind kind) {
        return reported.containsKey(kind);
    }

    /** Returns whether the latest report contains a problem that a change of the job's nodes may have solved. */
    boolean mayBeSolved() {
        return reported.keySet().stream()
                .anyMatch(kind -> kind.needsAttention() && kind != Kind.NO_HOST && kind != Kind.ALARMS_DROPPED);
    }

    /**
     * Reports the problems of the job. They replace those of the latest report.
     *
     * @param found problems that the planning has found
     * @param view the job as last read; null if it cannot be read
     * @param unreadable description of the job's unreadable nodes; null if all are readable
     */
    void report(Map<Kind, String> found, @Nullable JobView view, @Nullable String unreadable) {
        if (forgotten) {
            return;
        }
        Map<Kind, String> all = new EnumMap<>(Kind.class);
        all.putAll(found);
        if (unreadable != null) {
            all.put(Kind.UNREADABLE, unreadable);
        }
        if (lacksOnceListener(view)) {
            all.put(
                    Kind.ONCE_LISTENER_MISSING,
                    "registered with a OnceListener, and no instance that hosts the job has it: its fires run without;"
                            + " start an instance with the listener, or register the job without it");
        }
        if (lacksHost(view)) {
            all.put(
                    Kind.NO_HOST,
                    "no instance hosts the job: none of its items runs, and its triggers wait;"
                            + " start an instance that registers it, or remove the job");
        }
        String backfill = term.backfillProblems.get(job);
        if (backfill != null) {
            all.put(Kind.BACKFILL_FAILED, backfill);
        }
        Map<String, Integer> dropped = term.alarmsDropped(job);
        if (!dropped.isEmpty()) {
            all.put(
                    Kind.ALARMS_DROPPED,
                    dropped.entrySet().stream()
                                    .map(handler -> handler.getValue() + " alarms were dropped before handler "
                                            + handler.getKey() + " received them")
                                    .collect(Collectors.joining("; "))
                            + "; repair the handler, and see the log of this instance for its errors");
        }
        reported = all;
        term.leadingInstance.planned(job, all);
    }

    /** Takes back the reported problems, because the job was forgotten. Later reports have no effect. */
    void forget() {
        forgotten = true;
        reported = Map.of();
        term.leadingInstance.planned(job, reported);
    }

    /** Returns whether the job has had no host for longer than a restart takes. */
    private boolean lacksHost(@Nullable JobView known) {
        hosted |= term.hosts(job);
        if (known == null
                || known.definition() == null
                || known.overrideOrNone().removed()
                || (known.plan() != null && known.plan().value().removed())
                || term.hosts(job)) {
            noHostSince = null;
            return false;
        }
        Instant now = term.coordination.membership().serverTime();
        if (noHostSince == null) {
            noHostSince = hosted ? now : term.unhostedSince(known);
        }
        // an instance that has just started may be the first one after a restart of the whole application
        return !noHostSince.plus(RESTART).isAfter(now) && term.instanceAge().compareTo(RESTART) >= 0;
    }

    /**
     * Returns whether the job's once-listeners are missing: an instance is eligible to own the job's items, but no
     * registered instance has the listeners.
     */
    private boolean lacksOnceListener(@Nullable JobView known) {
        return known != null
                && known.definition() != null
                && known.definition().value().onceListeners()
                && !known.overrideOrNone().removed()
                && term.placeable(known)
                && !term.hasOnceListener(job);
    }
}
