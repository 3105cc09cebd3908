package io.ostraka.operations;

import io.ostraka.api.AlarmKind;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobField;
import io.ostraka.api.Schedule;
import io.ostraka.api.event.JobPurged;
import io.ostraka.api.event.OverrideChanged;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.core.coordination.Amendment;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.instance.EventSource;
import io.ostraka.core.model.ConfigurationChanges;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.schedule.FireSchedules;
import java.lang.reflect.ParameterizedType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes the commands that change the override of a job, and the command that deletes all nodes of a removed job. */
final class OverrideCommands {
    private static final Logger log = LoggerFactory.getLogger(OverrideCommands.class);
    private static final String PAUSED = "paused";
    private static final String SKIP_TO = "skipTo";
    private static final String REMOVED = "removed";
    private static final String DISABLED_ITEMS = "disabledItems";
    private static final String DISABLED_INSTANCES = "disabledInstances";
    private static final String SILENCED_ALARMS = "silencedAlarms";

    /** Beginning of the line in a preview of each command that no other command undoes. */
    static final String NO_WAY_BACK = "this cannot be taken back";

    /** Largest size of the values that a result names, in bytes. */
    private static final int LONGEST_VALUES = 1000;
    /** Number of items to which an override may always raise the item count. */
    private static final int MOST_ITEMS = 1000;
    /** Factor by which an override may raise the definition's item count. */
    private static final int GROWTH = 10;

    private final Coordination coordination;
    private final EventSource events;
    private final Executor planner;

    OverrideCommands(Coordination coordination, EventSource events, Executor planner) {
        this.coordination = coordination;
        this.events = events;
        this.planner = planner;
    }

    /**
     * A change of an override.
     *
     * @param names names of the changed values
     * @param until end of the change; null if it does not end
     * @param change the change; may be called several times
     * @param done description of the change
     */
    private record Edit(
            String job, Set<String> names, @Nullable Instant until, UnaryOperator<JobOverride> change, String done) {
        Edit(String job, String name, UnaryOperator<JobOverride> change, String done) {
            this(job, Set.of(name), null, change, done);
        }
    }

    CompletionStage<CommandResult> pause(Command.Pause command, CommandOptions options) {
        return execute(
                new Edit(
                        command.job(),
                        Set.of(PAUSED),
                        command.until(),
                        override -> override.withPaused(true),
                        "paused job '" + command.job() + "'"
                                + (command.until() == null ? "" : " until " + command.until())),
                options);
    }

    CompletionStage<CommandResult> resume(Command.Resume command, CommandOptions options) {
        String job = command.job();
        Edit resume = new Edit(job, PAUSED, override -> override.withPaused(false), "resumed job '" + job + "'");
        if (command.catchUp()) {
            return coordination
                    .jobs()
                    .job(job)
                    .thenCompose(view -> !isPaused(view)
                            ? execute(unchanged(resume), options)
                            : view.definition() == null
                                    ? execute(resume, options)
                                    : counting(
                                            resume,
                                            options,
                                            (paused, records, now) -> MissedFires.caughtUp(
                                                    paused, MissedFires.able(paused, records), now)));
        }
        return coordination.jobs().job(job).thenCompose(view -> {
            if (view.definition() == null) {
                throw Requirements.undefined(view);
            }
            if (!ShardingPlan.canSkip(view.configuration().schedule())) {
                return execute(resume, options); // such a schedule has no missed fires
            }
            Instant now = coordination.membership().serverTime();
            return skipping(
                    new Edit(
                            job,
                            Set.of(PAUSED, SKIP_TO),
                            null,
                            override -> {
                                Instant present = override.skipTo();
                                return override.withPaused(false)
                                        .withSkipTo(present != null && present.isAfter(now) ? present : now);
                            },
                            isPaused(view)
                                    ? "resumed job '" + job + "' without its fires before " + now
                                    : skips(job, now)),
                    now,
                    options);
        });
    }

