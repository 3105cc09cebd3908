package io.ostraka.faults.simulation;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.CommandResult;
import io.ostraka.core.instance.EventSource;
import io.ostraka.core.instance.OperationsPort;
import io.ostraka.core.instance.RequestGate;
import io.ostraka.core.time.Clock;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.DeafListener;
import io.ostraka.operations.Commands;
import io.ostraka.testkit.InMemoryNodeStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A simulated operator that starts, stops and resumes backfills, with a session of its own. It repeats each command
 * with the same request id until the result is known. The engine may refuse a command, for example because the job has
 * no past fires.
 */
final class BackfillOperator {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int MOST_PARALLEL = 3;

    private final Cluster cluster;
    private @Nullable InMemoryNodeStore store;
    private @Nullable Commands commands;
    private int requests;
    private boolean over;

    BackfillOperator(Cluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Starts a backfill of a few dates. The operator may later stop it, resume it, and repeat one of these requests.
     * Sometimes a reply is lost or a request arrives late.
     */
    void start(SplittableRandom random) {
        List<JobConfiguration> jobs = cluster.jobs.values().stream()
                .filter(job -> period(job.schedule().unbounded()) != null)
                .toList();
        JobConfiguration job = jobs.get(random.nextInt(jobs.size()));
        Duration period = Objects.requireNonNull(period(job.schedule().unbounded()));
        Instant now = cluster.scheduler.now();
        // a fixed rate has no fires from the time before it took effect
        Instant latest = job.schedule().unbounded() instanceof Schedule.Cron && random.nextBoolean()
                ? Scenario.START.minusSeconds(random.nextInt(1_000_000))
                : now.minusMillis(random.nextInt(20_000));
        Instant from = latest.minus(period.multipliedBy(2 + random.nextInt(5)));
        int most = random.nextInt(3) == 0 ? 1_000 : 1 + random.nextInt(3);
        var start =
                new Command.Backfill(job.jobName(), from, latest, Map.of(), 1 + random.nextInt(MOST_PARALLEL), most);
        int after = 0;
        CommandOptions request = send(start, random, after);
        repeat(start, request, random, after);
        for (int i = random.nextInt(3); i > 0; i--) {
            after += random.nextInt(15_000);
            var stop = new Command.StopBackfill(job.jobName());
            repeat(stop, send(stop, random, after), random, after);
            if (random.nextInt(4) != 0) {
                after += random.nextInt(10_000);
                var resume = new Command.ResumeBackfill(job.jobName());
                repeat(resume, send(resume, random, after), random, after);
            }
        }
    }

    private static @Nullable Duration period(Schedule schedule) {
        return schedule instanceof Schedule.FixedRate rate
                ? rate.period()
                : schedule instanceof Schedule.Cron ? Duration.ofSeconds(10) : null;
    }

    private CommandOptions send(Command command, SplittableRandom random, int after) {
        CommandOptions options = CommandOptions.by("operator").withRequestId("backfill-" + ++requests);
        int trouble = random.nextInt(8);
        int late = random.nextInt(2_000);
        later(after, () -> send(command, options, trouble, late));
        return options;
    }

    /** Repeats the request some time later, in some of the cases. */
    private void repeat(Command command, CommandOptions options, SplittableRandom random, int after) {
        int again = after + random.nextInt(30_000);
        if (random.nextInt(3) == 0) {
            later(again, () -> send(command, options, 2, 0));
        }
    }

    private void send(Command command, CommandOptions options, int trouble, int late) {
        if (over) {
            return;
        }
        Commands known = commands();
        if (trouble == 0 && store != null) {
            store.loseNextReply();
        } else if (trouble == 1 && store != null) {
            store.holdRequests();
            later(late, store::releaseRequests);
        }
        untilKnown(known, command, options);
    }

    private void untilKnown(Commands known, Command command, CommandOptions options) {
        known.execute(command, options).whenComplete((result, error) -> {
            if (result instanceof CommandResult.Unknown) {
                cluster.scheduler.after(PAUSE, () -> untilKnown(known, command, options));
            }
        });
    }

    private void later(int millis, Runnable task) {
        cluster.scheduler.after(Duration.ofMillis(millis), task);
    }

    /**
     * Ends the faults of this operator. It gives no commands after this call, so that the backfills can continue
     * undisturbed.
     */
    void takeBack() {
        over = true;
        if (store != null) {
            store.releaseRequests();
        }
    }

    /** Connects at the first command, so that a scenario without backfills has the same steps as without this class. */
    private Commands commands() {
        Commands known = commands;
        if (known == null) {
            InMemoryNodeStore connected = cluster.tree.connect(
                    "backfills", cluster.scheduler.tasks(), cluster.scheduler.tasks(), Cluster.SESSION_TIMEOUT);
            connected.start(new DeafListener());
            Clock clock = cluster.instances.get(0).machine.platform().clock();
            known = new Commands(new OperationsPort(
                    new TreeCoordination(cluster.hooked(connected), clock),
                    new RequestGate(Runnable::run, () -> true),
                    clock,
                    cluster.scheduler.tasks(),
                    EventSource.none(clock)));
            store = connected;
            commands = known;
        }
        return known;
    }
}
