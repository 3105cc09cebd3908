package io.ostraka.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.cli.terminal.Near;
import io.ostraka.cli.terminal.Output;
import io.ostraka.cli.terminal.Table;
import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The views of the items of a job. */
final class Items {
    private static final int MOST_NAMED = 20;

    private Items() {}

    static ExitCode list(Invocation call) {
        List<Client.Parameter> query = call.list("ITEM").stream()
                .map(item -> new Client.Parameter("item", item))
                .toList();
        String job = call.require("JOB");
        Answer answer = call.client().pages(call.path("jobs", job, "items"), "items", query);
        List<String> unreadable = answer.list("items").stream()
                .filter(each -> each.text("state").equals("UNREADABLE"))
                .map(each -> each.text("item"))
                .toList();
        if (!query.isEmpty() && !unreadable.isEmpty()) { // an item without a record may not exist at all
            requireKnown(job, keys(all(call)), unreadable);
        }
        if (call.flag("--trouble")) {
            JsonObject json = new JsonObject();
            JsonArray kept = new JsonArray();
            answer.list("items").stream().filter(Items::isInTrouble).forEach(each -> kept.add(each.json()));
            json.add("items", kept);
            json.addProperty("total", kept.size());
            answer = new Answer(json);
        }
        Times times = call.session().times();
        boolean shown = call.output().format() == Output.Format.WIDE
                && answer.list("items").stream().anyMatch(each -> each.flag("disabled"));
        String disabledBy = shown ? disabledBy(call.client().get(call.path("jobs", job)), times) : "";
        call.output().list(answer.json(), table(times, answer.list("items"), disabledBy));
        return ExitCode.OK;
    }

    /**
     * Returns whether an item may need a person: it does not wait for its next fire as usual, or its last run failed. A
     * quarantined item that an operator has disabled does not count, because the operator knows of it.
     */
    static boolean isInTrouble(Answer item) {
        if (item.text("state").equals("QUARANTINED") && item.flag("disabled")) {
            return item.has("problem");
        }
        String outcome = item.object("run").text("outcome");
        return !(item.text("state").equals("IDLE") || item.text("state").equals("RUNNING"))
                || item.flag("disabled")
                || !item.has("owner")
                || item.has("problem")
                || (!outcome.isEmpty() && !outcome.equals("SUCCEEDED"));
    }

    static List<String> keys(List<Answer> items) {
        return items.stream().map(each -> each.text("item")).toList();
    }

    /** Returns the first keys, and the number of the others. */
    static String named(List<String> keys) {
        String rest = keys.size() > MOST_NAMED ? " and " + (keys.size() - MOST_NAMED) + " more" : "";
        return keys.stream().limit(MOST_NAMED).collect(Collectors.joining(", ")) + rest;
    }

    /**
     * Names the operator that has disabled items, the time and the reason; empty if they are not known.
     *
     * @param details the job
     */
    static String disabledBy(Answer details, Times times) {
        Answer change = details.object("changes").object("disabledItems");
        return change.json().isEmpty()
                ? ""
                : (details.texts("disabledItems").size() > 1 ? "the latest of them was disabled by " : "disabled by ")
                        + Reports.change(times, change);
    }

    /** @param disabledBy text about the operator that has disabled items; empty if it is not known */
    static Table table(Times times, List<Answer> items, String disabledBy) {
        Table table = Table.of(
                "ITEM",
                "STATE",
                "OWNER",
                "LAST RUN",
                "OUTCOME",
                "TOOK",
                "FAILED IN A ROW",
                "ERROR",
                "RUN ID+",
                "ATTEMPT+",
                "PROGRESS+",
                "EXPECTED+",
                "DECIDED UP TO+",
                "DISABLED+");
        for (Answer item : items) {
            Answer run = item.object("run");
            Optional<Instant> started = run.time("startedAt");
            Optional<Instant> ended = run.time("endedAt");
            String took = started.map(start -> ended.map(end -> Times.span(Duration.between(start, end)))
                            .orElseGet(
                                    () -> item.text("state").equals("RUNNING") ? times.since(start) + " so far" : ""))
                    .orElse("");
            table.add(
                    item.text("item"),
                    item.text("state") + (item.flag("disabled") ? ", disabled" : ""),
                    owner(item),
                    times.both(started),
                    run.text("outcome"),
                    took,
                    item.number("failuresInARow") == 0 ? "" : item.text("failuresInARow"),
                    item.has("problem") ? item.text("problem") : run.text("error"),
                    run.text("runId"),
                    run.text("attempt"),
                    progress(run),
                    item.duration("expectedRunTime").map(Times::span).orElse(""),
                    times.both(item.time("decidedUpTo")),
                    item.flag("disabled") ? disabledBy : "");
        }
        return table;
    }

    /** Returns the owner of an item, and the instance that still runs the item if it is another one. */
    static String owner(Answer item) {
        String owner = item.text("owner");
        String runner = item.object("run").text("runner");
        boolean runs = item.text("state").equals("RUNNING") && !runner.isEmpty() && !runner.equals(owner);
        if (!runs) {
            return shortInstance(owner);
        }
        String there =
                shortInstance(runner).equals(shortInstance(owner)) ? "an earlier session" : shortInstance(runner);
        return shortInstance(owner) + (owner.isEmpty() ? "runs on " : ", runs on ") + there;
    }

    private static String progress(Answer run) {
        return run.map("progress").entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining(", "));
    }

    /** Returns the name in an instance id {@code name@pid@session}. */
    static String shortInstance(String id) {
        int end = id.lastIndexOf('@', id.lastIndexOf('@') - 1);
        return end < 0 ? id : id.substring(0, end);
    }

    static ExitCode explain(Invocation call) {
        String item = call.require("ITEM");
        requireKnown(call.require("JOB"), keys(all(call)), List.of(item));
        Answer answer = call.client().get(call.path("jobs", call.require("JOB"), "items", item, "explanation"));
        String text = answer.text("explanation");
        call.output().object(answer.json(), text, List.of(Terminal.printable(Times.inSeconds(text))));
        return ExitCode.OK;
    }

    /** Reads all items of the job that the command line names. */
    static List<Answer> all(Invocation call) {
        return call.client()
                .pages(call.path("jobs", call.require("JOB"), "items"), "items", List.of())
                .list("items");
    }

    /**
     * Checks that the job has all of the items.
     *
     * @param known keys of all items of the job; the check is left out if they are empty
     * @throws Failure with {@link ExitCode#NOT_FOUND} if an item is missing
     */
    static void requireKnown(String job, List<String> known, List<String> keys) {
        if (known.isEmpty()) {
            return;
        }
        keys.stream().filter(each -> !known.contains(each)).findFirst().ifPresent(item -> {
            throw new Failure(
                    ExitCode.NOT_FOUND,
                    "job '" + job + "' has no item " + item + "; items of the job: " + range(known)
                            + Near.hint(item, known));
        });
    }

    /** Returns keys as text: as a range if they are the numbers from 0. */
    static String range(List<String> keys) {
        List<String> numbers =
                IntStream.range(0, keys.size()).mapToObj(String::valueOf).toList();
        return keys.size() > 2 && keys.containsAll(numbers) ? "0 to " + (keys.size() - 1) : named(keys);
    }
}
