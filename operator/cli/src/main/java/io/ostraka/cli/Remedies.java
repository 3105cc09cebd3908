package io.ostraka.cli;

import io.ostraka.api.JobHealth;
import io.ostraka.cli.Trouble.Level;
import io.ostraka.cli.Trouble.Remedy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The actions that mend each reason of a job's health.
 *
 * @param session connection, for the command lines
 * @param facts the job
 */
record Remedies(Session session, JobFacts facts) {
    /** Topics about runs that take too long. */
    static final Set<String> OF_LONG_RUNS = Set.of("LONG_RUNNING_ITEMS", "STUCK_ITEMS", "STOP_IGNORED");

    /** Topics about items without an instance. */
    static final Set<String> OF_PLACEMENT = Set.of("UNPLACED_ITEMS", "NO_PLAN", "NO_HOST", "REMOVED", "UNREADABLE");

    /** Topics about the same situation as an alarm, by the kind of the alarm. */
    private static final Map<String, Set<String>> ALARMS = Map.of(
            "QUARANTINED", Set.of("QUARANTINED_ITEMS"),
            "UNPLACED", Set.of("UNPLACED_ITEMS", "NO_PLAN", "NO_HOST"),
            "NO_INSTANCE", Set.of("NO_HOST"),
            "PAUSED_LONG", Set.of("PAUSED"),
            "RUNS_TOO_LONG", OF_LONG_RUNS);

    private static final int MOST = 20;

    static boolean covers(String topic, String alarm) {
        return ALARMS.getOrDefault(alarm, Set.of()).contains(topic)
                || (alarm.equals("OVERRIDE_STALE") && topic.startsWith("OVERRIDE "))
                || (alarm.equals("FAILING") && topic.startsWith("FAILED "));
    }

    static Level level(String kind) {
        try {
            JobHealth.Kind known = JobHealth.Kind.valueOf(kind);
            return known.needsAttention() || known == JobHealth.Kind.NO_PLAN || known == JobHealth.Kind.FROZEN
                    ? Level.ERROR
                    : known.status() == JobHealth.Status.STOPPED ? Level.WARNING : Level.NOTE;
        } catch (IllegalArgumentException e) {
            return Level.WARNING;
        }
    }

    /** Returns further lines about a reason. */
    List<String> details(String kind) {
        return switch (kind) {
            case "QUARANTINED_ITEMS" -> errors(facts.quarantined(false));
            case "UNPLACED_ITEMS", "NO_PLAN" -> explanation();
            case "FUTURE_ITEMS" ->
                facts.ahead().stream()
                        .limit(3)
                        .map(each -> "item " + each.text("item") + " has decided up to "
                                + session.times(facts.summary()).both(each.time("decidedUpTo")))
                        .toList();
            case "LONG_RUNNING_ITEMS", "STUCK_ITEMS", "STOP_IGNORED" ->
                facts.inState("RUNNING").stream().limit(MOST).map(this::running).toList();
            default -> List.of();
        };
    }

    List<String> errors(List<Answer> items) {
        return items.stream()
                .limit(3)
                .map(each -> "item " + each.text("item") + ": " + each.text("failuresInARow") + " failed in a row"
                        + (each.object("run").has("error")
                                ? ", " + each.object("run").text("error")
                                : ""))
                .toList();
    }

    private String running(Answer item) {
        Answer run = item.object("run");
        return "item " + item.text("item") + " runs on " + run.text("runner") + " since "
                + session.times(facts.summary()).both(run.time("startedAt"))
                + item.duration("expectedRunTime")
                        .map(expected -> ", usually " + Times.span(expected))
                        .orElse(", and no earlier run has ended");
    }

    /** Asks the API why the first item without an instance has none. */
    private List<String> explanation() {
        Optional<Answer> item = facts.withoutOwner().stream().findFirst();
        if (item.isEmpty()) {
            return List.of();
        }
        String key = item.get().text("item");
        try {
            Answer answer = session.client()
                    .get(Client.path(session.namespace(), "jobs", facts.job(), "items", key, "explanation"));
            return List.of("item " + key + ": " + answer.text("explanation"));
        } catch (Failure e) {
            return List.of();
        }
    }

