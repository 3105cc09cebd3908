package io.ostraka.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.cli.terminal.Output;
import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The views that describe one job, the namespace, and all situations that need a person. */
final class Reports {
    private Reports() {}

    static ExitCode namespace(Invocation call) {
        Answer answer = call.client().get(call.path());
        call.output()
                .object(
                        answer.json(),
                        call.session().namespace(),
                        overview(call, answer).stream().map(Terminal::printable).toList());
        return ExitCode.OK;
    }

    private static List<String> overview(Invocation call, Answer namespace) {
        Times times = call.session().times(namespace);
        List<String> lines = new ArrayList<>();
        lines.add("namespace " + call.session().namespace() + ": " + namespace.text("jobs") + " jobs, "
                + namespace.text("instances") + " instances, led by "
                + (namespace.has("leader") ? namespace.text("leader") : "none"));
        if (namespace.has("frozen")) {
            lines.add("  FROZEN by " + change(times, namespace.object("frozen")));
        }
        namespace
                .objects("drained")
                .forEach((name, change) -> lines.add("  drained: " + name + ", by " + change(times, change)));
        if (namespace.has("problem")) {
            lines.add("  problem: " + namespace.text("problem"));
        }
        return lines;
    }

    static String change(Times times, Answer change) {
        return change.text("by") + " " + times.both(change.time("at")) + ", reason: "
                + (change.text("reason").isEmpty() ? "none given" : change.text("reason"))
                + change.time("until")
                        .map(until -> ", until " + times.both(Optional.of(until)))
                        .orElse("");
    }

    static ExitCode status(Invocation call) {
        Answer namespace = call.client().get(call.path());
        List<Answer> problems = Problems.read(call.session());
        Output output = call.output();
        switch (output.format()) {
            case TABLE, WIDE -> {
                overview(call, namespace).forEach(output.terminal()::print);
                new Problems(call.session(), call.session().times(namespace)).print(problems);
            }
            case NAME ->
                problems.stream()
                        .filter(each -> each.has("job") && !Problems.isNote(each))
                        .map(each -> each.text("job"))
                        .distinct()
                        .forEach(output.terminal()::print);
            default -> {
                JsonObject json = new JsonObject();
                json.add("namespace", namespace.json());
                JsonArray array = new JsonArray();
                problems.forEach(each -> array.add(each.json()));
                json.add("problems", array);
                output.document(json);
            }
        }
        return ExitCode.OK;
    }

    static ExitCode job(Invocation call) {
        String job = call.require("JOB");
        Answer details = call.client().get(call.path("jobs", job));
        if (!call.output().isForPeople()) {
            call.output().object(details.json(), job, List.of());
            return ExitCode.OK;
        }
        Times times = call.session().times(details.object("summary"));
        header(call, details, times).forEach(call.terminal()::print);
        new Problems(call.session(), times).print(Problems.read(call.session(), job));
        items(call, details, times);
        FieldTable.print(call, details, times);
        return ExitCode.OK;
    }

    private static List<String> header(Invocation call, Answer details, Times times) {
        Answer summary = details.object("summary");
        Answer activity = details.object("activity");
        List<String> lines = new ArrayList<>();
        lines.add("job " + summary.text("job") + ": " + summary.text("state")
                + (summary.text("stateText").isEmpty() ? "" : ", " + Times.inSeconds(summary.text("stateText"))));
        lines.add("  schedule   " + (summary.has("schedule") ? Lists.schedule(summary.object("schedule")) : "-"));
        lines.add("  items      " + summary.text("items") + ", owned: " + owners(summary));
        lines.add("  running    " + activity.text("running")
                + activity.time("runningSince")
                        .map(since -> ", since " + times.both(Optional.of(since)))
                        .orElse(""));
        lines.add("  last fire  " + times.both(activity.time("lastFire"))
                + (activity.map("outcomes").isEmpty()
                        ? ""
                        : "; last runs of the items: " + Lists.counts(activity.map("outcomes"))));
        lines.add("  next fires " + nextFires(call, summary, times));
        details.time("skipTo")
                .filter(to -> to.isAfter(times.now()))
                .ifPresent(to -> lines.add("  skipping   all fires before " + times.both(Optional.of(to))));
        for (Answer trigger : details.list("triggers")) {
            lines.add("  trigger    " + trigger.text("runId")
                    + (trigger.has("left")
                            ? ", " + trigger.text("left") + " items have not ended"
                            : trigger.time("due")
                                    .map(due -> ", due " + times.both(Optional.of(due)))
                                    .orElse(", waits")));
        }
        String by = details.text("registeredBy");
        lines.add("  definition from " + (by.isEmpty() ? "an unknown instance" : by) + ", override version "
                + details.text("version"));
        return lines;
    }

    private static String owners(Answer summary) {
        long owned = 0;
        List<String> each = new ArrayList<>();
        for (var owner : summary.map("owners").entrySet()) {
            each.add(Items.shortInstance(owner.getKey()) + " " + owner.getValue());
            owned += Long.parseLong(owner.getValue().matches("\\d{1,9}") ? owner.getValue() : "0");
        }
        long left = summary.number("items") - owned;
        return (each.isEmpty() ? "by none" : String.join(", ", each))
                + (left > 0 && !each.isEmpty() ? "; without an owner: " + left : "");
    }

    private static String nextFires(Invocation call, Answer summary, Times times) {
        try {
            String path = call.path("jobs", summary.text("job"), "next-fires");
            Answer fires = call.client().get(path, new Client.Parameter("count", "3"));
            String list = fires.texts("fires").stream()
                    .map(each -> times.both(Optional.of(java.time.Instant.parse(each))))
                    .collect(Collectors.joining(", "));
            return list.isEmpty() ? "none" : list;
        } catch (Failure e) {
            return "-";
        }
    }

    private static void items(Invocation call, Answer details, Times times) {
        String state = details.object("summary").text("state");
        List<Answer> troubled = List.of("UNPLANNED", "UNREADABLE", "REMOVED").contains(state)
                ? List.of()
                : Items.all(call).stream().filter(Items::isInTrouble).toList();
        if (!troubled.isEmpty()) {
            call.terminal().out().println();
            call.terminal().out().println("Items in trouble:");
            call.output().table(Items.table(times, troubled, Items.disabledBy(details, times)));
        }
    }
}
