package io.ostraka.core.operations;

import java.time.format.DateTimeParseException;
import java.time.Instant;
import io.ostraka.core.model.FireStop;
import io.ostraka.core.model.FireProgress;
import io.ostraka.core.model.Fire;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.Items;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import io.ostraka.api.event.Event;
import io.ostraka.api.event.ItemReleased;
import io.ostraka.api.event.JobPurged;
import io.ostraka.api.event.OverrideChanged;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.model.InstanceInfo;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Trigger;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.schedule.FireSchedules;
import io.ostraka.core.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks and executes commands. Every command becomes one request to the coordination service, or one change of a node. */
public final class Commands {
    private final Coordination coordination;
    private final Supplier<String> self;
    private final Clock clock;
    private final Consumer<Event> events;

    /**
     * Creates the commands of a client.
     *
     * @param self returns the id of the instance; an observer has none
     * @param events receives the events of the commands
     */
    public Commands(Coordination coordination, Supplier<String> self, Clock clock, Consumer<Event> events) {
        this.coordination = coordination;
        this.self = self;
        this.clock = clock;
        this.events = events;
    }

    private static String requestId(CommandOptions options) {
        return Objects.requireNonNull(options.requestId(), "requestId");
    }

    /** Returns the exception for a job that is not registered. */
    public static CoordinationException unknown(String job) {
        return new CoordinationException(
                "job '" + job + "' is not registered in this namespace: check the name, or register the job first");
    }

    /**
     * Checks the names in a command.
     *
     * @throws io.ostraka.api.OstrakaException if one is not accepted
     */
    public static void requireNames(Command command) {
        if (command instanceof Command.OfJob ofJob) {
            Names.requireJob(ofJob.job());
        }
        if (command instanceof Command.DisableItem disable) {
            Names.requireItem(disable.job(), disable.item());
        } else if (command instanceof Command.EnableItem enable) {
            Names.requireItem(enable.job(), enable.item());
        } else if (command instanceof Command.ReleaseItem release) {
            Names.requireItem(release.job(), release.item());
        } else if (command instanceof Command.DisableInstance disable) {
            JobOverride.requireInstance(disable.job(), disable.instance());
        } else if (command instanceof Command.EnableInstance enable) {
            JobOverride.requireInstance(enable.job(), enable.instance());
        } else if (command instanceof Command.StopFire stop && stop.item() != null) {
            Names.requireItem(stop.job(), stop.item());
        } else if (command instanceof Command.Trigger trigger) {
            trigger.items().forEach(item -> Names.requireItem(trigger.job(), item));
        }
    }

    /**
     * Executes a command with checked names.
     *
     * @return the result. The stage fails if the command is refused or its outcome is unknown
     * @throws io.ostraka.api.OstrakaException if a value of the command is not accepted
     */
    public CompletionStage<CommandResult> execute(Command command, CommandOptions options) {
        if (command instanceof Command.Pause pause) {
            return amend(pause.job(), options, override -> override.withPaused(true));
        } else if (command instanceof Command.Resume resume) {
            return amend(resume.job(), options, override -> override.withPaused(false));
        } else if (command instanceof Command.SetOverride set) {
            return amend(set.job(), options, override -> overridden(set, override));
        } else if (command instanceof Command.RemoveOverride remove) {
            return amend(remove.job(), options, override -> restored(remove, override));
        } else if (command instanceof Command.DisableItem disable) {
            return disableItem(disable.job(), disable.item(), true, options);
        } else if (command instanceof Command.EnableItem enable) {
            return disableItem(enable.job(), enable.item(), false, options);
        } else if (command instanceof Command.DisableInstance disable) {
            return disableInstance(disable.job(), disable.instance(), true, options);
        } else if (command instanceof Command.EnableInstance enable) {
            return disableInstance(enable.job(), enable.instance(), false, options);
        } else if (command instanceof Command.ReleaseItem release) {
            return release(release.job(), release.item());
        } else if (command instanceof Command.Trigger trigger) {
            return trigger(trigger, options);
        } else if (command instanceof Command.StopFire stop) {
            return stop(stop, options);
        } else if (command instanceof Command.Remove remove) {
            return amend(remove.job(), options, override -> override.withRemoved(true));
        } else if (command instanceof Command.Purge purge) {
            return purge(purge.job());
        }
        throw new IllegalArgumentException("no operation for " + command);
    }