    /** Returns whether a job is paused. A job with an unreadable node counts as paused, so that it is resumed. */
    private static boolean isPaused(JobView view) {
        Versioned<Definition> definition = view.definition();
        return definition == null
                || !view.overrideKnown()
                || view.overrideOrNone().pauses(definition.value().configuration());
    }

    private static Edit unchanged(Edit edit) {
        return new Edit(edit.job(), Set.of(), null, override -> override, edit.done());
    }

    CompletionStage<CommandResult> skip(Command.SkipFires command, CommandOptions options) {
        Instant to = command.to();
        boolean future = to.isAfter(coordination.membership().serverTime());
        return skipping(
                new Edit(
                        command.job(),
                        Set.of(SKIP_TO),
                        null,
                        override -> override.withSkipTo(to),
                        skips(command.job(), to) + (future ? ", so no fire of the schedule starts until then" : "")),
                to,
                options);
    }

    private static String skips(String job, Instant to) {
        return "skips the fires of job '" + job + "' before " + to;
    }

    /** Executes a change that skips fires. A dry run also counts these fires. */
    private CompletionStage<CommandResult> skipping(Edit edit, Instant to, CommandOptions options) {
        return counting(edit, options, (job, records, now) -> MissedFires.skipped(job, records, to, now));
    }

    /** Predicts what a change does with the missed fires of a job, at a time of the server's clock. */
    private interface Count {
        List<String> effects(JobView job, List<RecordView> records, Instant now);
    }

    /** Executes a change. A dry run also counts the missed fires. */
    private CompletionStage<CommandResult> counting(Edit edit, CommandOptions options, Count count) {
        CompletionStage<CommandResult> result = execute(edit, options);
        return !options.dryRun()
                ? result
                : result.thenCompose(expected -> coordination
                        .jobs()
                        .job(edit.job())
                        .thenCombine(coordination.items().keys(edit.job()), Skipped::new)
                        .thenCompose(job -> coordination
                                .items()
                                .records(edit.job(), job.keys())
                                .thenApplyAsync(
                                        records -> {
                                            CommandResult.Preview preview = (CommandResult.Preview) expected;
                                            List<String> effects = new ArrayList<>(preview.effects());
                                            effects.addAll(count.effects(
                                                    job.view(),
                                                    records,
                                                    coordination.membership().serverTime()));
                                            return new CommandResult.Preview(preview.version(), effects);
                                        },
                                        planner)));
    }

    private record Skipped(JobView view, List<String> keys) {}

    CompletionStage<CommandResult> set(Command.SetOverride command, CommandOptions options) {
        String job = command.job();
        if (command.fields().isEmpty()) {
            throw new JobConfigurationException(job, "fields", command.fields(), "at least one field");
        }
        UnaryOperator<JobOverride> change = UnaryOperator.identity();
        for (Map.Entry<String, @Nullable Object> each : command.fields().entrySet()) {
            JobField<?> field = JobOverride.requireField(job, each.getKey());
            requireType(job, field, each.getValue());
            UnaryOperator<JobOverride> before = change;
            change = override -> with(before.apply(override), field, each.getValue());
        }
        String done = "overrides " + command.fields().keySet() + " of job '" + job + "'";
        Set<String> names = command.fields().keySet();
        UnaryOperator<JobOverride> valid = validated(job, change);
        return coordination.jobs().job(job).thenCompose(view -> {
            UnaryOperator<JobOverride> bounded = override -> bounded(view, override, valid.apply(override));
            UnaryOperator<JobOverride> accepted = risingFields(names).isEmpty() ? bounded : oneStep(view, bounded);
            return describing(view, new Edit(job, names, command.until(), accepted, done), options);
        });
    }

    /** Executes a change of fields. Its result, which an audit stores, names the values before and after the change. */
    private CompletionStage<CommandResult> describing(JobView view, Edit edit, CommandOptions options) {
        AtomicReference<String> values = new AtomicReference<>("");
        UnaryOperator<JobOverride> change = override -> {
            JobOverride next = edit.change().apply(override);
            values.set(values(view, override, next));
            return next;
        };
        return execute(new Edit(edit.job(), edit.names(), edit.until(), change, edit.done()), options)
                .thenApply(result -> {
                    if (result instanceof CommandResult.Applied applied) {
                        return new CommandResult.Applied(
                                applied.version(), applied.created(), applied.text() + values.get());
                    } else if (result instanceof CommandResult.Preview preview) {
                        List<String> effects = new ArrayList<>(preview.effects());
                        effects.set(0, effects.get(0) + values.get());
                        return new CommandResult.Preview(preview.version(), effects);
                    }
                    return result;
                });
    }