    /** Returns the actions for a reason that the given instances report. */
    List<Remedy> of(String kind, List<String> instances) {
        String job = facts.job();
        return switch (kind) {
            case "QUARANTINED_ITEMS" -> releases();
            case "FUTURE_ITEMS" -> perItem("set-back-cursor", facts.ahead(), "after the clock is set");
            case "CLOCK_AHEAD" ->
                List.of(new Remedy(
                        "set the clock of the host of " + String.join(", ", instances)
                                + " (NTP); its items are on other instances meanwhile",
                        session.command("instance", "list")));
            case "NO_HOST" ->
                List.of(
                        new Remedy("start or deploy an instance that has the code of this job", ""),
                        new Remedy("see which instances run", session.command("instance", "list", "-o", "wide")),
                        new Remedy("if the job is gone for good", session.command("job", "remove", job)));
            case "UNPLACED_ITEMS", "NO_PLAN" -> unplaced(job);
            case "LONG_RUNNING_ITEMS" -> runs();
            case "STUCK_ITEMS", "STOP_IGNORED" -> stuck(instances);
            case "BACKFILL_FAILED" ->
                List.of(
                        new Remedy("see the failed dates", session.command("backfill", "list")),
                        new Remedy("continue after the failed dates", session.command("backfill", "resume", job)));
            case "ALARMS_DROPPED" ->
                List.of(new Remedy("see which handlers have received the alarms", session.command("alarm", "list")));
            case "SKIPPED_FIRES" ->
                List.of(new Remedy("see the latest skipped fires", session.command("item", "list", job)));
            case "DISABLED_ITEMS" -> enables();
            case "DISABLED_INSTANCES" ->
                facts.details().texts("disabledInstances").stream()
                        .map(each -> new Remedy(
                                "let the job use it again", session.command("instance", "enable", each, "--job", job)))
                        .toList();
            case "DRAINED" ->
                instances.stream()
                        .map(Items::shortInstance)
                        .distinct()
                        .map(each -> new Remedy("end the drain", session.command("instance", "undrain", each)))
                        .toList();
            case "FROZEN" -> List.of(new Remedy("end the freeze", session.command("namespace", "thaw")));
            case "CONFIGURATION_REFUSED" ->
                List.of(new Remedy("take the overrides back", session.command("job", "override", "remove", job)));
            case "UNREADABLE", "UNREADABLE_ITEMS", "UNREADABLE_TRIGGER", "REFUSED", "DISCONNECTED" ->
                List.of(new Remedy("find the cause", session.command("doctor")));
            case "WAITING_ITEMS", "NO_FREE_SLOT", "ITEM_COUNT_CHANGING", "ITEM_COUNT_POSTPONED" ->
                List.of(new Remedy("see which items run", session.command("item", "list", job)));
            default -> List.of();
        };
    }

    /** Returns one command for all items whose runs failed, and one for each item during whose runs instances died. */
    private List<Remedy> releases() {
        List<Answer> quarantined = facts.quarantined(false);
        List<Answer> deadly = quarantined.stream().filter(JobFacts::hasKilled).toList();
        List<Answer> failed =
                quarantined.stream().filter(each -> !deadly.contains(each)).toList();
        List<Remedy> remedies = new ArrayList<>();
        if (deadly.isEmpty() || !failed.isEmpty()) {
            remedies.addAll(perItem("release", failed, "after the cause is mended"));
        }
        if (!deadly.isEmpty()) {
            List<String> words = new ArrayList<>(List.of("item", "disable", facts.job()));
            words.addAll(JobFacts.keys(deadly));
            words.addAll(List.of(Invocation.REASON, "TEXT"));
            remedies.add(new Remedy(
                    "the safe choice for items that ended instances: leave them out, and say why",
                    session.command(words.toArray(String[]::new))));
        }
        deadly.stream()
                .limit(MOST)
                .map(each -> each.text("item"))
                .forEach(key -> remedies.add(new Remedy(
                        "instances died while they ran item " + key
                                + "; after the cause is mended, and one item at a time",
                        session.command("item", "release", facts.job(), key))));
        return remedies;
    }

