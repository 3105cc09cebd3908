package io.ostraka.operations;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.event.CursorSetBack;
import io.ostraka.api.event.ItemReleased;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.ItemChange;
import io.ostraka.core.coordination.Items.RecordView;
import io.ostraka.core.instance.EventSource;
import io.ostraka.core.instance.Refusals;
import io.ostraka.core.model.ItemRecord;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.ClockCheck;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Executes the commands that write an item's record: releasing the item, and setting back a cursor that is in the
 * future.
 */
final class ItemCommands {
    private final Coordination coordination;
    private final EventSource events;

    ItemCommands(Coordination coordination, EventSource events) {
        this.coordination = coordination;
        this.events = events;
    }

    CompletionStage<CommandResult> release(Command.ReleaseItem command, CommandOptions options) {
        String job = command.job();
        String item = command.item();
        String what = what(job, item);
        String done = "released " + what;
        if (options.dryRun()) {
            return coordination
                    .jobs()
                    .job(job)
                    .thenCompose(view ->
                            preview(job, item, ItemRecord::refusesRelease, record -> released(view, record, done)));
        }
        return coordination.items().release(job, item, request(options)).thenApply(change -> {
            if (change instanceof ItemChange.Done) {
                events.publish(
                        (self, now) -> new ItemReleased(job, item, options.actor(), options.reason(), self, now));
            }
            return result(what, change, record -> done);
        });
    }

    /** Returns the expected effects of a release. A disabled item waits on, so that it is no danger yet. */
    private List<String> released(JobView job, RecordView released, String done) {
        ItemRecord record = Objects.requireNonNull(released.record()).value();
        boolean disabled =
                job.overrideKnown() && job.overrideOrNone().disabledItems().contains(released.item());
        List<String> effects = new ArrayList<>();
        effects.add(
                record.outcome() == ItemOutcome.CRASHED
                        ? done + "; its runs have ended instances (" + record.error()
                                + "), and the next one may end further instances unless the cause is mended"
                                + (disabled ? "" : ". The safe choice is to disable the item")
                        : done);
        if (disabled) {
            effects.add("the item is disabled, so it starts no fire until it is enabled");
        } else if (job.definition() != null) {
            effects.addAll(MissedFires.caughtUp(
                    job, List.of(released), coordination.membership().serverTime()));
        }
        return effects;
    }

    CompletionStage<CommandResult> setBack(Command.SetBackCursor command, CommandOptions options) {
        String job = command.job();
        String item = command.item();
        String what = what(job, item);
        ItemChange.Request request = request(options);
        return require(job, Set.of(item))
                .thenApply(plan -> {
                    if (plan.since().isAfter(request.now().plus(ClockCheck.TOLERANCE))) {
                        throw CoordinationException.refused(
                                "the schedule of job '" + job + "' counts from " + plan.since()
                                        + ", which is in the future, too; override the schedule, so that it counts from now, and"
                                        + " then set the cursors back");
                    }
                    return plan;
                })
                .thenCompose(plan -> options.dryRun()
                        ? preview(
                                job,
                                item,
                                record -> record.refusesSetBack(request.now(), ClockCheck.TOLERANCE),
                                read -> List.of(setBack(
                                        what,
                                        Objects.requireNonNull(read.record())
                                                .value()
                                                .setBack(request.by(), request.reason(), "", request.now()))))
                        : coordination.items().setBack(job, item, request).thenApply(change -> {
                            if (change instanceof ItemChange.Done done) {
                                ItemRecord record = done.record();
                                ItemRecord.SetBack to = requireSetBack(record);
                                events.publish((self, at) -> new CursorSetBack(
                                        job,
                                        item,
                                        record.incarnation(),
                                        record.nextRunNumber() - 1,
                                        to.from(),
                                        to.at(),
                                        to.by(),
                                        to.reason(),
                                        self,
                                        at));
                            }
                            return result(what, change, record -> setBack(what, record));
                        }));
    }

    private static String what(String job, String item) {
        return "item " + item + " of job '" + job + "'";
    }

    private ItemChange.Request request(CommandOptions options) {
        return new ItemChange.Request(
                options.actor(),
                options.reason(),
                Requirements.requestId(options),
                options.expectedVersion(),
                coordination.membership().serverTime());
    }

    /**
     * Returns the preview of a change of a record.
     *
     * @param refusal returns why the record does not permit the change; null if the record permits it
     * @param effects returns the expected effects on the item, whose record is readable
     */
    private CompletionStage<CommandResult> preview(
            String job,
            String item,
            Function<ItemRecord, @Nullable String> refusal,
            Function<RecordView, List<String>> effects) {
        return coordination.items().records(job, List.of(item)).thenApply(records -> {
            UnreadableNode.requireReplaceable(records.get(0).damage());
            Versioned<ItemRecord> record = records.get(0).record();
            String refused = record == null ? "has no readable record" : refusal.apply(record.value());
            return new CommandResult.Preview(
                    record == null ? 0 : record.mzxid(),
                    record == null || refused != null
                            ? List.of(what(job, item) + " " + refused)
                            : effects.apply(records.get(0)));
        });
    }

    /** @param effect returns a description of a record that was changed */
    private static CommandResult result(String what, ItemChange change, Function<ItemRecord, String> effect) {
        if (change instanceof ItemChange.Done done) {
            return new CommandResult.Applied(done.mzxid(), "", effect.apply(done.record()));
        } else if (change instanceof ItemChange.Repeated repeated) {
            return new CommandResult.Unchanged(
                    repeated.mzxid(), "", "a command with this request id was applied before");
        }
        return new CommandResult.Conflict(
                ((ItemChange.Conflict) change).mzxid(), "the record of " + what + " has changed; read the item again");
    }

    private static ItemRecord.SetBack requireSetBack(ItemRecord record) {
        return Objects.requireNonNull(record.setBack(), "setBack");
    }

    private static String setBack(String what, ItemRecord record) {
        ItemRecord.SetBack change = requireSetBack(record);
        return "sets the cursor of " + what + " back from " + change.from() + " to " + change.at()
                + (change.ran() == null
                        ? ""
                        : "; the fire of " + change.ran() + " has run already and does not run again");
    }

    /**
     * Returns the plan of a job. The stage fails if the job has no plan or is removed, or if one of the items does not
     * exist.
     */
    CompletionStage<ShardingPlan> require(String job, Set<String> items) {
        return coordination.jobs().job(job).thenCompose(view -> {
            if (view.definition() == null && view.problem() == null) {
                throw Refusals.unknown(job);
            }
            Versioned<ShardingPlan> plan = view.plan();
            if (plan == null) {
                throw Requirements.noPlan(view);
            }
            Requirements.requirePresent(view);
            CompletionStage<List<String>> keys =
                    ShardingPlan.numbered(plan.value().scope())
                            ? CompletableFuture.completedStage(plan.value().keys())
                            : coordination.items().keys(job);
            return keys.thenApply(known -> {
                Set<String> all = new HashSet<>(known);
                items.stream().filter(item -> !all.contains(item)).findFirst().ifPresent(item -> {
                    throw new JobConfigurationException(job, "item", item, "one of its items: " + Names.listed(known));
                });
                return plan.value();
            });
        });
    }
}
