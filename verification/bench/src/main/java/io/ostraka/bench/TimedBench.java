package io.ostraka.bench;

import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * The program behind {@code bin/bench --delay}. It measures the delays of fires, alternately with this library
 * (coordinated in memory) and with Quartz alone. Both use the same number of threads and the same job body. The last
 * line of output contains the figures.
 */
public final class TimedBench {
    /** The participants. */
    private enum Entrant {
        OSTRAKA("Ostraka", TimedOstraka.class),
        QUARTZ("Quartz alone", TimedQuartz.class);

        final String text;
        final Class<? extends TimedScheduler> scheduler;

        Entrant(String text, Class<? extends TimedScheduler> scheduler) {
            this.text = text;
            this.scheduler = scheduler;
        }
    }

    /** Distribution of the jobs' fires within a second, and number of threads. */
    private enum Shape {
        FEW_THREADS("at the same instant of each second, 10 threads", 0, 10),
        /** The number of threads is the default number of items that an instance runs at the same time. */
        MANY_THREADS("at the same instant of each second, 256 threads", 0, 256),
        SPREAD("each at a millisecond of its own, 10 threads", 1, 10);

        final String text;
        final int apartMillis;
        final int threads;

        Shape(String text, int apartMillis, int threads) {
            this.text = text;
            this.apartMillis = apartMillis;
            this.threads = threads;
        }
    }

    /**
     * The size of a run.
     *
     * @param warmUp duration of the warm-up in seconds
     * @param measured duration of the measurement in seconds
     * @param rounds number of rounds with each entrant
     */
    record Size(List<Shape> shapes, int jobs, int warmUp, int measured, int rounds) {
        static final Size FULL = new Size(List.of(Shape.values()), 1000, 30, 30, 3);
        static final Size CHECK = new Size(List.of(Shape.FEW_THREADS), 1000, 3, 5, 1);
    }

    private final Size size;
    private final PrintStream out;

    private TimedBench(Size size, PrintStream out) {
        this.size = size;
        this.out = out;
    }

    /** Runs the bench with the argument {@code --delay} or {@code --check}. */
    public static void main(String[] arguments) throws Exception {
        boolean check = arguments[0].equals("--check");
        System.exit(new TimedBench(check ? Size.CHECK : Size.FULL, System.out).run() ? 0 : 1);
    }

    /** Returns whether every fire ran exactly once. */
    private boolean run() throws IOException {
        boolean complete = true;
        List<String> figures = new ArrayList<>();
        for (Shape shape : size.shapes) {
            out.printf(
                    Locale.ROOT,
                    "%n%d jobs every second, %s; measured for %d s%n%-14s %10s %10s %6s %8s %8s %8s %8s %8s%n",
                    size.jobs,
                    shape.text,
                    size.measured,
                    "start delay, ms",
                    "due",
                    "run",
                    "twice",
                    "p50",
                    "p95",
                    "p99",
                    "max",
                    "CPU us");
            List<Long> own = new ArrayList<>();
            List<Long> other = new ArrayList<>();
            for (int round = 0; round < size.rounds; round++) {
                List<Entrant> order = new ArrayList<>(Arrays.asList(Entrant.values()));
                if (round % 2 == 1) {
                    Collections.reverse(order);
                }
                for (Entrant entrant : order) {
                    Punctuality one = time(entrant, shape);
                    row(entrant, one);
                    (entrant == Entrant.OSTRAKA ? own : other).add(one.median());
                    complete &= one.complete();
                }
            }
            String figure = String.format(
                    Locale.ROOT, "%s p50 %.2f ms, Quartz alone %.2f ms", shape.text, mean(own), mean(other));
            figures.add(
                    shape == Shape.SPREAD
                            ? figure // no ratio, because Quartz sometimes fires too early
                            : figure + String.format(Locale.ROOT, ", ratio %.2f", mean(own) / mean(other)));
        }
        out.println("figures: " + String.join("; ", figures));
        return complete;
    }

    private Punctuality time(Entrant entrant, Shape shape) throws IOException {
        Program program = Jvm.MEASURED
                .program(TimedProcess.class)
                .arguments(entrant.scheduler.getName(), size.jobs, shape.threads, shape.apartMillis)
                .arguments(size.warmUp, size.measured)
                .errors(Redirect.INHERIT);
        try (RunningProgram process = program.start()) {
            return Punctuality.parse(process.readUntil(""));
        }
    }

    private void row(Entrant entrant, Punctuality one) {
        out.printf(
                Locale.ROOT,
                "%-14s %11d %10d %6d %8.2f %8.2f %8.2f %8.2f %8d%n",
                entrant.text,
                one.due(),
                one.run(),
                one.twice(),
                one.median() / 1000.0,
                one.p95() / 1000.0,
                one.p99() / 1000.0,
                one.longest() / 1000.0,
                one.cpu());
    }

    /** Returns the mean in milliseconds. */
    private static double mean(List<Long> micros) {
        return micros.stream().mapToLong(Long::longValue).average().orElse(Double.NaN) / 1000;
    }
}
