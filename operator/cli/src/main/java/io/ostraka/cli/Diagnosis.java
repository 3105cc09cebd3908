package io.ostraka.cli;

import io.ostraka.cli.Trouble.Level;
import io.ostraka.cli.Trouble.Remedy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds the situations of one job that need a person, and the commands that mend them. */
final class Diagnosis {
    private static final int MOST_NAMED = 20;

    /** Reasons that this class does not report as health, because the state of the job shows them. */
    private static final Set<String> OF_STATE = Set.of("PAUSED", "REMOVED");

    private final Session session;
    private final JobFacts facts;
    private final Remedies remedies;
    private final Times times;
    private final List<Trouble> found = new ArrayList<>();

    private Diagnosis(Session session, JobFacts facts) {
        this.session = session;
        this.facts = facts;
        this.remedies = new Remedies(session, facts);
        this.times = session.times(facts.summary());
    }

    /** Returns the situations of a job that need a person, most urgent first. */
    static List<Trouble> of(Session session, JobFacts facts) {
        Diagnosis diagnosis = new Diagnosis(session, facts);
        diagnosis.state();
        diagnosis.health();
        diagnosis.items();
        diagnosis.overrides();
        diagnosis.alarms();
        diagnosis.silences();
        diagnosis.found.sort(Comparator.comparing(Trouble::level));
        return diagnosis.found;
    }

    private void add(Level level, String topic, String what, List<String> details, Remedy... todo) {
        if (found.stream().noneMatch(each -> each.topic().equals(topic))) {
            found.add(new Trouble(facts.job(), level, topic, what, details, List.of(todo)));
        }
    }

    private void state() {
        Answer summary = facts.summary();
        String text = summary.text("stateText");
        String job = facts.job();
        switch (summary.text("state")) {
            case "PAUSED" ->
                add(
                        Level.ERROR,
                        "PAUSED",
                        "is paused, so no scheduled fire starts",
                        List.of(
                                text,
                                who(facts.field("paused")
                                        .map(each -> each.object("change"))
                                        .orElse(Answer.EMPTY))),
                        new Remedy("end the pause", session.command("job", "resume", job)),
                        new Remedy(
                                "or without the missed fires", session.command("job", "resume", job, "--skip-missed")));
            case "REMOVED" ->
                add(
                        Level.NOTE,
                        "REMOVED",
                        "was removed, so nothing of it starts",
                        List.of(text),
                        new Remedy("to have it back, restart an instance that has its code", ""),
                        new Remedy("to delete its nodes for good", session.command("job", "purge", job)));
            case "UNREADABLE" ->
                add(
                        Level.ERROR,
                        "UNREADABLE",
                        "has a node that is not readable",
                        List.of(text, facts.details().text("problem")),
                        new Remedy("see which node, and how to mend it", session.command("doctor")));
            case "CHANGING" ->
                add(
                        Level.WARNING,
                        "CHANGING",
                        "is changing its items; no fire starts until the running items have ended",
                        List.of(text),
                        new Remedy("see the running items", session.command("item", "list", job)));
            case "UNPLANNED" -> {
                if (summary.list("health").isEmpty()) {
                    add(
                            Level.WARNING,
                            "NO_PLAN",
                            "has no plan yet",
                            List.of(text),
                            new Remedy("look again in a few seconds; if this lasts", session.command("doctor")));
                }
            }
            default -> {
                if (!text.isBlank()) {
                    add(Level.NOTE, "STATE", text, List.of());
                }
            }
        }
        if (facts.details().has("problem")) {
            add(
                    Level.ERROR,
                    "UNREADABLE",
                    "has a node that is not readable",
                    List.of(facts.details().text("problem")),
                    new Remedy("see which node, and how to mend it", session.command("doctor")));
        }
    }

    private void health() {
        Map<String, List<Answer>> byKind = facts.summary().list("health").stream()
                .collect(Collectors.groupingBy(
                        each -> each.object("reason").text("kind"), LinkedHashMap::new, Collectors.toList()));
        byKind.forEach((kind, reports) -> {
            if (kind.equals("NO_PLAN") && byKind.containsKey("UNPLACED_ITEMS")) {
                return; // UNPLACED_ITEMS is more specific
            }
            if (kind.equals("QUARANTINED_ITEMS")
                    && !facts.inState("QUARANTINED").isEmpty()) {
                return; // the items are reported instead: some of them may be disabled
            }
            if (OF_STATE.contains(kind) && found.stream().anyMatch(each -> OF_STATE.contains(each.topic()))) {
                return;
            }
            reported(kind, reports);
        });
    }

