package io.ostraka.operations;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.BackfillDetails;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.core.coordination.Coordination;
import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.coordination.TransactionResult.About;
import io.ostraka.core.instance.Refusals;
import io.ostraka.core.model.Backfill;
import io.ostraka.core.model.BackfillView;
import io.ostraka.core.model.Definition;
import io.ostraka.core.model.FireTimes;
import io.ostraka.core.model.JobView;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.schedule.FireSchedules;
import io.ostraka.core.time.ClockCheck;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Executes the commands for backfills. */
final class BackfillCommands {
    private static final int TRIES = 20;

    private final Coordination coordination;
    private final Executor planner;

    /** @param planner runs the computation of the fires of a range, which may take long */
    BackfillCommands(Coordination coordination, Executor planner) {
        this.coordination = coordination;
        this.planner = planner;
    }

    /** A change to a job's current backfill. */
    private interface Edit {
        /**
         * Returns the changed value; null if the current value already is as requested.
         *
         * @throws RuntimeException if the current value does not permit the change
         */
        @Nullable Backfill apply(@Nullable Backfill present);
    }

    CompletionStage<CommandResult> start(Command.Backfill requested, CommandOptions options) {
        String job = requested.job();
        Command.Backfill command = untilNow(requested);
        // a repeated command changes nothing, even if it would be refused now
        return coordination.backfills().of(job).thenCompose(before -> {
            Optional<CommandResult> repeated = repeated(before, options);
            if (repeated.isPresent()) {
                return CompletableFuture.completedStage(repeated.get());
            }
            requireLimits(command);
            return coordination.jobs().job(job).thenComposeAsync(view -> start(command, options, view), planner);
        });
    }

    private CompletionStage<CommandResult> start(Command.Backfill command, CommandOptions options, JobView view) {
        String job = command.job();
        Versioned<Definition> definition = view.definition();
        if (definition == null) {
            throw Requirements.undefined(view);
        }
        FireTimes times = times(view);
        Backfill.Request request = new Backfill.Request(
                Requirements.requestId(options),
                definition.czxid(),
                order(options),
                command.parameters(),
                command.parallel(),
                command.maxFailures(),
                dates(command, times));
        CompletionStage<List<String>> effects = options.dryRun()
                ? effects(view, request, times)
                : CompletableFuture.completedStage(List.of(started(request)));
        return effects.thenCompose(done -> change(job, options, done, present -> {
            if (present != null && (present.active() || present.state() == Backfill.State.FAILED)) {
                throw CoordinationException.refused("job '" + job + "' has an unfinished backfill, " + describe(present)
                        + "; stop it first, and let its runs end");
            }
            return Backfill.requested(job, request, present);
        }));
    }

    /**
     * Returns the command, with its end moved back to the current time if it lies slightly in the future. The caller's
     * clock may be a little ahead.
     */
    private Command.Backfill untilNow(Command.Backfill command) {
        Instant now = coordination.membership().serverTime();
        return !command.to().isAfter(now) || command.to().isAfter(now.plus(ClockCheck.TOLERANCE))
                ? command
                : new Command.Backfill(
                        command.job(),
                        command.from(),
                        now,
                        command.parameters(),
                        command.parallel(),
                        command.maxFailures());
    }

    private static Optional<CommandResult> repeated(BackfillView view, CommandOptions options) {
        String id = Requirements.requestId(options);
        return view.value() != null && view.value().value().requests().contains(id)
                ? Optional.of(new CommandResult.Unchanged(
                        view.mzxid(), id, "a command with this request id was applied before"))
                : Optional.empty();
    }

    private static String describe(Backfill backfill) {
        return backfill.request().id() + " by " + backfill.request().order().by() + " ("
                + backfill.progress().triggered() + " of "
                + backfill.request().dates().size() + " fires triggered, "
                + backfill.progress().running().size() + " running, " + backfill.state() + ")";
    }

