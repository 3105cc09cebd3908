package io.ostraka.operations;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.Operation;
import io.ostraka.api.operations.Problem.Remedy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The actions that mend each kind of problem. Pure functions.
 *
 * @param facts the job
 */
record Remedies(JobFacts facts) {
    /** Largest number of actions of one kind. */
    static final int MOST = 20;

    private static final Remedy DOCTOR = Remedy.of("find the cause with 'ostraka doctor'");
    private static final Remedy AGAIN = Remedy.of("look again in a few seconds");
    private static final Remedy DEFECT =
            Remedy.of("the engine tries again; report the error in the log of the instance as a defect");
    private static final Remedy INSTANCES = Remedy.show("see the instances", Operation.INSTANCES);
    private static final Remedy ITEMS = Remedy.show("see the items", Operation.ITEMS);
    private static final Remedy SETTINGS = Remedy.show("see the settings and their origins", Operation.JOB);

    /** Returns the actions, the most likely one first. */
    List<Remedy> of(Draft problem) {
        String job = facts.job();
        return switch (problem.kind()) {
            case PAUSED ->
                List.of(
                        Remedy.of("end the pause", new Command.Resume(job, true)),
                        Remedy.of("or without the missed fires", new Command.Resume(job, false)));
            case REMOVED ->
                List.of(
                        Remedy.of("to have it back, restart an instance that has its code"),
                        Remedy.of("to delete its nodes for good", new Command.Purge(job)));
            case FROZEN -> List.of(Remedy.of("end the freeze", new Command.Thaw()));
            case DRAINED ->
                each(
                        "end the drain",
                        job.isEmpty() ? problem.instances().stream() : named(problem.instances()),
                        (none, instance) -> new Command.UndrainInstance(instance));
            case DISABLED_ITEMS -> enables();
            case DISABLED_INSTANCES ->
                each("let the job use it again", facts.disabledInstances().stream(), Command.EnableInstance::new);
            case QUARANTINED_ITEMS -> releases(problem);
            case QUARANTINED_DISABLED_ITEMS ->
                List.of(Remedy.of("leave them until the cause is mended; then release them, and enable them"), ITEMS);
            case FUTURE_ITEMS -> perItem("after the clock is set", problem.items(), Command.SetBackCursor::new);
            case LONG_RUNNING_ITEMS, SLOW_ITEMS -> stops(problem);
            case STUCK_ITEMS, STOP_IGNORED -> restarts(problem);
            case NO_HOST ->
                List.of(
                        Remedy.of("start or deploy an instance that has the code of this job"),
                        INSTANCES,
                        Remedy.of("if the job is gone for good", new Command.Remove(job)));
            case UNPLACED_ITEMS, NO_PLAN -> unplaced();
            case INTERRUPTED_ITEMS, UNASSIGNED_ITEMS, WAITING_ITEMS, NO_FREE_SLOT, MISSED, LATE, FAILING ->
                List.of(ITEMS);
            case ITEM_COUNT_CHANGING, ITEM_COUNT_POSTPONED ->
                List.of(Remedy.show("see which items still run", Operation.ITEMS));
            case SKIPPED_FIRES -> List.of(Remedy.show("see the latest skipped fires", Operation.ITEMS));
            case FAILED_ITEMS ->
                List.of(Remedy.of(
                        "run them again", new Command.RerunItems(job, problem.subject(), Set.of(), Map.of())));
            case OVERRIDE, OVERRIDE_WITHOUT_EFFECT ->
                List.of(
                        Remedy.of(
                                "let the definition apply again",
                                new Command.RemoveOverride(
                                        job, problem.subject().isEmpty() ? Set.of() : Set.of(problem.subject()))),
                        SETTINGS);
            case CONFIGURATION_REFUSED ->
                List.of(Remedy.of("take the overrides back", new Command.RemoveOverride(job, Set.of())), SETTINGS);
            case SILENCED -> List.of(Remedy.of("end the silence", new Command.UnsilenceAlarms(job)));
            case BACKFILL_FAILED ->
                List.of(
                        Remedy.show("see the failed dates", Operation.BACKFILLS),
                        Remedy.of("continue after the failed dates", new Command.ResumeBackfill(job)));
            case ALARMS_DROPPED, HISTORY_LOST ->
                List.of(
                        Remedy.of("correct the cause that the log of the instance names"),
                        Remedy.show("see the alarms and who has received them", Operation.ALARMS));
            case CLOCK_AHEAD ->
                List.of(
                        Remedy.of("set the clock of host " + problem.subject() + " (NTP)"),
                        Remedy.show("then see whether the clock agrees", Operation.INSTANCES));
            case INSTANCE_PROBLEM, HEALTH_GAP ->
                Stream.concat(
                                Stream.of(DOCTOR),
                                named(problem.instances())
                                        .map(name -> Remedy.of(
                                                "move its items away", new Command.DrainInstance(name, null))))
                        .toList();
            case NO_INSTANCE ->
                List.of(Remedy.of("start an instance of the application, or check its connection to ZooKeeper"));
            case NO_LEADER, INSTANCE_GONE, UNPLANNED, NOT_REGISTERED, DISCONNECTED -> List.of(AGAIN, DOCTOR);
            case CHANGE_PENDING, CLOSING -> List.of(AGAIN, INSTANCES);
            case UNREADABLE, UNREADABLE_ITEMS, UNREADABLE_TRIGGER, REFUSED -> List.of(DOCTOR);
            case DEFECT, PLANNING_DEFECT -> List.of(DEFECT);
            case NO_FIRES -> List.of(Remedy.of("correct the schedule"), SETTINGS);
            case DEFINITION_REPLACED ->
                List.of(Remedy.of("after a deployment, run the same version on all instances"), SETTINGS);
            case STRATEGY_MISSING ->
                List.of(Remedy.of("deploy the strategy on every instance, or correct its name"), SETTINGS);
            case PLAN_REFUSED -> List.of(Remedy.of("mend the strategy; the log of the leader has the error"), SETTINGS);
            case ONCE_LISTENER_MISSING ->
                List.of(Remedy.of("start an instance that registers the job with its listener"), INSTANCES);
            case NO_THREADS -> List.of(Remedy.of("raise the limits of the process, or its memory"), INSTANCES);
            case OTHER -> List.of(Remedy.of("update this program to the version of the instance"), INSTANCES);
            case FENCE_EPOCH -> List.of(Remedy.of("leave it: a fence epoch may only rise"));
            case SKIPS_FIRES -> List.of(Remedy.of("wait until this time, or trigger the job"));
            case MORE_JOBS, UNCHECKED_JOBS -> List.of(Remedy.show("see all jobs", Operation.JOBS));
        };
    }

