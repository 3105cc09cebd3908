package io.ostraka.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobInstance;
import io.ostraka.api.Progress;
import io.ostraka.api.operations.Change;
import io.ostraka.api.operations.ItemDetails;
import io.ostraka.api.operations.ItemDetails.State;
import io.ostraka.cli.terminal.Near;
import io.ostraka.cli.terminal.Output;
import io.ostraka.cli.terminal.Table;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
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
        Answer<Answers.Items> answer = call.client().pages(Answers.Items.class, call.path("jobs", job, "items"), query);
        List<ItemDetails> items = answer.value().items();
        JsonObject json = answer.json();
        List<String> unreadable = items.stream()
                .filter(each -> each.state() == State.UNREADABLE)
                .map(ItemDetails::item)
                .toList();
        if (!query.isEmpty() && !unreadable.isEmpty()) { // an item without a record may not exist at all
            requireKnown(job, keys(all(call, job)), unreadable);
        }
        if (call.flag("--trouble")) {
            JsonArray kept = new JsonArray();
            for (int i = 0; i < items.size(); i++) {
                if (isInTrouble(items.get(i))) {
                    kept.add(json.getAsJsonArray("items").get(i));
                }
            }
            items = items.stream().filter(Items::isInTrouble).toList();
            json.add("items", kept);
            json.addProperty("total", kept.size());
        }
        Times times = call.session().times();
        boolean shown =
                call.output().format() == Output.Format.WIDE && items.stream().anyMatch(ItemDetails::disabled);
        String disabledBy = shown ? disabledBy(call.job(job), times) : "";
        call.output().list(json, table(times, items, disabledBy));
        return ExitCode.OK;
    }

    /**
     * Returns whether an item may need a person: it does not wait for its next fire as usual, or its last run failed. A
     * quarantined item that an operator has disabled does not count, because the operator knows of it.
     */
    static boolean isInTrouble(ItemDetails item) {
        if (item.state() == State.QUARANTINED && item.disabled()) {
            return item.problem() != null;
        }
        ItemOutcome outcome = item.run() == null ? null : item.run().outcome();
        return !(item.state() == State.IDLE || item.state() == State.RUNNING)
                || item.disabled()
                || item.owner() == null
                || item.problem() != null
                || (outcome != null && outcome != ItemOutcome.SUCCEEDED);
    }

    static List<String> keys(List<ItemDetails> items) {
        return items.stream().map(ItemDetails::item).toList();
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
    static String disabledBy(Answers.Job details, Times times) {
        Change change = details.changes().get("disabledItems");
        return change == null
                ? ""
                : (details.disabledItems().size() > 1 ? "the latest of them was disabled by " : "disabled by ")
                        + times.change(change);
    }

    /** @param disabledBy text about the operator that has disabled items; empty if it is not known */
    static Table table(Times times, List<ItemDetails> items, String disabledBy) {
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
        for (ItemDetails item : items) {
            Optional<ItemDetails.Run> run = Optional.ofNullable(item.run());
            table.add(
                    item.item(),
                    item.state() + (item.disabled() ? ", disabled" : ""),
                    owner(item),
                    times.both(run.map(ItemDetails.Run::startedAt).orElse(null)),
                    run.map(ItemDetails.Run::outcome).orElse(null),
                    run.map(each -> took(times, item.state(), each)).orElse(null),
                    item.failuresInARow() == 0 ? null : item.failuresInARow(),
                    item.problem() != null
                            ? item.problem()
                            : run.map(ItemDetails.Run::error).orElse(null),
                    run.map(ItemDetails.Run::runId).orElse(null),
                    run.map(ItemDetails.Run::attempt).orElse(null),
                    run.map(ItemDetails.Run::progress).map(Items::progress).orElse(null),
                    item.expectedRunTime() == null ? null : Times.span(item.expectedRunTime()),
                    times.both(item.decidedUpTo()),
                    item.disabled() ? disabledBy : null);
        }
        return table;
    }

    private static String took(Times times, State state, ItemDetails.Run run) {
        if (run.endedAt() != null) {
            return Times.span(Duration.between(run.startedAt(), run.endedAt()));
        }
        return state == State.RUNNING ? times.since(run.startedAt()) + " so far" : "";
    }

    /** Returns the owner of an item, and the instance that still runs the item if it is another one. */
    static String owner(ItemDetails item) {
        String owner = Objects.requireNonNullElse(item.owner(), "");
        String runner = item.run() == null ? owner : item.run().runner();
        String name = JobInstance.name(owner);
        if (item.state() != State.RUNNING || runner.equals(owner)) {
            return name;
        }
        String there = JobInstance.name(runner).equals(name) ? "an earlier session" : JobInstance.name(runner);
        return name + (owner.isEmpty() ? "runs on " : ", runs on ") + there;
    }

    private static String progress(Progress progress) {
        return progress.done() + " of " + (progress.total() == 0 ? "an unknown total" : progress.total())
                + (progress.message().isEmpty() ? "" : ", " + progress.message()) + ", at " + progress.at();
    }

    static ExitCode explain(Invocation call) {
        String item = call.require("ITEM");
        String job = call.require("JOB");
        requireKnown(job, keys(all(call, job)), List.of(item));
        Answer<Answers.Explanation> answer =
                call.client().get(Answers.Explanation.class, call.path("jobs", job, "items", item, "explanation"));
        String text = answer.value().explanation();
        call.output().object(answer.json(), text, List.of(Times.inSeconds(text)));
        return ExitCode.OK;
    }

    /** Reads all items of a job. */
    static List<ItemDetails> all(Invocation call, String job) {
        return call.client()
                .pages(Answers.Items.class, call.path("jobs", job, "items"), List.of())
                .value()
                .items();
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
