package io.ostraka.operations;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Problem.Remedy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * The actions that mend each kind of problem. Pure functions.
 *
 * @param job name of the job; empty for the namespace
 * @param items all items of the job
 * @param disabledInstances names, ids and hosts of the instances that are excluded from the job
 */
record Remedies(String job, List<ItemDetails> items, Set<String> disabledInstances) {
    /** Largest number of commands of one kind. */
    private static final int MOST = 20;

    private static final Remedy ITEMS = Remedy.show("see the items", Operation.ITEMS);
    private static final Remedy INSTANCES = Remedy.show("see the instances", Operation.INSTANCES);
    private static final Remedy SETTINGS = Remedy.show("see the settings and their origins", Operation.JOB);

    /** Returns the actions, the most likely one first. */
    List<Remedy> of(Draft problem) {
        List<Remedy> advice = advice(problem);
        boolean first = !advice.isEmpty() && advice.get(0).operation() == null;
        return first
                ? Stream.concat(advice.stream(), commands(problem)).toList()
                : Stream.concat(commands(problem), advice.stream()).toList();
    }

    /** Returns the commands for a problem. */
    private Stream<Remedy> commands(Draft problem) {
        Stream<String> names = problem.instances.stream();
        return switch (problem.kind) {
            case PAUSED ->
                Stream.of(
                        Remedy.of("end the pause", new Command.Resume(job, true)),
                        Remedy.of("or without the missed fires", new Command.Resume(job, false)));
            case REMOVED -> Stream.of(Remedy.of("to delete its nodes for good", new Command.Purge(job)));
            case FROZEN -> Stream.of(Remedy.of("end the freeze", new Command.Thaw()));
            case DRAINED ->
                (job.isEmpty() ? names : instances(problem))
                        .map(name -> Remedy.of("end the drain", new Command.UndrainInstance(name)));
            case DISABLED_ITEMS -> each("enable them", Draft.keys(problem.items), Command.EnableItem::new);
            case UNPLACED_ITEMS, NO_PLAN, DISABLED_INSTANCES ->
                each("let the job use the instance again", disabledInstances, Command.EnableInstance::new);
            case QUARANTINED_ITEMS -> releases(problem.items);
            case FUTURE_ITEMS -> each("after the clock is set", Draft.keys(problem.items), Command.SetBackCursor::new);
            case LONG_RUNNING_ITEMS, SLOW_ITEMS -> stops(problem.items);
            case STUCK_ITEMS, STOP_IGNORED -> containment(problem);
            case NO_HOST -> Stream.of(Remedy.of("if the job is gone for good", new Command.Remove(job)));
            case FAILED_ITEMS ->
                Stream.of(
                        Remedy.of("run them again", new Command.RerunItems(job, problem.subject, Set.of(), Map.of())));
            case OVERRIDE, OVERRIDE_WITHOUT_EFFECT, CONFIGURATION_REFUSED ->
                Stream.of(Remedy.of(
                        "let the definition apply again",
                        new Command.RemoveOverride(
                                job, problem.subject.isEmpty() ? Set.of() : Set.of(problem.subject))));
            case SILENCED -> Stream.of(Remedy.of("end the silence", new Command.UnsilenceAlarms(job)));
            case BACKFILL_FAILED ->
                Stream.of(Remedy.of("continue after the failed dates", new Command.ResumeBackfill(job)));
            case INSTANCE_PROBLEM, HEALTH_GAP ->
                instances(problem).map(name -> Remedy.of("move its items away", new Command.DrainInstance(name, null)));
            default -> Stream.of();
        };
    }