    /** Returns the values that a change replaces and those that it sets, except secret ones. */
    private static String values(JobView view, JobOverride before, JobOverride after) {
        Versioned<Definition> definition = view.definition();
        if (definition == null) {
            return "";
        }
        JobConfiguration defined = definition.value().configuration();
        try {
            List<String> changes = ConfigurationChanges.of(before.applyTo(defined), after.applyTo(defined));
            return changes.isEmpty() ? "" : ": " + Names.excerpt(String.join(", ", changes), LONGEST_VALUES);
        } catch (JobConfigurationException e) { // the override did not fit the definition, or does not fit it
            return "";
        }
    }

    private static List<String> risingFields(Set<String> names) {
        return names.stream()
                .filter(name ->
                        JobConfiguration.field(name).filter(JobField::isRising).isPresent())
                .toList();
    }

    /** Refuses a fence epoch that leaves out values. A mistake could otherwise use up all values at once. */
    private static UnaryOperator<JobOverride> oneStep(JobView view, UnaryOperator<JobOverride> change) {
        Versioned<Definition> definition = view.definition();
        int defined =
                definition == null ? 0 : definition.value().configuration().fenceEpoch();
        int planned = view.plan() == null ? 0 : view.plan().value().fenceEpoch();
        return override -> {
            JobOverride next = change.apply(override);
            Integer before = override.fenceEpoch();
            Integer epoch = next.fenceEpoch();
            int present = Math.max(Objects.requireNonNullElse(before, 0), Math.max(defined, planned));
            if (epoch != null && !epoch.equals(before) && epoch > present + 1) {
                throw new JobConfigurationException(
                        view.name(),
                        "fenceEpoch",
                        epoch,
                        (present + 1) + ", one more than the present " + present
                                + ", because it cannot be lowered again");
            }
            return next;
        };
    }

    /**
     * Refuses an override that creates far more items than the job was written for. Each item costs nodes, and memory in
     * all instances, so a mistake could end the instances of all jobs.
     */
    private static JobOverride bounded(JobView view, JobOverride before, JobOverride next) {
        Versioned<Definition> definition = view.definition();
        Integer count = next.shardingTotalCount();
        if (definition == null || count == null || count.equals(before.shardingTotalCount())) {
            return next;
        }
        int defined = definition.value().configuration().shardingTotalCount();
        long most = Math.max(MOST_ITEMS, (long) GROWTH * defined);
        if (count > most) {
            throw new JobConfigurationException(
                    view.name(),
                    "shardingTotalCount",
                    count,
                    "1 to " + most + " in an override of the definition's " + defined
                            + ", because each item costs memory in every instance; change the definition for more");
        }
        return next;
    }

    private UnaryOperator<JobOverride> validated(String job, UnaryOperator<JobOverride> change) {
        return override -> {
            JobOverride next = change.apply(override);
            if (next.schedule() != null && !next.schedule().equals(override.schedule())) {
                FireSchedules.validate(job, next.schedule());
                requireFire(job, next.schedule(), coordination.membership().serverTime());
            }
            return next;
        };
    }

    /** Refuses a schedule without a fire after now. A single fire that was due before is still a fire. */
    private static void requireFire(String job, Schedule schedule, Instant now) {
        FireTimes times = FireSchedules.of(job, schedule, now.plusMillis(1));
        if (!(schedule instanceof Schedule.OnDemand) && times.next(now).isEmpty()) {
            throw new JobConfigurationException(
                    job,
                    "schedule",
                    schedule,
                    "a schedule with a fire after now, " + now + "; to stop the schedule, pause the job");
        }
    }

