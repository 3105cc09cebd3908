package io.ostraka.operations;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.PastRun;
import io.ostraka.core.coordination.Cancellation;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.decide.ClusterHealth;
import io.ostraka.core.instance.Refusals;
import io.ostraka.core.model.Fire;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.ItemKeys;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.ItemState;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Run;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Triggers;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.UnreadableTrigger;
import io.ostraka.core.model.Versioned;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Executes the commands for fires: triggers, cancellations, stops and reruns. */
final class FireCommands {
    /**
     * Time within which a command must create its trigger. A delayed request that arrives after this time must not
     * start an unexpected run.
     */
    private static final Duration FRESH = Duration.ofMinutes(30);

    private static final Set<ItemOutcome> FAILED =
            Set.of(ItemOutcome.FAILED, ItemOutcome.TIMED_OUT, ItemOutcome.CRASHED);

    private final Coordination coordination;
    private final ItemCommands items;

    FireCommands(Coordination coordination, ItemCommands items) {
        this.coordination = coordination;
        this.items = items;
    }

    CompletionStage<CommandResult> trigger(Command.Trigger command, CommandOptions options) {
        String job = command.job();
        Names.requireParameters(job, command.parameters());
        Trigger.requireSize(job, command.parameters(), command.items());
        if (command.delay().isNegative() || command.delay().compareTo(Schedule.LONGEST) > 0) {
            throw new JobConfigurationException(
                    job, "trigger delay", command.delay(), "zero to " + Schedule.LONGEST.toDays() + " days");
        }
        Trigger.Request request = new Trigger.Request(
                        job, Requirements.requestId(options), command.parameters(), command.items())
                .requestedBy(options.actor(), options.reason())
                .within(coordination.membership().serverTime().plus(FRESH));
        return once(job, options, () -> items.require(job, command.items())
                .thenCompose(plan -> send(request, command.delay(), options, "triggered job '" + job + "'")));
    }

    /** Executes a command that creates a trigger. A repeated command changes nothing, even if it would be refused now. */
    private CompletionStage<CommandResult> once(
            String job, CommandOptions options, Supplier<CompletionStage<CommandResult>> first) {
        String request = Requirements.requestId(options);
        return coordination
                .fires()
                .accepted(job, request)
                .thenCompose(repeated -> repeated
                        ? CompletableFuture.completedStage(new CommandResult.Unchanged(
                                0, request, "a command with this request id was applied before"))
                        : first.get());
    }

    /** Checks the parameters of a trigger. */
    static void requireParameters(String job, Map<String, String> parameters) {
        Names.requireParameters(job, parameters);
        Trigger.requireSize(job, parameters, Set.of());
    }

    private CompletionStage<CommandResult> send(
            Trigger.Request request, Duration delay, CommandOptions options, String done) {
        String job = request.job();
        if (options.dryRun()) {
            String all = done + ": " + (request.items().isEmpty() ? "all items" : Names.items(request.items()));
            return skipping(job, request.items()).thenApply(skips -> {
                List<String> effects = new ArrayList<>(List.of(all));
                effects.addAll(skips);
                return new CommandResult.Preview(0, effects);
            });
        }
        CompletionStage<Optional<String>> accepted = delay.isZero()
                ? coordination
                        .fires()
                        .trigger(request, true)
                        .thenApply(known -> known ? Optional.of(request.runId()) : Optional.empty())
                : coordination.fires().triggerLater(request, request.runId(), delay);
        return accepted.thenApply(
                runId -> new CommandResult.Applied(0, runId.orElseThrow(() -> Refusals.unknown(job)), done));
    }

    /**
     * Returns which items would skip a trigger now, and that the trigger runs although the job is paused.
     *
     * @param asked the items of the trigger; empty for all
     */
    private CompletionStage<List<String>> skipping(String job, Set<String> asked) {
        return coordination.jobs().job(job).thenCompose(view -> {
            CompletionStage<List<String>> keys = asked.isEmpty()
                    ? coordination.items().keys(job)
                    : CompletableFuture.completedStage(List.copyOf(asked));
            return keys.thenCompose(names -> coordination.items().records(job, names))
                    .thenApply(records -> {
                        List<String> notes = new ArrayList<>(skipping(view, records));
                        if (view.plan() != null && Views.state(view, ClusterHealth.NONE) == JobState.PAUSED) {
                            notes.add(Views.obstacle(
                                            view, coordination.membership().serverTime())
                                    + ", but a manual trigger runs all the same");
                        }
                        return notes;
                    });
        });
    }

