package io.ostraka.operations;

import io.ostraka.api.UnknownOutcomeException;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.PastRun;
import io.ostraka.core.coordination.Amendment;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.instance.OperationsPort;
import io.ostraka.core.instance.RequestGate;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Names;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.UnreadableNode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Checks and executes commands. Most commands change one node in one transaction; {@link Command.Purge} and {@link
 * Command.Apply} change several nodes.
 */
public final class Commands {
    /**
     * Commands that accept no expected version. They create a node or change several nodes, and no view shows the
     * versions of these nodes.
     */
    private static final Set<Operation> WITHOUT_VERSION = EnumSet.of(
            Operation.TRIGGER,
            Operation.CANCEL_TRIGGER,
            Operation.RERUN_ITEMS,
            Operation.STOP_FIRE,
            Operation.EVICT_INSTANCE,
            Operation.APPLY);

    /** Commands after which items start at once, unless the namespace is frozen. */
    private static final Set<Operation> STARTING = EnumSet.of(
            Operation.TRIGGER,
            Operation.RERUN_ITEMS,
            Operation.BACKFILL,
            Operation.RESUME_BACKFILL,
            Operation.RESUME,
            Operation.ENABLE_ITEM,
            Operation.RELEASE_ITEM);

    private final OperationsPort port;
    private final OverrideCommands overrides;
    private final ItemCommands items;
    private final FireCommands fires;
    private final BackfillCommands backfills;
    private final NamespaceCommands namespace;

    /** Creates the commands of an instance or an observer. */
    public Commands(OperationsPort port) {
        Coordination coordination = port.coordination();
        this.port = port;
        this.overrides = new OverrideCommands(coordination, port.events(), port.workers());
        this.items = new ItemCommands(coordination, port.events());
        this.fires = new FireCommands(coordination, items);
        this.backfills = new BackfillCommands(coordination, port.workers());
        this.namespace = new NamespaceCommands(coordination, port.workers());
    }

    /**
     * Checks the names in a command, and whether the command accepts an expected version.
     *
     * @throws io.ostraka.api.OstrakaException if the name of a job or an item is not accepted, or if the instance of
     *     {@link Command.DisableInstance} or {@link Command.EnableInstance} is not
     * @throws IllegalArgumentException if a run id or the instance of another command is not accepted, or if the
     *     options expect a version other than 0 for a command that accepts none
     */
    static void require(Command command, CommandOptions options) {
        requireNames(command);
        Long expected = options.expectedVersion();
        Operation operation = Operation.of(command);
        if (expected != null && expected != 0 && WITHOUT_VERSION.contains(operation)) {
            throw new IllegalArgumentException("expectedVersion of " + operation + " is " + expected
                    + "; accepted: none or 0, because no view shows a version of the nodes that this command changes");
        }
    }

    private static void requireNames(Command command) {
        if (command instanceof Command.OfJob ofJob) {
            Names.requireJob(ofJob.job());
        }
        if (command instanceof Command.DisableItem disable) {
            Names.requireItem(disable.job(), disable.item());
        } else if (command instanceof Command.EnableItem enable) {
            Names.requireItem(enable.job(), enable.item());
        } else if (command instanceof Command.ReleaseItem release) {
            Names.requireItem(release.job(), release.item());
        } else if (command instanceof Command.SetBackCursor set) {
            Names.requireItem(set.job(), set.item());
        } else if (command instanceof Command.DisableInstance disable) {
            JobOverride.requireInstance(disable.job(), disable.instance());
        } else if (command instanceof Command.EnableInstance enable) {
            JobOverride.requireInstance(enable.job(), enable.instance());
        } else if (command instanceof Command.StopFire stop) {
            Names.require("runId", stop.runId().replace(':', '-')); // the run id of a scheduled fire contains a time
            if (stop.item() != null) {
                Names.requireItem(stop.job(), stop.item());
            }
        } else if (command instanceof Command.RerunItems rerun) {
            rerun.items().forEach(item -> Names.requireItem(rerun.job(), item));
        } else if (command instanceof Command.Trigger trigger) {
            trigger.items().forEach(item -> Names.requireItem(trigger.job(), item));
        } else if (command instanceof Command.DrainInstance drain) {
            Names.require("instance", drain.instance());
        } else if (command instanceof Command.UndrainInstance undrain) {
            Names.require("instance", undrain.instance());
        } else if (command instanceof Command.EvictInstance evict) {
            Names.require("instance", evict.instance());
        }
    }

    /**
     * Executes a command as soon as there is a connection.
     *
     * @return a stage with the result. Fails if the command is refused or its outcome is unknown
     * @throws io.ostraka.api.OstrakaException under the conditions that {@link #require} lists
     * @throws IllegalArgumentException under the conditions that {@link #require} lists
     */
    public CompletionStage<CommandResult> execute(Command command, CommandOptions options) {
        return ask(command, null, Requirements.identified(options)).answer();
    }

    /**
     * Executes a command as soon as there is a connection. The options have a request id.
     *
     * @param past description of the run that {@link Command.RerunItems} names; null if only the records describe it
     */
    RequestGate.Request<CommandResult> ask(Command command, @Nullable PastRun past, CommandOptions options) {
        require(command, options);
        return port.gate().ask(() -> execute(command, past, options));
    }

