package io.ostraka.faults.soak;

import io.ostraka.api.JobConfiguration;
import io.ostraka.faults.history.Event;
import io.ostraka.faults.history.HistoryChecker;
import io.ostraka.faults.history.Ledger;
import io.ostraka.faults.history.Violation;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs a plan with real workers on a real ensemble: injects the faults, undoes them all, waits for the longest
 * permitted recovery, observes a phase without faults (the calm phase), and checks the recorded history.
 */
final class Soak {
    /** Time that a slow run may need to end if it started before {@link Worker#hurry} took effect. */
    private static final Duration ENDING = Duration.ofSeconds(12);

    private static final Duration CALM = Duration.ofSeconds(25);

    /** Longest stall of the machine in the calm phase. The jobs' shortest period is 200 ms, and a session lasts 4 s. */
    private static final Duration LONGEST_STALL = Duration.ofSeconds(1);

    /** Maximum number of calm phases. */
    private static final int MOST_CALMS = 4;

    /**
     * Percentage of fires in the calm phase that may have a late item. It is not 0, because forty processes share a
     * machine.
     */
    private static final int OUT_OF_STEP_PERCENT = 10;

    /** Time needed after the phase with faults. */
    static final Duration AFTERWARDS = Recoveries.ON_SCHEDULE.plus(ENDING).plus(CALM);

    /** Time until all triggers from the end of the calm phase have been handled. */
    private static final Duration REST = Duration.ofSeconds(2);

    /** Longest wait for the answers of all workers. */
    private static final Duration ANSWERING = Duration.ofSeconds(10);

    private static final String UNKNOWN = "unknown";
    /** Kind of violations that concern a process and that the history does not show. */
    private static final String PROCESS = "process";

    /**
     * Maximum number of reported violations of each kind that the history does not show. Further violations are only
     * counted.
     */
    private static final int MOST = 3;

    private final FaultPlan plan;
    private final UnaryOperator<String> builds;
    private final Path directory;
    private final Consumer<String> log;
    private final List<EventLog.Line> own = new ArrayList<>();
    /** Violations that the history itself does not show. */
    private final List<Violation> besides = new ArrayList<>();

    private int repeats;

    private Soak(FaultPlan plan, Path directory, Consumer<String> log, UnaryOperator<String> builds) {
        this.builds = builds;
        this.plan = plan;
        this.directory = directory;
        this.log = log;
    }

    /**
     * The recorded events and faults of a soak.
     *
     * @param history all events, in order
     * @param injectedFaults faults that were injected
     * @param missed faults that were not injected, because their target was not available
     * @param healed time from which all connections were restored and all servers served
     * @param repeats number of calm phases that did not count, because the machine stalled in them
     * @param mended number of times that a server refused to start until its epoch file was corrected
     * @param besides violations that the history itself does not show: unexpected ends of processes, and defects that
     *     the library reports in the logs of the processes
     * @param kept counts of the check of the history in the database; empty if there is none
     */
    record Recording(
            List<Event> history,
            List<InjectedFault> injectedFaults,
            List<Fault> missed,
            Instant healed,
            int repeats,
            int mended,
            List<Violation> besides,
            Map<String, Long> kept) {
        HistoryChecker.Verdict verdict() {
            HistoryChecker.Verdict verdict = HistoryChecker.judge(history, OUT_OF_STEP_PERCENT);
            List<Violation> told = new ArrayList<>(verdict.told());
            Map<String, Long> number = new TreeMap<>(verdict.number());
            Map<String, Long> others = new TreeMap<>();
            for (Violation each : besides) {
                number.merge(each.invariant(), 1L, Long::sum);
                if (others.merge(each.invariant(), 1L, Long::sum) <= MOST) {
                    told.add(each);
                }
            }
            return new HistoryChecker.Verdict(told, number);
        }
    }

    /**
     * Runs a plan.
     *
     * @param directory directory for all files
     * @param log receives progress lines, on any thread
     */
    static Recording run(FaultPlan plan, Path directory, Consumer<String> log)
            throws IOException, InterruptedException {
        return run(plan, directory, log, name -> System.getProperty("java.class.path"));
    }

