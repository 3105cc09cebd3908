package io.ostraka.faults.soak;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.HistoryChecker;
import io.ostraka.faults.history.Ledger;
import io.ostraka.faults.history.Violation;
import io.ostraka.faults.mutants.Mutant;
import io.ostraka.faults.worker.EventLog;
import io.ostraka.faults.worker.Worker;
import io.ostraka.faults.worker.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Has a plan's faults befall real workers on a real ensemble, takes all of them back, waits for as long as recovery may take,
 * then looks on for a while in which nothing interferes, and checks everything that was recorded.
 */
final class Soak {
    /** Until runs of slow code have ended once none takes time any more. */
    private static final Duration ENDING = Duration.ofSeconds(12);

    private static final Duration CALM = Duration.ofSeconds(25);
    /** All that comes after the trouble. */
    static final Duration AFTERWARDS = Recoveries.ON_SCHEDULE.plus(ENDING).plus(CALM);

    /** Until what is asked for in the calm's last moment is at rest. */
    private static final Duration REST = Duration.ofSeconds(2);

    private final FaultPlan plan;
    private final Path directory;
    private final Consumer<String> log;
    private final List<EventLog.Line> own = new ArrayList<>();

    private Soak(FaultPlan plan, Path directory, Consumer<String> log) {
        this.plan = plan;
        this.directory = directory;
        this.log = log;
    }

    /**
     * What was recorded.
     *
     * @param history of everything, in order
     * @param strikes the faults that befell
     * @param healed when the last was taken back
     * @param complaints of the library in its logs, that it has failed of itself
     */
    record Recording(List<Event> history, List<Strike> strikes, Instant healed, List<String> complaints) {
        List<Violation> violations() {
            List<Violation> all = new ArrayList<>(HistoryChecker.check(history));
            complaints.forEach(
                    line -> all.add(new Violation("I8", "the library has failed of itself: " + line, List.of())));
            return all;
        }
    }

    /**
     * Runs a plan.
     *
     * @param directory for everything that is written
     * @param log is told what happens, on any thread
     */
    static Recording run(FaultPlan plan, Path directory, Consumer<String> log)
            throws IOException, InterruptedException {
        return new Soak(plan, directory, log).run(null);
    }

    /**
     * Runs a plan with a defect in every worker; what comes after the trouble is left out, for what is looked for is something
     * that must never be.
     */
    static Recording run(FaultPlan plan, Path directory, Mutant mutant) throws IOException, InterruptedException {
        return new Soak(plan, directory, line -> {}).run(mutant);
    }

    /** Measures and judges what was recorded. */
    static SoakResult result(FaultPlan plan, Recording recording, Duration took) {
        Map<String, Integer> scheduled = Workload.jobs().stream()
                .filter(job -> !(job.schedule() instanceof Schedule.OnDemand))
                .collect(Collectors.toMap(JobConfiguration::jobName, JobConfiguration::shardingTotalCount));
        var recoveries = new Recoveries(recording.history, recording.strikes, scheduled, recording.healed);
        Map<String, Long> faults = new TreeMap<>();
        recording.strikes.forEach(strike -> faults.merge(strike.fault().kind().toString(), 1L, Long::sum));
        return new SoakResult(
                build(),
                Runtime.getRuntime().availableProcessors() + " processors, Java "
                        + Runtime.version().feature(),
                List.of(plan.seed()),
                took.toMillis() / 60_000.0,
                plan.members(),
                faults,
                Tally.of(recording.history),
                recoveries.times(),
                recoveries.slowest(),
                recoveries.bounds(),
                recording.violations().stream()
                        .map(violation -> new SoakResult.Breach(
                                plan.seed(), violation.invariant(), violation.what(), Telling.of(violation)))
                        .toList());
    }

    /** Returns what is soaked. */
    static String build() {
        String build = System.getenv("OSTRAKA_BUILD");
        return build == null ? "unknown" : build;
    }

    private Recording run(@Nullable Mutant mutant) throws IOException, InterruptedException {
        try (Site site = Site.start(directory, plan, mutant)) {
            List<Strike> strikes = Injection.run(site, plan, log);
            heal(site);
            Instant healed = Instant.now();
            log.accept("all healed");
            if (mutant == null) {
                afterwards(site);
            }
            site.workers().forEach(Worker::kill); // so that nothing is done any more that isn't read
            return new Recording(history(site), strikes, healed, complaints(site));
        }
    }

    private void heal(Site site) throws InterruptedException {
        site.places().forEach(Place::heal);
        site.ensemble().heal();
        site.ensemble().awaitServing();
        site.members(plan).forEach(Place::start);
        site.workers().forEach(worker -> worker.clock(Duration.ZERO));
        site.awaitConnected();
        for (String job : FaultPlan.JOBS) {
            if (!site.order(worker -> worker.restore(job))) {
                throw new IllegalStateException("job " + job + " can't be restored by any worker");
            }
        }
    }

    private void afterwards(Site site) throws InterruptedException {
        sleep(Recoveries.ON_SCHEDULE);
        List<Worker> workers = site.workers();
        workers.forEach(worker -> worker.hurry(true));
        sleep(ENDING);
        record(new Event.Calm(Instant.now()));
        workers.forEach(Worker::recordRequests);
        sleep(CALM);
        workers.forEach(Worker::recordRequests);
        Set<String> living = workers.stream().map(Worker::name).collect(Collectors.toSet());
        record(new Event.Over(Instant.now(), living));
        log.accept("the calm is over");
        sleep(REST);
        List<CompletableFuture<Void>> leaving = new ArrayList<>();
        workers.forEach(worker -> leaving.add(worker.leave()));
        CompletableFuture.allOf(leaving.toArray(CompletableFuture[]::new)).join();
        record(new Event.Closed(Instant.now()));
    }

    private static void sleep(Duration time) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(time.toMillis());
    }

    private void record(Event event) {
        own.add(EventLog.Line.now(event));
    }

    private List<Event> history(Site site) throws IOException {
        List<Event.Transaction> committed = site.committed();
        List<EventLog.Line> lines = site.recorded();
        lines.addAll(own);
        List<Event> history = atRest(MergedHistory.of(lines, committed));
        Files.write(
                directory.resolve("history.txt"),
                history.stream().map(event -> event.at() + " " + event).toList());
        return history;
    }

    /**
     * Moves the end of the calm to the first moment from then on in which nothing is claimed: jobs that fire five times a
     * second are seldom all at rest, and the check of the calm's end is of what stays, not of what is under way.
     */
    static List<Event> atRest(List<Event> history) {
        List<Event> moved = new ArrayList<>(history.size());
        Ledger ledger = new Ledger();
        Event waiting = null;
        for (Event event : history) {
            if (event instanceof Event.Over) {
                waiting = event;
                continue;
            }
            if (waiting != null && (ledger.rests() || event instanceof Event.Closed)) {
                moved.add(waiting);
                waiting = null;
            }
            moved.add(event);
            if (event instanceof Event.Transaction transaction) {
                ledger.take(transaction);
            }
        }
        if (waiting != null) {
            moved.add(waiting);
        }
        return moved;
    }

    private static List<String> complaints(Site site) throws IOException {
        List<String> complaints = new ArrayList<>();
        for (Place place : site.places()) {
            for (Worker worker : place.everyone()) {
                worker.complaints().forEach(line -> complaints.add(worker + ": " + line));
            }
        }
        return complaints;
    }
}
