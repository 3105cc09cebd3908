package io.ostraka.cli;

import io.ostraka.api.JobConfiguration;
import io.ostraka.cli.terminal.Table;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import io.ostraka.core.tree.ValueJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The views that are lists. */
final class Lists {
    /** Reasons that jobs report, but that belong to the namespace or to an instance, which shows each of them once. */
    private static final Set<String> OF_NAMESPACE = Set.of("FROZEN", "DRAINED", "DISCONNECTED");

    private Lists() {}

    static ExitCode namespaces(Invocation call) {
        Answer answer = call.client().get(Client.path());
        Table table = Table.of("NAMESPACE");
        answer.texts("namespaces").forEach(table::add);
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }

    static ExitCode jobs(Invocation call) {
        List<Client.Parameter> query = new ArrayList<>(Selection.query(call));
        call.text("--sort").ifPresent(sort -> query.add(new Client.Parameter("sort", sort)));
        Answer answer = Selection.read(call, query);
        call.output().list(answer.json(), jobTable(call.session(), answer));
        return ExitCode.OK;
    }

    static Table jobTable(Session session, Answer answer) {
        Table table = Table.of("JOB", "STATE", "PROBLEMS", "ITEMS", "NEXT FIRE", "SCHEDULE+", "TRIGGERS+", "TEXT+");
        for (Answer job : answer.list("jobs")) {
            Times times = session.times(job);
            List<Answer> health = job.list("health");
            long unassigned = unassigned(job);
            List<String> texts = new ArrayList<>(List.of(job.text("stateText")));
            health.stream()
                    .filter(each -> !isOfInstance(each))
                    .forEach(each -> texts.add(each.object("reason").text("text")));
            table.add(
                    job.text("job"),
                    job.text("state"),
                    problems(health),
                    job.text("items") + (unassigned > 0 ? " (" + unassigned + " unassigned)" : ""),
                    job.text("state").equals("PAUSED") ? "paused" : times.both(job.time("nextFire")),
                    schedule(job.object("schedule")),
                    job.text("triggers"),
                    texts.stream()
                            .filter(each -> !each.isBlank())
                            .distinct()
                            .map(Times::inSeconds)
                            .collect(Collectors.joining("; ")));
        }
        return table;
    }

    /**
     * Returns the kind of the most severe reason and the number of the other reasons. A reason that concerns all jobs
     * of the namespace or of a drained instance counts as the least severe, because {@code status} shows it in a
     * separate line. A wrong clock is left out, because it is a problem of one instance only, whose items run on other
     * instances.
     */
    static String problems(List<Answer> health) {
        List<String> kinds = health.stream()
                .filter(each -> !isOfInstance(each))
                .map(each -> each.object("reason").text("kind"))
                .sorted(Comparator.comparing(OF_NAMESPACE::contains))
                .toList();
        return kinds.isEmpty() ? "" : kinds.get(0) + (kinds.size() > 1 ? " +" + (kinds.size() - 1) : "");
    }

    /** Returns whether a reported reason concerns only the instance that reports it, and not its jobs. */
    private static boolean isOfInstance(Answer reported) {
        return reported.object("reason").text("kind").equals("CLOCK_AHEAD");
    }

    private static long unassigned(Answer job) {
        return job.number("items")
                - job.map("owners").values().stream().mapToLong(Lists::number).sum();
    }

    private static long number(String text) {
        return text.matches("\\d{1,9}") ? Long.parseLong(text) : 0;
    }

    /** Returns a schedule in words, such as {@code cron '0 0 2 * * ?' in Europe/Berlin}. */
    static String schedule(Answer schedule) {
        try {
            return JobConfiguration.field("schedule")
                    .map(field -> ValueJson.read(field, schedule.json()))
                    .map(Object::toString)
                    .orElseGet(() -> values(schedule));
        } catch (RuntimeException e) { // the server may have a later version
            return values(schedule);
        }
    }

    private static String values(Answer schedule) {
        return schedule.json().asMap().values().stream()
                .map(each -> each.isJsonPrimitive()
                        ? each.getAsString()
                        : each.isJsonObject() ? values(Answer.of(each)) : each.toString())
                .sorted(Comparator.comparing((String each) -> !each.equals(schedule.text("type"))))
                .collect(Collectors.joining(" "));
    }

    static ExitCode activity(Invocation call) {
        List<String> jobs = call.list("JOB");
        Answer answer = call.client()
                .get(
                        call.path("activity"),
                        jobs.stream()
                                .map(job -> new Client.Parameter("job", job))
                                .toArray(Client.Parameter[]::new));
        Table table = Table.of(
                "JOB", "RUNNING", "SINCE", "LAST FIRE", "OUTCOMES", "INTERRUPTED", "QUARANTINED", "FAILED IN A ROW");
        List<String> found =
                answer.list("activity").stream().map(each -> each.text("job")).toList();
        jobs.stream().filter(each -> !found.contains(each)).findFirst().ifPresent(job -> {
            throw new Failure(
                    ExitCode.NOT_FOUND,
                    "there is no job '" + job + "' in namespace '"
                            + call.session().namespace() + "', or you may not see it" + Mistyped.job(call, job));
        });
        Times times = call.session().times();
        for (Answer job : answer.list("activity")) {
            table.add(
                    job.text("job"),
                    job.text("running"),
                    times.both(job.time("runningSince")),
                    times.both(job.time("lastFire")),
                    counts(job.map("outcomes")),
                    job.text("interrupted"),
                    job.text("quarantined"),
                    job.text("failuresInARow"));
        }
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }

    static String counts(Map<String, String> counts) {
        return counts.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
    }

