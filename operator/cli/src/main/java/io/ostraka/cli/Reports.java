package io.ostraka.cli;

import com.google.gson.JsonObject;
import io.ostraka.api.JobInstance;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.JobActivity;
import io.ostraka.api.operations.JobState;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.NamespaceDetails;
import io.ostraka.api.operations.TriggerDetails;
import io.ostraka.cli.terminal.Output;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** The views that describe one job, the namespace, and all situations that need a person. */
final class Reports {
    private static final Set<JobState> WITHOUT_ITEMS =
            EnumSet.of(JobState.UNPLANNED, JobState.UNREADABLE, JobState.REMOVED);

    private Reports() {}

    static ExitCode namespace(Invocation call) {
        Answer<NamespaceDetails> answer = call.client().get(NamespaceDetails.class, call.path());
        call.output().object(answer.json(), call.session().namespace(), overview(call, answer.value()));
        return ExitCode.OK;
    }

    private static List<String> overview(Invocation call, NamespaceDetails namespace) {
        Times times = call.session().times(namespace.at());
        List<String> lines = new ArrayList<>();
        lines.add("namespace " + call.session().namespace() + ": " + namespace.jobs() + " jobs, "
                + namespace.instances() + " instances, led by "
                + Objects.requireNonNullElse(namespace.leader(), "none"));
        if (namespace.frozen() != null) {
            lines.add("  FROZEN by " + times.change(namespace.frozen()));
        }
        namespace.drained().forEach((name, change) -> lines.add("  drained: " + name + ", by " + times.change(change)));
        if (namespace.problem() != null) {
            lines.add("  problem: " + namespace.problem());
        }
        return lines;
    }

    static ExitCode status(Invocation call) {
        Answer<NamespaceDetails> namespace = call.client().get(NamespaceDetails.class, call.path());
        Answer<Answers.Problems> answer = Problems.read(call);
        List<Answers.Problem> problems = answer.value().problems();
        Output output = call.output();
        switch (output.format()) {
            case TABLE, WIDE -> {
                overview(call, namespace.value()).forEach(output.terminal()::print);
                new Problems(call, call.session().times(namespace.value().at())).print(problems);
            }
            case NAME ->
                problems.stream()
                        .filter(each -> !Problems.isNote(each))
                        .map(Answers.Problem::job)
                        .filter(Objects::nonNull)
                        .distinct()
                        .forEach(output.terminal()::print);
            default -> {
                JsonObject json = new JsonObject();
                json.add("namespace", namespace.json());
                json.add("problems", answer.json().get("problems"));
                output.document(json);
            }
        }
        return ExitCode.OK;
    }

    static ExitCode job(Invocation call) {
        String job = call.require("JOB");
        Answer<Answers.Job> answer = call.client().get(Answers.Job.class, call.path("jobs", job));
        if (!call.output().isForPeople()) {
            call.output().object(answer.json(), job, List.of());
            return ExitCode.OK;
        }
        Answers.Job details = answer.value();
        Times times = call.session().times(details.summary().at());
        header(call, details, times).forEach(call.terminal()::print);
        new Problems(call, times).print(Problems.read(call, job).value().problems());
        items(call, details, times);
        FieldTable.print(call, details, times);
        return ExitCode.OK;
    }

    private static List<String> header(Invocation call, Answers.Job details, Times times) {
        JobSummary summary = details.summary();
        JobActivity activity = details.activity();
        List<String> lines = new ArrayList<>();
        lines.add("job " + summary.job() + ": " + summary.state()
                + (summary.stateText().isEmpty() ? "" : ", " + Times.inSeconds(summary.stateText())));
        lines.add("  schedule   " + (summary.schedule() == null ? "-" : summary.schedule()));
        lines.add("  items      " + summary.items() + ", owned: " + owners(summary));
        lines.add("  running    " + activity.running()
                + (activity.runningSince() == null ? "" : ", since " + times.both(activity.runningSince())));
        lines.add("  last fire  " + times.both(activity.lastFire())
                + (activity.outcomes().isEmpty()
                        ? ""
                        : "; last runs of the items: " + Lists.counts(activity.outcomes())));
        lines.add("  next fires " + nextFires(call, summary, times));
        if (details.skipTo() != null && details.skipTo().isAfter(times.now())) {
            lines.add("  skipping   all fires before " + times.both(details.skipTo()));
        }
        for (TriggerDetails trigger : details.triggers()) {
            lines.add("  trigger    " + trigger.runId()
                    + (trigger.left() != null
                            ? ", " + trigger.left() + " items have not ended"
                            : trigger.due() == null ? ", waits" : ", due " + times.both(trigger.due())));
        }
        String by = details.registeredBy();
        lines.add("  definition from " + (by.isEmpty() ? "an unknown instance" : by) + ", override version "
                + details.version());
        return lines;
    }

    private static String owners(JobSummary summary) {
        if (summary.owners().isEmpty()) {
            return "by none";
        }
        return summary.owners().entrySet().stream()
                        .map(each -> JobInstance.name(each.getKey()) + " " + each.getValue())
                        .collect(Collectors.joining(", "))
                + (summary.unassigned() > 0 ? "; without an owner: " + summary.unassigned() : "");
    }

    private static String nextFires(Invocation call, JobSummary summary, Times times) {
        try {
            String path = call.path("jobs", summary.job(), "next-fires");
            Answers.Fires fires = call.client()
                    .get(Answers.Fires.class, path, new Client.Parameter("count", "3"))
                    .value();
            String list = fires.fires().stream().map(times::both).collect(Collectors.joining(", "));
            return list.isEmpty() ? "none" : list;
        } catch (Failure e) {
            return "-";
        }
    }

    private static void items(Invocation call, Answers.Job details, Times times) {
        JobSummary summary = details.summary();
        List<ItemDetails> troubled = WITHOUT_ITEMS.contains(summary.state())
                ? List.of()
                : Items.all(call, summary.job()).stream()
                        .filter(Items::isInTrouble)
                        .toList();
        if (!troubled.isEmpty()) {
            call.terminal().out().println();
            call.terminal().out().println("Items in trouble:");
            call.output().table(Items.table(times, troubled, Items.disabledBy(details, times)));
        }
    }
}
