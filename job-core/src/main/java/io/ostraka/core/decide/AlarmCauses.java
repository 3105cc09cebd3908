package io.ostraka.core.decide;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SkipReason;
import io.ostraka.core.decide.FireSituation.Interruption;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobSnapshot;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Skipped;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the causes of a job's alarms in its records, its plan and its override. The result depends only on what these
 * nodes contain and on the time, so the owner of an item and the leader find the same causes.
 *
 * <p>A fire is not missed while an operator or the configuration keeps its item from starting. After an operator's
 * change of the job or of the namespace, or the registration of another definition, time limits count from that change
 * at the earliest, because the change may have allowed the item to start.
 */
public final class AlarmCauses {
    /** Time by which a run may exceed the job's timeout, because its code ends only a moment after the cancellation. */
    private static final Duration AFTER_TIMEOUT = Duration.ofMinutes(5);
    /** Shortest interval between fires at which a single failed fire causes an alarm. */
    private static final Duration RARE = Duration.ofHours(1);

    private static final int FAILURES = 3;

    /**
     * The inputs that concern the whole job.
     *
     * @param changed time of the latest change that may have allowed items to start
     * @param planned time of the latest write of the plan
     * @param frozen true if an operator has frozen the namespace
     * @param began time just before the start of the problem, for each kind of alarm that has not ended. A later change
     *     does not end such an alarm, because the fire still has not begun
     */
    public record Job(
            JobSnapshot snapshot, Instant changed, Instant planned, boolean frozen, Map<AlarmKind, Instant> began) {
        /** Returns the same inputs with this value of {@code began}. */
        public Job lasting(Map<AlarmKind, Instant> alarms) {
            return new Job(snapshot, changed, planned, frozen, alarms);
        }

        /**
         * Returns the time of the latest write of the plan, or the start of the alarm about missed fires if that is
         * earlier.
         */
        Instant moved() {
            return Backlog.earlier(planned, began.getOrDefault(AlarmKind.MISSED, Instant.MAX));
        }

        /** Returns the earliest time from which the time limit of a kind of alarm counts. */
        Instant since(AlarmKind kind, ItemRecord record) {
            Instant latest = record.release() == null
                    ? changed
                    : Backlog.later(changed, record.release().at());
            return Backlog.earlier(latest, began.getOrDefault(kind, Instant.MAX));
        }
    }

    /**
     * An item of the job.
     *
     * @param began start of the current run, on the same clock as the current time; meaningless if the item does not
     *     run
     * @param nothingDue true if it is known that no scheduled fire of the item is due
     */
    public record Item(String key, ItemRecord record, Instant began, Interruption interruption, boolean nothingDue) {}

    private final Job job;
    private final JobSnapshot snapshot;
    private final ShardingPlan plan;
    private final AlarmPolicy policy;
    private final List<Trigger> triggers;
    private final Instant now;

    /** Number of successive failures that causes an alarm; 0 until it is computed. */
    private int mostFailures;

    private final Map<AlarmKind, Map<String, Instant>> found = new EnumMap<>(AlarmKind.class);
    /** Records of items that cause alarms. */
    private final Map<String, ItemRecord> records = new HashMap<>();

    private AlarmCauses(Job job, List<Trigger> triggers, Instant now) {
        this.job = job;
        this.snapshot = job.snapshot.remembering();
        this.plan = job.snapshot.plan();
        this.policy = job.snapshot.configuration().alarms();
        this.triggers = triggers;
        this.now = now;
    }

    /** Returns the time of the latest change that may have allowed a job's items to start. */
    public static Instant changed(JobView job, Instant ordersChanged) {
        return Stream.of(job.definition(), job.override())
                .filter(Objects::nonNull)
                .map(Versioned::modified)
                .reduce(ordersChanged, Backlog::later);
    }

    /**
     * Returns the kinds of alarms for which some items have a cause.
     *
     * @param triggers waiting manual triggers of the job, oldest first
     * @param now current time
     */
    public static Set<AlarmKind> kinds(Job job, Collection<Item> items, List<Trigger> triggers, Instant now) {
        return items(job, items, triggers, now).keySet();
    }