    static ExitCode instances(Invocation call) {
        Answer answer = call.client().get(call.path("instances"));
        Table table = Table.of("INSTANCE", "STATE", "LEADS", "ITEMS", "JOBS", "CLOCK", "PROBLEM", "ZONE+", "TAGS+");
        for (Answer each : answer.list("instances")) {
            table.add(
                    each.object("instance").text("id"),
                    each.text("state"),
                    each.flag("leading") ? "yes" : "",
                    String.valueOf(each.map("items").values().stream()
                            .mapToLong(Lists::number)
                            .sum()),
                    String.valueOf(each.texts("jobs").size()),
                    each.flag("clockAhead") ? "AHEAD" : "ok",
                    each.has("problem") ? each.text("problem") : each.text("healthGap"),
                    each.object("instance").text("zone"),
                    each.object("instance").map("tags").entrySet().stream()
                            .map(tag -> tag.getKey() + "=" + tag.getValue())
                            .collect(Collectors.joining(", ")));
        }
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }

    static ExitCode backfills(Invocation call) {
        Answer answer = call.client().get(call.path("backfills"));
        Table table = Table.of(
                "JOB", "STATE", "FIRES", "SUCCEEDED", "FAILED", "RUNNING", "NEXT DATE", "BY", "REASON+", "ID+");
        Times times = call.session().times();
        for (Answer each : answer.list("backfills")) {
            table.add(
                    each.text("job"),
                    each.text("state"),
                    each.text("triggered") + "/" + each.text("fires"),
                    each.text("succeeded"),
                    each.text("failed") + (each.number("unknown") > 0 ? " +" + each.text("unknown") + " unknown" : ""),
                    String.valueOf(each.map("running").size()),
                    each.time("next").map(times::absolute).orElse(""),
                    each.object("requested").text("by"),
                    each.object("requested").text("reason"),
                    each.text("id"));
        }
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }

    static ExitCode alarms(Invocation call) {
        Client.Parameter[] query = call.flag("--firing")
                ? new Client.Parameter[] {new Client.Parameter("firing", "true")}
                : new Client.Parameter[0];
        Answer answer = call.client().get(call.path("alarms"), query);
        Table table = Table.of("JOB", "KIND", "STATE", "SINCE", "ITEMS", "TEXT", "SILENCED+", "RECEIVED+", "ID+");
        Times times = call.session().times();
        for (Answer each : answer.list("alarms")) {
            table.add(
                    each.text("job"),
                    each.text("kind"),
                    each.has("ended") ? "ended" : "FIRING",
                    times.both(each.time("since")),
                    each.text("itemCount"),
                    Times.inSeconds(each.text("text")),
                    each.flag("silenced") ? "yes" : "",
                    String.join(", ", each.texts("received")),
                    each.text("id"));
        }
        call.output().list(answer.json(), table);
        if (call.output().isForPeople()) { // the table does not name the operator and the end of a silence
            Problems problems = new Problems(call.session(), times);
            Problems.read(call.session()).stream()
                    .filter(each -> each.text("kind").equals("SILENCED"))
                    .flatMap(each -> problems.lines(each).stream())
                    .forEach(call.terminal()::print);
        }
        return ExitCode.OK;
    }

    static ExitCode forecast(Invocation call) {
        List<Client.Parameter> query = new ArrayList<>();
        for (String each : List.of("from", "slot", "slots")) {
            call.text("--" + each).ifPresent(value -> query.add(new Client.Parameter(each, value)));
        }
        Answer answer = call.client().get(call.path("forecast"), query.toArray(Client.Parameter[]::new));
        Table table = Table.of("START", "FIRES", "MOST FIRES", "CLOCKS CHANGE");
        Times times = call.session().times();
        for (Answer slot : answer.list("slots")) {
            Map<String, String> fires = new TreeMap<>(slot.map("fires"));
            String most = fires.entrySet().stream()
                    .sorted(Comparator.comparing((Map.Entry<String, String> each) -> -number(each.getValue())))
                    .limit(3)
                    .map(each -> each.getKey() + " " + each.getValue())
                    .collect(Collectors.joining(", "));
            table.add(
                    slot.time("start").map(times::absolute).orElse(""),
                    String.valueOf(
                            fires.values().stream().mapToLong(Lists::number).sum()),
                    most,
                    String.join(", ", slot.texts("clockChanges")));
        }
        call.output().list(answer.json(), table);
        List<String> unpredictable = answer.texts("unpredictable");
        if (!unpredictable.isEmpty() && call.output().isForPeople()) {
            call.terminal()
                    .say("not included, because their fires depend on the ends of runs: "
                            + String.join(", ", unpredictable));
        }
        return ExitCode.OK;
    }

    static ExitCode nextFires(Invocation call) {
        String job = call.require("JOB");
        Client.Parameter[] query = call.text("--count")
                .map(count -> new Client.Parameter[] {new Client.Parameter("count", count)})
                .orElse(new Client.Parameter[0]);
        Answer answer = call.client().get(call.path("jobs", job, "next-fires"), query);
        Table table = Table.of("FIRE", "WHEN");
        Times times = call.session().times();
        for (String fire : answer.texts("fires")) {
            Instant time = Instant.parse(fire);
            table.add(times.absolute(time), times.relative(time));
        }
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }

    static ExitCode export(Invocation call) {
        call.output().document(call.client().get(call.path("settings")).json());
        return ExitCode.OK;
    }

    static ExitCode diff(Invocation call) {
        Answer answer = call.client().ask(call.path("settings", "diff"), Documents.read(call.require("FILE")));
        Table table = Table.of("DIFFERENCE");
        answer.texts("differences").forEach(table::add);
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }
}