    /** Returns which items would skip a trigger of a job now, one sentence for each reason. */
    static List<String> skipping(JobView job, List<RecordView> records) {
        Set<String> allDisabled = job.overrideKnown() ? job.overrideOrNone().disabledItems() : Set.of();
        Set<String> disabled = new TreeSet<>(ItemKeys.ORDER);
        Set<String> quarantined = new TreeSet<>(ItemKeys.ORDER);
        for (RecordView each : records) {
            if (each.record() != null && each.record().value().state() == ItemState.QUARANTINED) {
                quarantined.add(each.item());
            } else if (allDisabled.contains(each.item())) {
                disabled.add(each.item());
            }
        }
        List<String> skips = new ArrayList<>();
        if (!quarantined.isEmpty()) {
            skips.add(Names.items(quarantined)
                    + " will skip the run, because of a quarantine; mend the cause, and then release the item");
        }
        if (!disabled.isEmpty()) {
            skips.add(Names.items(disabled) + " will skip the run, because an operator has disabled the item");
        }
        return skips;
    }

    CompletionStage<CommandResult> cancel(Command.CancelTrigger command, CommandOptions options) {
        String job = command.job();
        if (options.dryRun()) {
            return coordination.fires().pending(job).thenApply(pending -> {
                boolean waits = pending.delayed().stream()
                        .anyMatch(each -> each.value().request().runId().equals(command.runId())
                                || each.value().key().equals(command.runId()));
                if (!waits) {
                    requireReplaceable(pending.unreadable()); // the trigger may be an unreadable one
                }
                return new CommandResult.Preview(
                        0,
                        List.of(
                                waits
                                        ? "cancels the delayed trigger " + command.runId()
                                        : "job '" + job + "' has no delayed trigger " + command.runId()));
            });
        }
        return coordination
                .fires()
                .cancel(job, command.runId(), options.actor(), options.reason())
                .thenCompose(result -> result instanceof Cancellation.NotFound
                        ? coordination.fires().pending(job).thenApply(pending -> {
                            requireReplaceable(pending.unreadable()); // the trigger may be an unreadable one
                            return result;
                        })
                        : CompletableFuture.completedStage(result))
                .thenApply(result -> cancelled(command, options, result));
    }

    private static CommandResult cancelled(Command.CancelTrigger command, CommandOptions options, Cancellation result) {
        if (result instanceof Cancellation.Cancelled cancelled) {
            return new CommandResult.Applied(0, cancelled.runId(), "cancelled run " + cancelled.runId());
        } else if (result instanceof Cancellation.Unchanged unchanged) {
            return new CommandResult.Unchanged(
                    0, unchanged.runId(), "run " + unchanged.runId() + " was cancelled before");
        } else if (result instanceof Cancellation.Released released) {
            throw CoordinationException.refused("the trigger was due before it could be cancelled, as run "
                    + released.runId() + " of job '" + command.job() + "'; stop that run instead");
        } else if (result instanceof Cancellation.NotFound) {
            throw new JobConfigurationException(
                    command.job(), "runId", command.runId(), "the run id or the key of a delayed trigger of the job");
        }
        return new CommandResult.Unknown(
                Requirements.requestId(options), "ZooKeeper did not answer; repeat the command to see the result");
    }

    CompletionStage<CommandResult> rerun(Command.RerunItems command, @Nullable PastRun past, CommandOptions options) {
        return once(command.job(), options, () -> rerunOnce(command, past, options));
    }

    private CompletionStage<CommandResult> rerunOnce(
            Command.RerunItems command, @Nullable PastRun past, CommandOptions options) {
        String job = command.job();
        return items.require(job, command.items()).thenCompose(plan -> {
            CompletionStage<List<String>> keys = !command.items().isEmpty()
                    ? CompletableFuture.completedStage(
                            command.items().stream().sorted(ItemKeys.ORDER).toList())
                    : ShardingPlan.numbered(plan.scope())
                            ? CompletableFuture.completedStage(plan.keys())
                            : coordination.items().keys(job);
            return keys.thenCompose(asked -> coordination.items().records(job, asked))
                    .thenApply(records -> rerun(command, past, options, plan, records))
                    .thenCompose(request -> send(
                            request,
                            Duration.ZERO,
                            options,
                            "runs " + Names.items(request.items()) + " of " + command.runId() + " again"
                                    + named(request.parameters(), command.parameters())));
        });
    }

    /** Names the parameters of a run, and those that differ from the run that it repeats. Their values may be secret. */
    private static String named(Map<String, String> all, Map<String, String> changed) {
        return all.isEmpty()
                ? ""
                : " with the parameters " + Names.listed(all.keySet())
                        + (changed.isEmpty() ? "" : ", of which the command sets " + Names.listed(changed.keySet()));
    }

