package io.ostraka.cli;

import static io.ostraka.api.operations.Operation.*;
import static io.ostraka.cli.Parameter.option;
import static io.ostraka.cli.Parameter.position;
import static io.ostraka.cli.Parameter.required;

import io.ostraka.api.operations.Operation;
import io.ostraka.cli.transport.ExitCode;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** All verbs. The command line, its help and its completion are built from this table. */
final class Verbs {
    private static final Parameter ONE_JOB = position("JOB", Parameter.JOB, Kind.TEXT, "Name of the job.");
    private static final Parameter MANY_JOBS =
            new Parameter("JOB", Parameter.JOB, Kind.EACH, false, "Names of jobs. Without names, give a selection.");
    private static final Parameter ONE_RUN = position(
            "RUN",
            "runId",
            Kind.TEXT,
            "Id of the run: printed by 'job trigger', or RUN ID in 'item list JOB -o wide'.");
    private static final Parameter MANY_ITEMS = position("ITEM", "item", Kind.EACH, "Keys of items.");
    private static final Parameter UNTIL =
            option("--until", "until", Kind.TIME, "End, such as 22:00 or 2h; without it, another command ends it.");
    private static final Parameter INSTANCE =
            position("INSTANCE", "instance", Kind.TEXT, "Name or id of an instance, or name of a host.");
    private static final Parameter EVICTED = position(
            "INSTANCE",
            "instance",
            Kind.TEXT,
            "Id of an instance; or its name or host, unless several instances have it. Its process comes back with a new"
                    + " session, and code that hangs in it still runs: only a restart of the process ends such code.");
    private static final Parameter OF_JOB = required("--job", Parameter.JOB, Kind.TEXT, "Name of the job.");
    private static final Parameter PARAMETERS =
            option("--parameter", "parameters", Kind.PAIRS, "Parameter that every item receives. Repeatable.");
    private static final Parameter CHANGED_PARAMETERS = option(
            "--parameter",
            "parameters",
            Kind.PAIRS,
            "Parameter to change or to add; the others are those of the run. Repeatable.");
    private static final Parameter SOME_ITEMS = option("--item", "items", Kind.TEXTS, "Key of an item. Repeatable.");
    private static final Parameter DOCUMENT = position(
            "FILE", "document", Kind.DOCUMENT, "File from 'ostraka namespace export'; - for the standard input.");
    private static final Parameter ROWS =
            option(PastRuns.LIMIT, "", Kind.NUMBER, "Largest number of rows, 1 to 1000; 50 by default.");
    private static final Parameter CREATE = option(
            "--create-namespace", "", Kind.ON, "Creates a missing namespace. Only with --zookeeper, after a loss.");
    private static final Parameter CONTEXT = position("NAME", "", Kind.TEXT, "Name of the context.");