    @SuppressWarnings("unchecked") // requireType has checked the value
    private static <T> JobOverride with(JobOverride override, JobField<T> field, @Nullable Object value) {
        return override.with(field, (T) value);
    }

    private static void requireType(String job, JobField<?> field, @Nullable Object value) {
        Class<?> type =
                (Class<?>) (field.type() instanceof ParameterizedType generic ? generic.getRawType() : field.type());
        if (value == null ? field.unset() != null : !type.isInstance(value)) {
            throw new JobConfigurationException(job, field.name(), value, "a value of type " + type.getSimpleName());
        }
    }

    CompletionStage<CommandResult> remove(Command.RemoveOverride command, CommandOptions options) {
        Set<JobField<?>> fields = command.fields().stream()
                .map(name -> JobOverride.requireField(command.job(), name))
                .collect(Collectors.toSet());
        Set<String> names = fields.isEmpty()
                ? JobConfiguration.fields().stream().map(JobField::name).collect(Collectors.toSet())
                : command.fields();
        Edit edit = new Edit(
                command.job(),
                names,
                null,
                override -> {
                    JobOverride next = override;
                    for (JobField<?> field :
                            fields.isEmpty() ? override.fields().keySet() : fields) {
                        next = next.without(field);
                    }
                    return next;
                },
                "the definition of job '" + command.job() + "' applies again"
                        + (fields.isEmpty() ? "" : " for " + command.fields()));
        return coordination.jobs().job(command.job()).thenCompose(view -> describing(view, edit, options));
    }

    CompletionStage<CommandResult> remove(Command.Remove command, CommandOptions options) {
        return execute(
                new Edit(
                        command.job(),
                        REMOVED,
                        override -> override.withRemoved(true),
                        "removed job '" + command.job() + "'"),
                options);
    }

    CompletionStage<CommandResult> purge(Command.Purge command, CommandOptions options) {
        String job = command.job();
        JobOverride.Change origin = origin(options, null);
        if (options.dryRun()) {
            return coordination.jobs().job(job).thenApply(view -> {
                view.requireReplaceable();
                return new CommandResult.Preview(
                        version(view.override()),
                        List.of("deletes all nodes of job '" + job + "', if it is removed", NO_WAY_BACK));
            });
        }
        return coordination.jobs().purge(job, options.expectedVersion()).thenApply(conflict -> {
            if (conflict.isPresent()) {
                return conflict(job, conflict.get());
            }
            // logged here, because no node remains that could store the actor and the reason
            log.info("job '{}': {} has purged it; reason: '{}'", job, origin.by(), origin.reason());
            events.publish((self, now) -> new JobPurged(job, origin.by(), origin.reason(), self, now));
            return new CommandResult.Applied(0, "", "deleted the nodes of job '" + job + "'");
        });
    }

    CompletionStage<CommandResult> disableItem(String job, String item, boolean disabled, CommandOptions options) {
        return coordination
                .jobs()
                .job(job)
                .thenCombine(coordination.items().keys(job), (view, keys) -> {
                    UnreadableNode.requireReplaceable(view.damages().override());
                    boolean before = view.overrideKnown()
                            && view.overrideOrNone().disabledItems().contains(item);
                    if (view.definition() != null && !before) {
                        requireOneOf(view, keys, item);
                    }
                    return view;
                })
                .thenCompose(view -> {
                    Edit edit = new Edit(
                            job,
                            DISABLED_ITEMS,
                            override -> override.withDisabledItems(changed(override.disabledItems(), item, disabled)),
                            (disabled ? "disabled item " : "enabled item ") + item + " of job '" + job + "'");
                    boolean changes = !view.overrideKnown()
                            || view.overrideOrNone().disabledItems().contains(item) != disabled;
                    return changes && view.definition() != null
                            ? counting(
                                    edit,
                                    options,
                                    (before, records, now) -> disabled
                                            ? MissedFires.whileDisabled(before)
                                            : MissedFires.enabled(before, item, records, now))
                            : execute(edit, options);
                });
    }

