package io.ostraka.operations;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.FieldValue;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.ItemDetails.State;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.Problem;
import io.ostraka.api.operations.Problem.Kind;
import io.ostraka.api.operations.ReportedReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds the situations of one job that need a person. Pure functions. */
final class JobTriage {
    /** Kinds about items without an instance. */
    private static final Kind[] OF_PLACEMENT = {
        Kind.UNPLACED_ITEMS, Kind.NO_PLAN, Kind.NO_HOST, Kind.UNPLANNED, Kind.REMOVED, Kind.UNREADABLE
    };

    /** Kinds about runs that take too long. */
    private static final Kind[] OF_LONG_RUNS = {Kind.LONG_RUNNING_ITEMS, Kind.STUCK_ITEMS, Kind.STOP_IGNORED};

    /** Fields whose values can be secret. */
    private static final Set<String> HIDDEN = Set.of("jobParameter", "shardingItemParameters");

    private static final int MOST_ERRORS = 3;

    private final JobDetails details;
    private final JobFacts facts;
    private final String explanation;
    private final List<Draft> found = new ArrayList<>();

    private JobTriage(JobDetails details, JobFacts facts, String explanation) {
        this.details = details;
        this.facts = facts;
        this.explanation = explanation;
    }

    /**
     * Returns the problems in the order in which they were found.
     *
     * @param alarms current alarms of the job
     * @param silenced kinds of alarms that an operator has silenced
     * @param explanation explains why the first item without an owner has none; empty if no item is without an owner
     */
    static List<Problem> of(
            JobDetails details,
            List<ItemDetails> items,
            List<AlarmDetails> alarms,
            Set<AlarmKind> silenced,
            String explanation) {
        JobTriage triage = new JobTriage(details, JobFacts.of(details, items), explanation);
        triage.state();
        triage.health();
        triage.items();
        triage.failures();
        details.fields().stream()
                .filter(field -> field.overridden() && !field.field().equals("paused"))
                .forEach(triage::override);
        triage.silence(silenced);
        alarms.forEach(triage::alarm);
        return triage.found.stream().map(draft -> draft.problem(triage.facts)).toList();
    }

    private Draft add(Kind kind, String text) {
        Draft draft = new Draft(kind, text);
        found.add(draft);
        return draft;
    }

    private boolean has(Kind... kinds) {
        return Stream.of(kinds).anyMatch(kind -> found.stream().anyMatch(draft -> draft.kind() == kind));
    }

    private void state() {
        JobSummary summary = details.summary();
        String text = summary.stateText();
        switch (summary.state()) {
            case PAUSED -> {
                Change change = details.field("paused").map(FieldValue::change).orElse(null);
                add(Kind.PAUSED, "is paused, so no scheduled fire starts")
                        .detail(text)
                        .detail(who(change))
                        .since(change == null ? null : change.at());
            }
            case REMOVED ->
                add(Kind.REMOVED, "was removed, so nothing of it starts").detail(text);
            case CHANGING ->
                add(
                                Kind.ITEM_COUNT_CHANGING,
                                "is changing its items; no fire starts until the running items have ended")
                        .detail(text);
            case UNPLANNED -> {
                if (summary.health().isEmpty()) {
                    add(Kind.UNPLANNED, "has no plan yet").detail(text);
                }
            }
            case ACTIVE -> {
                if (!text.isEmpty()) {
                    boolean skips = details.skipTo() != null && details.skipTo().isAfter(facts.at());
                    add(skips ? Kind.SKIPS_FIRES : Kind.CHANGE_PENDING, text);
                }
            }
            case UNREADABLE -> {} // the details describe the nodes
        }
        if (details.problem() != null) {
            add(Kind.UNREADABLE, "has a node that is not readable").detail(details.problem());
        }
    }

    private void health() {
        Map<Kind, List<ReportedReason>> byKind = details.summary().health().stream()
                .collect(Collectors.groupingBy(
                        each -> Kind.valueOf(each.reason().kind().name()), LinkedHashMap::new, Collectors.toList()));
        byKind.keySet()
                .removeIf(kind -> kind == Kind.CLOCK_AHEAD // a problem of the instance
                        || has(kind) // the state of the job says it
                        || (kind == Kind.QUARANTINED_ITEMS
                                && !facts.inState(State.QUARANTINED).isEmpty())); // the records tell more
        if (byKind.containsKey(Kind.UNPLACED_ITEMS)) {
            byKind.remove(Kind.NO_PLAN);
        }
        byKind.forEach(this::reported);
    }

