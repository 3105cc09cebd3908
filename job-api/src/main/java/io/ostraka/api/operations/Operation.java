package io.ostraka.api.operations;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import org.jspecify.annotations.Nullable;

/**
 * All operations for operators: the views of {@link Operations} and the {@link Command}s. Every interface for
 * operators, such as the console, offers exactly these operations.
 */
public enum Operation {
    /** The view {@link Operations#namespace()}. */
    NAMESPACE("Shows whether the namespace is frozen, which instances are drained, and which instance leads."),
    /** The view {@link Operations#jobs()}. */
    JOBS("Lists all jobs with state, health, owners and next fire."),
    /** The view {@link Operations#activity}. */
    ACTIVITY("Shows what a few jobs run now, and how their last runs ended."),
    /** The view {@link Operations#job}. */
    JOB("Shows one job: each field of its definition, override and effective value, and its triggers."),
    /** The view {@link Operations#items}. */
    ITEMS("Lists items of a job with state, owner, run, progress and last outcome."),
    /** The view {@link Operations#explain}. */
    EXPLAIN("Explains why an item is on its instance, or on none, and what keeps it from starting."),
    /** The view {@link Operations#run}. */
    RUN("Shows a triggered run: the items that have not ended, and the outcomes of the others."),
    /** The view {@link Operations#backfills()}. */
    BACKFILLS("Lists the latest backfill of each job with its progress."),
    /** The view {@link Operations#alarms()}. */
    ALARMS("Lists the alarms that last, and the latest ended alarm of each kind, for all jobs."),
    /** The view {@link Operations#problems()}. */
    PROBLEMS("Lists the situations that need a person, of all jobs or of one, with the commands that mend them."),
    /** The view {@link Operations#instances()}. */
    INSTANCES("Lists the instances with state, items and health."),
    /** The view {@link Operations#nextFires}. */
    NEXT_FIRES("Lists the next fires of a job."),
    /** The view {@link Operations#forecast}. */
    FORECAST("Counts the scheduled fires of all jobs in each part of a period."),
    /** The view {@link Operations#export()}. */
    EXPORT("Exports everything that operators have set, as one JSON document."),
    /** The view {@link Operations#diff}. */
    DIFF("Lists the differences between an exported document and the namespace."),

