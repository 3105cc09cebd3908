package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.DataflowJob;
import io.ostraka.api.HttpJob;
import io.ostraka.api.InstanceState;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobDefinition;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobRun;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.Schedule;
import io.ostraka.api.ScriptJob;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.ExpectedErrors;
import io.ostraka.fixtures.net.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Tag("smoke")
@ExpectedErrors("job 'by-hand' item 1")
class ZooKeeperRegistryTest {
    @TempDir
    Path directory;

    @JobDefinition(name = "annotated", shardingTotalCount = 4, fixedRateMillis = 100)
    private static final class Annotated implements SimpleJob {
        final CountDownLatch runs = new CountDownLatch(40);
        final Set<String> seen = ConcurrentHashMap.newKeySet();
        final Set<String> twice = ConcurrentHashMap.newKeySet();

        @Override
        public void execute(ShardingContext context) {
            context.checkOwnership();
            String run = context.runId() + "/" + context.shardingItem();
            if (!seen.add(run)) {
                twice.add(run);
            }
            runs.countDown();
        }
    }

    @Test
    void twoInstancesShareItemsOfAnnotatedJob() throws Exception {
        try (ZooKeeperRegistry first = ZooKeeperRegistry.embedded(directory);
                ZooKeeperRegistry second = ZooKeeperRegistry.connect(first.servers(), "ostraka")) {
            Annotated job = new Annotated();
            new ScheduleJobBootstrap(first, job).schedule();
            new ScheduleJobBootstrap(second, job).schedule();

            assertThat(job.runs.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(job.twice).isEmpty();
        }
    }

    @Test
    void endlessStreamFollowsOperatorsBetweenTwoBatches() throws Exception {
        BlockingQueue<String> batches = new SynchronousQueue<>();
        DataflowJob<Integer> endless = new DataflowJob<>() {
            @Override
            public List<Integer> fetchData(ShardingContext context) {
                return List.of(1);
            }

            @Override
            public void processData(ShardingContext context, List<Integer> data) throws Exception {
                batches.offer(
                        context.shardingItem() + " of " + context.shardingTotalCount(), 10, TimeUnit.MILLISECONDS);
            }
        };
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.embedded(directory)) {
            registry.schedule(
                    endless,
                    JobConfiguration.newBuilder("endless", 1)
                            .schedule(Schedule.fixedRate(Duration.ofMillis(100)))
                            .streaming(true)
                            .build());
            assertThat(batches.take()).isEqualTo("0 of 1");
            registry.operations()
                    .execute(
                            new Command.SetOverride("endless", Map.of("shardingTotalCount", 2), null),
                            CommandOptions.by("ann"));
            while (!batches.take().equals("1 of 2")) {
                // batches of the old item count
            }

            registry.operations().execute(new Command.Freeze(null), CommandOptions.by("ann"));
            Eventually.holds(
                    "no running item",
                    () -> registry.operations()
                                    .activity(List.of("endless"))
                                    .get(0)
                                    .running()
                            == 0);
        }
    }