    /**
     * Runs a plan with workers of several builds.
     *
     * @param builds function that returns the class path for a worker's name
     */
    static Recording run(FaultPlan plan, Path directory, Consumer<String> log, UnaryOperator<String> builds)
            throws IOException, InterruptedException {
        return new Soak(plan, directory, log, builds).run();
    }

    /** Measures and judges a recording. */
    static SoakResult result(FaultPlan plan, Recording recording, Duration took) {
        Map<String, Integer> scheduled = Workload.jobs().stream()
                .filter(Workload::goesOn)
                .collect(Collectors.toMap(JobConfiguration::jobName, JobConfiguration::shardingTotalCount));
        double minutes = took.toMillis() / 60_000.0;
        FireCounts tally = FireCounts.of(recording.history);
        HistoryChecker.Verdict verdict = recording.verdict();
        var recoveries = new Recoveries(recording.history, recording.injectedFaults, scheduled, recording.healed);
        Map<String, Long> faults = new TreeMap<>();
        recording.injectedFaults.forEach(
                injected -> faults.merge(injected.fault().kind().toString(), 1L, Long::sum));
        Map<String, Long> missed = new TreeMap<>();
        recording.missed.forEach(fault -> missed.merge(fault.kind().toString(), 1L, Long::sum));
        if (recording.repeats > 0) {
            faults.put("stall of the machine in the calm, which was repeated", (long) recording.repeats);
        }
        if (recording.mended > 0) {
            faults.put("server that refused to start, mended", (long) recording.mended);
        }
        return new SoakResult(
                build(),
                Runtime.getRuntime().availableProcessors() + " processors, Java "
                        + Runtime.version().feature(),
                List.of(plan.seed()),
                minutes,
                plan.members(),
                faults,
                missed,
                tally,
                recoveries.times(),
                recoveries.slowest(),
                recoveries.bounds(),
                MinimumFigures.lacking(
                                plan.length(), minutes, recording.injectedFaults.size(), tally, recoveries.bounds())
                        .stream()
                        .map(what -> "seed " + plan.seed() + ", " + what)
                        .toList(),
                recording.kept,
                verdict.number(),
                verdict.told().stream()
                        .map(violation -> new SoakResult.Breach(
                                plan.seed(), violation.invariant(), violation.what(), EventText.of(violation)))
                        .toList());
    }

    /** Returns the revision under test. */
    static String build() {
        String build = System.getenv("OSTRAKA_BUILD");
        return build == null ? UNKNOWN : build;
    }

    /** Returns whether a build identifies a commit exactly. A build with uncommitted changes does not. */
    static boolean isKnown(String build) {
        return !build.equals(UNKNOWN) && !build.endsWith("-dirty");
    }

    private Recording run() throws IOException, InterruptedException {
        Instant begun = Instant.now();
        try (Site site = Site.start(directory, plan, builds)) {
            Injection.Outcome faults = Injection.run(site, plan, log);
            Instant healed = heal(site);
            log.accept("all faults taken back at " + healed);
            calm(site);
            leave(site);
            examine(site);
            site.workers().forEach(Worker::kill); // the history is read next, so no process may write now
            List<Event> history = history(site);
            Map<String, Long> kept = site.hasDatabase() ? kept(site, history, begun) : Map.of();
            return new Recording(
                    history,
                    faults.injectedFaults(),
                    faults.missed(),
                    healed,
                    repeats,
                    site.ensemble().mended(),
                    List.copyOf(besides),
                    kept);
        }
    }

    /** Checks the history in the database. Returns the counts of the check. */
    private Map<String, Long> kept(Site site, List<Event> history, Instant begun)
            throws IOException, InterruptedException {
        HistoryCheck check = HistoryCheck.of(site, history, begun);
        check.violations().forEach(what -> wrong(HistoryCheck.SORT, what));
        Files.write(directory.resolve("history-missing.txt"), check.missing());
        log.accept("history: " + check.figures());
        return check.figures();
    }

