package io.ostraka.cli;

import io.ostraka.cli.terminal.Table;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.Answers;
import io.ostraka.cli.transport.Client;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import io.ostraka.cli.transport.Setting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The views of the history, which only a console with a history database has. The latest rows come first. */
final class PastRuns {
    /** Option with the largest number of rows. */
    static final String LIMIT = "--limit";

    private static final String ROWS = "50";

    private PastRuns() {}

    static ExitCode runs(Invocation call) {
        Answer<Answers.PastRuns> answer =
                read(Answers.PastRuns.class, call, List.of("jobs", call.require("JOB"), "runs"), page(call));
        Table table = Table.of("RUN", "FIRE", "OUTCOMES", "RAN FOR", "REQUESTED BY", "REASON+");
        Times times = call.session().times();
        for (Answers.PastRun run : answer.value().runs()) {
            Answers.Trigger trigger = run.trigger();
            table.add(
                    run.runId(),
                    times.both(run.fireTime()),
                    Lists.counts(run.outcomes()),
                    between(run.firstStart(), run.lastEnd()),
                    trigger != null ? trigger.requestedBy() : run.triggered() ? null : "schedule",
                    trigger == null ? null : trigger.reason());
        }
        return print(call, answer, answer.value().next(), table);
    }

    static ExitCode run(Invocation call) {
        Answer<Answers.Claims> answer = read(
                Answers.Claims.class,
                call,
                List.of("jobs", call.require("JOB"), "runs", call.require("RUN")),
                page(call));
        Table table = Table.of("ITEM", "OUTCOME", "INSTANCE", "ENDED", "RAN FOR", "ATTEMPT", "ERROR", "TOKEN+");
        Times times = call.session().times();
        for (Answers.Claim claim : answer.value().claims()) {
            table.add(
                    claim.item(),
                    claim.outcome(),
                    claim.instance(),
                    times.both(claim.endedAt()),
                    ran(claim),
                    claim.attempt(),
                    claim.error(),
                    claim.fencingToken());
        }
        return print(call, answer, answer.value().next(), table);
    }

    static ExitCode failures(Invocation call) {
        Answer<Answers.Failures> answer = read(Answers.Failures.class, call, List.of("failures"), page(call));
        Table table = Table.of("JOB", "ITEM", "OUTCOME", "ENDED", "RAN FOR", "ERROR", "INSTANCE+", "RUN+");
        Times times = call.session().times();
        for (Answers.Claim claim : answer.value().failures()) {
            table.add(
                    claim.job(),
                    claim.item(),
                    claim.outcome(),
                    times.both(claim.endedAt()),
                    ran(claim),
                    claim.error(),
                    claim.instance(),
                    claim.runId());
        }
        return print(call, answer, answer.value().next(), table);
    }

    static ExitCode skipped(Invocation call) {
        Answer<Answers.SkippedFires> answer =
                read(Answers.SkippedFires.class, call, List.of("jobs", call.require("JOB"), "skipped"), page(call));
        Table table = Table.of("ITEM", "REASON", "FIRES", "FROM", "TO", "INSTANCE+", "DECIDED+");
        Times times = call.session().times();
        for (Answers.Skipped fires : answer.value().skipped()) {
            table.add(
                    fires.item(),
                    fires.reason(),
                    fires.count(),
                    times.absolute(fires.from()),
                    times.absolute(fires.to()),
                    fires.instance(),
                    times.absolute(fires.at()));
        }
        return print(call, answer, answer.value().next(), table);
    }

    static ExitCode events(Invocation call) {
        List<Client.Parameter> query = page(call);
        call.text("--job").ifPresent(job -> query.add(new Client.Parameter("job", job)));
        Answer<Answers.Events> answer = read(Answers.Events.class, call, List.of("events"), query);
        Table table = Table.of("EVENT", "TIME", "JOB", "ITEM", "DETAIL", "INSTANCE+");
        Times times = call.session().times();
        for (Answers.Event event : answer.value().events()) {
            table.add(
                    event.kind(),
                    times.both(event.at()),
                    event.job(),
                    event.item(),
                    Times.inSeconds(event.detail()),
                    event.instance());
        }
        return print(call, answer, answer.value().next(), table);
    }

    static ExitCode audit(Invocation call) {
        Answer<Answers.Audit> answer = read(Answers.Audit.class, call, List.of("audit"), page(call));
        Table table = Table.of("COMMAND", "TARGET", "TIME", "BY", "OUTCOME", "REASON", "DETAIL+", "ORIGIN+", "ROLE+");
        Times times = call.session().times();
        for (Answers.Step step : answer.value().steps()) {
            table.add(
                    step.operation(),
                    step.target(),
                    times.both(step.at()),
                    step.actor(),
                    step.outcome() == null ? "begun" : Times.inSeconds(step.outcome()),
                    step.reason(),
                    step.detail(),
                    step.origin(),
                    step.role());
        }
        return print(call, answer, answer.value().next(), table);
    }

    static ExitCode account(Invocation call) {
        List<Client.Parameter> query = new ArrayList<>();
        query.add(new Client.Parameter("from", call.require("--from")));
        query.add(new Client.Parameter(
                "to", call.text("--to").orElse(call.session().now().toString())));
        Answer<Answers.Account> answer =
                read(Answers.Account.class, call, List.of("jobs", call.require("JOB"), "account"), query);
        if (answer.value().refusal() != null) {
            throw new Failure(ExitCode.FAILED, answer.value().refusal());
        }
        Table table = Table.of("ITEM", "STATE", "FIRES", "FROM", "TO", "REASON", "OUTCOME", "RUN+");
        Times times = call.session().times();
        for (Answers.Entry entry : answer.value().entries()) {
            table.add(
                    entry.item(),
                    entry.state(),
                    entry.count(),
                    times.absolute(entry.from()),
                    times.absolute(entry.to()),
                    entry.reason(),
                    entry.outcome(),
                    entry.runId());
        }
        print(call, answer, null, table);
        if (!answer.value().complete() && call.output().isForPeople()) {
            call.terminal()
                    .say("the account is not complete: entries with the state UNKNOWN have no row in the history");
        }
        return ExitCode.OK;
    }

    private static List<Client.Parameter> page(Invocation call) {
        return new ArrayList<>(
                List.of(new Client.Parameter("limit", call.text(LIMIT).orElse(ROWS))));
    }

    private static <T extends Record> Answer<T> read(
            Class<T> type, Invocation call, List<String> path, List<Client.Parameter> query) {
        if (call.session().connection().get(Setting.ZOOKEEPER).isPresent()) {
            throw Failure.usage("the history is in a database, which only a console reads: give --server URL instead of"
                    + " --zookeeper");
        }
        List<String> segments = new ArrayList<>(List.of("history"));
        segments.addAll(path);
        return call.client()
                .get(type, call.path(segments.toArray(String[]::new)), query.toArray(Client.Parameter[]::new));
    }

    private static ExitCode print(Invocation call, Answer<?> answer, @Nullable String next, Table table) {
        call.output().list(answer.json(), table);
        if (next != null && call.output().isForPeople()) {
            call.terminal().say("there are older rows; " + LIMIT + " shows up to 1000");
        }
        return ExitCode.OK;
    }

    private static String ran(Answers.Claim claim) {
        return between(claim.startedAt() == null ? claim.claimedAt() : claim.startedAt(), claim.endedAt());
    }

    private static String between(@Nullable Instant from, @Nullable Instant to) {
        return from == null || to == null ? "" : Times.span(Duration.between(from, to));
    }
}