    /** Returns the command that enables the disabled items, except those that are also quarantined. */
    private List<Remedy> enables() {
        List<String> keys = new ArrayList<>(facts.details().texts("disabledItems"));
        keys.removeAll(JobFacts.keys(facts.quarantined(true)));
        return keys.isEmpty()
                ? List.of()
                : List.of(new Remedy("enable them", command("item", "enable", facts.job(), keys)));
    }

    private List<Remedy> perItem(String verb, List<Answer> items, String when) {
        List<String> keys = JobFacts.keys(items);
        if (keys.isEmpty()) {
            return List.of(new Remedy("see the items", session.command("item", "list", facts.job(), "--trouble")));
        }
        return List.of(new Remedy(when, command("item", verb, facts.job(), keys)));
    }

    private String command(String noun, String verb, String job, List<String> keys) {
        List<String> words = new ArrayList<>(List.of(noun, verb, job));
        words.addAll(keys);
        return session.command(words.toArray(String[]::new));
    }

    private List<Remedy> unplaced(String job) {
        List<Remedy> remedies = new ArrayList<>();
        remedies.add(new Remedy(
                "start an instance that meets the requirement, or change the requirement",
                session.command("instance", "list", "-o", "wide")));
        facts.details()
                .texts("disabledInstances")
                .forEach(each -> remedies.add(new Remedy(
                        "or let the job use this instance again",
                        session.command("instance", "enable", each, "--job", job))));
        return remedies;
    }

    /** Returns the commands that stop the runs of the items that take too long. Other runs continue. */
    private List<Remedy> runs() {
        List<Answer> running = facts.inState("RUNNING");
        List<Answer> slow = slow();
        List<Remedy> remedies = new ArrayList<>();
        for (String run : slow.stream().map(Remedies::runId).distinct().toList()) {
            List<String> keys = JobFacts.keys(
                    slow.stream().filter(each -> runId(each).equals(run)).toList());
            boolean all =
                    running.stream().filter(each -> runId(each).equals(run)).count() == keys.size();
            if (all && keys.size() > 1) {
                remedies.add(new Remedy(
                        "stop the runs of items " + Diagnosis.named(keys),
                        session.command("run", "stop", facts.job(), run)));
            } else {
                keys.forEach(key -> remedies.add(new Remedy(
                        "stop the run of item " + key,
                        session.command("run", "stop", facts.job(), run, "--item", key))));
            }
        }
        return remedies.stream().limit(MOST).toList();
    }

    /**
     * Returns the items that run long. If an instance reports such items but their times do not show it, returns all
     * running items.
     */
    private List<Answer> slow() {
        return facts.runningLong().isEmpty() ? facts.inState("RUNNING") : facts.runningLong();
    }

    private static String runId(Answer item) {
        return item.object("run").text("runId");
    }

    private List<Remedy> stuck(List<String> instances) {
        List<Remedy> remedies = new ArrayList<>();
        List<String> names =
                instances.stream().map(Items::shortInstance).distinct().toList();
        String named = String.join(", ", names);
        remedies.add(new Remedy(
                "the code ignores the stop: only a restart of the process ends it"
                        + (named.isEmpty() ? "" : " (" + named + ")")
                        + ", not an eviction, after which the process comes back with a new session. Mend the code, too",
                session.command("instance", "list")));
        if (names.size() == 1) {
            remedies.add(new Remedy(
                    "to move the other items away before the restart", session.command("instance", "drain", named)));
        } else if (!names.isEmpty()) {
            remedies.add(new Remedy(
                    "restart one instance after the other; a drain of all of them together would leave the items without"
                            + " an instance",
                    ""));
        }
        return remedies;
    }
}
