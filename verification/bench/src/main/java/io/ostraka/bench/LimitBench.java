package io.ostraka.bench;

import io.ostraka.core.time.WheelTimer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The program behind {@code bin/bench --limits}. It measures the CPU time of the timer's thread while many time limits
 * are set.
 */
public final class LimitBench {
    private static final int LIMITS = 50_000;
    private static final Duration SHORTEST = Duration.ofMinutes(2);
    private static final Duration LONGEST = Duration.ofMinutes(12);
    private static final Duration MEASURED = Duration.ofSeconds(60);
    private static final long TARGET_MILLIS = 600;

    private LimitBench() {}

    /** Runs the bench. With the argument {@code --check} it runs for a second only, and checks only counts. */
    public static void main(String[] arguments) throws InterruptedException {
        boolean check = arguments.length > 0 && arguments[0].equals("--check");
        boolean held = check ? check() : measure();
        System.exit(held ? 0 : 1);
    }

    private static boolean measure() throws InterruptedException {
        long empty = cpuMillis(0);
        long armed = cpuMillis(LIMITS);
        System.out.printf(
                Locale.ROOT,
                "CPU time of the wheel's thread over %d s: %d ms with %,d limits armed, %d ms with none; target: under %d ms%n",
                MEASURED.toSeconds(),
                armed,
                LIMITS,
                empty,
                TARGET_MILLIS);
        return armed < TARGET_MILLIS;
    }

    private static long cpuMillis(int limits) throws InterruptedException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        AtomicInteger fired = new AtomicInteger();
        try (WheelTimer timer = new WheelTimer()) {
            started(timer);
            arm(timer, limits, fired);
            TimeUnit.SECONDS.sleep(6); // after one whole turn of the wheel, every limit is in its slot
            long wheel = Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                    .filter(thread -> thread != null && thread.getThreadName().startsWith("ostraka-timer"))
                    .findFirst()
                    .orElseThrow()
                    .getThreadId();
            long before = threads.getThreadCpuTime(wheel);
            Thread.sleep(MEASURED.toMillis());
            long took = threads.getThreadCpuTime(wheel) - before;
            if (fired.get() > 0) {
                throw new IllegalStateException(fired + " limits were called back before their time");
            }
            return TimeUnit.NANOSECONDS.toMillis(took);
        }
    }

    private static boolean check() throws InterruptedException {
        AtomicInteger early = new AtomicInteger();
        CountDownLatch due = new CountDownLatch(LIMITS / 100);
        try (WheelTimer timer = new WheelTimer()) {
            List<Runnable> armed = arm(timer, LIMITS, early);
            for (int i = 0; i < LIMITS / 100; i++) {
                timer.after(Duration.ofMillis(i), due::countDown);
            }
            boolean all = due.await(1, TimeUnit.MINUTES);
            armed.forEach(Runnable::run);
            boolean held = all && early.get() == 0;
            System.out.println(
                    held
                            ? "limits: those that were due were called back, and no others"
                            : "limits: " + due.getCount() + " that were due were not called back, and " + early
                                    + " others were");
            return held;
        }
    }

    private static void started(WheelTimer timer) throws InterruptedException {
        CountDownLatch ticking = new CountDownLatch(1);
        timer.after(Duration.ZERO, ticking::countDown);
        ticking.await();
    }

    private static List<Runnable> arm(WheelTimer timer, int limits, AtomicInteger fired) {
        List<Runnable> all = new ArrayList<>();
        long spread = LONGEST.minus(SHORTEST).toNanos();
        for (int i = 0; i < limits; i++) {
            Duration limit = SHORTEST.plusNanos(spread / LIMITS * i);
            all.add(timer.after(limit, fired::incrementAndGet));
        }
        return all;
    }
}