    private void requireLimits(Command.Backfill command) {
        String job = command.job();
        Instant now = coordination.membership().serverTime();
        FireCommands.requireParameters(job, command.parameters());
        requireRange(job, "parallel", command.parallel(), Backfill.MOST_PARALLEL);
        requireRange(job, "maxFailures", command.maxFailures(), Backfill.MOST_FIRES);
        if (command.from().isBefore(Instant.EPOCH)) {
            throw new JobConfigurationException(job, "from", command.from(), "a time from " + Instant.EPOCH + " on");
        }
        if (!command.from().isBefore(command.to())) {
            throw new JobConfigurationException(job, "from", command.from(), "a time before to, " + command.to());
        }
        if (command.to().isAfter(now)) {
            throw new JobConfigurationException(
                    job, "to", command.to(), "a time that is not after now; the latest is " + now);
        }
    }

    private static void requireRange(String job, String field, int value, int most) {
        if (value < 1 || value > most) {
            throw new JobConfigurationException(job, field, value, "1 to " + most);
        }
    }

    /** Returns the fire times of the schedule in the job's plan, including times before the job used this schedule. */
    private static FireTimes times(JobView job) {
        Versioned<ShardingPlan> plan = job.plan();
        if (plan == null) {
            throw Requirements.noPlan(job);
        }
        Requirements.requirePresent(job);
        Schedule schedule = plan.value().schedule();
        Schedule base = schedule.unbounded();
        if (!(base instanceof Schedule.Cron || base instanceof Schedule.FixedRate)) {
            throw new JobConfigurationException(
                    job.name(),
                    "schedule",
                    schedule,
                    "cron or a fixed rate, because other schedules have no past fires");
        }
        return FireSchedules.of(job.name(), schedule, plan.value().anchor());
    }

    private static List<Instant> dates(Command.Backfill command, FireTimes times) {
        List<Instant> dates = new ArrayList<>();
        Optional<Instant> date = times.next(command.from().minusNanos(1));
        while (date.isPresent() && date.get().isBefore(command.to())) {
            dates.add(date.get());
            if (dates.size() > Backfill.MOST_FIRES) {
                throw new JobConfigurationException(
                        command.job(),
                        "to",
                        command.to(),
                        "a range with at most " + Backfill.MOST_FIRES + " fires, which ends at "
                                + dates.get(Backfill.MOST_FIRES));
            }
            date = times.next(date.get());
        }
        if (dates.isEmpty()) {
            throw new JobConfigurationException(
                    command.job(),
                    "from",
                    command.from(),
                    "a range with a fire of the schedule; the first fire from then on is at "
                            + date.map(Instant::toString).orElse("no time"));
        }
        return dates;
    }

    private static String started(Backfill.Request request) {
        List<Instant> dates = request.dates();
        return dates.size() == 1
                ? "runs 1 past fire, that of " + dates.get(0)
                : "runs " + dates.size() + " past fires from " + dates.get(0) + " to " + dates.get(dates.size() - 1)
                        + ", oldest first, at most " + request.parallel() + " at a time";
    }

    private CompletionStage<List<String>> effects(JobView job, Backfill.Request request, FireTimes times) {
        return coordination
                .items()
                .records(job.name(), required(job).keys())
                .thenApplyAsync(
                        records -> {
                            List<String> effects = new ArrayList<>(List.of(started(request)));
                            Optional<Duration> longest = records.stream()
                                    .flatMap(view -> Stream.ofNullable(view.record()))
                                    .flatMap(record ->
                                            Stream.ofNullable(record.value().runTime()))
                                    .max(Duration::compareTo)
                                    .filter(time -> time.compareTo(Schedule.LONGEST) <= 0);
                            effects.add("fires of this period that have run already run again");
                            effects.addAll(FireCommands.skipping(job, records));
                            effects.addAll(overlaps(job, request, times, longest));
                            return effects;
                        },
                        planner);
    }