    @Test
    void triggerReportsOutcomeOfEveryItem() throws Exception {
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.embedded(directory)) {
            OneOffJobBootstrap job = new OneOffJobBootstrap(
                    registry,
                    (SimpleJob) context -> {
                        byte[] before = context.checkpoint().orElse(new byte[0]);
                        context.saveCheckpoint(new byte[] {(byte) (before.length + 1)});
                        if (context.triggerParameters().get("fail").equals("" + context.shardingItem())) {
                            throw new IllegalArgumentException("on purpose");
                        }
                    },
                    JobConfiguration.newBuilder("by-hand", 3).build());
            JobRun run = job.execute(Map.of("fail", "1"));

            assertThat(run.await(Duration.ofSeconds(60)))
                    .containsOnly(
                            Map.entry("0", ItemOutcome.SUCCEEDED),
                            Map.entry("1", ItemOutcome.FAILED),
                            Map.entry("2", ItemOutcome.SUCCEEDED));
            assertThat(registry.operations().explain("by-hand", "1"))
                    .isEqualTo("item 1 of job 'by-hand' is on "
                            + registry.instanceId().orElseThrow()
                            + ": the job's strategy placed it there and keeps it");
            assertThat(registry.operations().explain("by-hand", "3")).contains("is not one of its items");
            assertThatThrownBy(() -> registry.operations().explain("unknown", "1"))
                    .isInstanceOf(CoordinationException.class)
                    .hasMessageContaining("job 'unknown' is not registered");
            assertThatThrownBy(() -> registry.operations().explain("by-hand", "../1"))
                    .isInstanceOf(JobConfigurationException.class);
        }
    }

    @Test
    void delayedTriggersWithSameKeyAreMerged() throws Exception {
        Set<String> runs = ConcurrentHashMap.newKeySet();
        try (ZooKeeperRegistry first = ZooKeeperRegistry.embedded(directory);
                ZooKeeperRegistry second = ZooKeeperRegistry.connect(first.servers(), "ostraka")) {
            OneOffJobBootstrap job = new OneOffJobBootstrap(
                    first,
                    (SimpleJob) context -> runs.add(context.runId() + context.triggerParameters()),
                    JobConfiguration.newBuilder("later", 2).build());
            Duration delay = Duration.ofSeconds(1);
            JobRun run = job.handle()
                    .triggerAfter("customer 4711/ü", delay, Map.of("n", "1"))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            JobRun merged = second.triggerAfter("later", "customer 4711/ü", delay, Map.of("n", "2"))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            JobRun own = job.handle()
                    .triggerAfter(Duration.ZERO, Map.of("n", "3"))
                    .toCompletableFuture()
                    .get(60, TimeUnit.SECONDS);
            run.await(Duration.ofSeconds(60));
            merged.await(Duration.ofSeconds(60));
            own.await(Duration.ofSeconds(60));

            // on a slow machine the first request may have become a trigger before the second request arrived to be
            // merged
            assertThat(runs).contains(run.runId() + "{n=1}", own.runId() + "{n=3}");
            assertThat(runs.contains(merged.runId() + "{n=2}"))
                    .isEqualTo(!merged.runId().equals(run.runId()));
            assertThat(runs).hasSize(merged.runId().equals(run.runId()) ? 2 : 3);
        }
    }

    @Test
    void newRegistryContinuesJobOfClosedRegistry() throws Exception {
        CountDownLatch once = new CountDownLatch(1);
        CountDownLatch again = new CountDownLatch(1);
        JobConfiguration configuration = JobConfiguration.newBuilder("lasting", 1)
                .schedule(Schedule.fixedRate(Duration.ofMillis(100)))
                .build();
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.embedded(directory)) {
            new ScheduleJobBootstrap(registry, (SimpleJob) context -> once.countDown(), configuration).schedule();
            assertThat(once.await(60, TimeUnit.SECONDS)).isTrue();
        }
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.embedded(directory)) {
            new ScheduleJobBootstrap(registry, (SimpleJob) context -> again.countDown(), configuration).schedule();
            assertThat(again.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Disables one of two instances, then both of them by their host, and then neither. Finally drains one of them. */
    @Test
    void disabledOrDrainedInstancesTakeItemsAgainLater() throws Exception {
        try (ZooKeeperRegistry first = ZooKeeperRegistry.embedded(directory);
                ZooKeeperRegistry second = ZooKeeperRegistry.connect(first.servers(), "ostraka")) {
            Map<Integer, String> owners = new ConcurrentHashMap<>();
            SimpleJob job = context -> owners.put(context.shardingItem(), context.instanceId());
            JobConfiguration configuration =
                    JobConfiguration.newBuilder("placed", 4).build();
            OneOffJobBootstrap bootstrap = new OneOffJobBootstrap(first, job, configuration);
            new OneOffJobBootstrap(second, job, configuration);
            awaitOwners(bootstrap, owners, 2);
            String one = first.instanceId().orElseThrow();
            String other = second.instanceId().orElseThrow();

            Operator.execute(second, new Command.DisableInstance("placed", other));
            awaitOwners(bootstrap, owners, 1);
            assertThat(owners.values()).containsOnly(one);
            assertThatThrownBy(() -> Operator.execute(first, new Command.DisableInstance("placed", "a/b")))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContainingAll("placed", "disabledInstances", "a/b", "name@pid@session");
            Operator.execute(
                    first,
                    new Command.DisableInstance(
                            "placed", first.instanceName())); // the host name, because it is the host's first instance
            String everywhere = "every eligible instance is disabled by an operator";
            awaitTrue(() -> first.operations().explain("placed", "3").endsWith(everywhere));
            JobRun waiting = bootstrap.execute();
            awaitTrue(() -> first.health()
                    .jobs()
                    .get("placed")
                    .reason(JobHealth.Kind.UNPLACED_ITEMS)
                    .filter(reason -> reason.text().endsWith(everywhere))
                    .isPresent());
            assertThat(waiting.completion().toCompletableFuture()).isNotDone();
            Operator.execute(first, new Command.EnableInstance("placed", first.instanceName()));
            assertThat(waiting.await(Duration.ofSeconds(60))).hasSize(4);
            Operator.execute(first, new Command.EnableInstance("placed", other));
            awaitOwners(bootstrap, owners, 2);

            second.drain();
            assertThat(second.health().state()).isEqualTo(InstanceState.DRAINING);
            awaitOwners(bootstrap, owners, 1);
            assertThat(owners.values()).containsOnly(one);
            second.undrain();
            awaitOwners(bootstrap, owners, 2);
            assertThat(second.health().good()).isTrue();
        }
    }

    /** Triggers the job until its items run on the given number of instances. */
    private static void awaitOwners(OneOffJobBootstrap job, Map<Integer, String> owners, int count) throws Exception {
        awaitTrue(() -> {
            owners.clear();
            job.execute().await(Duration.ofSeconds(60));
            return Set.copyOf(owners.values()).size() == count;
        });
    }

    private static void awaitTrue(Callable<Boolean> condition) throws Exception {
        long startNanos = System.nanoTime();
        while (!condition.call()) {
            assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(Duration.ofSeconds(60));
        }
    }

    @Test
    void operatorMayCallBeforeConnectionExists() throws Exception {
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.embedded(directory)) {
            CountDownLatch registered = new CountDownLatch(1);
            JobConfiguration job = JobConfiguration.newBuilder("operated", 1)
                    .schedule(Schedule.fixedRate(Duration.ofMillis(100)))
                    .build();
            new ScheduleJobBootstrap(registry, (SimpleJob) context -> registered.countDown(), job).schedule();
            registered.await();
            try (ZooKeeperRegistry operator = ZooKeeperRegistry.connect(registry.servers(), "ostraka")) {
                Operator.execute(operator, new Command.Resume("operated"));
            }
            assertThatThrownBy(() -> Operator.execute(registry, new Command.Pause("no/name")))
                    .isInstanceOf(JobConfigurationException.class);
        }
    }

    @Test
    void operatorCallFailsWithoutServer() throws IOException {
        int unusedPort = Ports.free();
        try (ZooKeeperRegistry operator = ZooKeeperRegistry.newBuilder("127.0.0.1:" + unusedPort, "ostraka")
                .operationTimeout(Duration.ofMillis(200))
                .connect()) {
            assertThatThrownBy(() -> Operator.execute(operator, new Command.Pause("unknown")))
                    .isInstanceOf(CoordinationException.class)
                    .hasMessageContainingAll("unknown", "127.0.0.1:" + unusedPort, "PT0.2S");
        }
    }

    /** The calls fail at once, because {@link RegistryBuilder#operationTimeout} limits only waits for ZooKeeper. */
    @Test
    void closedRegistryRejectsEveryCall() {
        ZooKeeperRegistry registry = ZooKeeperRegistry.embedded(directory);
        SimpleJob job = context -> {};
        JobConfiguration byHand = JobConfiguration.newBuilder("by-hand", 1).build();
        OneOffJobBootstrap bootstrap = new OneOffJobBootstrap(registry, job, byHand);
        registry.close();

        Map<String, ThrowingCallable> verbs = new LinkedHashMap<>();
        verbs.put("pause", () -> Operator.execute(registry, new Command.Pause("by-hand")));
        verbs.put("resume", () -> Operator.execute(registry, new Command.Resume("by-hand")));
        verbs.put("disableItem", () -> Operator.execute(registry, new Command.DisableItem("by-hand", "0")));
        verbs.put("enableItem", () -> Operator.execute(registry, new Command.EnableItem("by-hand", "0")));
        verbs.put("disableInstance", () -> Operator.execute(registry, new Command.DisableInstance("by-hand", "host")));
        verbs.put("enableInstance", () -> Operator.execute(registry, new Command.EnableInstance("by-hand", "host")));
        verbs.put("releaseItem", () -> Operator.execute(registry, new Command.ReleaseItem("by-hand", "0")));
        verbs.put("items", () -> registry.operations().items("by-hand", Set.of()));
        verbs.put("explain", () -> registry.operations().explain("by-hand", "0"));
        verbs.put("overrideShardingTotalCount", () -> Operator.override(registry, "by-hand", "shardingTotalCount", 2));
        verbs.put("overrideSchedule", () -> Operator.override(registry, "by-hand", "schedule", null));
        verbs.put("overrideJobParameter", () -> Operator.override(registry, "by-hand", "jobParameter", null));
        verbs.put("trigger", () -> registry.trigger("by-hand", Map.of()));
        verbs.put("triggerAfter", () -> registry.triggerAfter("by-hand", Duration.ZERO, Map.of()));
        verbs.put("execute", bootstrap::execute);
        verbs.put("remove", () -> Operator.execute(registry, new Command.Remove("by-hand")));
        verbs.put("purge", () -> Operator.execute(registry, new Command.Purge("by-hand")));
        verbs.put("drain", registry::drain);
        verbs.put("undrain", registry::undrain);
        verbs.put("register", () -> new OneOffJobBootstrap(registry, job, byHand));
        verbs.forEach((verb, call) -> assertThatThrownBy(call)
                .as(verb)
                .isInstanceOf(CoordinationException.class)
                .hasMessageContaining("this registry is closed"));
    }

    @Test
    void scheduleBootstrapRejectsJobWithoutSchedule() {
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.embedded(directory)) {
            JobConfiguration byHand = JobConfiguration.newBuilder("by-hand", 1).build();
            assertThatThrownBy(() -> new ScheduleJobBootstrap(registry, (SimpleJob) context -> {}, byHand))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContainingAll("by-hand", "schedule", "OneOffJobBootstrap");
        }
    }

    @Test
    void rejectsJobHostedTwiceAndUnreadableSchedule() {
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.embedded(directory)) {
            JobConfiguration configuration = JobConfiguration.newBuilder("one", 1)
                    .schedule(Schedule.fixedRate(Duration.ofHours(1)))
                    .build();
            SimpleJob job = context -> {};
            new ScheduleJobBootstrap(registry, job, configuration).schedule();

            assertThatThrownBy(() -> new ScheduleJobBootstrap(registry, job, configuration).schedule())
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContaining("one");
            JobConfiguration.Builder unreadable =
                    JobConfiguration.newBuilder("other", 1).schedule(Schedule.cron("every now and then"));
            assertThatThrownBy(unreadable::build)
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContainingAll("other", "schedule", "every now and then");
        }
    }

    @Test
    void rejectsScriptHttpJobAndWebhookUntilConfigured() {
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.embedded(directory)) {
            JobConfiguration job = JobConfiguration.newBuilder("refused", 1).build();
            ScriptJob script = ScriptJob.command("true").build();
            HttpJob request =
                    HttpJob.request("GET", URI.create("https://billing.test/")).build();

            assertThatThrownBy(() -> new OneOffJobBootstrap(registry, script, job))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContaining("allowScriptJobs()");
            assertThatThrownBy(() -> new OneOffJobBootstrap(registry, request, job))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContaining("allowHttpJobs(…)");
            SimpleJob simple = context -> {};
            JobConfiguration withWebhook =
                    job.toBuilder().errorHandler("WEBHOOK").build();
            assertThatThrownBy(() -> new OneOffJobBootstrap(registry, simple, withWebhook))
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContaining("webhook(…)");
        }
    }

    /**
     * The builder calls {@code needs()} on the caller's thread. If the call throws, the builder ends the threads that
     * it has started.
     */
    @Test
    void rejectsStrategyWhoseNeedsThrowAndLeavesNoThread() throws Exception {
        JobShardingStrategy strategy = new JobShardingStrategy() {
            @Override
            public String type() {
                return "SHY";
            }

            @Override
            public Map<String, List<String>> shard(Request request) {
                return Map.of();
            }

            @Override
            public Set<Need> needs() {
                throw new IllegalStateException("on purpose");
            }
        };
        RegistryBuilder builder =
                ZooKeeperRegistry.newBuilder("127.0.0.1:1", "shy").shardingStrategy(strategy);

        assertThatThrownBy(builder::connect)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("'SHY'", "needs()", "on purpose");
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("ostraka-zk-shy")) {
                thread.join(Duration.ofSeconds(60).toMillis());
                assertThat(thread.isAlive()).isFalse();
            }
        }
    }

    /** The webhook receives the failures of a script and of a request. */
    @Test
    void webhookReceivesFailures() throws Exception {
        BlockingQueue<String> reports = new LinkedBlockingQueue<>();
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/failures", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            reports.add(exchange.getRequestHeaders().getFirst("Ostraka-Signature") + " " + body);
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.createContext("/settle", exchange -> {
            exchange.sendResponseHeaders(418, -1);
            exchange.close();
        });
        server.start();
        String host = "localhost:" + server.getAddress().getPort();
        try (TestingServer zooKeeper = TestingServers.start(directory);
                ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(zooKeeper.getConnectString(), "failing")
                        .allowScriptJobs()
                        .allowHttpJobs(host)
                        .allowPrivateHosts(host)
                        .webhook(URI.create("http://" + host + "/failures"), "hunter2"::toCharArray)
                        .connect()) {
            new OneOffJobBootstrap(
                            registry,
                            ScriptJob.command("sh", "-c", "echo out of stock; exit 3")
                                    .build(),
                            JobConfiguration.newBuilder("script", 1)
                                    .errorHandler("WEBHOOK")
                                    .build())
                    .execute();
            assertThat(reports.take())
                    .startsWith("sha256=")
                    .contains("\"jobName\":\"script\"", "exit code 3", "out of stock")
                    .doesNotContain("hunter2");

            new OneOffJobBootstrap(
                            registry,
                            HttpJob.request("POST", URI.create("http://" + host + "/settle"))
                                    .build(),
                            JobConfiguration.newBuilder("request", 1)
                                    .errorHandler("WEBHOOK")
                                    .build())
                    .execute();
            assertThat(reports.take()).contains("\"jobName\":\"request\"", "answered with 418");
        } finally {
            server.stop(0);
        }
    }
}