    /** Adds a reason. Its texts can differ, because each instance names its own items. */
    private void reported(Kind kind, List<ReportedReason> reports) {
        List<String> texts =
                reports.stream().map(each -> each.reason().text()).distinct().toList();
        Draft draft = add(kind, JobFacts.named(texts, "; "));
        reports.forEach(each -> draft.since(each.reason().since()).instances(each.instances()));
        switch (kind) {
            case UNPLACED_ITEMS, NO_PLAN -> draft.detail(explanation);
            case FUTURE_ITEMS -> ahead(draft);
            case LONG_RUNNING_ITEMS, STUCK_ITEMS, STOP_IGNORED -> running(draft);
            case DISABLED_ITEMS -> draft.detail(disabledBy());
            default -> {}
        }
    }

    private void items() {
        List<ItemDetails> interrupted = facts.inState(State.INTERRUPTED);
        if (!interrupted.isEmpty()) {
            Draft draft = add(
                            Kind.INTERRUPTED_ITEMS,
                            "the instance that ran items " + named(interrupted)
                                    + " has shut down or lost its session; they wait for another instance")
                    .items(interrupted);
            some(interrupted)
                    .forEach(item -> draft.detail(
                            ran(item, "ran on ") + ", run " + run(item).runId()));
        }
        if (details.summary().unassigned() > 0 && !has(OF_PLACEMENT)) {
            add(Kind.UNASSIGNED_ITEMS, "items have no instance now: " + named(facts.withoutOwner()))
                    .detail(explanation)
                    .items(facts.withoutOwner());
        }
        List<ItemDetails> slow = facts.slow();
        if (!slow.isEmpty() && !has(OF_LONG_RUNS)) {
            boolean veryLong = slow.stream().anyMatch(facts::isVeryLong);
            running(add(
                    veryLong ? Kind.LONG_RUNNING_ITEMS : Kind.SLOW_ITEMS,
                    "runs take very long, of items " + named(slow)));
        }
        if (!facts.ahead().isEmpty() && !has(Kind.FUTURE_ITEMS)) {
            ahead(add(
                    Kind.FUTURE_ITEMS,
                    "items have decided about fires in the future, so they start none until then; a clock was wrong: "
                            + named(facts.ahead())));
        }
    }

    /** Adds the runs that take too long; all running items if their times do not show which of them do. */
    private void running(Draft draft) {
        List<ItemDetails> slow = facts.slow().isEmpty() ? facts.inState(State.RUNNING) : facts.slow();
        draft.items(slow);
        slow.stream()
                .limit(Remedies.MOST)
                .forEach(item -> draft.detail(ran(item, "runs on ")
                        + (item.expectedRunTime() == null
                                ? ", and no earlier run has ended"
                                : ", usually " + item.expectedRunTime())));
    }

    private void ahead(Draft draft) {
        draft.items(facts.ahead());
        some(facts.ahead())
                .forEach(item -> draft.detail("item " + item.item() + " has decided up to " + item.decidedUpTo()));
    }

    private void failures() {
        List<ItemDetails> open = facts.quarantined(false);
        List<ItemDetails> disabled = facts.quarantined(true);
        if (!open.isEmpty()) {
            errors(
                    add(Kind.QUARANTINED_ITEMS, "items are quarantined and start no fire: " + named(open))
                            .items(open),
                    open);
        }
        if (!disabled.isEmpty()) {
            errors(
                            add(
                                            Kind.QUARANTINED_DISABLED_ITEMS,
                                            "items are quarantined, and an operator has disabled them: "
                                                    + named(disabled))
                                    .items(disabled),
                            disabled)
                    .detail(disabledBy());
        }
        facts.failed().stream()
                .collect(Collectors.groupingBy(item -> run(item).runId(), LinkedHashMap::new, Collectors.toList()))
                .forEach((run, items) -> {
                    Draft draft = add(
                                    Kind.FAILED_ITEMS,
                                    items.size() + (items.size() == 1 ? " item" : " items") + " of the fire " + run
                                            + " did not succeed: " + named(items))
                            .items(items)
                            .subject(run);
                    some(items)
                            .forEach(item -> draft.detail("item " + item.item() + ": "
                                    + run(item).outcome() + " " + run(item).endedAt() + error(item)));
                });
    }

    private static Draft errors(Draft draft, List<ItemDetails> items) {
        some(items)
                .forEach(item -> draft.detail(
                        "item " + item.item() + ": " + item.failuresInARow() + " failed in a row" + error(item)));
        return draft;
    }

    private static String error(ItemDetails item) {
        return run(item).error() == null ? "" : ", " + run(item).error();
    }

    private void override(FieldValue field) {
        String name = field.field();
        boolean masks = !Objects.equals(field.defined(), field.effective());
        boolean shown = !HIDDEN.contains(name);
        Kind kind = name.equals("fenceEpoch") ? Kind.FENCE_EPOCH : masks ? Kind.OVERRIDE : Kind.OVERRIDE_WITHOUT_EFFECT;
        String values = masks
                ? "an override masks " + name
                        + (shown
                                ? ": the definition says " + value(field.defined()) + ", in force is "
                                        + value(field.effective())
                                : "")
                : "an override of " + name + " has the value of the definition"
                        + (shown ? ": " + value(field.defined()) : "");
        add(kind, values)
                .subject(name)
                .detail(who(field.change()))
                .since(field.change() == null ? null : field.change().at());
    }

