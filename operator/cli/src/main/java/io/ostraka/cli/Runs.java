package io.ostraka.cli;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.operations.RunDetails;
import io.ostraka.cli.terminal.Table;
import io.ostraka.cli.terminal.Times;
import io.ostraka.cli.transport.Answer;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Failure;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Triggered runs. */
final class Runs {
    /** Option with the longest time of a wait. */
    static final String WITHIN = "--within";

    /** Number of reads in a row that may fail before a wait ends. */
    private static final int MOST_FAILURES = 30;

    private Runs() {}

    static ExitCode get(Invocation call) {
        show(call, read(call));
        return ExitCode.OK;
    }

    private static Answer<RunDetails> read(Invocation call) {
        return call.client().get(RunDetails.class, call.path("jobs", call.require("JOB"), "runs", call.require("RUN")));
    }

    /** Reads the run until it has ended. */
    static ExitCode await(Invocation call) {
        Optional<Duration> limit = Optional.ofNullable((Duration) call.value(WITHIN));
        Instant end = limit.map(within -> end(call, within)).orElse(Instant.MAX);
        String last = "";
        int failures = 0;
        while (true) {
            Answer<RunDetails> answer;
            try {
                answer = read(call);
                failures = 0;
            } catch (Failure e) { // a wait may outlast a restart of the console
                if (e.exitCode() != ExitCode.UNREACHABLE
                        || !call.session().now().isBefore(end)
                        || ++failures == MOST_FAILURES
                        || !call.session().surroundings().pause().next()) {
                    throw e;
                }
                continue;
            }
            RunDetails run = answer.value();
            String progress = progress(run);
            if (run.state() == RunDetails.State.ENDED) {
                show(call, answer);
                boolean succeeded = run.outcomes().values().stream().allMatch(ItemOutcome.SUCCEEDED::equals);
                return succeeded ? ExitCode.OK : ExitCode.RUN_FAILED;
            }
            if (!progress.equals(last)) {
                call.terminal().say(progress);
            }
            last = progress;
            if (!call.session().now().isBefore(end)) {
                throw new Failure(
                        ExitCode.OUTCOME_UNKNOWN,
                        "the run has not ended within " + limit.map(Times::span).orElse("") + ", and continues; "
                                + progress);
            }
            if (!call.session().surroundings().pause().next()) {
                throw new Failure(ExitCode.FAILED, "the wait ended before the run; " + progress);
            }
        }
    }

    private static Instant end(Invocation call, Duration limit) {
        try {
            return call.session().now().plus(limit);
        } catch (DateTimeException | ArithmeticException e) {
            throw Failure.usage(
                    WITHIN + " is " + limit + "; accepted: a duration that ends before the year 1000000000");
        }
    }

    private static String progress(RunDetails run) {
        int left = run.left().size();
        return "run " + run.runId() + " of job " + run.job() + ": " + run.state()
                + (left > 0 ? ", " + left + " items have not ended" : "")
                + (run.outcomes().isEmpty() ? "" : ", " + run.outcomes().size() + " have ended");
    }

    private static void show(Invocation call, Answer<RunDetails> answer) {
        RunDetails run = answer.value();
        call.output().object(answer.json(), run.runId(), List.of(progress(run)));
        Table table = Table.of("ITEM", "OUTCOME");
        run.outcomes().forEach(table::add);
        run.left().forEach(item -> table.add(item, "not ended"));
        if (call.output().isForPeople() && !table.rows().isEmpty()) {
            call.output().table(table);
        }
    }
}
