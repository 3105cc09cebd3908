package io.ostraka.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.ostraka.api.FailoverReason;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.RetryPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.Claim;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.ItemClaimed;
import io.ostraka.api.event.ItemTakenOver;
import io.ostraka.api.event.ItemWaiting;
import io.ostraka.api.event.RunFenced;
import io.ostraka.api.event.SubscriberContext;
import io.ostraka.api.metrics.Load;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.placement.StickyBalancedStrategy;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.testkit.InMemoryCoordination;
import io.ostraka.testkit.ManualTime;
import io.ostraka.testkit.TestCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the metrics that a Prometheus server reads from an instance, on the real engine. */
class MicrometerMetersTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Claim CLAIM =
            new Claim("settle", "0", 1, "settle@1", NOW, false, 1, 1, 1, "nonce", 7, NOW, NOW, "host@1@s", NOW);

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MicrometerMeters meters = new MicrometerMeters(registry, Tags.of("namespace", "orders"));
    private final ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"), 0);
    private int runs;

    private void skipped(SkipReason reason, long fires) {
        meters.on(new FiresSkipped("settle", "0", 1, NOW, null, NOW, NOW, fires, reason, NOW, NOW, "host@1@s", NOW));
    }

    /** Runs a job that fires every ten seconds for a minute; its first run fails twice before it succeeds. */
    private void runForAMinute() {
        InMemoryCoordination tree = new InMemoryCoordination(time::now);
        Platform platform = time.platform(Duration.ZERO);
        StickyBalancedStrategy strategy = new StickyBalancedStrategy();
        JobEngine engine = new JobEngine(
                EngineSettings.of("host", 1),
                new TreeCoordination(
                        tree.connect("one", time.executor(), time.executor(), TestCluster.SESSION_TIMEOUT),
                        platform.clock()),
                platform,
                Extensions.of(Map.of(strategy.type(), strategy)).withSubscribers(List.of(meters)));
        engine.start();
        SimpleJob job = context -> {
            runs++;
            time.advance(Duration.ofMillis(250));
            if (runs <= 2) {
                throw new IllegalStateException("not yet");
            }
        };
        engine.register(
                job,
                JobConfiguration.newBuilder("settle", 1)
                        .schedule(Schedule.fixedRate(Duration.ofSeconds(10)))
                        .retry(RetryPolicy.attempts(3)
                                .backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1))
                                .jitter(0))
                        .build());
        time.advance(Duration.ofSeconds(65));
    }

    private String line(String beginning) {
        List<String> lines = registry.scrape()
                .lines()
                .filter(line -> line.startsWith(beginning))
                .toList();
        assertThat(lines).as(() -> beginning + " in\n" + registry.scrape()).hasSize(1);
        return lines.get(0);
    }

    @Test
    void recordsRunsInSecondsByJobAndOutcome() {
        runForAMinute();

        String tags = "{job=\"settle\",namespace=\"orders\",outcome=\"succeeded\"}";
        assertThat(line("ostraka_job_run_seconds_count" + tags)).endsWith(" 6");
        assertThat(line("ostraka_job_run_seconds_sum" + tags)).endsWith(" 2.0"); // eight attempts
        assertThat(line("ostraka_job_wait_seconds_count{")).endsWith(" 6");
        assertThat(line("ostraka_job_delay_seconds_count{")).endsWith(" 6");
        assertThat(line("ostraka_job_retries_total{job=\"settle\",namespace=\"orders\"}"))
                .endsWith(" 2.0");
    }

    @Test
    void exportsSlotsThreadsAndExecutorsAsGaugesWithUnits() {
        runForAMinute();

        assertThat(line("ostraka_slots_size_runs{namespace=\"orders\",pool=\"quick\"}"))
                .endsWith(" 256.0");
        assertThat(line("ostraka_slots_taken_max_runs{namespace=\"orders\",pool=\"quick\"}"))
                .endsWith(" 1.0");
        assertThat(line("ostraka_slots_completed_runs_total{namespace=\"orders\",pool=\"quick\"}"))
                .as("slots freed, also in each retry pause")
                .endsWith(" 8.0");
        assertThat(line("ostraka_workers_active_threads{")).endsWith(" 0.0");
        assertThat(line("ostraka_workers_active_max_threads{"))
                .as("the thread of the run and that of these meters")
                .endsWith(" 2.0");
        assertThat(line("ostraka_workers_completed_tasks_total{")).doesNotEndWith(" 0.0");
        assertThat(line("ostraka_serial_executors_queued_tasks{")).endsWith(" 0.0");
        assertThat(line("ostraka_serial_executors_queued_max_tasks{")).doesNotEndWith(" 0.0");
        assertThat(line("ostraka_serial_executors_completed_tasks_total{")).doesNotEndWith(" 0.0");
    }

    /** Dashboards use these names, so a removed or changed name breaks them. */
    @Test
    void exportsExactlyTheseNames() {
        runForAMinute();
        skipped(SkipReason.OVERLAPPED, 1);
        meters.on(new ItemTakenOver(CLAIM, CLAIM, FailoverReason.CRASHED, NOW));
        meters.on(new RunFenced(CLAIM, "another has it", NOW));
        meters.on(new ItemClaimed(CLAIM, NOW, true, NOW));
        meters.on(new ItemWaiting("settle", "0", "settle@1", "host@1@s", NOW));

        assertThat(registry.scrape()
                        .lines()
                        .filter(line -> line.startsWith("# TYPE "))
                        .map(line -> line.substring("# TYPE ".length())))
                .containsExactlyInAnyOrder(
                        "ostraka_job_run_seconds summary",
                        "ostraka_job_run_seconds_max gauge",
                        "ostraka_job_wait_seconds summary",
                        "ostraka_job_wait_seconds_max gauge",
                        "ostraka_job_delay_seconds summary",
                        "ostraka_job_delay_seconds_max gauge",
                        "ostraka_job_retries_total counter",
                        "ostraka_job_fenced_total counter",
                        "ostraka_job_misfires_total counter",
                        "ostraka_job_slot_waits_total counter",
                        "ostraka_job_skips_total counter",
                        "ostraka_job_failovers_total counter",
                        "ostraka_slots_size_runs gauge",
                        "ostraka_slots_taken_runs gauge",
                        "ostraka_slots_taken_max_runs gauge",
                        "ostraka_slots_waiting_requests gauge",
                        "ostraka_slots_completed_runs_total counter",
                        "ostraka_workers_active_threads gauge",
                        "ostraka_workers_active_max_threads gauge",
                        "ostraka_workers_completed_tasks_total counter",
                        "ostraka_workers_pool_size_threads gauge",
                        "ostraka_workers_pool_size_max_threads gauge",
                        "ostraka_serial_executors_active_executors gauge",
                        "ostraka_serial_executors_queued_tasks gauge",
                        "ostraka_serial_executors_queued_max_tasks gauge",
                        "ostraka_serial_executors_completed_tasks_total counter",
                        "ostraka_engine_threads_active_threads gauge",
                        "ostraka_engine_threads_queued_turns gauge",
                        "ostraka_engine_threads_completed_turns_total counter",
                        "ostraka_engine_threads_pool_size_threads gauge",
                        "ostraka_engine_threads_pool_size_max_threads gauge",
                        "ostraka_events_waiting_events gauge",
                        "ostraka_events_dropped_events_total counter");
    }

    /** Exports a load whose figures all differ. */
    @Test
    void exportsEachFigureUnderItsOwnName() {
        meters.started(context(() -> new Load(
                Map.of(
                        "quick", new Load.Slots(11, 12, 13, 14, 15),
                        "slow", new Load.Slots(21, 22, 23, 24, 25),
                        "tasks", new Load.Slots(31, 32, 33, 34, 35)),
                new Load.Workers(41, 42, 43, 44, 45),
                new Load.SerialExecutors(51, 52, 53, 54),
                new Load.Pool(61, 62, 63, 64, 65),
                new Load.Events(71, 72))));

        Map<String, String> pools = Map.of("quick", "1", "slow", "2", "tasks", "3");
        pools.forEach((pool, tens) -> {
            String tags = "{namespace=\"orders\",pool=\"" + pool + "\"} " + tens;
            line("ostraka_slots_size_runs" + tags + "1.0");
            line("ostraka_slots_taken_runs" + tags + "2.0");
            line("ostraka_slots_taken_max_runs" + tags + "3.0");
            line("ostraka_slots_waiting_requests" + tags + "4.0");
            line("ostraka_slots_completed_runs_total" + tags + "5.0");
        });
        String tags = "{namespace=\"orders\"} ";
        line("ostraka_workers_active_threads" + tags + "41.0");
        line("ostraka_workers_active_max_threads" + tags + "42.0");
        line("ostraka_workers_completed_tasks_total" + tags + "43.0");
        line("ostraka_workers_pool_size_threads" + tags + "44.0");
        line("ostraka_workers_pool_size_max_threads" + tags + "45.0");
        line("ostraka_serial_executors_active_executors" + tags + "51.0");
        line("ostraka_serial_executors_queued_tasks" + tags + "52.0");
        line("ostraka_serial_executors_queued_max_tasks" + tags + "53.0");
        line("ostraka_serial_executors_completed_tasks_total" + tags + "54.0");
        line("ostraka_engine_threads_active_threads" + tags + "61.0");
        line("ostraka_engine_threads_queued_turns" + tags + "62.0");
        line("ostraka_engine_threads_completed_turns_total" + tags + "63.0");
        line("ostraka_engine_threads_pool_size_threads" + tags + "64.0");
        line("ostraka_engine_threads_pool_size_max_threads" + tags + "65.0");
        line("ostraka_events_waiting_events" + tags + "71.0");
        line("ostraka_events_dropped_events_total" + tags + "72.0");
    }

    @Test
    void countsSkipsAndFailoversByReason() {
        skipped(SkipReason.ITEM_COUNT_CHANGED, 7);
        skipped(SkipReason.OVERLAPPED, 1);
        meters.on(new ItemTakenOver(CLAIM, CLAIM, FailoverReason.HANDED_OVER, NOW));
        meters.on(new RunFenced(CLAIM, "another has it", NOW));
        meters.on(new ItemClaimed(CLAIM, NOW, true, NOW));

        assertThat(line("ostraka_job_skips_total{job=\"settle\",namespace=\"orders\",reason=\"item_count_changed\"}"))
                .endsWith(" 7.0");
        assertThat(line("ostraka_job_failovers_total{job=\"settle\",namespace=\"orders\",reason=\"handed_over\"}"))
                .endsWith(" 1.0");
        assertThat(line("ostraka_job_fenced_total{")).endsWith(" 1.0");
        assertThat(line("ostraka_job_misfires_total{")).endsWith(" 1.0");
    }

    @Test
    void registryConfiguresPercentiles() {
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                return id.getName().startsWith("ostraka.job")
                        ? DistributionStatisticConfig.builder()
                                .percentilesHistogram(true)
                                .build()
                                .merge(config)
                        : config;
            }
        });
        runForAMinute();

        assertThat(registry.scrape()).contains("ostraka_job_run_seconds_bucket{job=\"settle\"");
    }

    /**
     * Guards against a separate time series for each item, run or instance, because so many series overload a
     * monitoring system.
     */
    @Test
    void tagsAreOnlyJobOutcomeReasonAndPool() {
        runForAMinute();
        skipped(SkipReason.OVERLAPPED, 3);
        meters.on(new ItemTakenOver(CLAIM, CLAIM, FailoverReason.CRASHED, NOW));

        Set<String> names = registry.getMeters().stream()
                .flatMap(meter -> meter.getId().getTags().stream())
                .map(Tag::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(names).containsExactly("job", "namespace", "outcome", "pool", "reason");
    }

    /** An application context that stops and starts again has the same meters, but a new instance. */
    @Test
    void gaugesShowTheInstanceThatWasStartedLast() {
        meters.started(context(() -> load(1)));
        meters.started(context(() -> load(2)));

        assertThat(line("ostraka_workers_active_threads{")).endsWith(" 2.0");
    }

    private static Load load(int activeWorkers) {
        return new Load(
                Map.of(),
                new Load.Workers(activeWorkers, 0, 0, 0, 0),
                new Load.SerialExecutors(0, 0, 0, 0),
                new Load.Pool(0, 0, 0, 0, 0),
                new Load.Events(0, 0));
    }

    private static SubscriberContext context(Supplier<Load> load) {
        return new SubscriberContext() {
            @Override
            public String namespace() {
                return "orders";
            }

            @Override
            public Load load() {
                return load.get();
            }

            @Override
            public void problem(@Nullable String text) {
                throw new AssertionError(text);
            }
        };
    }
}