    private static final List<Entry> ALL = List.of(
            view(PROBLEMS, "status", Reports::status),
            local("namespace list", "Lists the namespaces that you may see.", Lists::namespaces),
            view(NAMESPACE, "namespace get", Reports::namespace),
            lasting(FREEZE, "namespace freeze", Guard.NAMESPACE, UNTIL, CREATE),
            command(THAW, "namespace thaw", Guard.NONE),
            view(EXPORT, "namespace export", Lists::export),
            view(DIFF, "namespace diff", Lists::diff, DOCUMENT),
            command(APPLY, "namespace apply", Guard.NAMESPACE, DOCUMENT, CREATE),
            view(
                    JOBS,
                    "job list",
                    Lists::jobs,
                    option("--sort", "sort", Kind.TEXT, "Order: name, state, nextFire, items, problems.")),
            view(JOB, "job get", Reports::job, ONE_JOB),
            view(ACTIVITY, "job activity", Lists::activity, position("JOB", "", Kind.TEXTS, "Names of jobs.")),
            view(
                    NEXT_FIRES,
                    "job next",
                    Lists::nextFires,
                    ONE_JOB,
                    option("--count", "count", Kind.NUMBER, "Number of fires, 1 to 1000; 10 by default.")),
            lasting(PAUSE, "job pause", Guard.NONE, MANY_JOBS, UNTIL),
            command(
                    RESUME,
                    "job resume",
                    Guard.NONE,
                    MANY_JOBS,
                    option(
                            "--skip-missed",
                            "catchUp",
                            Kind.OFF,
                            "Skips all fires that became due before the command.")),
            command(
                    SKIP_FIRES,
                    "job skip",
                    Guard.NONE,
                    MANY_JOBS,
                    required("--to", "to", Kind.TIME, "First time at which fires start again.")),
            lasting(
                    SET_OVERRIDE,
                    "job override set",
                    Guard.NONE,
                    ONE_JOB,
                    position(
                            "FIELD=VALUE",
                            "fields",
                            Kind.FIELDS,
                            "New values, such as timeout=10m, 'cron=0 0 6 * * ?' or labels=team=pay. A value may be JSON, or null."),
                    UNTIL),
            command(
                    REMOVE_OVERRIDE,
                    "job override remove",
                    Guard.NONE,
                    ONE_JOB,
                    new Parameter(
                            "FIELD", "fields", Kind.TEXTS, false, "Fields; without them all fields and a pause.")),
            command(
                    TRIGGER,
                    "job trigger",
                    Guard.NONE,
                    MANY_JOBS,
                    SOME_ITEMS,
                    PARAMETERS,
                    option("--delay", "delay", Kind.SPAN, "Time until the run, such as 30m.")),
            lasting(REMOVE, "job remove", Guard.JOB, MANY_JOBS),
            command(PURGE, "job purge", Guard.JOB, MANY_JOBS),
            lasting(
                    SILENCE_ALARMS,
                    "job silence",
                    Guard.NONE,
                    MANY_JOBS,
                    option("--kind", "kinds", Kind.ALARM_KINDS, "Kind of alarms; all without it. Repeatable."),
                    UNTIL),
            command(UNSILENCE_ALARMS, "job unsilence", Guard.NONE, MANY_JOBS),
            view(
                    ITEMS,
                    "item list",
                    Items::list,
                    ONE_JOB,
                    new Parameter("ITEM", "item", Kind.TEXTS, false, "Keys of items; the progress is then shown, too."),
                    option("--trouble", "", Kind.ON, "Only items in trouble.")),
            view(EXPLAIN, "item explain", Items::explain, ONE_JOB, position("ITEM", "", Kind.TEXT, "Key of the item.")),
            lasting(DISABLE_ITEM, "item disable", Guard.NONE, ONE_JOB, MANY_ITEMS),
            command(ENABLE_ITEM, "item enable", Guard.NONE, ONE_JOB, MANY_ITEMS),
            command(RELEASE_ITEM, "item release", Guard.NONE, ONE_JOB, MANY_ITEMS),
            command(SET_BACK_CURSOR, "item set-back-cursor", Guard.NONE, ONE_JOB, MANY_ITEMS),
            view(INSTANCES, "instance list", Lists::instances),
            lasting(DRAIN_INSTANCE, "instance drain", Guard.NONE, INSTANCE, UNTIL),
            command(UNDRAIN_INSTANCE, "instance undrain", Guard.NONE, INSTANCE),
            lasting(DISABLE_INSTANCE, "instance disable", Guard.NONE, INSTANCE, OF_JOB),
            command(ENABLE_INSTANCE, "instance enable", Guard.NONE, INSTANCE, OF_JOB),
            command(EVICT_INSTANCE, "instance evict", Guard.NAMESPACE, EVICTED),
            view(RUN, "run get", Runs::get, ONE_JOB, ONE_RUN),
            local(
                    "run wait",
                    "Waits until a triggered run has ended. The exit code is 10 if an item did not succeed.",
                    Runs::await,
                    ONE_JOB,
                    ONE_RUN,
                    option(Runs.WITHIN, "", Kind.SPAN, "Longest wait, such as 2h; without it, as long as the run.")),
            command(
                    STOP_FIRE,
                    "run stop",
                    Guard.NONE,
                    ONE_JOB,
                    ONE_RUN,
                    option("--item", "item", Kind.TEXT, "Key of the item to stop; all items without it.")),
            command(RERUN_ITEMS, "run rerun", Guard.NONE, ONE_JOB, ONE_RUN, SOME_ITEMS, CHANGED_PARAMETERS),
            command(CANCEL_TRIGGER, "run cancel", Guard.NONE, ONE_JOB, ONE_RUN),
            local("history runs", "Lists the past runs of a job.", PastRuns::runs, ONE_JOB, ROWS),
            local(
                    "history run",
                    "Shows how each item of a past run ended.",
                    PastRuns::run,
                    ONE_JOB,
                    position("RUN", "", Kind.TEXT, "Id of the run, from 'ostraka history runs JOB'."),
                    ROWS),
            local("history failures", "Lists the failed runs of all jobs.", PastRuns::failures, ROWS),
            local(
                    "history skipped",
                    "Lists the skipped fires of a job, with the reasons.",
                    PastRuns::skipped,
                    ONE_JOB,
                    ROWS),
            local(
                    "history events",
                    "Lists takeovers, new leaders and plans, and alarms that began or ended.",
                    PastRuns::events,
                    option("--job", "", Kind.TEXT, "Only events of this job."),
                    ROWS),
            local("history audit", "Lists the commands of operators.", PastRuns::audit, ROWS),
            local(
                    "history account",
                    "Shows the fate of each scheduled fire of a job.",
                    PastRuns::account,
                    ONE_JOB,
                    required("--from", "", Kind.TIME, "Start of the period, such as -1d."),
                    option("--to", "", Kind.TIME, "End of the period; now without it.")),
            view(BACKFILLS, "backfill list", Lists::backfills),
            command(
                    BACKFILL,
                    "backfill start",
                    Guard.NONE,
                    ONE_JOB,
                    required("--from", "from", Kind.TIME, "Start of the period, included."),
                    required("--to", "to", Kind.TIME, "End of the period, not included."),
                    PARAMETERS,
                    option(
                            "--parallel",
                            "parallel",
                            Kind.NUMBER,
                            "Fires that may run together, 1 to 16; 1 by default."),
                    option("--max-failures", "maxFailures", Kind.NUMBER, "Failed fires that end it; 1 by default.")),
            command(STOP_BACKFILL, "backfill stop", Guard.NONE, ONE_JOB),
            command(RESUME_BACKFILL, "backfill resume", Guard.NONE, ONE_JOB),
            view(ALARMS, "alarm list", Lists::alarms, option("--firing", "firing", Kind.ON, "Only those that last.")),
            view(
                    FORECAST,
                    "forecast",
                    Lists::forecast,
                    option("--from", "from", Kind.TIME, "Start of the period; now without it."),
                    option("--slot", "slot", Kind.SPAN, "Length of each part; 15m by default."),
                    option("--slots", "slots", Kind.NUMBER, "Number of parts, 1 to 1440; 96 by default.")),
            local("context list", "Lists the saved contexts.", ContextVerbs::list),
            local("context use", "Makes a context the current one.", ContextVerbs::use, CONTEXT),
            local("context set", "Saves the connection options of this command line.", ContextVerbs::set, CONTEXT),
            local("context remove", "Removes a context.", ContextVerbs::remove, CONTEXT),
            local("doctor", "Checks ZooKeeper, clocks, nodes, instances and jobs.", Doctor::run),
            local(
                    "token create",
                    "Creates a token. Prints it once, with the hash for the settings of the console.",
                    Tokens::create,
                    position("NAME", "", Kind.TEXT, "Name of the person or program.")),
            local(
                    "completion",
                    "Prints the completion script for bash or zsh.",
                    Completion::print,
                    position("SHELL", "", Kind.TEXT, "bash or zsh.")));