    /** Returns advice for people, and the views that show more. */
    private static List<Remedy> advice(Draft problem) {
        return switch (problem.kind) {
            case PAUSED, FROZEN, DRAINED, SILENCED -> List.of();
            case FAILED_ITEMS,
                    INTERRUPTED_ITEMS,
                    UNASSIGNED_ITEMS,
                    WAITING_ITEMS,
                    NO_FREE_SLOT,
                    MISSED,
                    LATE,
                    FAILING,
                    SKIPPED_FIRES,
                    DISABLED_ITEMS,
                    QUARANTINED_ITEMS,
                    FUTURE_ITEMS,
                    LONG_RUNNING_ITEMS,
                    SLOW_ITEMS,
                    ITEM_COUNT_CHANGING,
                    ITEM_COUNT_POSTPONED -> List.of(ITEMS);
            case STUCK_ITEMS, STOP_IGNORED, DISABLED_INSTANCES -> List.of(INSTANCES);
            case OVERRIDE, OVERRIDE_WITHOUT_EFFECT, CONFIGURATION_REFUSED -> List.of(SETTINGS);
            case BACKFILL_FAILED -> List.of(Remedy.show("see the failed dates", Operation.BACKFILLS));
            case MORE_JOBS, UNCHECKED_JOBS -> List.of(Remedy.show("see all jobs", Operation.JOBS));
            case REMOVED -> advice("to have it back, restart an instance that has its code");
            case QUARANTINED_DISABLED_ITEMS ->
                advice("leave them until the cause is mended; then release them, and enable them", ITEMS);
            case NO_HOST -> advice("start or deploy an instance that has the code of this job", INSTANCES);
            case UNPLACED_ITEMS, NO_PLAN ->
                advice("start an instance that meets the requirement, or change it", INSTANCES, SETTINGS);
            case ALARMS_DROPPED, HISTORY_LOST ->
                advice(
                        "correct the cause that the log of the instance names",
                        Remedy.show("see the alarms", Operation.ALARMS));
            case CLOCK_AHEAD -> advice("set the clock of host " + problem.subject + " (NTP)", INSTANCES);
            case NO_INSTANCE -> advice("start an instance of the application, or check its connection to ZooKeeper");
            case NO_LEADER, INSTANCE_GONE, UNPLANNED, NOT_REGISTERED, DISCONNECTED, CHANGE_PENDING, CLOSING ->
                advice("look again in a few seconds; if this lasts, find the cause with 'ostraka doctor'");
            case UNREADABLE, UNREADABLE_ITEMS, UNREADABLE_TRIGGER, REFUSED, INSTANCE_PROBLEM, HEALTH_GAP ->
                advice("find the cause with 'ostraka doctor'");
            case DEFECT, PLANNING_DEFECT -> advice("report the error in the log of the instance as a defect");
            case NO_FIRES -> advice("correct the schedule", SETTINGS);
            case DEFINITION_REPLACED -> advice("after a deployment, run one version on all instances", SETTINGS);
            case STRATEGY_MISSING -> advice("deploy the strategy on every instance, or correct its name", SETTINGS);
            case PLAN_REFUSED -> advice("mend the strategy; the log of the leader has the error", SETTINGS);
            case ONCE_LISTENER_MISSING ->
                advice("start an instance that registers the job with its listener", INSTANCES);
            case NO_THREADS -> advice("raise the limits of the process, or its memory", INSTANCES);
            case OTHER -> advice("update this program to the version of the instance", INSTANCES);
            case FENCE_EPOCH -> advice("leave it: a fence epoch may only rise");
            case SKIPS_FIRES -> advice("wait until this time, or trigger the job");
        };
    }

    private static List<Remedy> advice(String text, Remedy... views) {
        return Stream.concat(Stream.of(Remedy.of(text)), Arrays.stream(views)).toList();
    }

    /** Returns one command for each name. */
    private Stream<Remedy> each(String text, Collection<String> names, BiFunction<String, String, Command> command) {
        return names.stream().sorted().limit(MOST).map(name -> Remedy.of(text, command.apply(job, name)));
    }

    /** Returns the names of the instances that report a problem. */
    private static Stream<String> instances(Draft problem) {
        return problem.instances.stream().map(Draft::shortInstance).distinct();
    }

    /** Releases the items whose runs failed. Items during whose runs instances died rather stay out. */
    private Stream<Remedy> releases(List<ItemDetails> quarantined) {
        List<String> deadly = Draft.keys(quarantined.stream()
                .filter(item -> run(item).outcome() == ItemOutcome.CRASHED)
                .toList());
        List<String> others = new ArrayList<>(Draft.keys(quarantined));
        others.removeAll(deadly);
        String safe = "the safe choice for items that ended instances: disable them, and say why";
        return Stream.of(
                        each(safe, deadly, Command.DisableItem::new),
                        each("after the cause is mended", others, Command.ReleaseItem::new),
                        deadly.stream()
                                .limit(MOST)
                                .map(item -> Remedy.of(
                                        "instances died while they ran item " + item
                                                + "; only after the cause is mended, and one item at a time",
                                        new Command.ReleaseItem(job, item))))
                .flatMap(commands -> commands);
    }

    /** Stops the runs of the items that take too long. If these are all runs of a fire, one command stops the fire. */
    private Stream<Remedy> stops(List<ItemDetails> slow) {
        return slow.stream()
                .map(item -> {
                    String run = run(item).runId();
                    boolean whole = items.stream()
                            .filter(each -> each.state() == ItemDetails.State.RUNNING
                                    && run(each).runId().equals(run))
                            .allMatch(slow::contains);
                    return whole
                            ? Remedy.of("stop the runs of fire " + run, new Command.StopFire(job, null, run))
                            : Remedy.of(
                                    "stop the run of item " + item.item(), new Command.StopFire(job, item.item(), run));
                })
                .distinct()
                .limit(MOST);
    }

    private static ItemDetails.Run run(ItemDetails item) {
        return Objects.requireNonNull(item.run(), "run");
    }

    /** Keeps items whose code ignores a stop from hanging on the next instance, and then ends their runs. */
    private Stream<Remedy> containment(Draft problem) {
        List<String> hanging = Draft.keys(
                problem.items.stream().filter(item -> !item.disabled()).toList());
        List<String> names = instances(problem).toList();
        String processes = names.size() == 1
                ? "the process of instance " + names.get(0)
                : "the processes of the instances " + String.join(", ", names) + ", one after the other";
        return Stream.concat(
                each(
                        "disable the item first, so that it does not hang on the next instance, too",
                        hanging,
                        Command.DisableItem::new),
                Stream.of(
                        Remedy.of("then restart " + processes
                                + ": the code ignores the stop, and neither a drain nor an eviction ends it"),
                        Remedy.of("then mend the code, and enable the item")));
    }
}