    /** Changes the override of a job. */
    public CompletionStage<Void> amend(String job, UnaryOperator<JobOverride> change) {
        Set<String> changed = new TreeSet<>();
        return coordination
                .jobs()
                .amend(job, present -> {
                    JobOverride next = change.apply(present);
                    if (next.schedule() != null) {
                        FireSchedules.validate(job, next.schedule());
                    }
                    changed.clear(); // drops the result of an attempt that another write has made obsolete
                    changed.addAll(JobOverride.changed(present, next));
                    return next;
                })
                .thenApply(done -> {
                    events.accept(new OverrideChanged(job, changed, self.get(), clock.now()));
                    return done;
                });
    }

    private CompletionStage<CommandResult> amend(
            String job, CommandOptions options, UnaryOperator<JobOverride> change) {
        return amend(job, change).thenApply(done -> new CommandResult.Applied(0, "", "changed job '" + job + "'"));
    }

    // replaced by the generic override
    private static JobOverride overridden(Command.SetOverride set, JobOverride override) {
        JobOverride next = override;
        for (Map.Entry<String, @Nullable Object> field : set.fields().entrySet()) {
            Object value = field.getValue();
            next = switch (field.getKey()) {
                case "shardingTotalCount" -> next.withShardingTotalCount((Integer) value);
                case "schedule" -> next.withSchedule((Schedule) value);
                case "jobParameter" -> next.withJobParameter((String) value);
                default -> throw new JobConfigurationException(set.job(), "field", field.getKey(), "another field");
            };
        }
        return next;
    }

    private static JobOverride restored(Command.RemoveOverride remove, JobOverride override) {
        JobOverride next = override;
        for (String field : remove.fields()) {
            next = switch (field) {
                case "shardingTotalCount" -> next.withShardingTotalCount(null);
                case "schedule" -> next.withSchedule(null);
                case "jobParameter" -> next.withJobParameter(null);
                default -> throw new JobConfigurationException(remove.job(), "field", field, "another field");
            };
        }
        return next;
    }

    private CompletionStage<CommandResult> disableItem(
            String job, String item, boolean disabled, CommandOptions options) {
        return coordination
                .jobs()
                .job(job)
                .thenCombine(coordination.items().keys(job), (view, keys) -> {
                    boolean before = view.overrideKnown()
                            && view.overrideOrNone().disabledItems().contains(item);
                    if (view.definition() != null && !before) {
                        requireOneOf(view, keys, item);
                    }
                    return view;
                })
                .thenCompose(view -> amend(
                        job,
                        options,
                        override -> override.withDisabledItems(changed(override.disabledItems(), item, disabled))));
    }