    /** Returns the causes that concern items, by kind. The parameters are the same as those of {@link #kinds}. */
    public static Map<AlarmKind, AlarmCause> items(
            Job job, Collection<Item> items, List<Trigger> triggers, Instant now) {
        AlarmCauses causes = new AlarmCauses(job, triggers, now);
        if (!causes.plan.removed() && !job.snapshot.override().removed()) {
            items.forEach(causes::look);
        }
        Map<AlarmKind, AlarmCause> all = new EnumMap<>(AlarmKind.class);
        causes.found.forEach((kind, since) -> all.put(
                kind,
                AlarmCause.ofItems(
                        kind,
                        since.values().stream().min(Instant::compareTo).orElseThrow(),
                        since.keySet(),
                        causes.text(kind, since))));
        return all;
    }

    private String text(AlarmKind kind, Map<String, Instant> since) {
        Instant first = since.values().stream().min(Instant::compareTo).orElseThrow();
        boolean one = since.size() == 1;
        return switch (kind) {
            case MISSED ->
                one ? " did not start a fire that was due at " + first : " did not start fires, due since " + first;
            case LATE ->
                one ? " started a fire late that was due at " + first : " started fires late, due since " + first;
            case RUNS_TOO_LONG ->
                one
                        ? " has been running since " + first + "; look where the code waits"
                        : " have been running, the first since " + first + "; look where the code waits";
            case FAILING ->
                one
                        ? " failed in its last fires, latest at " + failure(since, false)
                        : " failed in their last fires, latest " + failure(since, true);
            case QUARANTINED ->
                (one
                                ? " is quarantined and starts no fire since " + failure(since, false)
                                : " are quarantined and start no fire, latest " + failure(since, true))
                        + "; " + advice(since.keySet());
            default -> throw new IllegalStateException(kind + " concerns no item");
        };
    }

    /** Returns advice for quarantined items. The next run of an item that crashed may end further instances. */
    private String advice(Set<String> quarantined) {
        boolean one = quarantined.size() == 1;
        String items = one ? "the item" : "the items";
        return quarantined.stream().anyMatch(item -> record(item).outcome() == ItemOutcome.CRASHED)
                ? "disable " + items + ", and release " + (one ? "it" : "them") + " only after the cause is mended"
                : "find the cause, then release " + items;
    }

    /** Returns the time and the error of the latest failure among these items. */
    private String failure(Map<String, Instant> since, boolean named) {
        Map.Entry<String, Instant> latest =
                since.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
        ItemRecord record = record(latest.getKey());
        String error = record.consecutiveFailures() > 0 ? lastError(record) : record.error();
        return (named ? "item " + latest.getKey() + " at " : "")
                + latest.getValue()
                + (error == null ? "" : ": " + error);
    }

    private ItemRecord record(String item) {
        return Objects.requireNonNull(records.get(item), item);
    }

    private void look(Item item) {
        ItemRecord record = item.record;
        if (record.state() == ItemState.RETIRED || record.incarnation() != plan.incarnation()) {
            return; // the item belongs to an earlier or a later plan
        }
        if (record.state() == ItemState.QUARANTINED && record.endedAt() != null) {
            note(AlarmKind.QUARANTINED, item, record.endedAt());
        }
        if (record.consecutiveFailures() > 0 && record.consecutiveFailures() >= mostFailures()) {
            note(AlarmKind.FAILING, item, lastFailure(record));
        }
        if (record.state() == ItemState.RUNNING && item.interruption == Interruption.NONE && tooLong(item.began)) {
            note(AlarmKind.RUNS_TOO_LONG, item, item.began);
        }
        note(AlarmKind.LATE, item, late(item));
        if (!job.frozen) {
            note(AlarmKind.MISSED, item, missed(item));
        }
    }

    private void note(AlarmKind kind, Item item, @Nullable Instant since) {
        if (since != null && policy.has(kind)) {
            found.computeIfAbsent(kind, first -> new TreeMap<>()).put(item.key, since);
            records.put(item.key, item.record);
        }
    }