    private Verbs() {}

    /**
     * A row of the table.
     *
     * @param action executes the verb
     */
    private record Entry(Verb verb, Function<Invocation, ExitCode> action) {}

    private static Entry view(
            Operation operation, String path, Function<Invocation, ExitCode> action, Parameter... parameters) {
        return new Entry(
                new Verb(path, operation, operation.summary(), List.of(parameters), Guard.NONE, false), action);
    }

    private static Entry command(Operation operation, String path, Guard guard, Parameter... parameters) {
        return command(operation, path, guard, false, parameters);
    }

    private static Entry lasting(Operation operation, String path, Guard guard, Parameter... parameters) {
        return command(operation, path, guard, true, parameters);
    }

    private static Entry command(
            Operation operation, String path, Guard guard, boolean isLasting, Parameter... parameters) {
        return new Entry(
                new Verb(path, operation, operation.summary(), List.of(parameters), guard, isLasting), CommandRun::run);
    }

    private static Entry local(
            String path, String summary, Function<Invocation, ExitCode> action, Parameter... parameters) {
        return new Entry(new Verb(path, null, summary, List.of(parameters), Guard.NONE, false), action);
    }

    static List<Verb> all() {
        return ALL.stream().map(Entry::verb).toList();
    }

    /**
     * Returns the verbs that the arguments may name, or all verbs if the arguments name none, so that help and
     * suggestions are complete. A tree of all verbs would take most of the start-up time.
     */
    static List<Verb> named(String... arguments) {
        Set<String> words = new HashSet<>(Arrays.asList(arguments));
        if (words.equals(Set.of("--version")) || words.equals(Set.of("-V"))) {
            return List.of();
        }
        List<Verb> named = all().stream()
                .filter(each -> words.contains(each.path().split(" ", -1)[0]))
                .toList();
        return named.isEmpty() ? all() : named;
    }

    /** Executes the verb of a call. */
    static ExitCode run(Invocation call) {
        return ALL.stream()
                .filter(each -> each.verb().equals(call.verb()))
                .findFirst()
                .orElseThrow()
                .action()
                .apply(call);
    }
}
