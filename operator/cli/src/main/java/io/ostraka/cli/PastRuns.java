package io.ostraka.cli;

import io.ostraka.cli.terminal.Table;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import io.ostraka.cli.transport.Setting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The views of the history, which only a console with a history database has. The latest rows come first. */
final class PastRuns {
    /** Option with the largest number of rows. */
    static final String LIMIT = "--limit";

    private static final String ROWS = "50";

    private PastRuns() {}

    static ExitCode runs(Invocation call) {
        Answer answer = read(call, List.of("jobs", call.require("JOB"), "runs"), page(call));
        Table table = Table.of("RUN", "FIRE", "OUTCOMES", "RAN FOR", "REQUESTED BY", "REASON+");
        Times times = call.session().times();
        for (Answer run : answer.list("runs")) {
            Answer trigger = run.object("trigger");
            table.add(
                    run.text("runId"),
                    times.both(run.time("fireTime")),
                    Lists.counts(run.map("outcomes")),
                    between(run.time("firstStart"), run.time("lastEnd")),
                    run.flag("triggered") ? trigger.text("requestedBy") : "schedule",
                    trigger.text("reason"));
        }
        return print(call, answer, table);
    }

    static ExitCode run(Invocation call) {
        Answer answer = read(call, List.of("jobs", call.require("JOB"), "runs", call.require("RUN")), page(call));
        Table table = Table.of("ITEM", "OUTCOME", "INSTANCE", "ENDED", "RAN FOR", "ATTEMPT", "ERROR", "TOKEN+");
        Times times = call.session().times();
        for (Answer claim : answer.list("claims")) {
            table.add(
                    claim.text("item"),
                    claim.text("outcome"),
                    claim.text("instance"),
                    times.both(claim.time("endedAt")),
                    ran(claim),
                    claim.text("attempt"),
                    claim.text("error"),
                    claim.text("fencingToken"));
        }
        return print(call, answer, table);
    }

    static ExitCode failures(Invocation call) {
        Answer answer = read(call, List.of("failures"), page(call));
        Table table = Table.of("JOB", "ITEM", "OUTCOME", "ENDED", "RAN FOR", "ERROR", "INSTANCE+", "RUN+");
        Times times = call.session().times();
        for (Answer claim : answer.list("failures")) {
            table.add(
                    claim.text("job"),
                    claim.text("item"),
                    claim.text("outcome"),
                    times.both(claim.time("endedAt")),
                    ran(claim),
                    claim.text("error"),
                    claim.text("instance"),
                    claim.text("runId"));
        }
        return print(call, answer, table);
    }

    static ExitCode skipped(Invocation call) {
        Answer answer = read(call, List.of("jobs", call.require("JOB"), "skipped"), page(call));
        Table table = Table.of("ITEM", "REASON", "FIRES", "FROM", "TO", "INSTANCE+", "DECIDED+");
        Times times = call.session().times();
        for (Answer fires : answer.list("skipped")) {
            table.add(
                    fires.text("item"),
                    fires.text("reason"),
                    fires.text("count"),
                    absolute(times, fires.time("from")),
                    absolute(times, fires.time("to")),
                    fires.text("instance"),
                    absolute(times, fires.time("at")));
        }
        return print(call, answer, table);
    }

    static ExitCode events(Invocation call) {
        List<Client.Parameter> query = page(call);
        call.text("--job").ifPresent(job -> query.add(new Client.Parameter("job", job)));
        Answer answer = read(call, List.of("events"), query);
        Table table = Table.of("EVENT", "TIME", "JOB", "ITEM", "DETAIL", "INSTANCE+");
        Times times = call.session().times();
        for (Answer event : answer.list("events")) {
            table.add(
                    event.text("kind"),
                    times.both(event.time("at")),
                    event.text("job"),
                    event.text("item"),
                    Times.inSeconds(event.text("detail")),
                    event.text("instance"));
        }
        return print(call, answer, table);
    }

    static ExitCode audit(Invocation call) {
        Answer answer = read(call, List.of("audit"), page(call));
        Table table = Table.of("COMMAND", "TARGET", "TIME", "BY", "OUTCOME", "REASON", "DETAIL+", "ORIGIN+", "ROLE+");
        Times times = call.session().times();
        for (Answer step : answer.list("steps")) {
            table.add(
                    step.text("operation"),
                    step.text("target"),
                    times.both(step.time("at")),
                    step.text("actor"),
                    step.has("outcome") ? Times.inSeconds(step.text("outcome")) : "begun",
                    step.text("reason"),
                    step.text("detail"),
                    step.text("origin"),
                    step.text("role"));
        }
        return print(call, answer, table);
    }

    static ExitCode account(Invocation call) {
        List<Client.Parameter> query = new ArrayList<>();
        query.add(new Client.Parameter("from", call.require("--from")));
        query.add(new Client.Parameter(
                "to", call.text("--to").orElse(call.session().now().toString())));
        Answer answer = read(call, List.of("jobs", call.require("JOB"), "account"), query);
        if (answer.has("refusal")) {
            throw new Failure(ExitCode.FAILED, answer.text("refusal"));
        }
        Table table = Table.of("ITEM", "STATE", "FIRES", "FROM", "TO", "REASON", "OUTCOME", "RUN+");
        Times times = call.session().times();
        for (Answer entry : answer.list("entries")) {
            table.add(
                    entry.text("item"),
                    entry.text("state"),
                    entry.text("count"),
                    absolute(times, entry.time("from")),
                    absolute(times, entry.time("to")),
                    entry.text("reason"),
                    entry.text("outcome"),
                    entry.text("runId"));
        }
        print(call, answer, table);
        if (!answer.flag("complete") && call.output().isForPeople()) {
            call.terminal()
                    .say("the account is not complete: entries with the state UNKNOWN have no row in the history");
        }
        return ExitCode.OK;
    }

    private static List<Client.Parameter> page(Invocation call) {
        return new ArrayList<>(
                List.of(new Client.Parameter("limit", call.text(LIMIT).orElse(ROWS))));
    }

    private static Answer read(Invocation call, List<String> path, List<Client.Parameter> query) {
        if (call.session().connection().get(Setting.ZOOKEEPER).isPresent()) {
            throw Failure.usage("the history is in a database, which only a console reads: give --server URL instead of"
                    + " --zookeeper");
        }
        List<String> segments = new ArrayList<>(List.of("history"));
        segments.addAll(path);
        return call.client().get(call.path(segments.toArray(String[]::new)), query.toArray(Client.Parameter[]::new));
    }

    private static ExitCode print(Invocation call, Answer answer, Table table) {
        call.output().list(answer.json(), table);
        if (answer.has("next") && call.output().isForPeople()) {
            call.terminal().say("there are older rows; " + LIMIT + " shows up to 1000");
        }
        return ExitCode.OK;
    }

    private static String ran(Answer claim) {
        Optional<Instant> started = claim.time("startedAt");
        return between(started.isPresent() ? started : claim.time("claimedAt"), claim.time("endedAt"));
    }

    private static String between(Optional<Instant> from, Optional<Instant> to) {
        return from.isEmpty() || to.isEmpty() ? "" : Times.span(Duration.between(from.get(), to.get()));
    }

    private static String absolute(Times times, Optional<Instant> time) {
        return time.map(times::absolute).orElse("");
    }
}