    private Duration limit(AlarmKind kind) {
        return policy.limit(kind).orElse(Schedule.LONGEST);
    }

    // ---- missed and late fires

    /**
     * Returns the time at which the item should have started; null if it has started or its time limit has not passed.
     */
    private @Nullable Instant missed(Item item) {
        if (!policy.has(AlarmKind.MISSED)) {
            return null;
        }
        ItemRecord record = item.record;
        Duration limit = limit(AlarmKind.MISSED);
        if (record.unfinished()) {
            Instant since = Backlog.later(
                    Backlog.later(record.requireRun().startedAt(), job.moved()), job.since(AlarmKind.MISSED, record));
            if (item.interruption == Interruption.NONE) {
                return starts(item) && !isFirst(record) ? skipped(record, limit, jitter(item)) : null;
            }
            return since.plus(limit).isAfter(now) ? null : since;
        }
        boolean starts = starts(item);
        Instant scheduled = starts && !item.nothingDue ? unstarted(item) : null;
        Instant triggered = unstartedTrigger(item);
        Instant since =
                scheduled == null || (triggered != null && triggered.isBefore(scheduled)) ? triggered : scheduled;
        if (since != null && !since.plus(limit).isAfter(now)) {
            return since;
        }
        return starts && !isFirst(record) ? skipped(record, limit, jitter(item)) : null;
    }

    private boolean starts(Item item) {
        return !plan.closed()
                && !snapshot.paused()
                && !snapshot.disabled(item.key)
                && item.record.state() != ItemState.QUARANTINED;
    }

    private Duration jitter(Item item) {
        return FireSituation.jitter(plan.schedule(), snapshot.configuration().jobName(), item.key);
    }

    private FireSituation situation(Item item) {
        return new FireSituation(
                snapshot, item.key, item.record, Interruption.NONE, List.of(), Set.of(), List.of(), now, false);
    }

    /** Returns the time at which the first overdue scheduled fire should have started; null if there is none. */
    private @Nullable Instant unstarted(Item item) {
        FireSituation situation = situation(item);
        Backlog backlog = Backlog.of(situation);
        if (backlog.times()
                .next(backlog.from())
                .filter(due -> !due.isAfter(backlog.now()))
                .isEmpty()) {
            return null;
        }
        Duration jitter = jitter(item);
        Instant allowed = job.since(AlarmKind.MISSED, item.record);
        if (item.record.run() == null || item.record.requireRun().incarnation() != plan.incarnation()) {
            allowed = Backlog.later(allowed, job.moved()); // no item could start while the plan was closed
        }
        Instant changed = allowed.minus(jitter);
        Instant after = Backlog.later(backlog.from(), backlog.busyTo());
        if (FireDecision.decide(situation) instanceof Due.Start) {
            Instant first = backlog.times()
                    .next(after)
                    .filter(due -> !due.isAfter(backlog.now()))
                    .orElse(backlog.busyTo());
            return Backlog.later(first, changed).plus(jitter);
        }
        // no policy keeps the earlier fires, so the next claim skips them
        return backlog.times()
                .next(Backlog.later(after, changed))
                .filter(due -> !due.isAfter(backlog.now()))
                .map(due -> due.plus(jitter))
                .orElse(null);
    }

    private @Nullable Instant unstartedTrigger(Item item) {
        if (plan.closed() || item.record.state() == ItemState.QUARANTINED) {
            return null;
        }
        Instant ended = item.record.endedAt() == null ? Instant.MIN : item.record.endedAt();
        return triggers.stream()
                .filter(trigger -> trigger.zxid() > item.record.triggerCursor() && trigger.concerns(item.key))
                .map(trigger ->
                        Backlog.later(Backlog.later(trigger.at(), ended), job.since(AlarmKind.MISSED, item.record)))
                .findFirst()
                .orElse(null);
    }

