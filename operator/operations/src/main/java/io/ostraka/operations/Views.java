package io.ostraka.operations;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.api.JobHealth;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.FieldValue;
import io.ostraka.api.operations.Forecast;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.ReportedReason;
import io.ostraka.core.decide.ClusterHealth;
import io.ostraka.core.decide.Planning;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.JobAlarms;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.schedule.FireSchedules;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Computes the views of jobs from their nodes. Pure functions. */
final class Views {
    private static final int MOST_IN_SLOT = 1_000;
    /** Largest number of fires of cron schedules that a forecast counts, one by one. It takes some seconds. */
    private static final int MOST_IN_FORECAST = 10_000_000;

    private static final String SKIP_TO = "skipTo";
    private static final String SILENCED_ALARMS = "silencedAlarms";

    private Views() {}

    static JobSummary summary(JobView job, ClusterHealth health, long triggers, Instant at) {
        ShardingPlan plan = job.plan() == null ? null : job.plan().value();
        Map<String, Integer> owners = owners(job);
        int assigned = owners.values().stream().mapToInt(Integer::intValue).sum();
        JobState state = state(job, health);
        return new JobSummary(
                job.name(),
                state,
                stateText(job, state, health, at),
                health.jobs().getOrDefault(job.name(), List.of()).stream()
                        .map(Views::named)
                        .toList(),
                plan == null ? null : plan.schedule(),
                plan == null ? 0 : ShardingPlan.numbered(plan.scope()) ? plan.total() : assigned,
                owners,
                nextFire(job, state, at),
                (int) Math.min(Integer.MAX_VALUE, triggers),
                at);
    }

    /** Returns a reason for readers of a whole cluster, with the name of the instance that calls itself "this instance". */
    private static ReportedReason named(ReportedReason reported) {
        JobHealth.Reason reason = reported.reason();
        return new ReportedReason(
                new JobHealth.Reason(reason.kind(), named(reason.text(), reported.instances()), reason.since()),
                reported.instances());
    }

    /** @param instances ids of the instances that have written the text */
    static String named(String text, Collection<String> instances) {
        String name = instances.size() == 1
                ? "instance " + Draft.shortInstance(instances.iterator().next())
                : "the instance";
        return text.replace("this instance", name);
    }

    /** Returns the number of items by owner; owners without items are left out. */
    static Map<String, Integer> owners(JobView job) {
        Map<String, Integer> owners = new TreeMap<>();
        if (job.plan() != null) {
            job.plan().value().items().forEach((instance, keys) -> owners.put(instance, keys.size()));
            owners.values().removeIf(count -> count == 0);
        }
        return owners;
    }

    /**
     * Returns the state of a job. If the definition was not read, the instances' health shows whether the definition
     * pauses the job.
     */
    static JobState state(JobView job, ClusterHealth health) {
        if (job.problem() != null) {
            return JobState.UNREADABLE;
        }
        JobOverride override = job.overrideOrNone();
        Versioned<ShardingPlan> plan = job.plan();
        if (override.removed() || (plan != null && plan.value().removed())) {
            return JobState.REMOVED;
        }
        if (plan == null) {
            return JobState.UNPLANNED;
        }
        if (plan.value().closed()) {
            return JobState.CHANGING;
        }
        Boolean byOperator = override.paused();
        boolean paused = byOperator != null
                ? byOperator
                : job.definition() != null
                        ? job.definition().value().configuration().paused()
                        : health.jobs().getOrDefault(job.name(), List.of()).stream()
                                .anyMatch(reported -> reported.reason().kind() == JobHealth.Kind.PAUSED);
        return paused ? JobState.PAUSED : JobState.ACTIVE;
    }

    private static String stateText(JobView job, JobState state, ClusterHealth health, Instant at) {
        String text = textOf(job, state, health, at);
        return !awaitsPlan(job, state)
                ? text
                : (text.isEmpty() ? "" : text + "; ") + "the leader has not copied the latest change into the plan yet";
    }