    /**
     * Undoes all remaining faults. Returns the time from which all connections were restored and the servers served.
     */
    private Instant heal(Site site) throws InterruptedException {
        site.places().forEach(Place::heal);
        site.ensemble().heal();
        if (site.hasDatabase()) {
            site.database().heal();
        }
        site.ensemble().awaitServing();
        Instant healed = Instant.now();
        site.members(plan).forEach(Place::start);
        site.workers().forEach(worker -> worker.clock(Duration.ZERO));
        site.awaitConnected();
        for (JobConfiguration job : FaultPlan.JOBS) {
            site.order(0, worker -> worker.restore(job.jobName()));
        }
        site.order(0, worker -> worker.release(Workload.PARKED));
        return healed;
    }

    /**
     * Waits for the recovery, and observes the calm phase. Repeats both if the machine itself has stalled in the phase
     * or shortly before it, because a stall of all processes is a fault, and the phase must have none.
     */
    private void calm(Site site) throws IOException, InterruptedException {
        try (MachineProbe machine = MachineProbe.start(directory)) {
            for (int attempt = 1; !isCalm(site, machine, attempt == MOST_CALMS); attempt++) {
                repeats++;
                log.accept("the calm phase is repeated");
            }
        }
    }

    /**
     * Observes the calm phase. Records its beginning and its end, and returns true, if the machine has not stalled.
     *
     * @param last true to record both in any case
     */
    private boolean isCalm(Site site, MachineProbe machine, boolean last) throws IOException, InterruptedException {
        List<Worker> workers = site.workers();
        sleep(Recoveries.ON_SCHEDULE);
        workers.forEach(worker -> worker.hurry(true));
        machine.longestStall();
        sleep(ENDING);
        EventLog.Line begins = EventLog.Line.now(new Event.Calm(Instant.now()));
        all(workers, Worker::recordRequests);
        sleep(CALM);
        all(workers, Worker::recordRequests);
        all(workers, Worker::recordHealth);
        Set<String> living = workers.stream().map(Worker::name).collect(Collectors.toSet());
        EventLog.Line ends = EventLog.Line.now(new Event.Over(Instant.now(), living));
        sleep(REST);
        Duration stall = machine.longestStall();
        log.accept("the calm phase has ended; the machine stalled for at most " + stall.toMillis() + " ms");
        if (stall.compareTo(LONGEST_STALL) > 0 && !last) {
            return false;
        }
        own.add(begins);
        own.add(ends);
        return true;
    }

    private void leave(Site site) throws InterruptedException {
        Site.leave(site.places()).forEach(what -> wrong(PROCESS, what));
        record(new Event.Closed(Instant.now()));
    }

    /**
     * Sends a command to all workers and waits for their answers. A missing answer is no error here: the check of the
     * history reports the events that are missing then.
     */
    private static void all(List<Worker> workers, Function<Worker, CompletableFuture<Void>> order)
            throws InterruptedException {
        List<CompletableFuture<Void>> answers = workers.stream().map(order).toList();
        try {
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                    .get(ANSWERING.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // a failed or silent worker must not fail the soak; the other workers have had enough time to answer
        }
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
        Stream<String> told = history.stream().map(event -> event.at() + " " + event);
        Files.write(directory.resolve("history.txt"), (Iterable<String>) told::iterator);
        return history;
    }

    /**
     * Moves the end of the calm phase to the next moment at which no item runs or waits for a takeover. The checks at
     * this moment assume that no run is in progress, but some jobs fire five times a second, so almost every moment has
     * a run.
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

    /** Checks that no process has ended unexpectedly, and that the workers' logs contain no reports of defects. */
    private void examine(Site site) throws IOException {
        if (!site.resource().isAlive()) {
            wrong(PROCESS, "the resource has ended unexpectedly");
        }
        for (Place place : site.places()) {
            for (Worker worker : place.everyone()) {
                if (worker.hasEndedByItself()) {
                    wrong(PROCESS, worker + " has ended unexpectedly; see " + worker.log());
                }
                worker.complaints()
                        .forEach(line -> wrong("I8", "the library reports a defect: " + worker + ": " + line));
            }
        }
    }

    private void wrong(String sort, String what) {
        besides.add(new Violation(sort, what, List.of()));
    }
}