    private static ShardingPlan required(JobView job) {
        Versioned<ShardingPlan> plan = job.plan();
        if (plan == null) {
            throw Requirements.noPlan(job);
        }
        return plan.value();
    }

    /** Returns the expected duration of the backfill and its effects on the scheduled fires in that time. */
    private List<String> overlaps(JobView job, Backfill.Request request, FireTimes times, Optional<Duration> longest) {
        if (longest.isEmpty()) {
            return List.of("the time that the backfill takes is unknown, because no item has a usable run time yet");
        }
        Duration total = longest.get().multipliedBy(request.dates().size()).dividedBy(request.parallel());
        String takes = "takes about " + total.toSeconds() + " s, because the longest run of an item takes "
                + longest.get().toSeconds() + " s";
        Instant now = coordination.membership().serverTime();
        Instant from = required(job).startsAfter().isAfter(now) ? required(job).startsAfter() : now;
        long due = times.count(from, now.plus(total));
        JobConfiguration effective = job.definition() == null || !job.overrideKnown() ? null : job.configuration();
        boolean paused = effective != null && job.overrideOrNone().pauses(effective);
        if (due == 0 || paused) {
            return List.of(
                    takes + "; no scheduled fire starts in that time" + (paused ? ", because the job is paused" : ""));
        }
        boolean skips = effective == null || effective.overlap() instanceof OverlapPolicy.Skip;
        return List.of(takes + "; " + (due >= FireTimes.COUNT_LIMIT ? "at least " : "") + due
                + " scheduled fires come due in that time, the first at "
                + times.next(from).map(Instant::toString).orElse("an unknown time") + "; "
                + (skips
                        ? "an item that then runs a fire of the backfill skips them (overlap policy SKIP)"
                        : "the overlap policy decides about them while an item runs a fire of the backfill"));
    }

    CompletionStage<CommandResult> stop(Command.StopBackfill command, CommandOptions options) {
        String job = command.job();
        return change(
                job, options, List.of("stopped the backfill of job '" + job + "'; its running fires end"), present -> {
                    Backfill backfill = requireUnfinished(job, present);
                    return backfill.state() == Backfill.State.STOPPED
                            ? null
                            : backfill.stopped(order(options), Requirements.requestId(options));
                });
    }

    CompletionStage<CommandResult> resume(Command.ResumeBackfill command, CommandOptions options) {
        String job = command.job();
        return coordination
                .jobs()
                .job(job)
                .thenCompose(
                        view -> change(job, options, List.of("resumed the backfill of job '" + job + "'"), present -> {
                            Backfill backfill = requireUnfinished(job, present);
                            if (view.damages().definition() != null) {
                                throw Requirements.undefined(view);
                            }
                            if (view.definition() != null
                                    && view.definition().czxid()
                                            != backfill.request().definition()) {
                                throw CoordinationException.refused("job '" + job
                                        + "' was purged and registered again after its backfill was requested; start"
                                        + " another one for the dates that are left");
                            }
                            return backfill.state() == Backfill.State.RUNNING
                                    ? null
                                    : backfill.resumed(order(options), Requirements.requestId(options));
                        }));
    }

    private static Backfill requireUnfinished(String job, @Nullable Backfill present) {
        if (present == null) {
            throw CoordinationException.notFound("job '" + job + "' has no backfill; check the name");
        }
        if (present.over()) {
            throw CoordinationException.refused("the backfill of job '" + job + "' has ended"
                    + (present.state() == Backfill.State.REMOVED ? ", because the job was removed" : "")
                    + "; start another one for the dates that are left");
        }
        return present;
    }

    private Orders.Order order(CommandOptions options) {
        return new Orders.Order(
                options.actor(), options.reason(), coordination.membership().serverTime(), null);
    }

    private CompletionStage<CommandResult> change(String job, CommandOptions options, List<String> done, Edit edit) {
        return change(job, options, done, edit, TRIES);
    }

