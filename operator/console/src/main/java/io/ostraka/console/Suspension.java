package io.ostraka.console;

import io.ostraka.api.operations.Operation;
import io.ostraka.history.row.AuditEntry;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A pause of a job or a freeze of its namespace, as the audit shows it. Explains fires that could not start in that time.
 *
 * @param state kind of the suspension
 * @param by person or program that gave the command
 * @param reason reason that this person gave; empty if none
 * @param from time of the command
 * @param to end of the suspension; null if the audit shows no end
 */
record Suspension(State state, String by, String reason, Instant from, @Nullable Instant to) {
    private static final Pattern UNTIL = Pattern.compile("\\buntil=([^,\\]]+)");

    /** Kinds of suspensions. */
    enum State {
        /** The job was paused. */
        PAUSED,
        /** The namespace was frozen. */
        FROZEN
    }

    /**
     * Returns the suspensions of a job.
     *
     * @param steps steps of the audit, latest first. A suspension that began before the first of them is unknown
     */
    static List<Suspension> of(String job, List<AuditEntry> steps) {
        List<AuditEntry> ordered = new ArrayList<>(steps);
        Collections.reverse(ordered);
        List<Suspension> all = new ArrayList<>();
        Map<State, Suspension> open = new EnumMap<>(State.class);
        for (AuditEntry step : ordered) {
            State state = state(step, job);
            if (state == null || step.outcome() == null || !step.outcome().startsWith("APPLIED")) {
                continue;
            }
            Suspension before = open.remove(state);
            boolean begins = step.operation().equals(Operation.PAUSE.name())
                    || step.operation().equals(Operation.FREEZE.name());
            if (before != null && (!begins || before.endsBefore(step.at()))) {
                all.add(before.endedAt(step.at()));
                before = null;
            }
            if (begins) {
                Instant from = before == null ? step.at() : before.from; // a later command may only change the end
                open.put(state, new Suspension(state, step.actor(), step.reason(), from, until(step.detail())));
            }
        }
        all.addAll(open.values());
        return all;
    }

    private static @Nullable State state(AuditEntry step, String job) {
        String operation = step.operation();
        if (operation.equals(Operation.FREEZE.name()) || operation.equals(Operation.THAW.name())) {
            return State.FROZEN;
        }
        boolean pauses = operation.equals(Operation.PAUSE.name()) || operation.equals(Operation.RESUME.name());
        return pauses && step.target().equals(job) ? State.PAUSED : null;
    }

    private boolean endsBefore(Instant time) {
        return to != null && to.isBefore(time);
    }

    private Suspension endedAt(Instant end) {
        return endsBefore(end) ? this : new Suspension(state, by, reason, from, end);
    }

    private static @Nullable Instant until(String detail) {
        Matcher matcher = UNTIL.matcher(detail);
        try {
            return matcher.find() ? Instant.parse(matcher.group(1)) : null;
        } catch (DateTimeException e) {
            return null; // it has no end
        }
    }

    /** Returns whether the suspension lasted from one time to another. */
    boolean covers(Instant first, Instant last) {
        return !first.isBefore(from) && (to == null || last.isBefore(to));
    }
}