    /** Returns why the job starts no scheduled fires now; empty if it does start them. The job must have a plan. */
    static String obstacle(JobView job, Instant at) {
        JobState state = state(job, ClusterHealth.NONE);
        String text = textOf(job, state, ClusterHealth.NONE, at);
        return switch (state) {
            case PAUSED, REMOVED -> "the job is " + text;
            case ACTIVE -> text.isEmpty() ? "" : "the job " + text;
            case CHANGING, UNPLANNED, UNREADABLE -> text;
        };
    }

    /** Returns whether the override has changed since the leader made the plan. */
    private static boolean awaitsPlan(JobView job, JobState state) {
        return (state == JobState.ACTIVE || state == JobState.PAUSED)
                && (job.override() == null ? 0 : job.override().mzxid())
                        != required(job).overrideMzxid();
    }

    private static String textOf(JobView job, JobState state, ClusterHealth health, Instant at) {
        return switch (state) {
            case ACTIVE -> {
                Instant skipTo = required(job).skipTo();
                boolean skips = skipTo != null && required(job).startsAfter().isAfter(at);
                yield skips ? "skips its fires before " + skipTo + why(job.overrideOrNone(), SKIP_TO) : "";
            }
            case PAUSED ->
                registeredAsPaused(job, health).orElseGet(() -> "paused" + why(job.overrideOrNone(), "paused"));
            case CHANGING -> {
                ShardingPlan plan = required(job);
                ShardingPlan.Change change = plan.change();
                yield change == null ? "" : plan.changing(change);
            }
            case UNPLANNED -> "the leader has not planned the job yet, or no instance hosts it";
            case UNREADABLE -> String.valueOf(job.problem());
            case REMOVED ->
                "removed" + why(job.overrideOrNone(), "removed") + "; a new registration brings the job back";
        };
    }

    /**
     * Returns the text with the definition's reason for its pause; empty if the definition has no reason, or if an
     * operator has paused the job. If the definition was not read, the text comes from the instances' health.
     */
    private static Optional<String> registeredAsPaused(JobView job, ClusterHealth health) {
        JobOverride override = job.overrideOrNone();
        if (job.definition() != null) {
            String reason = override.pauseReason(job.definition().value().configuration());
            return reason.isEmpty() ? Optional.empty() : Optional.of(JobOverride.REGISTERED_AS_PAUSED + reason);
        }
        return override.paused() != null
                ? Optional.empty()
                : health.jobs().getOrDefault(job.name(), List.of()).stream()
                        .filter(reported -> reported.reason().kind() == JobHealth.Kind.PAUSED)
                        .map(reported -> reported.reason().text())
                        .filter(text -> text.startsWith(JobOverride.REGISTERED_AS_PAUSED))
                        .findFirst();
    }

    private static String why(JobOverride override, String name) {
        JobOverride.Change change = override.changes().get(name);
        return change == null
                ? ""
                : " by " + change.by() + (change.reason().isEmpty() ? "" : " (" + change.reason() + ")")
                        + (change.until() == null ? "" : " until " + change.until());
    }

    private static @Nullable Instant nextFire(JobView job, JobState state, Instant now) {
        return job.plan() == null
                ? null
                : times(job)
                        .filter(times -> !times.patient())
                        .flatMap(times ->
                                startsAfter(job, state, Orders.NONE, now).flatMap(times::next))
                        .orElse(null);
    }

    /**
     * Returns the time after which scheduled fires start: now, or the end of skipped fires, of a pause or of a freeze.
     * Empty if no scheduled fire starts before an operator acts.
     */
    private static Optional<Instant> startsAfter(JobView job, JobState state, Orders orders, Instant now) {
        Set<String> disabled = job.overrideKnown() ? job.overrideOrNone().disabledItems() : Set.of();
        if (state == JobState.REMOVED
                || (!disabled.isEmpty() && disabled.containsAll(required(job).keys()))) {
            return Optional.empty();
        }
        Optional<Instant> after = Optional.of(later(now, required(job).startsAfter()));
        if (state == JobState.PAUSED) {
            JobOverride.Change pause = job.overrideOrNone().changes().get("paused");
            after = atOrAfter(after, pause == null ? null : pause.until());
        }
        Orders.Order frozen = orders.frozen();
        return frozen == null ? after : atOrAfter(after, frozen.until());
    }