    /** Adds a reason. Its texts can differ, because each instance names its own items. */
    private void reported(String kind, List<Answer> reports) {
        List<String> instances = reports.stream()
                .flatMap(each -> each.texts("instances").stream())
                .distinct()
                .sorted()
                .toList();
        List<String> texts = reports.stream()
                .map(each -> each.object("reason").text("text"))
                .distinct()
                .toList();
        List<String> details = reports.stream()
                .limit(MOST_NAMED)
                .map(each -> "since " + times.both(each.object("reason").time("since")) + ", reported by "
                        + String.join(", ", each.texts("instances")))
                .collect(Collectors.toCollection(ArrayList::new));
        details.addAll(remedies.details(kind));
        if (kind.equals("DISABLED_ITEMS")) {
            details.add(facts.disabledBy(times));
        }
        boolean ofInstance = Overview.isOfInstance(reports.get(0));
        add(
                ofInstance ? Level.NOTE : Remedies.level(kind),
                kind,
                ofInstance ? clockAhead(instances) : listed(texts, "; "),
                details,
                remedies.of(kind, instances).toArray(Remedy[]::new));
    }

    /** Names the instances, because the text of the reason says "this host", which means nothing on other hosts. */
    private static String clockAhead(List<String> instances) {
        return instances.stream().map(each -> Items.shortInstance(each) + "'s").collect(Collectors.joining(" and "))
                + (instances.size() == 1 ? " clock is" : " clocks are") + " more than 10 s ahead of ZooKeeper's";
    }

    private void silences() {
        Answer change = facts.details().object("changes").object(Silences.SETTING);
        if (!change.json().isEmpty()) {
            add(
                    Level.NOTE,
                    "SILENCED",
                    Silences.read(session).kinds(facts.job()) + " are silenced, so no handler gets new ones",
                    List.of(who(change)),
                    new Remedy("end the silence", session.command("job", "unsilence", facts.job())));
        }
    }

    private void items() {
        List<Answer> interrupted = facts.inState("INTERRUPTED");
        if (!interrupted.isEmpty()) {
            add(
                    Level.WARNING,
                    "INTERRUPTED",
                    "the instance that ran items " + named(JobFacts.keys(interrupted))
                            + " has shut down or lost its session; they wait for another instance",
                    interrupted.stream().limit(3).map(this::interrupted).toList(),
                    new Remedy("see the items", session.command("item", "list", facts.job(), "--trouble")));
        }
        if (JobFacts.unassigned(facts.summary()) > 0
                && found.stream().noneMatch(each -> Remedies.OF_PLACEMENT.contains(each.topic()))) {
            add(
                    Level.WARNING,
                    "WITHOUT_INSTANCE",
                    "items have no instance now: " + named(JobFacts.keys(facts.withoutOwner())),
                    remedies.details("UNPLACED_ITEMS"),
                    new Remedy("see the items", session.command("item", "list", facts.job(), "--trouble")));
        }
        quarantined();
        if (found.stream().noneMatch(each -> Remedies.OF_LONG_RUNS.contains(each.topic()))
                && !facts.runningLong().isEmpty()) {
            add(
                    facts.runningLong().stream().anyMatch(facts::isVeryLong) ? Level.ERROR : Level.WARNING,
                    "LONG_RUNNING_ITEMS",
                    "runs take very long, of items " + named(JobFacts.keys(facts.runningLong())),
                    remedies.details("LONG_RUNNING_ITEMS"),
                    remedies.of("LONG_RUNNING_ITEMS", List.of()).toArray(Remedy[]::new));
        }
        if (!facts.ahead().isEmpty()) {
            add(
                    Level.ERROR,
                    "FUTURE_ITEMS",
                    "items have decided about fires in the future, so they start none until then; a clock was wrong: "
                            + named(JobFacts.keys(facts.ahead())),
                    remedies.details("FUTURE_ITEMS"),
                    remedies.of("FUTURE_ITEMS", List.of()).toArray(Remedy[]::new));
        }
        Map<String, List<Answer>> failed = facts.failed().stream()
                .collect(Collectors.groupingBy(
                        each -> each.object("run").text("runId"), LinkedHashMap::new, Collectors.toList()));
        failed.forEach((run, items) -> add(
                Level.WARNING,
                "FAILED " + run,
                items.size() + (items.size() == 1 ? " item" : " items") + " of the fire " + run + " did not succeed: "
                        + named(JobFacts.keys(items)),
                items.stream().limit(3).map(this::error).toList(),
                new Remedy("run them again", session.command("run", "rerun", facts.job(), run))));
    }

