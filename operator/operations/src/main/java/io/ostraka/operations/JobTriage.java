package io.ostraka.operations;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.FieldValue;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.ItemDetails.State;
import io.ostraka.api.operations.JobDetails;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.Problem;
import io.ostraka.api.operations.Problem.Kind;
import io.ostraka.api.operations.ReportedReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the situations of one job that need a person. Pure functions. */
final class JobTriage {
    /** Kinds about items without an instance. */
    private static final Kind[] OF_PLACEMENT = {
        Kind.UNPLACED_ITEMS, Kind.NO_PLAN, Kind.NO_HOST, Kind.UNPLANNED, Kind.REMOVED, Kind.UNREADABLE
    };

    /** Kinds about runs that take too long. */
    private static final Kind[] OF_LONG_RUNS = {Kind.LONG_RUNNING_ITEMS, Kind.STUCK_ITEMS, Kind.STOP_IGNORED};

    /** Kinds about code that ignores a stop. */
    private static final Set<Kind> HANGING = EnumSet.of(Kind.STUCK_ITEMS, Kind.STOP_IGNORED);

    private static final Set<ItemOutcome> FAILURES =
            EnumSet.of(ItemOutcome.FAILED, ItemOutcome.TIMED_OUT, ItemOutcome.CRASHED);

    /** Fields whose values can be secret. */
    private static final Set<String> HIDDEN = Set.of("jobParameter", "shardingItemParameters");

    /** A run is only reported as slow if it has lasted longer than this. */
    static final Duration SHORTEST = Duration.ofMinutes(1);

    private static final Duration FIRST_RUN = Duration.ofMinutes(2);
    private static final Duration VERY_LONG = Duration.ofMinutes(10);
    private static final int TIMES_USUAL = 3;
    private static final Duration AHEAD = Duration.ofSeconds(10);

    private final JobDetails details;
    private final List<ItemDetails> items;
    private final Instant at;
    private final String explanation;
    private final List<Draft> found = new ArrayList<>();

    private JobTriage(JobDetails details, List<ItemDetails> items, String explanation) {
        this.details = details;
        this.items = items;
        this.at = details.summary().at();
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
        JobTriage triage = new JobTriage(details, items, explanation);
        triage.state();
        triage.health();
        triage.longRuns();
        if (details.summary().state() != JobState.REMOVED) { // nothing of a removed job starts
            triage.items();
            details.fields().stream()
                    .filter(field -> field.overridden() && !field.field().equals("paused"))
                    .forEach(triage::override);
            triage.silence(silenced);
        }
        alarms.forEach(triage::alarm);
        String job = details.summary().job();
        Remedies remedies = new Remedies(job, items, details.disabledInstances());
        return triage.found.stream()
                .map(draft -> draft.problem(job, remedies.of(draft)))
                .toList();
    }

    private Draft add(Kind kind, String text) {
        Draft draft = new Draft(kind, text);
        found.add(draft);
        return draft;
    }

    private boolean has(Kind... kinds) {
        return found.stream().anyMatch(draft -> List.of(kinds).contains(draft.kind));
    }

    private List<ItemDetails> items(Predicate<ItemDetails> which) {
        return items.stream().filter(which).toList();
    }

    private List<ItemDetails> inState(State state) {
        return items(item -> item.state() == state);
    }