    private static void requireOneOf(JobView view, List<String> keys, String item) {
        Versioned<ShardingPlan> plan = view.plan();
        JobConfiguration wanted = view.configuration();
        boolean numbered = ShardingPlan.numbered(wanted.scope());
        int total = Math.max(
                wanted.shardingTotalCount(), plan == null ? 0 : plan.value().total());
        boolean known = numbered
                ? item.matches("0|[1-9][0-9]{0,8}") && Integer.parseInt(item) < total
                : keys.contains(item) || (plan != null && plan.value().keys().contains(item));
        if (!known) {
            throw new JobConfigurationException(
                    view.name(), "item", item, "one of its items: " + (numbered ? "0 to " + (total - 1) : keys));
        }
    }

    CompletionStage<CommandResult> disableInstance(String job, String named, boolean disabled, CommandOptions options) {
        return coordination.membership().instances().thenCompose(live -> {
            List<InstanceInfo> hosts = InstanceInfo.hosting(job, live);
            Set<String> matching = InstanceInfo.called(named, hosts).stream()
                    .map(InstanceInfo::id)
                    .collect(Collectors.toCollection(TreeSet::new));
            String which = matching.isEmpty()
                    ? "no live instance that hosts the job matches, only later ones can; live: "
                            + hosts.stream().map(InstanceInfo::id).toList()
                    : "live instances of this name: "
                            + matching.stream()
                                    .map(id -> PlacementPreview.named(id, matching))
                                    .collect(Collectors.joining(", "));
            UnaryOperator<JobOverride> change = override -> {
                if (!disabled
                        && matching.isEmpty()
                        && !override.disabledInstances().contains(named)) {
                    throw new JobConfigurationException(
                            job, "instance", named, "one that is disabled: " + override.disabledInstances());
                }
                return override.withDisabledInstances(changed(override.disabledInstances(), named, disabled));
            };
            return execute(
                    new Edit(
                            job,
                            DISABLED_INSTANCES,
                            change,
                            (disabled ? "disabled '" : "enabled '") + named + "' for job '" + job + "'; " + which),
                    options);
        });
    }

    CompletionStage<CommandResult> silence(Command.SilenceAlarms command, CommandOptions options) {
        Set<AlarmKind> kinds = kinds(command.job(), command.kinds());
        return execute(
                new Edit(
                        command.job(),
                        Set.of(SILENCED_ALARMS),
                        command.until(),
                        override -> override.withSilencedAlarms(kinds),
                        "silenced " + Draft.alarms(kinds) + " of job '" + command.job() + "'"
                                + (command.until() == null ? "" : " until " + command.until())),
                options);
    }

    CompletionStage<CommandResult> unsilence(Command.UnsilenceAlarms command, CommandOptions options) {
        return execute(
                new Edit(
                        command.job(),
                        SILENCED_ALARMS,
                        override -> override.withSilencedAlarms(Set.of()),
                        "ended the silence of the alarms of job '" + command.job() + "'"),
                options);
    }