    private CompletionStage<CommandResult> execute(Command command, @Nullable PastRun past, CommandOptions options) {
        // a dry run changes nothing, so this client's estimate of the server's time is good enough
        CompletionStage<Void> ready = options.dryRun()
                ? CompletableFuture.completedStage(null)
                : port.coordination().membership().learnServerTime();
        return ready.thenCompose(known -> dispatch(command, past, options))
                .thenCompose(result ->
                        result instanceof CommandResult.Preview preview && STARTING.contains(Operation.of(command))
                                ? whileFrozen(preview)
                                : CompletableFuture.completedStage(result))
                .thenApply(result -> expected(result, options))
                .handle((result, error) -> error == null
                        ? CompletableFuture.completedStage(result)
                        : cause(error) instanceof UnknownOutcomeException unknown
                                ? CompletableFuture.<CommandResult>completedStage(new CommandResult.Unknown(
                                        Requirements.requestId(options), String.valueOf(unknown.getMessage())))
                                : CompletableFuture.<CommandResult>failedStage(error))
                .thenCompose(result -> result);
    }

    /** Returns the preview with a further effect if the namespace is frozen, or if this is unknown. */
    private CompletionStage<CommandResult> whileFrozen(CommandResult.Preview preview) {
        return port.coordination().membership().orders().thenApply(view -> {
            UnreadableNode damage = view.damage();
            Orders.Order freeze = damage == null ? view.orders().frozen() : null;
            if (damage == null && freeze == null) {
                return preview;
            }
            List<String> effects = new ArrayList<>(preview.effects());
            effects.add(
                    damage == null
                            ? "the namespace is frozen " + freeze + "; no run starts before the end of the freeze"
                            : "a freeze may keep the run from starting: " + damage.text("correct or delete the node"));
            return new CommandResult.Preview(preview.version(), effects);
        });
    }

    /** Changes the override of a job, as {@link #amend(String, Amendment)} does. */
    public CompletionStage<Void> amend(String job, UnaryOperator<JobOverride> change) {
        return amend(job, Amendment.of(change)).thenAccept(result -> {});
    }

    /**
     * Applies an amendment to the override of a job as soon as there is a connection, and publishes an event if the
     * override has changed. The stage fails under the conditions that {@link
     * io.ostraka.core.coordination.Jobs#amend} lists.
     *
     * @throws io.ostraka.api.JobConfigurationException if the job's name is invalid
     */
    public CompletionStage<Amendment.Result> amend(String job, Amendment amendment) {
        Names.requireJob(job);
        return port.gate().ask(() -> overrides.amend(job, amendment)).answer();
    }

    /** Returns the result; a conflict instead of a preview if the version in the preview is not the expected one. */
    private static CommandResult expected(CommandResult result, CommandOptions options) {
        Long expected = options.expectedVersion();
        return result instanceof CommandResult.Preview preview && expected != null && expected != preview.version()
                ? new CommandResult.Conflict(preview.version(), "the node has changed; read the view again")
                : result;
    }

    private static Throwable cause(Throwable error) {
        Throwable cause = error;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private CompletionStage<CommandResult> dispatch(Command command, @Nullable PastRun past, CommandOptions options) {
        if (command instanceof Command.Pause pause) {
            return overrides.pause(pause, options);
        } else if (command instanceof Command.Resume resume) {
            return overrides.resume(resume, options);
        } else if (command instanceof Command.SkipFires skip) {
            return overrides.skip(skip, options);
        } else if (command instanceof Command.SetOverride set) {
            return overrides.set(set, options);
        } else if (command instanceof Command.RemoveOverride remove) {
            return overrides.remove(remove, options);
        } else if (command instanceof Command.DisableItem disable) {
            return overrides.disableItem(disable.job(), disable.item(), true, options);
        } else if (command instanceof Command.EnableItem enable) {
            return overrides.disableItem(enable.job(), enable.item(), false, options);
        } else if (command instanceof Command.DisableInstance disable) {
            return overrides.disableInstance(disable.job(), disable.instance(), true, options);
        } else if (command instanceof Command.EnableInstance enable) {
            return overrides.disableInstance(enable.job(), enable.instance(), false, options);
        } else if (command instanceof Command.SilenceAlarms silence) {
            return overrides.silence(silence, options);
        } else if (command instanceof Command.UnsilenceAlarms unsilence) {
            return overrides.unsilence(unsilence, options);
        } else if (command instanceof Command.Remove remove) {
            return overrides.remove(remove, options);
        } else if (command instanceof Command.Purge purge) {
            return overrides.purge(purge, options);
        } else if (command instanceof Command.ReleaseItem release) {
            return items.release(release, options);
        } else if (command instanceof Command.SetBackCursor set) {
            return items.setBack(set, options);
        } else if (command instanceof Command.Trigger trigger) {
            return fires.trigger(trigger, options);
        } else if (command instanceof Command.CancelTrigger cancel) {
            return fires.cancel(cancel, options);
        } else if (command instanceof Command.RerunItems rerun) {
            return fires.rerun(rerun, past, options);
        } else if (command instanceof Command.StopFire stop) {
            return fires.stop(stop, options);
        } else if (command instanceof Command.Backfill backfill) {
            return backfills.start(backfill, options);
        } else if (command instanceof Command.StopBackfill stop) {
            return backfills.stop(stop, options);
        } else if (command instanceof Command.ResumeBackfill resume) {
            return backfills.resume(resume, options);
        } else if (command instanceof Command.Freeze freeze) {
            return namespace.freeze(freeze, options);
        } else if (command instanceof Command.Thaw) {
            return namespace.thaw(options);
        } else if (command instanceof Command.DrainInstance drain) {
            return namespace.drain(drain, options);
        } else if (command instanceof Command.UndrainInstance undrain) {
            return namespace.undrain(undrain, options);
        } else if (command instanceof Command.Apply apply) {
            return namespace.apply(apply, options);
        }
        return namespace.evict((Command.EvictInstance) command, options);
    }
}