    private CompletionStage<CommandResult> change(
            String job, CommandOptions options, List<String> done, Edit edit, int tries) {
        return coordination.backfills().of(job).thenCompose(view -> {
            if (view.damage() != null) {
                throw CoordinationException.refused(
                        view.damage().text("it holds a backfill, so it is not replaced: correct or delete the node"));
            }
            Versioned<Backfill> present = view.value();
            Optional<CommandResult> repeated = repeated(view, options);
            if (repeated.isPresent()) {
                return CompletableFuture.completedStage(repeated.get());
            }
            if (options.expectedVersion() != null && options.expectedVersion() != view.mzxid()) {
                return CompletableFuture.completedStage(conflict(view));
            }
            Backfill next = edit.apply(present == null ? null : present.value());
            if (options.dryRun()) {
                return CompletableFuture.completedStage(new CommandResult.Preview(
                        view.mzxid(), next == null ? List.of("the backfill already is as requested") : done));
            }
            return next == null
                    ? CompletableFuture.completedStage(new CommandResult.Unchanged(
                            view.mzxid(), "", "the backfill of job '" + job + "' already is as requested"))
                    : coordination
                            .backfills()
                            .write(present, next)
                            .thenCompose(result -> written(job, options, done, edit, next, result, tries));
        });
    }

    private CompletionStage<CommandResult> written(
            String job,
            CommandOptions options,
            List<String> done,
            Edit edit,
            Backfill next,
            TransactionResult result,
            int tries) {
        if (result instanceof TransactionResult.Done ok) {
            return CompletableFuture.completedStage(
                    new CommandResult.Applied(ok.commit().zxid(), next.request().id(), String.join("; ", done)));
        } else if (result instanceof TransactionResult.Unknown) {
            return CompletableFuture.completedStage(new CommandResult.Unknown(
                    Requirements.requestId(options), "ZooKeeper did not answer; repeat the command to see the result"));
        } else if (result instanceof TransactionResult.Outdated outdated && outdated.about() == About.DEFINITION) {
            throw Refusals.unknown(job);
        } else if (result instanceof TransactionResult.Outdated && tries > 1) {
            // retries, because the leader or another operator has changed the node meanwhile
            return change(job, options, done, edit, tries - 1);
        }
        throw new CoordinationException(
                result instanceof TransactionResult.Outdated
                        ? "the backfill of job '" + job + "' keeps changing; try again"
                        : "ZooKeeper refused the change of the backfill of job '" + job
                                + "'; check access rights and quotas");
    }

    private static CommandResult conflict(BackfillView view) {
        return new CommandResult.Conflict(
                view.mzxid(),
                "the backfill of job '" + view.job() + "' has changed: "
                        + (view.value() == null
                                ? "there is none"
                                : describe(view.value().value()))
                        + "; read the backfills again");
    }

    /** Returns the view of a backfill. */
    static BackfillDetails details(Versioned<Backfill> read) {
        Backfill backfill = read.value();
        Backfill.Request request = backfill.request();
        Backfill.Progress progress = backfill.progress();
        List<Instant> dates = request.dates();
        Map<Instant, String> running = new TreeMap<>();
        progress.running().forEach(date -> running.put(date, request.runId(date)));
        return new BackfillDetails(
                backfill.job(),
                request.id(),
                BackfillDetails.State.valueOf(backfill.state().name()),
                Views.change(request.order()),
                backfill.last() == null ? null : Views.change(backfill.last()),
                dates.get(0),
                dates.get(dates.size() - 1),
                progress.triggered() == dates.size() ? null : dates.get(progress.triggered()),
                dates.size(),
                progress.triggered(),
                progress.succeeded(),
                progress.failed(),
                progress.unknown(),
                running,
                progress.failedDates(),
                request.parameters(),
                request.parallel(),
                request.maxFailures(),
                read.mzxid());
    }
}
