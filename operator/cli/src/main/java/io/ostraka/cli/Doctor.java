package io.ostraka.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.cli.Finding.Level;
import io.ostraka.cli.terminal.Output;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import io.ostraka.cli.transport.Setting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Checks everything that the jobs depend on. */
final class Doctor {
    private static final Duration LARGEST_DIFFERENCE = Duration.ofSeconds(10);
    private static final int MOST_JOBS = 200;

    private final Invocation call;
    private final Session session;
    private final List<Finding> findings = new ArrayList<>();

    private Doctor(Invocation call) {
        this.call = call;
        this.session = call.session();
    }

    static ExitCode run(Invocation call) {
        Doctor doctor = new Doctor(call);
        doctor.ensemble();
        doctor.application();
        doctor.findings.sort(Comparator.comparing(Finding::level));
        print(call.output(), doctor.findings);
        return doctor.findings.stream().anyMatch(each -> each.level() == Level.ERROR) ? ExitCode.FAILED : ExitCode.OK;
    }

    private static void print(Output output, List<Finding> findings) {
        JsonArray array = new JsonArray();
        findings.forEach(each -> array.add(each.json()));
        JsonObject json = new JsonObject();
        json.add("findings", array);
        switch (output.format()) {
            case TABLE, WIDE -> {
                findings.forEach(each ->
                        each.lines(output.palette()).forEach(output.terminal().out()::println));
                long errors = findings.stream()
                        .filter(each -> each.level() == Level.ERROR)
                        .count();
                long warnings = findings.stream()
                        .filter(each -> each.level() == Level.WARNING)
                        .count();
                output.terminal().say(errors + " errors, " + warnings + " warnings, " + findings.size() + " checks");
            }
            case NAME ->
                findings.stream()
                        .filter(each -> each.level() == Level.ERROR || each.level() == Level.WARNING)
                        .map(Finding::check)
                        .distinct()
                        .forEach(output.terminal()::print);
            default -> output.document(json);
        }
    }

    private void ensemble() {
        Optional<String> servers = session.connection().get(Setting.ZOOKEEPER);
        if (servers.isPresent()) {
            findings.addAll(EnsembleCheck.of(servers.get(), FourLetterWord::ask));
        } else {
            findings.add(Finding.skipped(
                    "ZooKeeper",
                    "the settings of the servers and the access rights of the nodes are not checked through a console",
                    "run 'ostraka doctor --zookeeper HOSTS' on a host that reaches ZooKeeper"));
        }
    }

    private void application() {
        NamespaceDetails namespace;
        try {
            namespace = session.client()
                    .get(NamespaceDetails.class, Client.path(session.namespace()))
                    .value();
            if (session.connection().get(Setting.ZOOKEEPER).isPresent()) {
                findings.add(AccessCheck.of(session.connection(), session.namespace()));
            }
            clock();
            nodes(namespace);
            health(namespace);
        } catch (Failure e) {
            if (e.exitCode() == ExitCode.USAGE || e.exitCode() == ExitCode.NOT_FOUND) {
                throw e;
            }
            findings.add(new Finding(
                    "application",
                    Level.ERROR,
                    e.text(),
                    "the state of the jobs is not known",
                    "mend the connection, and run this command again"));
        }
    }

    private void clock() {
        Optional<Instant> server = session.client().date();
        if (server.isEmpty()) {
            findings.add(Finding.skipped(
                    "clock of this host",
                    "ZooKeeper shows its time only to a client that writes, and this command writes nothing",
                    "compare 'date -u' on this host and on the servers; the clocks of the instances are checked"));
            return;
        }
        Duration difference = Duration.between(session.now(), server.get());
        if (difference.abs().compareTo(LARGEST_DIFFERENCE) > 0) {
            findings.add(new Finding(
                    "clock of this host",
                    Level.WARNING,
                    "it differs from the clock of the console by " + Times.span(difference.abs()),
                    "times such as --until 2h begin at the time of this host",
                    "set the clock of this host (NTP)"));
        } else {
            findings.add(Finding.ok("clock of this host", "it agrees with the clock of the console"));
        }
    }

    private void nodes(NamespaceDetails namespace) {
        if (namespace.problem() != null) {
            damaged("nodes of the namespace", namespace.problem());
        }
        List<JobSummary> jobs = session.client()
                .pages(Answers.Jobs.class, Client.path(session.namespace(), "jobs"), List.of())
                .value()
                .jobs();
        int before = findings.size();
        jobs.stream().limit(MOST_JOBS).map(JobSummary::job).forEach(this::nodesOf);
        if (findings.size() == before && namespace.problem() == null) {
            findings.add(
                    Finding.ok("nodes", "all nodes of " + Math.min(jobs.size(), MOST_JOBS) + " jobs are readable"));
        }
        if (jobs.size() > MOST_JOBS) {
            findings.add(Finding.skipped(
                    "nodes",
                    "the nodes of " + (jobs.size() - MOST_JOBS) + " of " + jobs.size() + " jobs are not checked",
                    "see 'ostraka job list --problems'"));
        }
    }

    private void nodesOf(String job) {
        String path = Client.path(session.namespace(), "jobs", job);
        Answers.Job details;
        try {
            details = session.client().get(Answers.Job.class, path).value();
        } catch (Failure e) {
            if (e.exitCode() != ExitCode.NOT_FOUND && e.exitCode() != ExitCode.CONFLICT) {
                throw e;
            }
            return; // removed since the list was read
        }
        if (details.problem() != null) {
            damaged("nodes of job '" + job + "'", details.problem());
        }
        if (details.activity().unreadable() > 0) {
            String texts =
                    session.client().pages(Answers.Items.class, path + "/items", List.of()).value().items().stream()
                            .filter(each -> each.problem() != null)
                            .map(each -> "item " + each.item() + ": " + each.problem())
                            .limit(5)
                            .collect(Collectors.joining("; "));
            damaged("items of job '" + job + "'", texts);
        }
    }

    private void damaged(String check, String what) {
        findings.add(new Finding(
                check,
                Level.ERROR,
                what,
                "the job or the item waits, or keeps its former settings, until the node is readable",
                "do what the text says; 'Nodes that were damaged or deleted' in docs/operations.md explains it"));
    }

    private void health(NamespaceDetails namespace) {
        Problems problems = new Problems(call, session.times(namespace.at()));
        List<Answers.Problem> found = Problems.read(call).value().problems().stream()
                .filter(each -> !each.kind().startsWith("UNREADABLE"))
                .filter(each -> !Problems.isNote(each))
                .toList();
        for (Answers.Problem each : found) {
            findings.add(new Finding(
                    each.job() == null ? "application" : "job '" + each.job() + "'",
                    each.level().equals("ERROR") ? Level.ERROR : Level.WARNING,
                    each.text(),
                    String.join("; ", problems.details(each)),
                    problems.remedies(each).entrySet().stream()
                            .filter(remedy -> !remedy.getKey().contains("ostraka doctor"))
                            .map(remedy -> (remedy.getKey() + ": " + remedy.getValue()).replaceFirst(": $", ""))
                            .collect(Collectors.joining("; "))));
        }
        if (found.isEmpty()) {
            findings.add(Finding.ok("application", "no instance and no job reports a problem"));
        }
    }
}