    private static void requireOneOf(JobView view, List<String> keys, String item) {
        Versioned<ShardingPlan> plan = view.plan();
        JobConfiguration wanted = view.overrideKnown()
                ? view.effective()
                : Objects.requireNonNull(view.definition()).value().configuration();
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

    private CompletionStage<CommandResult> disableInstance(
            String job, String named, boolean disabled, CommandOptions options) {
        return coordination.membership().instances().thenCompose(live -> {
            JobOverride alone = JobOverride.NONE.withDisabledInstances(Set.of(named));
            List<String> hosts = live.stream()
                    .filter(each -> each.jobs().contains(job))
                    .map(InstanceInfo::id)
                    .toList();
            Set<String> matching = live.stream()
                    .filter(each -> each.jobs().contains(job))
                    .filter(alone::disables)
                    .map(InstanceInfo::id)
                    .collect(Collectors.toCollection(TreeSet::new));
            return amend(job, options, override -> {
                        if (!disabled
                                && matching.isEmpty()
                                && !override.disabledInstances().contains(named)) {
                            throw new JobConfigurationException(
                                    job, "instance", named, "one that is disabled: " + override.disabledInstances());
                        }
                        return override.withDisabledInstances(changed(override.disabledInstances(), named, disabled));
                    })
                    .thenApply(result -> described(
                            result,
                            matching.isEmpty()
                                    ? "no live instance that hosts the job matches '" + named
                                            + "', only later ones can; live: " + hosts
                                    : "matching live instances: " + matching));
        });
    }

    private static CommandResult described(CommandResult result, String more) {
        return result instanceof CommandResult.Applied applied
                ? new CommandResult.Applied(applied.version(), applied.created(), applied.text() + "; " + more)
                : result;
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

    private CompletionStage<CommandResult> release(String job, String item) {
        return coordination.items().release(job, item).thenApply(done -> {
            events.accept(new ItemReleased(job, item, self.get(), clock.now()));
            return new CommandResult.Applied(0, "", "released item " + item + " of job '" + job + "'");
        });
    }

    private CompletionStage<CommandResult> trigger(Command.Trigger command, CommandOptions options) {
        Trigger.Request request =
                new Trigger.Request(command.job(), requestId(options), command.parameters(), command.items());
        boolean now = command.delay().isZero();
        CompletionStage<Boolean> known = now
                ? coordination.fires().trigger(request, true)
                : coordination
                        .fires()
                        .triggerLater(request, request.runId(), command.delay())
                        .thenApply(Optional::isPresent);
        return known.thenApply(registered -> {
            if (!registered) {
                throw unknown(command.job());
            }
            return new CommandResult.Applied(0, request.runId(), "triggered job '" + command.job() + "'");
        });
    }

    private CompletionStage<CommandResult> stop(Command.StopFire command, CommandOptions options) {
        String job = command.job();
        return coordination.jobs().job(job).thenCompose(view -> {
            Versioned<ShardingPlan> plan = view.plan();
            if (plan == null) {
                throw view.definition() == null && view.problem() == null ? unknown(job) : Views.noPlan(view);
            }
            Optional<Instant> scheduled = scheduledFire(job, command.runId());
            String fire = scheduled
                    .map(at -> FireProgress.nodeOf(Fire.scheduled(at), plan.value().incarnation()))
                    .orElse(command.runId());
            return unfinished(plan.value(), command, scheduled)
                    .thenCompose(unfinished -> {
                        if (!unfinished) {
                            throw new JobConfigurationException(
                                    job,
                                    "runId",
                                    command.runId(),
                                    "a fire that runs or waits, as the items and triggers of the job show it");
                        }
                        return coordination
                                .fires()
                                .stop(new FireStop(job, command.item(), fire, null)
                                        .with(new FireStop.Request(options.actor(), options.reason(), clock.now())));
                    })
                    .thenApply(result -> stopped(command, options, result));
        });
    }

    /** Returns the instant in the run id of a scheduled fire; empty if the id belongs to a triggered fire. */
    private static Optional<Instant> scheduledFire(String job, String runId) {
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

    /** Returns whether a fire has not ended for an item that the command means. */
    private CompletionStage<Boolean> unfinished(
            ShardingPlan plan, Command.StopFire command, Optional<Instant> scheduled) {
        if (scheduled.isEmpty()) {
            return coordination.fires().triggers().thenCombine(
                    coordination.fires().look(command.job(), command.runId()),
                    (triggers, fire) -> fire.progress() == null
                            ? triggers.stream()
                                    .anyMatch(trigger -> trigger.request().job().equals(command.job())
                                            && trigger.request().runId().equals(command.runId()))
                            : command.item() == null
                                    ? !fire.progress().value().done()
                                    : fire.progress().value().left().contains(command.item()));
        }
        List<String> items = command.item() == null ? plan.keys() : List.of(command.item());
        return coordination.items().records(command.job(), items).thenApply(records -> records.stream()
                .map(Items.RecordView::record)
                .filter(Objects::nonNull)
                .anyMatch(record -> record.value().unfinished()
                        && record.value().requireRun().fire().id().equals(Fire.scheduled(scheduled.get()).id())));
    }

    private static CommandResult stopped(Command.StopFire command, CommandOptions options, TransactionResult result) {
        String what = "the stop of " + (command.item() == null ? "all items" : "item " + command.item()) + " in "
                + command.runId();
        if (result instanceof TransactionResult.Done) {
            return new CommandResult.Applied(0, "", what + " is requested");
        } else if (result instanceof TransactionResult.Outdated outdated) {
            if (outdated.about() == TransactionResult.About.DEFINITION) {
                throw unknown(command.job());
            }
            return new CommandResult.Unchanged(0, "", what + " was requested before");
        } else if (result instanceof TransactionResult.Refused) {
            throw new CoordinationException("ZooKeeper refused " + what + "; check access rights and quotas");
        }
        return new CommandResult.Unknown(
                requestId(options), "ZooKeeper did not answer; " + what + " may be requested, so repeat the command");
    }

    private CompletionStage<CommandResult> purge(String job) {
        return coordination.jobs().purge(job).thenApply(done -> {
            events.accept(new JobPurged(job, self.get(), clock.now()));
            return new CommandResult.Applied(0, "", "deleted the nodes of job '" + job + "'");
        });
    }
}