    /** Returns the chosen kinds of alarms; all kinds that belong to a job if none is chosen. Refuses other kinds. */
    private static Set<AlarmKind> kinds(String job, Set<AlarmKind> chosen) {
        chosen.stream().filter(kind -> !kind.isOfJob()).findFirst().ifPresent(kind -> {
            throw new JobConfigurationException(job, "kinds", kind, "kinds of alarms that belong to a job");
        });
        return Stream.of(AlarmKind.values())
                .filter(kind -> kind.isOfJob() && (chosen.isEmpty() || chosen.contains(kind)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> changed(Set<String> names, String name, boolean add) {
        Set<String> next = new TreeSet<>(names);
        if (add) {
            next.add(name);
        } else {
            next.remove(name);
        }
        return next;
    }

    private CompletionStage<CommandResult> execute(Edit edit, CommandOptions options) {
        JobOverride.Change origin = origin(options, edit.until());
        return options.dryRun() ? preview(edit, origin) : amend(edit, origin, options);
    }

    private JobOverride.Change origin(CommandOptions options, @Nullable Instant until) {
        return new JobOverride.Change(
                options.actor(), options.reason(), coordination.membership().serverTime(), until);
    }

    private CompletionStage<CommandResult> amend(Edit edit, JobOverride.Change origin, CommandOptions options) {
        UnaryOperator<JobOverride> change =
                override -> edit.change().apply(override).because(origin, edit.names());
        return amend(edit.job(), new Amendment(change, options.expectedVersion(), options.requestId()))
                .thenApply(result -> result(edit, result));
    }

    CompletionStage<Amendment.Result> amend(String job, Amendment amendment) {
        return coordination.jobs().amend(job, amendment).thenApply(result -> {
            if (result instanceof Amendment.Changed changed) {
                events.publish((self, now) -> new OverrideChanged(job, changed.names(), self, now));
            }
            return result;
        });
    }

    private CommandResult result(Edit edit, Amendment.Result result) {
        if (result instanceof Amendment.Changed changed) {
            return new CommandResult.Applied(changed.override().mzxid(), "", edit.done());
        } else if (result instanceof Amendment.Unchanged unchanged) {
            return new CommandResult.Unchanged(
                    version(unchanged.override()),
                    "",
                    unchanged.repeated()
                            ? "a command with this request id was applied before"
                            : "job '" + edit.job() + "' already is as requested");
        }
        return conflict(edit.job(), (Amendment.Conflict) result);
    }

    private static CommandResult conflict(String job, Amendment.Conflict conflict) {
        Versioned<JobOverride> present = conflict.present();
        return new CommandResult.Conflict(
                version(present),
                "the override of job '" + job + "' has changed"
                        + (present == null ? ": it is gone" : latest(present.value()))
                        + "; read the job again");
    }

    private static long version(@Nullable Versioned<JobOverride> override) {
        return override == null ? 0 : override.mzxid();
    }

    private static String latest(JobOverride override) {
        return override.changes().entrySet().stream()
                .max(Map.Entry.comparingByValue(Comparator.comparing(JobOverride.Change::at)))
                .map(change ->
                        ": " + change.getKey() + " by " + change.getValue().by() + " at "
                                + change.getValue().at()
                                + (change.getValue().reason().isEmpty()
                                        ? ""
                                        : " (" + change.getValue().reason() + ")"))
                .orElse("");
    }

    private CompletionStage<CommandResult> preview(Edit edit, JobOverride.Change origin) {
        return coordination
                .jobs()
                .job(edit.job())
                .thenCombine(coordination.membership().instances(), (view, live) -> preview(edit, origin, view, live))
                .thenCompose(result -> result);
    }

    private CompletionStage<CommandResult> preview(
            Edit edit, JobOverride.Change origin, JobView view, List<InstanceInfo> live) {
        Versioned<Definition> definition = view.definition();
        if (definition == null) {
            throw Requirements.undefined(view);
        }
        UnreadableNode.requireReplaceable(view.damages().override());
        Instant now = coordination.membership().serverTime();
        JobOverride before = view.overrideKnown() ? view.overrideOrNone() : JobOverride.NONE;
        JobOverride next = edit.change().apply(before).because(origin, edit.names());
        definition
                .value()
                .requireChange(
                        before,
                        next,
                        view.plan() == null ? 0 : view.plan().value().fenceEpoch(),
                        now);
        long version = version(view.override());
        if (JobOverride.changed(before, next).isEmpty()) {
            return CompletableFuture.completedStage(
                    new CommandResult.Preview(version, List.of("job '" + edit.job() + "' already is as requested")));
        }
        return PlacementPreview.effects(coordination, view, next, live, planner).thenApply(moves -> {
            List<String> effects = new ArrayList<>(List.of(edit.done()));
            risingFields(edit.names()).forEach(name -> effects.add(NO_WAY_BACK + ": " + name + " only rises"));
            if (next.removed()) {
                effects.add(
                        "a new registration brings the job back, for example a restart of an instance with its code");
            } else if (moves.isEmpty() && edit.names().contains(DISABLED_INSTANCES)) {
                effects.add("no item moves");
            } else {
                effects.addAll(moves);
            }
            return new CommandResult.Preview(version, effects);
        });
    }
}
