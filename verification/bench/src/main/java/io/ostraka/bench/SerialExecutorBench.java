package io.ostraka.bench;

import java.util.Collection;
import java.util.Locale;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The program behind {@code bin/bench --executors}. It measures the time that serial executors need to keep the order
 * of tasks, in comparison with a plain thread pool.
 */
public final class SerialExecutorBench {
    private static final String POOL = "pool";

    private SerialExecutorBench() {}

    /**
     * Runs the bench. With the argument {@code --check} it runs a few tasks in this process, and checks only their
     * order and number.
     */
    public static void main(String[] arguments) throws RunnerException {
        System.setProperty("jmh.ignoreLock", "true"); // JMH locks the whole machine, and the lock survives a killed run
        boolean check = arguments.length > 0 && arguments[0].equals("--check");
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(SerialExecutorBenchmark.class.getName())
                .shouldFailOnError(true)
                .timeout(TimeValue.minutes(5));
        if (check) {
            options.forks(0)
                    .warmupIterations(0)
                    .measurementIterations(3)
                    .param("executors", "1000")
                    .param("tasks", "100000")
                    .verbosity(VerboseMode.SILENT);
        } else {
            options.forks(2).warmupIterations(8).measurementIterations(12);
        }
        Collection<RunResult> results = new Runner(options.build()).run();
        if (check) {
            System.out.println("executors: order and number of tasks are right");
        } else {
            double pool = median(results, POOL);
            results.forEach(result -> System.out.printf(
                    Locale.ROOT,
                    "%-13s median %6.1f ms, %.2f of the bare pool%n",
                    name(result),
                    median(result),
                    median(result) / pool));
        }
    }

    private static String name(RunResult result) {
        String benchmark = result.getParams().getBenchmark();
        return benchmark.substring(benchmark.lastIndexOf('.') + 1);
    }

    private static double median(RunResult result) {
        return result.getPrimaryResult().getStatistics().getPercentile(50);
    }

    private static double median(Collection<RunResult> results, String name) {
        return results.stream()
                .filter(result -> name(result).equals(name))
                .mapToDouble(SerialExecutorBench::median)
                .findFirst()
                .orElseThrow();
    }
}