    /** Returns the time of the first fire that the latest decision skipped because the fire was too late. */
    private @Nullable Instant skipped(ItemRecord record, Duration limit, Duration jitter) {
        Run run = record.run();
        // the last fires of a schedule are skipped without a claim: they are not started, however long the item waits
        Instant until = record.decidedBy() != null ? now : run == null ? Instant.MIN : began(run);
        return record.skipped().stream()
                .filter(skipped -> skipped.reason() == SkipReason.MISFIRED)
                .map(skipped -> skipped(skipped, jitter, job.since(AlarmKind.MISSED, record)))
                .filter(since -> since != null && !since.plus(limit).isAfter(until))
                .findFirst()
                .orElse(null);
    }

    private static @Nullable Instant skipped(Skipped skipped, Duration jitter, Instant changed) {
        Instant last = skipped.to().plus(jitter);
        return last.isAfter(changed) ? Backlog.later(skipped.from().plus(jitter), changed) : null;
    }

    /**
     * Returns whether the record's latest decision is its first one since the plan was closed for a change of the
     * items. The fires of this decision were late because no item could start while the plan was closed.
     */
    private boolean isFirst(ItemRecord record) {
        Instant opened = record.openedIn(plan.incarnation());
        Run run = record.run();
        Instant before = record.skip() != null ? record.skip().after() : run == null ? null : run.cursor();
        return plan.incarnation() > 1 && opened != null && opened.equals(before);
    }

    private @Nullable Instant late(Item item) {
        Run run = item.record.run();
        if (run == null || run.fire().triggered() || run.incarnation() != plan.incarnation()) {
            return null;
        }
        Instant due = run.fire().at().plus(jitter(item));
        if (isFirst(item.record)) {
            return null;
        }
        boolean overlapped = run.busySince().isBefore(due);
        Instant since = Backlog.later(due, job.since(AlarmKind.LATE, item.record));
        return overlapped || since.plus(limit(AlarmKind.LATE)).isAfter(began(run)) ? null : since;
    }

    /** Returns the start of the fire's first attempt. A takeover changes the start of the run, but not this time. */
    private static Instant began(Run run) {
        return run.attempt() == 1 ? run.startedAt() : Backlog.earlier(run.busySince(), run.startedAt());
    }

    // ---- long and failing runs

    private boolean tooLong(Instant began) {
        JobConfiguration configuration = snapshot.configuration();
        Optional<Duration> limit = policy.limit(AlarmKind.RUNS_TOO_LONG);
        if (limit.isEmpty()) {
            Optional<Duration> timeout = plan.schedule().unbounded() instanceof Schedule.Adaptive adaptive
                    ? Optional.of(adaptive.base())
                    : configuration.timeout();
            limit = timeout.map(AFTER_TIMEOUT::plus);
        }
        return limit.isPresent() ? !began.plus(limit.get()).isAfter(now) : snapshot.unusuallyLong(began, now);
    }

    private int mostFailures() {
        if (mostFailures == 0) { // computed once, because the fire times are the same for all items
            mostFailures = policy.failuresInARow().orElseGet(() -> rare() ? 1 : FAILURES);
        }
        return mostFailures;
    }

    /**
     * Returns whether the fires around the current time are rare. The only fire of a schedule is rare. If a schedule
     * counts from the last run, its shortest delay decides, because the items have different fires.
     */
    private boolean rare() {
        FireTimes times = snapshot.times();
        if (!ShardingPlan.canSkip(plan.schedule())) {
            return times.shortestGap() >= RARE.toMillis();
        }
        Optional<Instant> next = times.next(now);
        List<Instant> fires = new ArrayList<>(times.latest(plan.since(), now, next.isPresent() ? 1 : 2));
        next.ifPresent(fires::add);
        next.flatMap(times::next).ifPresent(fires::add);
        for (int i = 1; i < fires.size(); i++) {
            if (Duration.between(fires.get(i - 1), fires.get(i)).compareTo(RARE) < 0) {
                return false;
            }
        }
        return !fires.isEmpty();
    }

    private static @Nullable String lastError(ItemRecord record) {
        return record.endedAt() != null || record.previous() == null
                ? record.error()
                : record.previous().error();
    }

    private static Instant lastFailure(ItemRecord record) {
        if (record.endedAt() != null) {
            return record.endedAt();
        }
        return record.previous() == null ? record.cursor() : record.previous().endedAt();
    }
}