    private Trigger.Request rerun(
            Command.RerunItems command,
            @Nullable PastRun past,
            CommandOptions options,
            ShardingPlan plan,
            List<RecordView> records) {
        String job = command.job();
        Set<String> items = new TreeSet<>(ItemKeys.ORDER);
        Fire fire = null;
        boolean numbered = ShardingPlan.numbered(plan.scope());
        for (RecordView view : records) {
            UnreadableNode.requireReplaceable(view.damage()); // an item with an unreadable record may have failed
            ItemRecord record = view.record() == null ? null : view.record().value();
            Run last = record == null ? null : record.run();
            Run run = last == null || !last.fire().runId(job).equals(command.runId()) ? null : last;
            boolean asked = command.items().contains(view.item());
            if (asked && run == null && past == null) {
                throw new JobConfigurationException(
                        job,
                        "items",
                        view.item(),
                        "items whose latest run belongs to " + command.runId() + "; the latest run of this one is "
                                + (last == null ? "none" : last.fire().runId(job)));
            }
            boolean ended = run != null && record != null && !record.unfinished();
            if (!asked && !(ended && record != null && FAILED.contains(record.outcome()))) {
                continue;
            }
            if (run != null && !ended) {
                throw new JobConfigurationException(
                        job, "items", view.item(), "items that do not run; stop this one, or wait for its end");
            }
            if (record != null && record.state() == ItemState.QUARANTINED) {
                throw new JobConfigurationException(
                        job,
                        "items",
                        view.item(),
                        "items that are not quarantined; mend the cause, and then release this one first");
            }
            int total = run == null ? Objects.requireNonNull(past).shardingTotalCount() : run.total();
            if (numbered && total != plan.total()) {
                throw CoordinationException.refused("job '" + job + "': the item count was " + total + " in "
                        + command.runId() + " and is " + plan.total()
                        + " now, so its items stand for other work; nothing was changed");
            }
            items.add(view.item());
            fire = run == null ? fire : run.fire();
        }
        if (items.isEmpty()) {
            throw new JobConfigurationException(
                    job,
                    "runId",
                    command.runId(),
                    "the latest fire of items that have failed; name the items to run others again");
        }
        Map<String, String> parameters =
                fire != null && fire.omitted() == null ? fire.parameters() : past == null ? null : past.parameters();
        Instant fireTime = fire == null ? Objects.requireNonNull(past).fireTime() : fire.logicalTime();
        return new Trigger.Request(job, Requirements.requestId(options), repeated(command, parameters), items)
                .at(fireTime)
                .rerunning(command.runId(), numbered ? plan.total() : 0)
                .requestedBy(options.actor(), options.reason())
                .within(coordination.membership().serverTime().plus(FRESH));
    }

    /**
     * Returns the parameters of a rerun.
     *
     * @param parameters parameters of the run to repeat; null if they are not known
     */
    private static Map<String, String> repeated(Command.RerunItems command, @Nullable Map<String, String> parameters) {
        if (parameters == null && command.parameters().isEmpty()) {
            throw new JobConfigurationException(
                    command.job(),
                    "parameters",
                    "not given",
                    "all parameters of " + command.runId()
                            + ", because no record and no history has them in full: they are too long, or were redacted");
        }
        Map<String, String> all = new TreeMap<>(parameters == null ? Map.of() : parameters);
        all.putAll(command.parameters());
        requireParameters(command.job(), all);
        return all;
    }

    CompletionStage<CommandResult> stop(Command.StopFire command, CommandOptions options) {
        String job = command.job();
        return coordination.jobs().job(job).thenCompose(view -> {
            Versioned<ShardingPlan> plan = view.plan();
            if (plan == null) {
                throw view.definition() == null && view.problem() == null
                        ? Refusals.unknown(job)
                        : Requirements.noPlan(view);
            }
            Optional<Instant> scheduled = scheduledFire(job, command.runId());
            String fire = scheduled
                    .map(at ->
                            FireProgress.nodeOf(Fire.scheduled(at), plan.value().incarnation()))
                    .orElse(command.runId());
            return shown(plan.value(), command, scheduled, fire)
                    .thenCompose(shown -> stop(command, options, shown, fire));
        });
    }

    private CompletionStage<CommandResult> stop(
            Command.StopFire command, CommandOptions options, Shown shown, String fire) {
        if (shown == Shown.NOWHERE) {
            throw new JobConfigurationException(
                    command.job(),
                    "runId",
                    command.runId(),
                    "a fire that runs or waits, as the items and triggers of the job show it");
        }
        if (shown == Shown.ENDED) {
            String ended = "the fire has ended for " + what(command) + ", so there is nothing to stop";
            return CompletableFuture.completedStage(
                    options.dryRun()
                            ? new CommandResult.Preview(0, List.of(ended))
                            : new CommandResult.Unchanged(0, "", ended));
        }
        if (options.dryRun()) {
            return CompletableFuture.completedStage(new CommandResult.Preview(0, List.of("stops " + what(command))));
        }
        FireStop.Request request = new FireStop.Request(
                options.actor(), options.reason(), coordination.membership().serverTime());
        return coordination
                .fires()
                .stop(new FireStop(command.job(), command.item(), fire, request))
                .thenApply(result -> stopped(command, options, result));
    }

