package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobHealth.Status;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.JobSummary;
import io.ostraka.api.operations.Operations;
import io.ostraka.core.instance.EngineSettings;
import io.ostraka.core.instance.JobEngine;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.placement.StickyBalancedStrategy;
import io.ostraka.core.time.Platform;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.InfoLog;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that no job stops silently: health reports every cause that keeps a job from running, and since when. */
@ExtendWith(OstrakaExtension.class)
class HealthTest {
    private final List<Instant> fires = new ArrayList<>();

    private static JobConfiguration.Builder everySecond(String name, int items) {
        return JobConfiguration.newBuilder(name, items).schedule(Schedule.fixedRate(Duration.ofSeconds(1)));
    }

    private static Health health(TestCluster cluster, int instance) {
        return cluster.instances().get(instance).engine().health();
    }

    private static JobHealth job(TestCluster cluster, int instance, String job) {
        return health(cluster, instance).jobs().get(job);
    }

    @Test
    void instancesWithRunningJobsAreGoodAndOneLeads(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> fires.add(context.fireTime()), everySecond("fine", 2).build());
        cluster.advance(Duration.ofSeconds(5));

        assertThat(health(cluster, 0).good()).isTrue();
        assertThat(health(cluster, 1).good()).isTrue();
        assertThat(health(cluster, 0).leading()).isNotEqualTo(health(cluster, 1).leading());
        assertThat(health(cluster, 0).instanceId())
                .isEqualTo(cluster.instances().get(0).id());
    }

    /** Health still reports the problem after the connection was lost and restored. */
    @Test
    void serverLimitIsReportedUntilItIsLifted(@Instances(1) TestCluster cluster) {
        cluster.advance(Duration.ofSeconds(5));
        InMemoryNodeStore store = cluster.instances().get(0).store();
        for (String problem : new String[] {"jute.maxbuffer is small", null}) {
            store.tell(listener -> listener.limited(problem));
            store.suspend();
            cluster.advance(Duration.ofSeconds(1));
            store.reconnect();
            cluster.advance(Duration.ofMinutes(1));

            assertThat(health(cluster, 0).connected()).isTrue();
            assertThat(health(cluster, 0).problem()).isEqualTo(problem);
            assertThat(health(cluster, 0).needsAttention()).isEqualTo(problem != null);
        }
    }

    /** Until the instance's node is written, health must not repeat a reason that no longer applies. */
    @Test
    void reasonForMissingConnectionEndsWithTheNextConnection(@Instances(1) TestCluster cluster) {
        cluster.advance(Duration.ofSeconds(5));
        InMemoryNodeStore store = cluster.instances().get(0).store();
        store.suspend();
        store.tell(listener -> listener.hindered("zk1 is not listening"));
        cluster.advance(Duration.ofSeconds(10));
        assertThat(health(cluster, 0).problem()).isEqualTo("zk1 is not listening");

        store.holdReplies();
        store.reconnect();
        cluster.advance(Duration.ofSeconds(10));
        assertThat(health(cluster, 0).connected()).isFalse();
        assertThat(health(cluster, 0).problem()).isNull();

        store.releaseReplies();
        cluster.advance(Duration.ofSeconds(5));
        assertThat(health(cluster, 0).good()).isTrue();
    }

    @Test
    void logNamesOnlyReasonsForMissingConnection(@Instances(1) TestCluster cluster) throws Exception {
        cluster.advance(Duration.ofSeconds(5));
        InMemoryNodeStore store = cluster.instances().get(0).store();
        store.tell(listener -> listener.limited("jute.maxbuffer is small"));
        try (InfoLog log = new InfoLog("io.ostraka.core.instance.HealthReports")) {
            store.suspend();
            cluster.advance(Duration.ofSeconds(10));
            assertThat(log.lines("no connection to ZooKeeper")).hasSize(1);
            assertThat(log.lines("not registered")).isEmpty();

            for (String found : List.of("zk1 is not listening", "zk1 has no quorum", "zk1 has no quorum")) {
                store.tell(listener -> listener.hindered(found));
                cluster.advance(Duration.ofSeconds(10));
            }
            assertThat(log.lines("not registered"))
                    .satisfiesExactly(
                            line -> assertThat(line).endsWith("zk1 is not listening"),
                            line -> assertThat(line).endsWith("zk1 has no quorum"));
        }
    }

    /** An instance that may not read the orders is never registered, and must say so. */
    @Test
    void missingRightToReadOrdersIsReportedUntilGranted() {
        ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"), 0);
        InMemoryCoordination tree = new InMemoryCoordination(time::now);
        Platform platform = time.platform(Duration.ZERO);
        StickyBalancedStrategy strategy = new StickyBalancedStrategy();
        InMemoryNodeStore store = tree.connect("one", time.executor(), time.executor(), TestCluster.SESSION_TIMEOUT);
        AtomicBoolean refuses = new AtomicBoolean(true);
        NodeStore restricted = (NodeStore) Proxy.newProxyInstance(
                NodeStore.class.getClassLoader(), new Class<?>[] {NodeStore.class}, (proxy, method, arguments) -> {
                    if (refuses.get() && method.getName().equals("read") && "/orders".equals(arguments[0])) {
                        return CompletableFuture.failedStage(
                                new NodeStore.RefusedException("no right to read /orders", new Exception("refused")));
                    }
                    return method.invoke(store, arguments);
                });
        JobEngine engine = new JobEngine(
                EngineSettings.of("host", 1),
                new TreeCoordination(restricted, platform.clock()),
                platform,
                Map.of(strategy.type(), strategy));
        engine.start();
        time.advance(Duration.ofSeconds(30));
        assertThat(engine.health().connected()).isFalse();
        assertThat(engine.health().problem()).contains("no right to read /orders");

        refuses.set(false);
        time.advance(Duration.ofSeconds(30));
        assertThat(engine.health().good()).isTrue();
        assertThat(engine.health().problem()).isNull();

        // a single read may also fail because the connection is being lost
        refuses.set(true);
        store.suspend();
        store.reconnect();
        time.advance(Duration.ofSeconds(1));
        assertThat(engine.health().connected()).isFalse();
        assertThat(engine.health().problem()).isNull();
    }

    @Test
    void operatorOverridesAreReportedUntilRevoked(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> fires.add(context.fireTime()),
                everySecond("wanted", 2).build());
        assertReportedWhile(cluster, Kind.PAUSED, Status.STOPPED, override -> override.withPaused(true));
        assertReportedWhile(
                cluster, Kind.DISABLED_ITEMS, Status.LIMITED, override -> override.withDisabledItems(Set.of("1")));
        assertReportedWhile(cluster, Kind.REMOVED, Status.STOPPED, override -> override.withRemoved(true));
    }

    private static void assertReportedWhile(
            TestCluster cluster, Kind kind, Status status, UnaryOperator<JobOverride> change) {
        Instant before = cluster.now();
        cluster.amend("wanted", change);
        cluster.advance(Duration.ofSeconds(5));
        JobHealth changed = job(cluster, 0, "wanted");
        assertThat(changed.reasons()).singleElement().satisfies(reason -> {
            assertThat(reason.kind()).isEqualTo(kind);
            assertThat(reason.since()).isBetween(before, before.plusSeconds(2));
        });
        assertThat(changed.status()).isEqualTo(status);

        cluster.amend("wanted", override -> JobOverride.NONE);
        cluster.advance(Duration.ofSeconds(5));
        assertThat(job(cluster, 0, "wanted").status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void reasonOfARegisteredPauseIsShownUntilAnOperatorDecides(@Instances(1) TestCluster cluster) {
        JobConfiguration plain = everySecond("plain", 1).paused(true).build();
        JobConfiguration explained =
                everySecond("wanted", 1).paused(true).pauseReason("migration").build();
        cluster.schedule(context -> {}, plain);
        cluster.schedule(context -> {}, explained);

        assertPaused(cluster, "plain", "registered as paused; resume it", "paused");
        assertPaused(cluster, "wanted", "registered as paused: migration", "registered as paused: migration");
        cluster.instances()
                .get(0)
                .engine()
                .redefine(List.of(
                        explained.toBuilder().pauseReason("audit").revision(1).build()));
        assertPaused(cluster, "wanted", "registered as paused: audit", "registered as paused: audit");
        assertThat(cluster.operations().explain("wanted", "0")).contains("the job is registered as paused: audit");

        cluster.pause("wanted");
        cluster.advance(Duration.ofSeconds(10));
        assertThat(job(cluster, 0, "wanted").reason(Kind.PAUSED).orElseThrow().text())
                .isEqualTo("paused by an operator");
        assertThat(stateTexts(cluster, "wanted")).noneMatch(text -> text.contains("audit"));
        cluster.resume("wanted");
        cluster.advance(Duration.ofSeconds(10));
        assertThat(job(cluster, 0, "wanted").reasons()).isEmpty();
        assertThat(stateTexts(cluster, "wanted")).containsOnly("");
    }

    private static void assertPaused(TestCluster cluster, String job, String reason, String state) {
        cluster.advance(Duration.ofSeconds(10));
        assertThat(job(cluster, 0, job).reason(Kind.PAUSED).orElseThrow().text())
                .isEqualTo(reason);
        assertThat(stateTexts(cluster, job)).containsOnly(state);
    }

    /** Returns the text in the view of the job and in the list of all jobs, which reads no definitions. */
    private static List<String> stateTexts(TestCluster cluster, String job) {
        Operations operations = cluster.observe();
        return Stream.concat(
                        Stream.of(operations.job(job).summary()),
                        operations.jobs().stream().filter(each -> each.job().equals(job)))
                .map(JobSummary::stateText)
                .toList();
    }

    @Test
    void pauseReasonIsAShortLine() {
        assertThat(everySecond("job", 1).pauseReason("x".repeat(500)).build().pauseReason())
                .hasSize(500);
        for (String refused : List.of("x".repeat(501), "two\nlines")) {
            assertThatThrownBy(() -> everySecond("job", 1).pauseReason(refused).build())
                    .isInstanceOf(JobConfigurationException.class)
                    .hasMessageContaining("pauseReason")
                    .hasMessageContaining("at most 500 characters without control characters");
        }
    }

    /** Guards against jobs that never run because their application started before ZooKeeper. */
    @Test
    void jobsStartOnceZooKeeperAnswersTwoMinutesLate(@Instances(0) TestCluster cluster) {
        TestCluster.Instance early = cluster.joinCutOff();
        Instant start = cluster.now();
        cluster.schedule(
                context -> fires.add(context.fireTime()),
                everySecond("early", 1).build());
        cluster.advance(Duration.ofMinutes(2));

        assertThat(fires).isEmpty();
        Health waiting = early.engine().health();
        assertThat(waiting.connected()).isFalse();
        assertThat(waiting.connectedSince()).isBeforeOrEqualTo(start);
        assertThat(waiting.jobs().get("early").reason(Kind.NOT_REGISTERED)).isPresent();

        early.store().reconnect();
        cluster.advance(Duration.ofSeconds(10));
        assertThat(fires).hasSizeGreaterThanOrEqualTo(8);
        assertThat(early.engine().health().good()).isTrue();
    }

    @Test
    void lostConnectionIsReportedForEveryJobUntilRestored(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> fires.add(context.fireTime()), everySecond("cut", 2).build());
        cluster.advance(Duration.ofSeconds(5));
        Instant before = cluster.now();
        cluster.instances().get(0).store().suspend();
        cluster.advance(Duration.ofSeconds(5));

        assertThat(health(cluster, 0).connected()).isFalse();
        assertThat(health(cluster, 0).connectedSince()).isBetween(before, before.plusSeconds(1));
        assertThat(job(cluster, 0, "cut").reason(Kind.DISCONNECTED)).isPresent();
        assertThat(health(cluster, 1).good()).isTrue();

        cluster.instances().get(0).store().reconnect();
        cluster.advance(Duration.ofSeconds(5));
        assertThat(health(cluster, 0).good()).isTrue();
    }

    /**
     * Guards against a change of the item count after which neither old nor new items run, and no reason is reported.
     */
    @Test
    void itemCountChangeReportsTheItemItWaitsFor(@Instances(1) TestCluster cluster) {
        List<JobHealth> seen = new ArrayList<>();
        cluster.schedule(
                context -> {
                    if (context.shardingItem() == 1 && seen.isEmpty()) {
                        cluster.instances()
                                .get(0)
                                .commands()
                                .amend("slow", override -> override.withShardingTotalCount(3));
                        cluster.advance(Duration.ofSeconds(30));
                        seen.add(job(cluster, 0, "slow"));
                    }
                },
                everySecond("slow", 2).build());
        cluster.advance(Duration.ofSeconds(60));

        assertThat(seen.get(0).status()).isEqualTo(Status.STOPPED);
        assertThat(seen.get(0).reason(Kind.ITEM_COUNT_CHANGING)).hasValueSatisfying(reason -> assertThat(reason.text())
                .contains(
                        "from 2 to 3",
                        "waits for item 1 on instance "
                                + cluster.instances().get(0).id(),
                        "since"));
        assertThat(health(cluster, 0).good()).isTrue();
    }

    @Test
    void definitionTooLargeForTheServersNeedsAttention(@Instances(1) TestCluster cluster) {
        cluster.tree().limitTransactions(20_000);
        cluster.schedule(
                context -> fires.add(context.fireTime()),
                everySecond("large", 1).jobParameter("x".repeat(30_000)).build());
        cluster.advance(Duration.ofSeconds(10));

        assertThat(health(cluster, 0).needsAttention()).isTrue();
        assertThat(job(cluster, 0, "large").reasons()).hasSize(1);
        assertThat(job(cluster, 0, "large").reason(Kind.REFUSED).orElseThrow().text())
                .startsWith("not registered yet; retrying: the write is larger than ZooKeeper accepts in one request");
        assertThat(fires).isEmpty();

        cluster.tree().limitTransactions(60_000);
        cluster.advance(Duration.ofSeconds(10));
        assertThat(job(cluster, 0, "large").reasons()).isEmpty();
        assertThat(fires).isNotEmpty();
    }

    @Test
    void unregisteredJobIsNoLongerReported(@Instances(2) TestCluster cluster) {
        cluster.schedule(
                context -> fires.add(context.fireTime()), everySecond("gone", 1).build());
        cluster.instances().get(0).engine().unregister("gone");
        cluster.advance(Duration.ofMinutes(2));

        assertThat(health(cluster, 0).jobs()).isEmpty();
    }

    /**
     * Guards against a job whose runs start later and later while another job occupies all slots and health is good.
     */
    @Test
    void itemsWithoutASlotAreReportedAfterTenSeconds() throws Exception {
        ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"), 0);
        InMemoryCoordination tree = new InMemoryCoordination(time::now);
        Platform platform = time.platform(Duration.ZERO);
        StickyBalancedStrategy strategy = new StickyBalancedStrategy();
        JobEngine engine = new JobEngine(
                EngineSettings.of("host", 1).withRuns(1, 1),
                new TreeCoordination(
                        tree.connect("one", time.executor(), time.executor(), TestCluster.SESSION_TIMEOUT),
                        platform.clock()),
                platform,
                Map.of(strategy.type(), strategy));
        engine.start();
        List<JobHealth> seen = new ArrayList<>();
        SimpleJob greedy = context -> {
            for (int seconds = 0; seconds < 90; seconds += 9) {
                time.advance(Duration.ofSeconds(9));
                seen.add(engine.health().jobs().get("small"));
            }
        };
        SimpleJob small = context -> fires.add(context.fireTime());
        engine.register(greedy, JobConfiguration.newBuilder("greedy", 1).build());
        engine.register(small, everySecond("small", 2).build());
        engine.register(
                (SimpleJob) context -> {},
                JobConfiguration.newBuilder("rare", 1)
                        .schedule(Schedule.fixedRate(Duration.ofDays(1))
                                .startingAt(Instant.parse("2026-01-01T00:00:10Z")))
                        .build());
        time.advance(Duration.ofSeconds(5));
        assertThat(engine.health().good()).isTrue();
        try (InfoLog log = new InfoLog("io.ostraka.core.instance.HealthReports");
                InfoLog full = new InfoLog("io.ostraka.core.run.RunSlots")) {
            engine.trigger("greedy", Map.of(), Set.of());
            time.advance(Duration.ofSeconds(120));

            assertThat(full.lines("all 1 slots for items of quick jobs have been taken for PT10S"))
                    .hasSize(1);
            assertThat(full.lines("job 'greedy' item 0 of fire"))
                    .as("holder of the slot")
                    .hasSize(1);
            assertThat(full.lines("    at ")).as("stack of the holder").isNotEmpty();

            assertThat(seen.get(0).status()).isEqualTo(Status.RUNNING);
            // the reason stays the same after a full resync
            assertThat(seen.subList(1, seen.size()))
                    .hasSize(9)
                    .allSatisfy(job -> assertThat(job.reasons()).singleElement().satisfies(reason -> {
                        assertThat(reason.kind()).isEqualTo(Kind.NO_FREE_SLOT);
                        assertThat(reason.text()).startsWith("items 0, 1 are due and wait for a slot");
                    }));
            assertThat(seen.stream()
                            .skip(1)
                            .flatMap(job -> job.reasons().stream())
                            .map(JobHealth.Reason::since))
                    .as("time since the items are due")
                    .containsOnly(seen.get(1).reasons().get(0).since());
            assertThat(log.lines("small"))
                    .as("no log line for each waiting job")
                    .isEmpty();
        }
        assertThat(engine.health().good()).isTrue();
        assertThat(engine.metrics().jobs().get("rare").waiting().max())
                .as("waited since its due time")
                .isGreaterThan(Duration.ofSeconds(80));
        assertThat(engine.metrics().jobs().get("rare").slotWaits())
                .as("counted once for its fire")
                .isEqualTo(1);
        assertThat(engine.metrics().jobs().get("small").slotWaits()).isGreaterThanOrEqualTo(2);
        assertThat(engine.metrics().jobs().get("greedy").slotWaits()).isZero();
    }

    @Test
    void itemsThatWaitForTheJobsConcurrencyLimitAreNotReported(@Instances(1) TestCluster cluster) {
        List<Status> seen = new ArrayList<>();
        cluster.schedule(
                context -> {
                    cluster.advance(Duration.ofSeconds(20));
                    seen.add(job(cluster, 0, "limited").status());
                },
                JobConfiguration.newBuilder("limited", 3).concurrency(1).build());
        cluster.trigger("limited", Map.of());
        cluster.advance(Duration.ofMinutes(3));

        assertThat(seen).hasSize(3).containsOnly(Status.RUNNING);
    }

    /**
     * A thread closes a job while another one repeats the registration of that job until it is accepted, at the worst
     * moment: in the middle of the step that forgets the former registration.
     */
    @Test
    void jobThatIsRegisteredWhileItIsClosedStaysInHealth() {
        ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"), 0);
        InMemoryCoordination tree = new InMemoryCoordination(time::now);
        Platform platform = time.platform(Duration.ZERO);
        AtomicReference<Runnable> whenUnwatched = new AtomicReference<>(() -> {});
        NodeStore store = tree.connect("one", time.executor(), time.executor(), TestCluster.SESSION_TIMEOUT);
        NodeStore noticing = (NodeStore) Proxy.newProxyInstance(
                NodeStore.class.getClassLoader(), new Class<?>[] {NodeStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("unwatch")) {
                        whenUnwatched.get().run();
                    }
                    return method.invoke(store, arguments);
                });
        StickyBalancedStrategy strategy = new StickyBalancedStrategy();
        JobEngine engine = new JobEngine(
                EngineSettings.of("host", 1),
                new TreeCoordination(noticing, platform.clock()),
                platform,
                Map.of(strategy.type(), strategy));
        engine.start();
        time.advance(Duration.ofSeconds(1));
        SimpleJob job = context -> {
            context.tasks().submit(() -> 1);
            fires.add(context.fireTime());
        };
        List<Boolean> accepted = new ArrayList<>();
        Runnable register = () -> {
            try {
                engine.register(job, everySecond("again", 1).build());
                accepted.add(true);
            } catch (JobConfigurationException e) {
                accepted.add(false);
            }
        };
        register.run();
        time.advance(Duration.ofSeconds(5));

        whenUnwatched.set(register);
        engine.unregister("again");
        whenUnwatched.set(() -> {});
        if (!accepted.get(1)) {
            register.run();
        }
        fires.clear();
        time.advance(Duration.ofSeconds(5));
        assertThat(accepted).hasSizeBetween(2, 3).endsWith(true);
        assertThat(fires).hasSizeGreaterThan(3);
        assertThat(engine.health().jobs()).containsKey("again");
        assertThat(engine.metrics().status().hosted().get("again").tasks().submitted())
                .isGreaterThan(3);
        engine.close();
    }
}