    /**
     * Returns the later of two times. A fire at the end of a pause or freeze starts, so this end is included. Empty if
     * there is no end.
     */
    private static Optional<Instant> atOrAfter(Optional<Instant> time, @Nullable Instant end) {
        return end == null ? Optional.empty() : time.map(each -> later(each, end.minusMillis(1)));
    }

    /**
     * Returns the number of scheduled fires of a job that come due in {@code (after, upTo]}, as {@link FireTimes#count}
     * does; 0 if the fires depend on the ends of runs, or if the job has no plan.
     */
    static long fires(JobView job, Instant after, Instant upTo) {
        if (job.plan() == null) {
            return 0;
        }
        Instant from = later(after, required(job).startsAfter());
        return times(job)
                .filter(times -> !times.patient() && from.isBefore(upTo))
                .map(times -> times.count(from, upTo))
                .orElse(0L);
    }

    /** Returns the fire times of the plan's schedule; empty if the schedule is not accepted. */
    private static Optional<FireTimes> times(JobView job) {
        try {
            ShardingPlan plan = Planning.expected(required(job));
            return Optional.of(FireSchedules.inForce(job.name(), plan.schedule(), plan));
        } catch (OstrakaException e) {
            return Optional.empty(); // the schedule in the plan is damaged
        }
    }

    static List<Instant> nextFires(JobView job, Orders orders, Instant now, int count) {
        List<Instant> fires = new ArrayList<>();
        FireTimes times = times(job)
                .orElseThrow(() -> CoordinationException.refused(
                        "job '" + job.name() + "' has an unreadable schedule in its plan: "
                                + required(job).schedule()));
        Optional<Instant> fire =
                startsAfter(job, state(job, ClusterHealth.NONE), orders, now).flatMap(times::next);
        while (fire.isPresent() && fires.size() < count) {
            fires.add(fire.get());
            fire = times.patient() ? Optional.empty() : times.next(fire.get());
        }
        return List.copyOf(fires);
    }

    private static ShardingPlan required(JobView job) {
        Versioned<ShardingPlan> plan = job.plan();
        if (plan == null) {
            throw Requirements.noPlan(job);
        }
        return plan.value();
    }