    private void quarantined() {
        List<Answer> open = facts.quarantined(false);
        List<Answer> disabled = facts.quarantined(true);
        if (!open.isEmpty()) {
            add(
                    Level.ERROR,
                    "QUARANTINED_ITEMS",
                    "items are quarantined and start no fire: " + named(JobFacts.keys(open)),
                    remedies.details("QUARANTINED_ITEMS"),
                    remedies.of("QUARANTINED_ITEMS", List.of()).toArray(Remedy[]::new));
        }
        if (!disabled.isEmpty()) {
            List<String> details = new ArrayList<>(remedies.errors(disabled));
            details.add(facts.disabledBy(times));
            add(
                    Level.NOTE,
                    open.isEmpty() ? "QUARANTINED_ITEMS" : "QUARANTINED_AND_DISABLED",
                    "items are quarantined, and an operator has disabled them: " + named(JobFacts.keys(disabled)),
                    details,
                    new Remedy("leave them until the cause is mended; then release them, and enable them", ""));
        }
    }

    private String interrupted(Answer item) {
        Answer run = item.object("run");
        return "item " + item.text("item") + " ran on " + run.text("runner") + " since "
                + times.both(run.time("startedAt")) + ", run " + run.text("runId");
    }

    private String error(Answer item) {
        Answer run = item.object("run");
        return "item " + item.text("item") + ": " + run.text("outcome") + " " + times.both(run.time("endedAt"))
                + (run.has("error") ? ", " + run.text("error") : "");
    }

    private void overrides() {
        for (Answer field : facts.overrides()) {
            String name = field.text("field");
            boolean masks = !String.valueOf(field.json().get("defined"))
                    .equals(String.valueOf(field.json().get("effective")));
            boolean fence = name.equals("fenceEpoch");
            add(
                    masks && !fence ? Level.WARNING : Level.NOTE,
                    "OVERRIDE " + name,
                    masks
                            ? "an override masks " + name + ": the definition says " + shown(field, "defined")
                                    + ", in force is " + shown(field, "effective")
                            : "an override of " + name + " has the value of the definition: " + shown(field, "defined"),
                    List.of(who(field.object("change"))),
                    fence
                            ? new Remedy("leave it: a fence epoch may only rise", "")
                            : new Remedy(
                                    "let the definition apply again",
                                    session.command("job", "override", "remove", facts.job(), name)));
        }
    }

    static String shown(Answer field, String member) {
        if (!field.has(member)) {
            return "(no value)";
        }
        if (field.text("field").equals("schedule")) {
            return Terminal.printable(Lists.schedule(field.object(member)));
        }
        String text = field.text(member);
        return Terminal.printable(text.isEmpty() ? Json.line(field.json().get(member)) : text);
    }

    /** Describes a change: its actor, reason, time and end. */
    private String who(Answer change) {
        if (change.json().isEmpty()) {
            return "";
        }
        String reason = change.text("reason");
        return "set by " + (change.text("by").isEmpty() ? "an unknown person" : change.text("by")) + " "
                + times.both(change.time("at")) + ", reason: " + (reason.isEmpty() ? "none given" : reason)
                + ", until: "
                + change.time("until")
                        .map(until -> times.both(Optional.of(until)))
                        .orElse("taken back");
    }

    private void alarms() {
        for (Answer alarm : facts.alarms()) {
            String kind = alarm.text("kind");
            if (found.stream().noneMatch(each -> Remedies.covers(each.topic(), kind)) && !ofQuarantined(alarm)) {
                add(
                        Level.ERROR,
                        "ALARM " + kind,
                        "alarm " + kind + ": " + alarm.text("text"),
                        List.of("since " + times.both(alarm.time("since"))
                                + (alarm.flag("silenced") ? ", silenced" : "")),
                        new Remedy("see its items", session.command("item", "list", facts.job())));
            }
        }
    }

    /** Returns whether an alarm about failures concerns only quarantined items, which are already reported. */
    private boolean ofQuarantined(Answer alarm) {
        List<String> keys = alarm.texts("items");
        return alarm.text("kind").equals("FAILING")
                && alarm.number("itemCount") == keys.size()
                && JobFacts.keys(facts.inState("QUARANTINED")).containsAll(keys);
    }

    static String named(List<String> keys) {
        return listed(keys, ", ");
    }

    private static String listed(List<String> texts, String separator) {
        String rest = texts.size() > MOST_NAMED ? " and " + (texts.size() - MOST_NAMED) + " more" : "";
        return texts.stream().limit(MOST_NAMED).collect(Collectors.joining(separator)) + rest;
    }
}