    private void state() {
        JobSummary summary = details.summary();
        String text = summary.stateText();
        switch (summary.state()) {
            case PAUSED ->
                add(Kind.PAUSED, "is paused, so no scheduled fire starts")
                        .detail(text)
                        .change(details.field("paused").map(FieldValue::change).orElse(null));
            case REMOVED ->
                add(Kind.REMOVED, "is removed, so nothing of it starts; it is listed until it is purged")
                        .detail(text);
            case CHANGING ->
                add(Kind.ITEM_COUNT_CHANGING, "is changing its items; no fire starts until running items have ended")
                        .detail(text);
            case UNPLANNED -> {
                if (summary.health().isEmpty()) {
                    add(Kind.UNPLANNED, "has no plan yet").detail(text);
                }
            }
            case ACTIVE -> {
                if (!text.isEmpty()) {
                    boolean skips = details.skipTo() != null && details.skipTo().isAfter(at);
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
                        || (kind == Kind.DISABLED_ITEMS && everyDisabledIsQuarantined())
                        || (kind == Kind.LONG_RUNNING_ITEMS && everyRunIsInterrupted()) // an older report
                        || (kind == Kind.QUARANTINED_ITEMS
                                && !inState(State.QUARANTINED).isEmpty())); // the records tell more
        if (byKind.containsKey(Kind.UNPLACED_ITEMS)) {
            byKind.remove(Kind.NO_PLAN);
        }
        byKind.forEach(this::reported);
    }

    private boolean everyDisabledIsQuarantined() {
        List<ItemDetails> disabled = items(ItemDetails::disabled);
        return !disabled.isEmpty() && inState(State.QUARANTINED).containsAll(disabled);
    }

    private boolean everyRunIsInterrupted() {
        return inState(State.RUNNING).isEmpty() && !inState(State.INTERRUPTED).isEmpty();
    }

    /** Adds a reason. Its texts can differ, because each instance names its own items. */
    private void reported(Kind kind, List<ReportedReason> reports) {
        List<String> texts =
                reports.stream().map(each -> each.reason().text()).distinct().toList();
        List<ItemDetails> hanging = HANGING.contains(kind) ? hanging(reports) : List.of();
        Optional<Instant> limit = overTimeout(hanging);
        Draft draft = add(
                kind,
                Draft.named(texts, "; ")
                        + limit.map(end -> "; the timeout of " + timeout().orElseThrow() + " ended at " + end)
                                .orElse(""));
        limit.ifPresent(draft::since);
        reports.forEach(each -> draft.since(each.reason().since()).instances(each.instances()));
        switch (kind) {
            case UNPLACED_ITEMS, NO_PLAN -> draft.detail(explanation);
            case NO_HOST ->
                draft.detail(
                        details.registeredBy().isEmpty()
                                ? ""
                                : "instance " + Draft.shortInstance(details.registeredBy()) + " defined the job last");
            case FUTURE_ITEMS -> draft.items(ahead());
            case LONG_RUNNING_ITEMS -> draft.items(running());
            case STUCK_ITEMS, STOP_IGNORED -> draft.items(hanging);
            case DISABLED_ITEMS ->
                disabled(draft.items(items(item -> item.disabled() && item.state() != State.QUARANTINED)));
            default -> {}
        }
    }

    /** Returns the running items of the instances that report code that ignores a stop; those over the timeout, if any. */
    private List<ItemDetails> hanging(List<ReportedReason> reports) {
        Set<String> reporters = reports.stream()
                .flatMap(each -> each.instances().stream())
                .map(Draft::shortInstance)
                .collect(Collectors.toSet());
        List<ItemDetails> there = items(item -> item.state() == State.RUNNING
                && reporters.contains(Draft.shortInstance(run(item).runner())));
        List<ItemDetails> over = there.stream().filter(this::isOverTimeout).toList();
        return over.isEmpty() ? there : over;
    }

    private Optional<Duration> timeout() {
        return details.field("timeout")
                .map(FieldValue::effective)
                .filter(Duration.class::isInstance)
                .map(Duration.class::cast);
    }

    private boolean isOverTimeout(ItemDetails item) {
        return timeout().filter(limit -> ran(item).compareTo(limit) > 0).isPresent();
    }

    /** Returns the time at which the first of the items exceeded the timeout; empty if none has. */
    private Optional<Instant> overTimeout(List<ItemDetails> running) {
        return running.stream()
                .filter(this::isOverTimeout)
                .map(item -> run(item).startedAt().plus(timeout().orElseThrow()))
                .min(Comparator.naturalOrder());
    }

    private void longRuns() {
        if (!has(OF_LONG_RUNS)) {
            boolean veryLong = slow().stream().anyMatch(item -> ran(item).compareTo(VERY_LONG) > 0);
            add(veryLong ? Kind.LONG_RUNNING_ITEMS : Kind.SLOW_ITEMS, "runs take very long, of items ", slow())
                    .instances(runners(slow()));
        }
    }

    private void items() {
        List<ItemDetails> interrupted = inState(State.INTERRUPTED);
        add(
                        Kind.INTERRUPTED_ITEMS,
                        "the instance has shut down or lost its session, and they wait for another instance: items ",
                        interrupted)
                .instances(runners(interrupted));
        if (details.summary().unassigned() > 0 && !has(OF_PLACEMENT)) {
            List<ItemDetails> unassigned = items(item -> item.owner() == null);
            add(Kind.UNASSIGNED_ITEMS, "items have no instance now: " + named(unassigned))
                    .detail(explanation)
                    .items(unassigned);
        }
        List<ItemDetails> quarantined = inState(State.QUARANTINED);
        add(
                Kind.QUARANTINED_ITEMS,
                "items are quarantined and start no fire: ",
                quarantined.stream().filter(item -> !item.disabled()).toList());
        disabled(add(
                Kind.QUARANTINED_DISABLED_ITEMS,
                "items are quarantined, and an operator has disabled them: ",
                quarantined.stream().filter(ItemDetails::disabled).toList()));
        if (!has(Kind.FUTURE_ITEMS)) {
            add(
                    Kind.FUTURE_ITEMS,
                    "items have run or skipped fires of the future, so they start none until then; a clock was wrong: ",
                    ahead());
        }
        items(JobTriage::hasFailed).stream()
                .collect(Collectors.groupingBy(item -> run(item).runId(), LinkedHashMap::new, Collectors.toList()))
                .forEach((run, failed) -> add(
                                Kind.FAILED_ITEMS, "items of the fire " + run + " did not succeed: " + named(failed))
                        .items(failed)
                        .subject(run));
    }

    /** Adds a problem of items; none if there are no such items. */
    private Draft add(Kind kind, String text, List<ItemDetails> affected) {
        Draft draft = new Draft(kind, text + named(affected)).items(affected);
        if (!affected.isEmpty()) {
            found.add(draft);
        }
        return draft;
    }

    private void disabled(Draft draft) {
        boolean several = details.disabledItems().size() > 1;
        draft.change(
                (several ? "the latest of them was " : "") + "disabled by ",
                details.changes().get("disabledItems"));
    }

    /** Returns the items whose cursor is in the future. */
    private List<ItemDetails> ahead() {
        return items(item -> item.state() != State.RUNNING
                && item.decidedUpTo() != null
                && item.decidedUpTo().isAfter(at.plus(AHEAD)));
    }

    private static boolean hasFailed(ItemDetails item) {
        return item.state() == State.IDLE
                && item.run() != null
                && FAILURES.contains(item.run().outcome());
    }

    /** Returns the items that run much longer than usual, or for long if there is no earlier run. */
    private List<ItemDetails> slow() {
        return items(item -> item.state() == State.RUNNING && ran(item).compareTo(limit(item.expectedRunTime())) > 0);
    }

    /** Returns the items that run too long; all running items if their times do not show which of them do. */
    private List<ItemDetails> running() {
        return slow().isEmpty() ? inState(State.RUNNING) : slow();
    }

    /** Returns the length from which a run counts as longer than usual. */
    static Duration limit(@Nullable Duration usual) {
        Duration most = usual == null ? FIRST_RUN : usual.multipliedBy(TIMES_USUAL);
        return most.compareTo(SHORTEST) > 0 ? most : SHORTEST;
    }

    /** Returns the ids of the instances that run the items, or ran them last. */
    private static List<String> runners(List<ItemDetails> items) {
        return items.stream().map(item -> run(item).runner()).toList();
    }

    private Duration ran(ItemDetails item) {
        return Duration.between(run(item).startedAt(), at);
    }

    private void override(FieldValue field) {
        String name = field.field();
        boolean masks = !Objects.equals(field.defined(), field.effective());
        Kind kind = name.equals("fenceEpoch") ? Kind.FENCE_EPOCH : masks ? Kind.OVERRIDE : Kind.OVERRIDE_WITHOUT_EFFECT;
        String values = HIDDEN.contains(name)
                ? ""
                : ": the definition says " + value(field.defined())
                        + (masks ? ", in force is " + value(field.effective()) : ", too");
        add(kind, (masks ? "an override masks " : "an override does not change ") + name + values)
                .subject(name)
                .change(field.change());
    }

    private static String value(@Nullable Object value) {
        return value == null ? "(no value)" : value.toString();
    }

    private void silence(Set<AlarmKind> kinds) {
        if (!kinds.isEmpty()) {
            String silenced = Draft.alarms(kinds) + (kinds.size() == 1 ? " is silenced" : " are silenced");
            add(Kind.SILENCED, silenced + ", so no handler gets new ones")
                    .change(details.changes().get("silencedAlarms"));
        }
    }

    /**
     * Returns the kinds of problems that an alarm is about, the usual one first. If the job has problems of these kinds,
     * the alarm belongs to each of them; otherwise the alarm becomes a problem of the first kind.
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
        List<Draft> problems =
                found.stream().filter(draft -> known.contains(draft.kind)).toList();
        if (problems.isEmpty()) {
            List<ItemDetails> items = kinds.get(0) == Kind.LONG_RUNNING_ITEMS ? running() : List.of();
            problems = List.of(add(kinds.get(0), alarm.text()).items(items).instances(runners(items)));
        }
        problems.forEach(problem -> problem.alarm(alarm));
    }

    /** Returns whether an alarm about failures concerns only quarantined items. */
    private boolean ofQuarantined(AlarmDetails alarm) {
        return alarm.itemCount() == alarm.items().size()
                && Draft.keys(inState(State.QUARANTINED)).containsAll(alarm.items());
    }

    private static String named(List<ItemDetails> items) {
        return Draft.named(Draft.keys(items), ", ");
    }

    private static ItemDetails.Run run(ItemDetails item) {
        return Objects.requireNonNull(item.run(), "run");
    }
}
