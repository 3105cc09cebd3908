package io.ostraka.faults.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Runs the scenarios of many seeds on several threads. Each thread runs one scenario after the other.
 *
 * <p>The result is given in events of the history: committed transactions, calls of user code with their writes and
 * ends, deaths of processes, and triggers with their reported outcomes. The number of steps is higher, because an event
 * takes several steps.
 */
public final class Seeds {
    /** Minimum number of events of a schedule. The report lists a schedule with fewer events as short. */
    static final int SHORT = 200;

    private final AtomicLong next;
    private final long last;
    private final long lastAnyway;
    private final long endNanos;
    private final CoordinationHooks hooks;
    private final NavigableMap<Long, Simulation.Result> failures = new ConcurrentSkipListMap<>();
    private final AtomicLong schedules = new AtomicLong();
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong steps = new AtomicLong();
    private final AtomicLong shortSchedules = new AtomicLong();
    private final AtomicLong fewestEvents = new AtomicLong(Long.MAX_VALUE);

    private Seeds(long from, long least, long most, Duration time, CoordinationHooks hooks) {
        this.next = new AtomicLong(from);
        this.last = from + most - 1;
        this.lastAnyway = from + least - 1;
        this.endNanos = System.nanoTime() + time.toNanos();
        this.hooks = hooks;
    }

    /**
     * Result of running many seeds.
     *
     * @param schedules number of schedules, one for each seed
     * @param events number of events in all histories
     * @param shortSchedules number of schedules with fewer than 200 events
     * @param fewestEvents number of events of the shortest history
     * @param steps number of steps of all schedulers
     * @param elapsed time that the runs took
     * @param failures results that broke an invariant, by seed
     */
    public record Report(
            long schedules,
            long events,
            long shortSchedules,
            long fewestEvents,
            long steps,
            Duration elapsed,
            NavigableMap<Long, Simulation.Result> failures) {
        /**
         * Returns the result in one line. The number of schedules per minute does not include short schedules, which
         * are reported separately.
         */
        public String figure() {
            long millis = Math.max(1, elapsed.toMillis());
            long each = Math.max(1, schedules);
            return String.format(
                    Locale.ROOT,
                    "simulate: %d schedules in %.1f s, %d of at least %d events a minute; %d shorter ones; %d events"
                            + " (%d a schedule, at least %d), %d steps; %d schedules with violations",
                    schedules,
                    millis / 1000.0,
                    (schedules - shortSchedules) * 60_000 / millis,
                    SHORT,
                    shortSchedules,
                    events,
                    events / each,
                    schedules == 0 ? 0 : fewestEvents,
                    steps,
                    failures.size());
        }
    }

    /**
     * Runs the seeds.
     *
     * @param from first seed
     * @param least minimum number of seeds, regardless of time
     * @param most maximum number of seeds
     * @param time time after which no further seed is started
     * @param threads number of threads
     * @param hooks hooks that wrap the layers below the engines
     */
    public static Report run(long from, long least, long most, Duration time, int threads, CoordinationHooks hooks) {
        long start = System.nanoTime();
        var seeds = new Seeds(from, least, most, time, hooks);
        List<Thread> all = IntStream.range(0, threads)
                .mapToObj(each -> new Thread(seeds::work, "simulation-" + each))
                .toList();
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        all.forEach(thread -> thread.setUncaughtExceptionHandler((dead, error) -> thrown.add(error)));
        all.forEach(Thread::start);
        for (Thread thread : all) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                seeds.next.set(seeds.last + 1);
                Thread.currentThread().interrupt();
            }
        }
        if (!thrown.isEmpty()) {
            throw new IllegalStateException("a simulation could not be run", thrown.get(0));
        }
        return new Report(
                seeds.schedules.get(),
                seeds.events.get(),
                seeds.shortSchedules.get(),
                seeds.fewestEvents.get(),
                seeds.steps.get(),
                Duration.ofNanos(System.nanoTime() - start),
                seeds.failures);
    }

    private void work() {
        for (long seed = next.getAndIncrement(); seed <= last; seed = next.getAndIncrement()) {
            if (seed > lastAnyway && System.nanoTime() - endNanos > 0) {
                return;
            }
            Simulation.Result result = Simulation.run(Scenario.of(seed), hooks);
            schedules.incrementAndGet();
            steps.addAndGet(result.steps());
            events.addAndGet(result.history().size());
            if (result.history().size() < SHORT) {
                shortSchedules.incrementAndGet();
            }
            fewestEvents.accumulateAndGet(result.history().size(), Math::min);
            if (!result.violations().isEmpty()) {
                failures.put(seed, result);
            }
        }
    }
}
