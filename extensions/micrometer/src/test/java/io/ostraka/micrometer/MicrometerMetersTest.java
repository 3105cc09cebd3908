package io.ostraka.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.ostraka.api.AlarmKind;
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
import io.ostraka.api.metrics.Distribution;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.Status;
import io.ostraka.api.metrics.TaskMetrics;
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
                        "ostraka_leader gauge",
                        "ostraka_alarm gauge",
                        "ostraka_job_alarm gauge",
                        "ostraka_job_last_success_timestamp_seconds gauge",
                        "ostraka_job_failures_in_row gauge",
                        "ostraka_job_running_max_seconds gauge",
                        "ostraka_job_paused gauge",
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
    void tagsNameNoItemRunOrInstance() {
        runForAMinute();
        skipped(SkipReason.OVERLAPPED, 3);
        meters.on(new ItemTakenOver(CLAIM, CLAIM, FailoverReason.CRASHED, NOW));

        Set<String> names = registry.getMeters().stream()
                .flatMap(meter -> meter.getId().getTags().stream())
                .map(Tag::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(names).containsExactly("job", "kind", "namespace", "outcome", "pool", "reason");
    }

    private List<String> statusLines() {
        return registry.scrape()
                .lines()
                .filter(line -> line.matches("ostraka_(leader|alarm|job_).*"))
                .toList();
    }

    @Test
    void exportsEachFigureOfTheStatusUnderItsOwnName() {
        TaskMetrics tasks = new TaskMetrics(
                21,
                22,
                new Distribution(9, Duration.ofSeconds(9), Duration.ofMillis(2_500), Duration.ofSeconds(4)),
                23,
                24,
                25);
        meters.status(new Status(
                true,
                Map.of(
                        "settle", new Status.Hosted(Instant.ofEpochSecond(11), 12, Duration.ofSeconds(13), true, tasks),
                        "bill", new Status.Hosted(null, 0, Duration.ZERO, false, TaskMetrics.NONE)),
                Map.of(
                        "settle", new Status.Led(Instant.ofEpochSecond(14), Set.of(AlarmKind.MISSED)),
                        "bill", new Status.Led(null, Set.of())),
                Set.of(AlarmKind.HISTORY_LOST)));

        String ofSettle = "{job=\"settle\",namespace=\"orders\"} ";
        line("ostraka_leader{namespace=\"orders\"} 1.0");
        line("ostraka_alarm{kind=\"history_lost\",namespace=\"orders\"} 1.0");
        line("ostraka_job_last_success_timestamp_seconds" + ofSettle + "11.0");
        line("ostraka_job_failures_in_row" + ofSettle + "12.0");
        line("ostraka_job_running_max_seconds" + ofSettle + "13.0");
        line("ostraka_job_expected_timestamp_seconds" + ofSettle + "14.0");
        line("ostraka_job_paused" + ofSettle + "1.0");
        line("ostraka_job_paused{job=\"bill\",namespace=\"orders\"} 0.0");
        line("ostraka_job_tasks_waiting" + ofSettle + "21.0");
        line("ostraka_job_tasks_running" + ofSettle + "22.0");
        line("ostraka_job_tasks_p95_seconds" + ofSettle + "2.5");
        line("ostraka_job_tasks_p99_seconds" + ofSettle + "4.0");
        Map.of("succeeded", "23.0", "failed", "24.0", "cancelled", "25.0")
                .forEach((outcome, count) ->
                        line("ostraka_job_tasks_ended_total{job=\"settle\",namespace=\"orders\",outcome=\"" + outcome
                                + "\"} " + count));
        line("ostraka_job_alarm{job=\"settle\",kind=\"missed\",namespace=\"orders\"} 1.0");
        line("ostraka_job_alarm{job=\"settle\",kind=\"failing\",namespace=\"orders\"} 0.0");
        assertThat(statusLines())
                .as("values that are unknown, and tasks of a job without tasks")
                .noneMatch(line -> line.matches("ostraka_job_(last_success|expected|tasks).*bill.*"));
    }

    @Test
    void seriesVanishWithTheirValue() {
        Status.Hosted hosted = new Status.Hosted(NOW, 0, Duration.ZERO, false, TaskMetrics.NONE);
        meters.status(
                new Status(true, Map.of("settle", hosted), Map.of("settle", new Status.Led(NOW, Set.of())), Set.of()));
        assertThat(statusLines()).hasSize(1 + 1 + 4 + 1 + 9);

        meters.status(new Status(false, Map.of("settle", hosted), Map.of(), Set.of()));
        assertThat(statusLines()).as("another instance leads").hasSize(1 + 4);
        meters.status(new Status(false, Map.of(), Map.of(), Set.of()));
        assertThat(statusLines()).as("the job is not hosted").hasSize(1);
        meters.status(Status.NONE);
        assertThat(statusLines()).as("the instance is closed").isEmpty();
    }

    @Test
    void namespaceOfTheInstanceIsATagByDefault() {
        MicrometerMeters plain = new MicrometerMeters(registry);
        plain.started(context(() -> load(1)));
        plain.on(new RunFenced(CLAIM, "another has it", NOW));
        plain.status(new Status(false, Map.of(), Map.of(), Set.of()));

        line("ostraka_workers_active_threads{namespace=\"orders\"} 1.0");
        line("ostraka_job_fenced_total{job=\"settle\",namespace=\"orders\"} 1.0");
        line("ostraka_leader{namespace=\"orders\"} 0.0");
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