    /** Returns one command for each name. */
    private List<Remedy> each(String text, Stream<String> names, BiFunction<String, String, Command> command) {
        return names.limit(MOST)
                .map(name -> Remedy.of(text, command.apply(facts.job(), name)))
                .toList();
    }

    /** Returns one command for each item, and the view of the items. */
    private List<Remedy> perItem(String text, List<String> items, BiFunction<String, String, Command> command) {
        List<Remedy> remedies = new ArrayList<>(each(text, items.stream(), command));
        remedies.add(ITEMS);
        return remedies;
    }

    private static Stream<String> named(Set<String> instances) {
        return instances.stream().map(JobFacts::shortInstance).distinct();
    }

    /** Returns whether an item is quarantined because instances died while they ran it. */
    private static boolean hasKilled(ItemDetails item) {
        return item.run() != null && item.run().outcome() == ItemOutcome.CRASHED;
    }

    /** Releases the items whose runs failed. Items during whose runs instances died rather stay out. */
    private List<Remedy> releases(Draft problem) {
        Map<Boolean, List<String>> byCause = facts.of(problem, ItemDetails.State.QUARANTINED)
                .collect(Collectors.partitioningBy(
                        Remedies::hasKilled, Collectors.mapping(ItemDetails::item, Collectors.toList())));
        List<String> deadly = byCause.getOrDefault(true, List.of());
        List<Remedy> remedies = new ArrayList<>(each(
                "after the cause is mended",
                byCause.getOrDefault(false, List.of()).stream(),
                Command.ReleaseItem::new));
        remedies.addAll(each(
                "the safe choice for items that ended instances: leave them out, and say why",
                deadly.stream(),
                Command.DisableItem::new));
        deadly.stream()
                .limit(MOST)
                .forEach(item -> remedies.add(Remedy.of(
                        "instances died while they ran item " + item
                                + "; after the cause is mended, and one item at a time",
                        new Command.ReleaseItem(facts.job(), item))));
        remedies.add(ITEMS);
        return remedies;
    }

    /** Enables the disabled items, except those that are also quarantined. */
    private List<Remedy> enables() {
        List<String> items = new ArrayList<>(facts.disabledItems());
        items.removeAll(JobFacts.keys(facts.quarantined(true)));
        return perItem("enable them", items, Command.EnableItem::new);
    }

    private List<Remedy> unplaced() {
        List<Remedy> remedies = new ArrayList<>(List.of(
                Remedy.show(
                        "start an instance that meets the requirement, or change the requirement", Operation.INSTANCES),
                SETTINGS));
        remedies.addAll(each(
                "or let the job use this instance again",
                facts.disabledInstances().stream(),
                Command.EnableInstance::new));
        return remedies;
    }

    /** Stops the runs of the items that take too long. Other runs continue. */
    private List<Remedy> stops(Draft problem) {
        List<Remedy> remedies = new ArrayList<>();
        Map<String, List<String>> byRun = facts.of(problem, ItemDetails.State.RUNNING)
                .collect(Collectors.groupingBy(
                        Remedies::runId, Collectors.mapping(ItemDetails::item, Collectors.toList())));
        byRun.forEach((run, items) -> {
            long running = facts.inState(ItemDetails.State.RUNNING).stream()
                    .filter(item -> runId(item).equals(run))
                    .count();
            if (running == items.size() && running > 1) {
                remedies.add(Remedy.of(
                        "stop the runs of items " + JobFacts.named(items, ", "),
                        new Command.StopFire(facts.job(), null, run)));
            } else {
                items.forEach(item -> remedies.add(
                        Remedy.of("stop the run of item " + item, new Command.StopFire(facts.job(), item, run))));
            }
        });
        return Stream.concat(remedies.stream().limit(MOST), Stream.of(ITEMS)).toList();
    }

    private static String runId(ItemDetails item) {
        return item.run() == null ? "" : item.run().runId();
    }

    private List<Remedy> restarts(Draft problem) {
        List<String> names = named(problem.instances()).toList();
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(Remedy.show(
                "the code ignores the stop: only a restart of the process ends it"
                        + (names.isEmpty() ? "" : " (" + String.join(", ", names) + ")")
                        + ", not an eviction, after which the process comes back with a new session. Mend the code, too",
                Operation.INSTANCES));
        if (names.size() == 1) {
            remedies.add(Remedy.of(
                    "to move the other items away before the restart", new Command.DrainInstance(names.get(0), null)));
        } else if (!names.isEmpty()) {
            remedies.add(
                    Remedy.of("restart one instance after the other; a drain of all of them together would leave the"
                            + " items without an instance"));
        }
        return remedies;
    }
}