    private static String value(@Nullable Object value) {
        return value == null ? "(no value)" : value.toString();
    }

    private void silence(Set<AlarmKind> kinds) {
        if (!kinds.isEmpty()) {
            boolean all =
                    Stream.of(AlarmKind.values()).filter(AlarmKind::isOfJob).allMatch(kinds::contains);
            String names = new TreeSet<>(kinds).stream().map(Enum::name).collect(Collectors.joining(", "));
            add(Kind.SILENCED, (all ? "all alarms" : "alarms " + names) + " are silenced, so no handler gets new ones")
                    .detail(who(details.changes().get("silencedAlarms")));
        }
    }

    /**
     * Returns the kinds of problems that an alarm is about, the usual one first. If the job has a problem of one of
     * them, the alarm belongs to it; otherwise the alarm becomes a problem of the first kind.
     */
    static List<Kind> about(AlarmKind alarm) {
        return switch (alarm) {
            case MISSED -> List.of(Kind.MISSED);
            case LATE -> List.of(Kind.LATE);
            case RUNS_TOO_LONG ->
                List.of(Kind.LONG_RUNNING_ITEMS, Kind.STUCK_ITEMS, Kind.STOP_IGNORED, Kind.SLOW_ITEMS);
            case FAILING -> List.of(Kind.FAILING, Kind.FAILED_ITEMS);
            case QUARANTINED -> List.of(Kind.QUARANTINED_ITEMS, Kind.QUARANTINED_DISABLED_ITEMS);
            case UNPLACED -> List.of(Kind.UNPLACED_ITEMS, Kind.NO_PLAN, Kind.NO_HOST, Kind.UNASSIGNED_ITEMS);
            case NO_INSTANCE -> List.of(Kind.NO_HOST);
            case PAUSED_LONG -> List.of(Kind.PAUSED);
            case OVERRIDE_STALE -> List.of(Kind.OVERRIDE, Kind.OVERRIDE_WITHOUT_EFFECT);
            case HISTORY_LOST -> List.of(Kind.HISTORY_LOST);
        };
    }

    private void alarm(AlarmDetails alarm) {
        List<Kind> kinds = about(alarm.kind());
        Set<Kind> known = EnumSet.copyOf(kinds);
        if (alarm.kind() == AlarmKind.FAILING && ofQuarantined(alarm)) {
            known.add(Kind.QUARANTINED_ITEMS);
            known.add(Kind.QUARANTINED_DISABLED_ITEMS);
        }
        Optional<Draft> told =
                found.stream().filter(draft -> known.contains(draft.kind())).findFirst();
        told.orElseGet(() -> {
                    Draft draft = add(kinds.get(0), alarm.text());
                    if (kinds.get(0) == Kind.LONG_RUNNING_ITEMS) {
                        running(draft);
                    }
                    return draft.detail(alarm.silenced() ? "the alarm is silenced" : "");
                })
                .alarm(alarm);
    }

    /** Returns whether an alarm about failures concerns only quarantined items. */
    private boolean ofQuarantined(AlarmDetails alarm) {
        return alarm.itemCount() == alarm.items().size()
                && JobFacts.keys(facts.inState(State.QUARANTINED)).containsAll(alarm.items());
    }

    private String disabledBy() {
        Change change = details.changes().get("disabledItems");
        return change == null
                ? ""
                : (details.disabledItems().size() > 1 ? "the latest of them was " : "") + "disabled by " + by(change);
    }

    private static String who(@Nullable Change change) {
        return change == null ? "" : "set by " + by(change);
    }

    /** Describes a change: its actor, time, reason and end. */
    static String by(Change change) {
        Instant until = change.until();
        return (change.by().isEmpty() ? "an unknown person" : change.by()) + " " + change.at() + ", reason: "
                + (change.reason().isEmpty() ? "none given" : change.reason())
                + (until == null ? "" : ", until " + until);
    }

    private static String named(List<ItemDetails> items) {
        return JobFacts.named(JobFacts.keys(items), ", ");
    }

    private static Stream<ItemDetails> some(List<ItemDetails> items) {
        return items.stream().limit(MOST_ERRORS);
    }

    private static String ran(ItemDetails item, String verb) {
        return "item " + item.item() + " " + verb + run(item).runner() + " since "
                + run(item).startedAt();
    }

    private static ItemDetails.Run run(ItemDetails item) {
        return Objects.requireNonNull(item.run(), "run");
    }
}