    /** The command {@link Command.Pause}. */
    PAUSE(Command.Pause.class, Role.OPERATOR, "Pauses a job until it is resumed, or until a given time."),
    /** The command {@link Command.Resume}. */
    RESUME(Command.Resume.class, Role.OPERATOR, "Ends the pause of a job, with or without its missed fires."),
    /** The command {@link Command.SkipFires}. */
    SKIP_FIRES(Command.SkipFires.class, Role.OPERATOR, "Skips the fires of a job before a given time."),
    /** The command {@link Command.SetOverride}. */
    SET_OVERRIDE(
            Command.SetOverride.class,
            Role.OPERATOR,
            "Replaces fields of a job's definition until they are taken back."),
    /** The command {@link Command.RemoveOverride}. */
    REMOVE_OVERRIDE(Command.RemoveOverride.class, Role.OPERATOR, "Takes back overrides, so the definition applies."),
    /** The command {@link Command.DisableItem}. */
    DISABLE_ITEM(Command.DisableItem.class, Role.OPERATOR, "Starts no fire of an item until it is enabled."),
    /** The command {@link Command.EnableItem}. */
    ENABLE_ITEM(Command.EnableItem.class, Role.OPERATOR, "Enables a disabled item."),
    /** The command {@link Command.DisableInstance}. */
    DISABLE_INSTANCE(Command.DisableInstance.class, Role.OPERATOR, "Excludes an instance or a host from a job."),
    /** The command {@link Command.EnableInstance}. */
    ENABLE_INSTANCE(Command.EnableInstance.class, Role.OPERATOR, "Ends the exclusion of an instance from a job."),
    /** The command {@link Command.SilenceAlarms}. */
    SILENCE_ALARMS(
            Command.SilenceAlarms.class, Role.OPERATOR, "Silences alarms of a job, so that no handler gets them."),
    /** The command {@link Command.UnsilenceAlarms}. */
    UNSILENCE_ALARMS(Command.UnsilenceAlarms.class, Role.OPERATOR, "Ends the silence of alarms of a job."),
    /** The command {@link Command.ReleaseItem}. */
    RELEASE_ITEM(Command.ReleaseItem.class, Role.OPERATOR, "Releases a quarantined item."),
    /** The command {@link Command.SetBackCursor}. */
    SET_BACK_CURSOR(
            Command.SetBackCursor.class,
            Role.OPERATOR,
            "Sets back a cursor from the future, so that its item fires again."),
    /** The command {@link Command.Trigger}. */
    TRIGGER(Command.Trigger.class, Role.OPERATOR, "Runs all or some items of a job once, now or later."),
    /** The command {@link Command.CancelTrigger}. */
    CANCEL_TRIGGER(Command.CancelTrigger.class, Role.OPERATOR, "Takes back a delayed trigger."),
    /** The command {@link Command.RerunItems}. */
    RERUN_ITEMS(Command.RerunItems.class, Role.OPERATOR, "Runs items of a fire again with its fire time."),
    /** The command {@link Command.StopFire}. */
    STOP_FIRE(Command.StopFire.class, Role.OPERATOR, "Stops the runs of a fire, on all instances."),
    /** The command {@link Command.Backfill}. */
    BACKFILL(Command.Backfill.class, Role.OPERATOR, "Runs the past fires of a period, oldest first."),
    /** The command {@link Command.StopBackfill}. */
    STOP_BACKFILL(Command.StopBackfill.class, Role.OPERATOR, "Stops a backfill after its running fires."),
    /** The command {@link Command.ResumeBackfill}. */
    RESUME_BACKFILL(Command.ResumeBackfill.class, Role.OPERATOR, "Continues a stopped or failed backfill."),
    /** The command {@link Command.Remove}. */
    REMOVE(Command.Remove.class, Role.ADMIN, "Removes a job, which starts no further fire."),
    /** The command {@link Command.Purge}. */
    PURGE(Command.Purge.class, Role.ADMIN, "Deletes all nodes of a removed job."),
    /** The command {@link Command.Freeze}. */
    FREEZE(Command.Freeze.class, Role.ADMIN, "Starts no item of any job until the namespace is thawed."),
    /** The command {@link Command.Thaw}. */
    THAW(Command.Thaw.class, Role.ADMIN, "Ends a freeze."),
    /** The command {@link Command.DrainInstance}. */
    DRAIN_INSTANCE(Command.DrainInstance.class, Role.OPERATOR, "Moves all items away from an instance or a host."),
    /** The command {@link Command.UndrainInstance}. */
    UNDRAIN_INSTANCE(Command.UndrainInstance.class, Role.OPERATOR, "Ends the drain of an instance or a host."),
    /** The command {@link Command.EvictInstance}. */
    EVICT_INSTANCE(Command.EvictInstance.class, Role.ADMIN, "Ends the session of an instance that makes no progress."),
    /** The command {@link Command.Apply}. */
    APPLY(Command.Apply.class, Role.ADMIN, "Restores the settings of an exported document.");

    private final @Nullable Class<? extends Command> command;
    private final Role role;
    private final String summary;

    Operation(String summary) {
        this(null, Role.VIEWER, summary);
    }

    Operation(@Nullable Class<? extends Command> command, Role role, String summary) {
        this.command = command;
        this.role = role;
        this.summary = summary;
    }

    /** Returns the type of the command; null for a view. */
    public @Nullable Class<? extends Command> command() {
        return command;
    }

    /** Returns whether the operation changes the namespace. */
    public boolean changes() {
        return command != null;
    }

    /** Returns the lowest role that permits the operation. A command can need a higher one: see {@link #role(Command)}. */
    public Role role() {
        return role;
    }

    /**
     * Returns the lowest role that permits a command: the role of its operation; or {@link Role#ADMIN} if the command
     * overrides a field whose override cannot be taken back, see {@link JobField#isRising()}.
     */
    public static Role role(Command command) {
        boolean permanent = command instanceof Command.SetOverride set
                && set.fields().keySet().stream().anyMatch(name -> JobConfiguration.field(name)
                        .filter(JobField::isRising)
                        .isPresent());
        return permanent ? Role.ADMIN : of(command).role();
    }

    /** Returns a description of the operation in one sentence. */
    public String summary() {
        return summary;
    }

    /** Returns the operation of a command. */
    public static Operation of(Command command) {
        for (Operation operation : values()) {
            if (operation.command != null && operation.command.isInstance(command)) {
                return operation;
            }
        }
        throw new IllegalArgumentException(
                "no operation for " + command.getClass().getName());
    }
}
