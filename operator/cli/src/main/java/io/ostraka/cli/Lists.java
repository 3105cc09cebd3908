package io.ostraka.cli;

import io.ostraka.api.JobHealth;
import io.ostraka.api.operations.AlarmDetails;
import io.ostraka.api.operations.BackfillDetails;
import io.ostraka.api.operations.Forecast;
import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.ReportedReason;
import io.ostraka.cli.terminal.Table;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
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
    private static final Set<JobHealth.Kind> OF_NAMESPACE =
            Set.of(JobHealth.Kind.FROZEN, JobHealth.Kind.DRAINED, JobHealth.Kind.DISCONNECTED);

    private Lists() {}

    static ExitCode namespaces(Invocation call) {
        Answer<Answers.Namespaces> answer = call.client().get(Answers.Namespaces.class, Client.path());
        Table table = Table.of("NAMESPACE");
        answer.value().namespaces().forEach(table::add);
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }

    static ExitCode jobs(Invocation call) {
        List<Client.Parameter> query = new ArrayList<>(Selection.query(call));
        call.text("--sort").ifPresent(sort -> query.add(new Client.Parameter("sort", sort)));
        Answer<Answers.Jobs> answer = Selection.read(call, query);
        call.output()
                .list(answer.json(), jobTable(call.session(), answer.value().jobs()));
        return ExitCode.OK;
    }

    static Table jobTable(Session session, List<JobSummary> jobs) {
        Table table = Table.of("JOB", "STATE", "PROBLEMS", "ITEMS", "NEXT FIRE", "SCHEDULE+", "TRIGGERS+", "TEXT+");
        for (JobSummary job : jobs) {
            Times times = session.times(job.at());
            List<String> texts = new ArrayList<>(List.of(job.stateText()));
            job.health().stream()
                    .filter(each -> !isOfInstance(each))
                    .forEach(each -> texts.add(each.reason().text()));
            table.add(
                    job.job(),
                    job.state(),
                    problems(job.health()),
                    job.items() + (job.unassigned() > 0 ? " (" + job.unassigned() + " unassigned)" : ""),
                    job.state() == JobState.PAUSED ? "paused" : times.both(job.nextFire()),
                    job.schedule(),
                    job.triggers(),
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
    static String problems(List<ReportedReason> health) {
        List<JobHealth.Kind> kinds = health.stream()
                .filter(each -> !isOfInstance(each))
                .map(each -> each.reason().kind())
                .sorted(Comparator.comparing(OF_NAMESPACE::contains))
                .toList();
        return kinds.isEmpty() ? "" : kinds.get(0) + (kinds.size() > 1 ? " +" + (kinds.size() - 1) : "");
    }

    /** Returns whether a reported reason concerns only the instance that reports it, and not its jobs. */
    private static boolean isOfInstance(ReportedReason reported) {
        return reported.reason().kind() == JobHealth.Kind.CLOCK_AHEAD;
    }

    static ExitCode activity(Invocation call) {
        List<String> jobs = call.list("JOB");
        Answer<Answers.Activities> answer = call.client()
                .get(
                        Answers.Activities.class,
                        call.path("activity"),
                        jobs.stream()
                                .map(job -> new Client.Parameter("job", job))
                                .toArray(Client.Parameter[]::new));
        Table table = Table.of(
                "JOB", "RUNNING", "SINCE", "LAST FIRE", "OUTCOMES", "INTERRUPTED", "QUARANTINED", "FAILED IN A ROW");
        List<String> found =
                answer.value().activity().stream().map(JobActivity::job).toList();
        jobs.stream().filter(each -> !found.contains(each)).findFirst().ifPresent(job -> {
            throw new Failure(
                    ExitCode.NOT_FOUND,
                    "there is no job '" + job + "' in namespace '"
                            + call.session().namespace() + "', or you may not see it" + Mistyped.job(call, job));
        });
        Times times = call.session().times();
        for (JobActivity job : answer.value().activity()) {
            table.add(
                    job.job(),
                    job.running(),
                    times.both(job.runningSince()),
                    times.both(job.lastFire()),
                    counts(job.outcomes()),
                    job.interrupted(),
                    job.quarantined(),
                    job.failuresInARow());
        }
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }

    static String counts(Map<?, ?> counts) {
        return counts.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
    }

    static ExitCode instances(Invocation call) {
        Answer<Answers.Instances> answer = call.client().get(Answers.Instances.class, call.path("instances"));
        Table table = Table.of("INSTANCE", "STATE", "LEADS", "ITEMS", "JOBS", "CLOCK", "PROBLEM", "ZONE+", "TAGS+");
        for (InstanceDetails each : answer.value().instances()) {
            table.add(
                    each.instance().id(),
                    each.state(),
                    each.leading() ? "yes" : "",
                    sum(each.items()),
                    each.jobs().size(),
                    each.clockAhead() ? "AHEAD" : "ok",
                    each.problem() != null ? each.problem() : each.healthGap(),
                    each.instance().zone(),
                    new TreeMap<>(each.instance().tags())
                            .entrySet().stream().map(Object::toString).collect(Collectors.joining(", ")));
        }
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }

    static ExitCode backfills(Invocation call) {
        Answer<Answers.Backfills> answer = call.client().get(Answers.Backfills.class, call.path("backfills"));
        Table table = Table.of(
                "JOB", "STATE", "FIRES", "SUCCEEDED", "FAILED", "RUNNING", "NEXT DATE", "BY", "REASON+", "ID+");
        Times times = call.session().times();
        for (BackfillDetails each : answer.value().backfills()) {
            table.add(
                    each.job(),
                    each.state(),
                    each.triggered() + "/" + each.fires(),
                    each.succeeded(),
                    each.failed() + (each.unknown() > 0 ? " +" + each.unknown() + " unknown" : ""),
                    each.running().size(),
                    times.absolute(each.next()),
                    each.requested().by(),
                    each.requested().reason(),
                    each.id());
        }
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }

    static ExitCode alarms(Invocation call) {
        Client.Parameter[] query = call.flag("--firing")
                ? new Client.Parameter[] {new Client.Parameter("firing", "true")}
                : new Client.Parameter[0];
        Answer<Answers.Alarms> answer = call.client().get(Answers.Alarms.class, call.path("alarms"), query);
        Table table = Table.of("JOB", "KIND", "STATE", "SINCE", "ITEMS", "TEXT", "SILENCED+", "RECEIVED+", "ID+");
        Times times = call.session().times();
        for (AlarmDetails each : answer.value().alarms()) {
            table.add(
                    each.job(),
                    each.kind(),
                    each.firing() ? "FIRING" : "ended",
                    times.both(each.since()),
                    each.itemCount(),
                    Times.inSeconds(each.text()),
                    each.silenced() ? "yes" : "",
                    String.join(", ", each.received()),
                    each.id());
        }
        call.output().list(answer.json(), table);
        if (call.output().isForPeople()) { // the table does not name the operator and the end of a silence
            Problems problems = new Problems(call, times);
            Problems.read(call).value().problems().stream()
                    .filter(each -> each.kind().equals("SILENCED"))
                    .flatMap(each -> problems.lines(each).stream())
                    .forEach(call.terminal().out()::println);
        }
        return ExitCode.OK;
    }

    static ExitCode forecast(Invocation call) {
        List<Client.Parameter> query = new ArrayList<>();
        for (String each : List.of("from", "slot", "slots")) {
            call.text("--" + each).ifPresent(value -> query.add(new Client.Parameter(each, value)));
        }
        Answer<Forecast> answer =
                call.client().get(Forecast.class, call.path("forecast"), query.toArray(Client.Parameter[]::new));
        Table table = Table.of("START", "FIRES", "MOST FIRES", "CLOCKS CHANGE");
        Times times = call.session().times();
        for (Forecast.Slot slot : answer.value().slots()) {
            String most = slot.fires().entrySet().stream()
                    .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                    .limit(3)
                    .map(each -> each.getKey() + " " + each.getValue())
                    .collect(Collectors.joining(", "));
            table.add(times.absolute(slot.start()), sum(slot.fires()), most, String.join(", ", slot.clockChanges()));
        }
        call.output().list(answer.json(), table);
        Set<String> unpredictable = answer.value().unpredictable();
        if (!unpredictable.isEmpty() && call.output().isForPeople()) {
            call.terminal()
                    .say("not included, because their fires depend on the ends of runs: "
                            + String.join(", ", unpredictable));
        }
        return ExitCode.OK;
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    static ExitCode nextFires(Invocation call) {
        String job = call.require("JOB");
        Client.Parameter[] query = call.text("--count")
                .map(count -> new Client.Parameter[] {new Client.Parameter("count", count)})
                .orElse(new Client.Parameter[0]);
        Answer<Answers.Fires> answer =
                call.client().get(Answers.Fires.class, call.path("jobs", job, "next-fires"), query);
        Table table = Table.of("FIRE", "WHEN");
        Times times = call.session().times();
        answer.value().fires().forEach(fire -> table.add(times.absolute(fire), times.relative(fire)));
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }

    static ExitCode export(Invocation call) {
        call.output()
                .document(call.client()
                        .get(Answers.Export.class, call.path("settings"))
                        .json());
        return ExitCode.OK;
    }

    static ExitCode diff(Invocation call) {
        Answer<Answers.Differences> answer = call.client()
                .ask(Answers.Differences.class, call.path("settings", "diff"), Documents.read(call.require("FILE")));
        Table table = Table.of("DIFFERENCE");
        answer.value().differences().forEach(table::add);
        call.output().list(answer.json(), table);
        return ExitCode.OK;
    }
}
