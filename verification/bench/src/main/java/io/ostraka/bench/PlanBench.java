package io.ostraka.bench;

import io.ostraka.api.JobRouter;
import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.placement.BuiltInStrategies;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The program behind {@code bin/bench --plans}. It measures the computation of a plan of the largest size, 100,000
 * items on 1,000 instances, with a heap of 512 MiB. It does so for each strategy that assigns items.
 */
public final class PlanBench {
    private PlanBench() {}

    /** Runs the bench. With the argument {@code --check} it plans only a few items, in this process. */
    public static void main(String[] arguments) throws RunnerException {
        System.setProperty("jmh.ignoreLock", "true"); // JMH locks the whole machine, and the lock survives a killed run
        boolean check = arguments.length > 0 && arguments[0].equals("--check");
        List<String> strategies = BuiltInStrategies.all().values().stream()
                .filter(strategy -> !(strategy instanceof JobRouter))
                .map(strategy -> strategy.type())
                .sorted()
                .toList();
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(PlanBenchmark.class.getName())
                .param("strategy", strategies.toArray(String[]::new))
                .shouldFailOnError(true)
                .timeout(TimeValue.minutes(5));
        if (check) {
            options.forks(0)
                    .warmupIterations(0)
                    .measurementIterations(1)
                    .param("instances", "10")
                    .param("items", "1000")
                    .verbosity(VerboseMode.SILENT);
        } else {
            options.forks(1).jvmArgs("-Xmx512m").warmupIterations(10).measurementIterations(15);
        }
        Collection<RunResult> results = new Runner(options.build()).run();
        if (check) {
            System.out.println("plans: all items are placed by " + strategies);
        } else {
            print(results, strategies);
        }
    }

    private static void print(Collection<RunResult> results, List<String> strategies) {
        System.out.println("| strategy | first plan, ms | after a departure, ms | after a join, ms | moved by these"
                + " | most and fewest items |");
        System.out.println("|---|---|---|---|---|---|");
        for (String strategy : strategies) {
            PlanBenchmark benchmark = new PlanBenchmark();
            benchmark.strategy = strategy;
            benchmark.instances = 1_000;
            benchmark.items = 100_000;
            benchmark.plan();
            ShardingPlan plan = benchmark.first();
            var counts = plan.items().values().stream().mapToInt(List::size).summaryStatistics();
            System.out.printf(
                    Locale.ROOT,
                    "| `%s` | %.0f | %.0f | %.0f | %d, %d | %d, %d |%n",
                    strategy,
                    median(results, strategy, "first"),
                    median(results, strategy, "departure"),
                    median(results, strategy, "join"),
                    benchmark.moved(benchmark.departure()),
                    benchmark.moved(benchmark.join()),
                    counts.getMax(),
                    counts.getMin());
        }
    }

    private static double median(Collection<RunResult> results, String strategy, String situation) {
        return results.stream()
                .filter(result -> result.getParams().getParam("strategy").equals(strategy)
                        && result.getParams().getBenchmark().endsWith('.' + situation))
                .mapToDouble(result -> result.getPrimaryResult().getStatistics().getPercentile(50))
                .findFirst()
                .orElseThrow();
    }
}