    /** Returns the instant in the run id of a scheduled fire; empty if the id belongs to a triggered fire. */
    static Optional<Instant> scheduledFire(String job, String runId) {
        String prefix = job + "@";
        if (!runId.startsWith(prefix)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Instant.parse(runId.substring(prefix.length())));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** State of the items that a command would stop in a fire, according to the nodes. */
    private enum Shown {
        /** One of these items runs the fire, or may still start it. */
        UNFINISHED,
        /** All of these items have ended their part of the fire. */
        ENDED,
        /** No node contains the fire. */
        NOWHERE
    }

    private CompletionStage<Shown> shown(
            ShardingPlan plan, Command.StopFire command, Optional<Instant> scheduled, String fire) {
        String job = command.job();
        return coordination.fires().look(job, fire).thenCompose(view -> {
            if (view.progress() != null) {
                return CompletableFuture.completedStage(
                        shown(command, view.progress().value()));
            }
            List<String> items = command.item() == null ? plan.keys() : List.of(command.item());
            Supplier<CompletionStage<Shown>> records = () ->
                    coordination.items().records(job, items).thenApply(read -> shown(plan, command, scheduled, read));
            return scheduled.isPresent()
                    ? records.get()
                    : coordination.fires().triggers().thenCompose(all -> {
                        Triggers triggers = all.of(job);
                        if (waits(triggers, command)) {
                            return CompletableFuture.completedStage(Shown.UNFINISHED);
                        }
                        UnreadableNode.requireReplaceable(view.damage());
                        requireReplaceable(triggers.unreadable()); // the fire may belong to an unreadable one
                        return records.get();
                    });
        });
    }

    private static void requireReplaceable(List<UnreadableTrigger> triggers) {
        triggers.forEach(trigger -> UnreadableNode.requireReplaceable(trigger.damage()));
    }

    private static Shown shown(Command.StopFire command, FireProgress progress) {
        Set<String> left = progress.left();
        if (command.item() == null ? !left.isEmpty() : left.contains(command.item())) {
            return Shown.UNFINISHED;
        }
        return left.isEmpty() || progress.outcomes().containsKey(command.item()) ? Shown.ENDED : Shown.NOWHERE;
    }

    /** Derives the state of a fire from the latest runs of the items. Used for a fire without a progress node. */
    private static Shown shown(
            ShardingPlan plan, Command.StopFire command, Optional<Instant> scheduled, List<RecordView> views) {
        Shown shown = Shown.NOWHERE;
        boolean decided = true;
        for (RecordView view : views) {
            ItemRecord record = view.record() == null ? null : view.record().value();
            if (record == null) {
                continue;
            }
            Run run = record.run();
            if (run != null && run.fire().runId(command.job()).equals(command.runId())) {
                if (record.unfinished()) {
                    return Shown.UNFINISHED;
                }
                shown = Shown.ENDED;
            }
            decided &= record.incarnation() != plan.incarnation()
                    || scheduled.filter(record.cursor()::isBefore).isEmpty();
        }
        views.forEach(view -> UnreadableNode.requireReplaceable(view.damage())); // its item may run the fire
        // an item whose cursor is before the fire may still start it
        return shown == Shown.ENDED && !decided ? Shown.UNFINISHED : shown;
    }

    /** Returns whether the trigger of the fire that is to be stopped still waits. */
    private static boolean waits(Triggers triggers, Command.StopFire command) {
        return triggers.readable().stream().map(Trigger::request).anyMatch(request -> request.runId()
                .equals(command.runId()));
    }

    private static String what(Command.StopFire command) {
        return (command.item() == null ? "all items" : "item " + command.item()) + " in " + command.runId();
    }

    private static CommandResult stopped(Command.StopFire command, CommandOptions options, TransactionResult result) {
        String what = "the stop of " + what(command);
        if (result instanceof TransactionResult.Done) {
            return new CommandResult.Applied(0, "", what + " is requested");
        } else if (result instanceof TransactionResult.Outdated outdated) {
            if (outdated.about() == TransactionResult.About.DEFINITION) {
                throw Refusals.unknown(command.job());
            }
            return new CommandResult.Unchanged(0, "", what + " was requested before");
        } else if (result instanceof TransactionResult.Refused) {
            throw new CoordinationException("ZooKeeper refused " + what + "; check access rights and quotas");
        }
        return new CommandResult.Unknown(
                Requirements.requestId(options),
                "ZooKeeper did not answer; " + what + " may be requested, so repeat the command");
    }
}
