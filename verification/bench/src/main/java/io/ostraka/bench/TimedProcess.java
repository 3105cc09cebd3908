package io.ostraka.bench;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The process of one timed scheduler. It schedules the jobs, lets them fire during the warm-up, and then records the
 * start of each fire that is due in the measured time. Its last line of output is the result.
 */
public final class TimedProcess implements TimedScheduler.Body {
    /** Time from the start of the process to the first fire. It is enough to schedule all jobs. */
    private static final Duration HEAD_START = Duration.ofSeconds(10);
    /** Time after the measurement in which the measured fires may still start. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final int jobs;
    private final int periods;
    private final Instant from;
    private final AtomicIntegerArray runs;
    private final AtomicLongArray delays;

    private TimedProcess(int jobs, int periods, Instant from) {
        this.jobs = jobs;
        this.periods = periods;
        this.from = from;
        runs = new AtomicIntegerArray(jobs * periods);
        delays = new AtomicLongArray(jobs * periods);
    }

    /**
     * Runs the program. The arguments are the scheduler's class, the number of jobs, the number of threads, the
     * milliseconds between the fires of two jobs, and the seconds of warm-up and of measurement.
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err); // the scheduler's output must not mix with the result
        int jobs = Integer.parseInt(arguments[1]);
        Instant first = Instant.now().truncatedTo(ChronoUnit.SECONDS).plus(HEAD_START);
        Instant from = first.plusSeconds(Long.parseLong(arguments[4]));
        var process = new TimedProcess(jobs, Integer.parseInt(arguments[5]), from);
        TimedScheduler scheduler = (TimedScheduler)
                Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        scheduler.schedule(
                new TimedScheduler.Load(
                        jobs, Integer.parseInt(arguments[2]), first, Duration.ofMillis(Long.parseLong(arguments[3]))),
                process);
        out.println(process.measure().line());
        Runtime.getRuntime().halt(0); // the shutdown is not measured
    }

    @Override
    public void ran(int job, Instant scheduled) {
        Instant now = Instant.now();
        long millis = Duration.between(from, scheduled).toMillis();
        int period = Math.toIntExact(Math.floorDiv(millis, TimedScheduler.PERIOD.toMillis()));
        if (period >= 0 && period < periods) {
            int fire = job * periods + period;
            delays.set(fire, ChronoUnit.MICROS.between(scheduled, now));
            runs.incrementAndGet(fire);
        }
    }

    private Punctuality measure() throws InterruptedException {
        Instant to = from.plus(TimedScheduler.PERIOD.multipliedBy(periods));
        sleepUntil(from);
        long cpu = cpuNanos();
        sleepUntil(to);
        cpu = cpuNanos() - cpu;
        Instant last = to.plus(GRACE);
        while (Instant.now().isBefore(last) && counted(1) + counted(2) < runs.length()) {
            Thread.sleep(100);
        }
        sleepUntil(Instant.now().plusSeconds(1)); // if a fire ran twice, its second run would have occurred by then
        long[] sorted = new long[delays.length()];
        Arrays.setAll(sorted, delays::get);
        Arrays.sort(sorted);
        return new Punctuality(
                jobs * periods,
                counted(1) + counted(2),
                counted(2),
                at(sorted, 0.5),
                at(sorted, 0.95),
                at(sorted, 0.99),
                sorted[sorted.length - 1],
                cpu / 1000 / runs.length());
    }

    private static long at(long[] sorted, double part) {
        return sorted[(int) (part * (sorted.length - 1))];
    }

    /**
     * Returns the number of fires that ran exactly once. If {@code times} is 2, returns the number of fires that ran
     * more than once.
     */
    private int counted(int times) {
        int count = 0;
        for (int fire = 0; fire < runs.length(); fire++) {
            count += Math.min(runs.get(fire), 2) == times ? 1 : 0;
        }
        return count;
    }

    private static void sleepUntil(Instant instant) throws InterruptedException {
        Thread.sleep(Math.max(0, Duration.between(Instant.now(), instant).toMillis()));
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