    static Forecast forecast(List<JobView> jobs, ClusterHealth health, Instant from, Duration slot, int slots) {
        List<Map<String, Integer>> fires = new ArrayList<>();
        List<Set<String>> clockChanges = new ArrayList<>();
        for (int i = 0; i < slots; i++) {
            fires.add(new HashMap<>());
            clockChanges.add(new TreeSet<>());
        }
        Set<String> unpredictable = new TreeSet<>();
        long counted = 0;
        for (JobView job : jobs) {
            JobState state = state(job, health);
            if (state != JobState.ACTIVE && state != JobState.CHANGING) {
                if (state == JobState.UNREADABLE) {
                    unpredictable.add(job.name());
                }
                continue;
            }
            Optional<FireTimes> times = times(job).filter(each -> !each.patient());
            if (times.isEmpty()) {
                unpredictable.add(job.name());
                continue;
            }
            Optional<ZoneId> zone = zone(required(job).schedule());
            for (int i = 0; i < slots; i++) {
                Instant start = from.plus(slot.multipliedBy(i));
                // a slot includes its first instant and excludes the first instant of the next slot
                Instant last = start.plus(slot).minusMillis(1);
                Instant before = later(start.minusMillis(1), required(job).startsAfter());
                long count = before.isBefore(last) ? times.get().count(before, last) : 0;
                counted += zone.isPresent() ? count : 0; // other schedules are counted by arithmetic
                if (counted > MOST_IN_FORECAST) {
                    throw new IllegalArgumentException("forecast of " + slots + " slots of " + slot + " from " + from
                            + ": the jobs have too many fires in this period; accepted: a period with "
                            + MOST_IN_FORECAST + " fires of cron schedules at most");
                }
                if (count > 0) {
                    fires.get(i).put(job.name(), (int) Math.min(MOST_IN_SLOT, count));
                }
            }
            zone.ifPresent(of -> {
                Instant end = from.plus(slot.multipliedBy(slots));
                ZoneOffsetTransition change = of.getRules().nextTransition(from.minusMillis(1));
                while (change != null && change.getInstant().isBefore(end)) {
                    int at = (int) Duration.between(from, change.getInstant()).dividedBy(slot);
                    clockChanges.get(at).add(of.getId());
                    change = of.getRules().nextTransition(change.getInstant());
                }
            });
        }
        List<Forecast.Slot> all = new ArrayList<>();
        for (int i = 0; i < slots; i++) {
            all.add(new Forecast.Slot(from.plus(slot.multipliedBy(i)), fires.get(i), clockChanges.get(i)));
        }
        return new Forecast(slot, all, unpredictable);
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    private static Optional<ZoneId> zone(Schedule schedule) {
        return schedule.unbounded() instanceof Schedule.Cron cron ? Optional.of(cron.zone()) : Optional.empty();
    }

    /** Returns all fields of a job's configuration; empty if its definition or override is missing or unreadable. */
    static List<FieldValue> fields(JobView job) {
        if (job.definition() == null || !job.overrideKnown()) {
            return List.of();
        }
        JobConfiguration defined = job.definition().value().configuration();
        JobConfiguration effective = job.configuration();
        List<FieldValue> fields = new ArrayList<>();
        for (JobField<?> field : JobConfiguration.fields()) {
            fields.add(field(job.overrideOrNone(), field, defined, effective));
        }
        return fields;
    }

    private static FieldValue field(
            JobOverride override, JobField<?> field, JobConfiguration defined, JobConfiguration effective) {
        boolean paused = field.name().equals("paused");
        Object value = paused ? (Object) override.pauses(defined) : effective.value(field);
        return new FieldValue(
                field.name(),
                defined.value(field),
                override.fields().containsKey(field),
                value,
                change(override, field.name()));
    }

    private static @Nullable Change change(JobOverride override, String name) {
        JobOverride.Change change = override.changes().get(name);
        return change == null ? null : new Change(change.by(), change.reason(), change.at(), change.until());
    }

    /** Returns the latest change of each setting that is not a field of the configuration, by the setting's name. */
    static Map<String, Change> changes(JobView job) {
        Map<String, Change> changes = new TreeMap<>();
        if (job.overrideKnown()) {
            for (String name : List.of("removed", "disabledItems", "disabledInstances", SKIP_TO, SILENCED_ALARMS)) {
                Change change = change(job.overrideOrNone(), name);
                if (change != null) {
                    changes.put(name, change);
                }
            }
        }
        return changes;
    }

    /**
     * Returns the views of the alarms in a node. The override decides about the silence of an alarm that lasts, because
     * the leader copies a silence into the alarm later.
     *
     * @param job null if the alarms concern the namespace, or if the job is unknown
     */
    static Stream<AlarmDetails> alarms(JobAlarms node, @Nullable JobView job) {
        JobOverride override = job != null && job.overrideKnown() ? job.overrideOrNone() : null;
        return node.alarms().stream().map(alarm -> {
            boolean silenced = override == null || !alarm.firing()
                    ? alarm.silenced()
                    : override.silencedAlarms().contains(alarm.kind());
            return new AlarmDetails(
                    alarm.id(),
                    node.job(),
                    alarm.kind(),
                    alarm.since(),
                    alarm.began(),
                    alarm.ended(),
                    alarm.text() + (override == null || !alarm.firing() ? "" : disabled(override, alarm.items())),
                    alarm.items(),
                    alarm.itemCount(),
                    silenced,
                    override != null && alarm.firing() && silenced ? change(override, SILENCED_ALARMS) : null,
                    List.copyOf(alarm.told()),
                    List.copyOf(alarm.toldEnd()));
        });
    }

    /** Returns a clause that names the disabled ones among the items of an alarm; empty if none is. */
    private static String disabled(JobOverride override, List<String> items) {
        List<String> disabled =
                items.stream().filter(override.disabledItems()::contains).toList();
        return disabled.isEmpty()
                ? ""
                : "; " + (disabled.size() == 1 ? "item " + disabled.get(0) + " is" : Names.items(disabled) + " are")
                        + " disabled" + (override.disabledItems().size() == 1 ? why(override, "disabledItems") : "");
    }

    /** Returns an operator's order as a change. */
    static Change change(Orders.Order order) {
        return new Change(order.by(), order.reason(), order.at(), order.until());
    }
}
