package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobHealth.Kind;
import io.ostraka.api.JobRun;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.Scope;
import io.ostraka.api.ShardingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests changes of a job's scope, and manual edits of the nodes of jobs whose scope is not SHARDED. */
@ExtendWith(OstrakaExtension.class)
class ScopeChangeTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String CONFIG = "/jobs/job/config";
    private static final String RECORDS = "/jobs/job/sharding";

    private final Map<Instant, Set<String>> runs = new TreeMap<>();
    /** Violations found in user code, where a failed assertion would only fail the run. */
    private final List<String> violations = new ArrayList<>();

    private TestCluster cluster;
    private ZkCli zkCli;

    @BeforeEach
    void twoZones(@Instances(0) TestCluster injected) {
        cluster = injected;
        cluster.joinIn("north");
        cluster.joinIn("south");
        cluster.joinIn("south");
        zkCli = new ZkCli(cluster);
    }

    @AfterEach
    void noViolationWasSeen() {
        assertThat(violations).isEmpty();
    }

    private static JobConfiguration job(Scope scope) {
        return JobConfiguration.newBuilder("job", scope == Scope.SHARDED ? 4 : 1)
                .scope(scope)
                .schedule(Schedule.fixedRate(PERIOD))
                .build();
    }

    private void record(ShardingContext context) {
        if (!runs.computeIfAbsent(context.fireTime(), fire -> new TreeSet<>()).add(context.itemKey())) {
            violations.add(context.itemKey() + " again at " + context.fireTime());
        }
    }

    private Set<String> items(Scope scope) {
        return switch (scope) {
            case SHARDED -> Set.of("0", "1", "2", "3");
            case SINGLETON -> Set.of("0");
            case ONE_PER_ZONE -> Set.of("north", "south");
            case BROADCAST -> {
                Set<String> ids = new TreeSet<>();
                cluster.instances().stream().filter(TestCluster.Instance::alive).forEach(each -> ids.add(each.id()));
                yield ids;
            }
        };
    }

    private void define(Scope scope) {
        String text = zkCli.text(CONFIG)
                .replaceFirst(
                        "\"shardingTotalCount\":\\d+", "\"shardingTotalCount\":" + (scope == Scope.SHARDED ? 4 : 1))
                .replaceFirst("\"scope\":\"\\w+\",", "");
        zkCli.write(
                CONFIG,
                scope == Scope.SHARDED
                        ? text
                        : text.replaceFirst("\"schedule\"", "\"scope\":\"" + scope + "\",\"schedule\""));
        cluster.advance(Duration.ofSeconds(1));
    }

    /** A run under the former scope lasts until the only fire has come due. */
    @ParameterizedTest
    @EnumSource(Scope.class)
    void fireThatComesDueDuringTheChangeRunsUnderTheNewScope(Scope scope) {
        Scope former = scope == Scope.SHARDED ? Scope.BROADCAST : Scope.SHARDED;
        Instant at = cluster.now().plusSeconds(30);
        AtomicBoolean changes = new AtomicBoolean();
        List<String> fired = new ArrayList<>();
        cluster.schedule(
                context -> {
                    if (!cluster.now().isBefore(at)) {
                        fired.add(context.itemKey());
                    } else if (!changes.getAndSet(true)) {
                        define(scope);
                        cluster.advance(LONG);
                    }
                },
                job(former).toBuilder().schedule(Schedule.once(at)).build());
        cluster.trigger("job", Map.of());
        cluster.advance(LONG.multipliedBy(5));

        assertThat(changes).isTrue();
        assertThat(fired).containsExactlyInAnyOrderElementsOf(items(scope));
    }

    private void assertRuns(Scope scope) {
        cluster.advance(PERIOD);
        runs.clear();
        cluster.advance(PERIOD.multipliedBy(3));
        assertThat(runs.values()).isNotEmpty().allMatch(items(scope)::equals);
        cluster.instances().stream().filter(TestCluster.Instance::alive).forEach(each -> assertThat(
                        each.engine().health().jobs().get("job").reasons())
                .extracting(JobHealth.Reason::kind)
                .as("%s, defined by a manual edit only, and fires that were late", scope)
                .isSubsetOf(Kind.DEFINITION_REPLACED, Kind.SKIPPED_FIRES));
    }

    /** Changes the first scope into every other one and back. At the end an instance shuts down. */
    @ParameterizedTest
    @EnumSource
    void jobChangesFromEachScopeToEachOther(Scope first) {
        cluster.schedule(this::record, job(first));
        assertRuns(first);
        for (Scope next : Scope.values()) {
            define(next);
            assertRuns(next);
            define(first);
            assertRuns(first);
        }
        TestCluster.Instance leaving = cluster.instances().get(2);
        String left = leaving.id();
        leaving.close();
        cluster.advance(Duration.ofMinutes(30));
        assertRuns(first);
        assertThat(zkCli.children(RECORDS)).as("records without an owner").doesNotContain(left);
    }

    @Test
    void scopeChangeWaitsForRunningItemsAndReportsIt() {
        List<String> order = new ArrayList<>();
        cluster.schedule(
                context -> {
                    order.add("begin " + context.itemKey());
                    if (order.size() == 1) {
                        define(Scope.ONE_PER_ZONE);
                        cluster.advance(LONG);
                        assertThat(cluster.instances()
                                        .get(0)
                                        .engine()
                                        .health()
                                        .jobs()
                                        .get("job")
                                        .reason(Kind.ITEM_COUNT_CHANGING)
                                        .map(JobHealth.Reason::text)
                                        .orElse(""))
                                .contains("the scope changes from BROADCAST to ONE_PER_ZONE");
                    }
                    order.add("end " + context.itemKey());
                },
                job(Scope.BROADCAST));
        cluster.advance(LONG.multipliedBy(3));

        int changed = order.indexOf("begin north");
        assertThat(changed).isPositive();
        assertThat(order.subList(0, changed))
                .filteredOn(line -> line.startsWith("begin"))
                .hasSameSizeAs(order.subList(0, changed).stream()
                        .filter(line -> line.startsWith("end"))
                        .toList());
        assertThat(order.subList(changed, order.size())).noneMatch(line -> line.contains("@"));
    }

    /** An instance that dies while the plan is closed does not delay the change. */
    @ParameterizedTest
    @EnumSource
    void deathDuringAScopeChangeDelaysNothing(Scope next) {
        List<JobRun> triggered = new ArrayList<>();
        for (Scope first : Set.of(Scope.BROADCAST, Scope.ONE_PER_ZONE)) {
            try (TestCluster other = new TestCluster(0, Instant.parse("2026-01-01T00:00:00Z"), 0)) {
                cluster = other;
                zkCli = new ZkCli(other);
                TestCluster.Instance steady = other.joinIn("north");
                other.joinIn("south");
                other.schedule(
                        context -> {
                            if (context.triggerParameters().containsKey("die")
                                    && context.attempt() == 1
                                    && !context.instanceId().equals(steady.id())) {
                                define(next);
                                other.instance(context.instanceId()).kill();
                            }
                        },
                        job(first));
                triggered.add(other.trigger("job", Map.of("die", "")));
                other.advance(LONG.multipliedBy(3));

                JobRun run = triggered.get(triggered.size() - 1);
                assertThat(Optional.ofNullable(
                                run.completion().toCompletableFuture().getNow(null)))
                        .as("%s to %s", first, next)
                        .isPresent()
                        .get()
                        .satisfies(outcomes -> assertThat(outcomes).hasSize(2).containsValue(ItemOutcome.SUCCEEDED));
                assertThat(zkCli.text(RECORDS)).doesNotContain("\"change\"");
                assertThat(steady.engine().health().jobs().get("job").reasons())
                        .extracting(JobHealth.Reason::kind)
                        .as("the edited definition, or the former one if the dead instance had registered the edit")
                        .isSubsetOf(Kind.DEFINITION_REPLACED, Kind.SKIPPED_FIRES);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void jobRunsAgainAfterRemovalAndReturn(Scope scope) {
        cluster.schedule(this::record, job(scope));
        assertRuns(scope);
        cluster.amend("job", override -> override.withRemoved(true));
        cluster.advance(LONG);
        runs.clear();
        cluster.advance(LONG);
        assertThat(runs).isEmpty();
        cluster.amend("job", override -> override.withRemoved(false));
        assertRuns(scope);
    }

    /**
     * If an instance joins while the plan is closed, its first fire comes due after the join, however old the cursors
     * of other items are.
     */
    @ParameterizedTest
    @EnumSource(names = {"BROADCAST", "ONE_PER_ZONE"})
    void revokedRemovalKeepsTheCursorOfEachItem(Scope scope) {
        Map<String, Instant> joined = new TreeMap<>();
        AtomicBoolean waited = new AtomicBoolean();
        cluster.schedule(
                context -> {
                    record(context);
                    Instant from = joined.getOrDefault(context.instanceId(), Instant.MIN);
                    if (context.fireTime().isBefore(from)) {
                        violations.add(context.itemKey() + " at " + context.fireTime() + ", there since " + from);
                    }
                    if (!context.triggerParameters().isEmpty() && !waited.getAndSet(true)) {
                        cluster.advance(LONG);
                    }
                },
                job(scope).toBuilder().misfire(MisfirePolicy.fireAll(100)).build());
        assertRuns(scope);
        JobRun run = cluster.instances().get(0).engine().trigger("job", Map.of("hold", ""), Set.of());
        cluster.time().after(Duration.ofSeconds(3), () -> cluster.amend("job", override -> override.withRemoved(true)));
        cluster.time().after(Duration.ofSeconds(25), () -> {
            TestCluster.Instance late = cluster.joinIn("west");
            joined.put(late.id(), cluster.now());
            cluster.amend("job", override -> override.withRemoved(false));
        });
        cluster.advance(LONG.multipliedBy(3));

        assertThat(run.completion().toCompletableFuture()).isCompleted();
        assertThat(joined).hasSize(1);
        runs.clear();
        cluster.advance(LONG);
        assertThat(runs.values()).isNotEmpty().allSatisfy(items -> assertThat(items)
                .hasSize(scope == Scope.BROADCAST ? 4 : 3));
    }

    @Test
    void overriddenItemCountOfABroadcastIsRejected() {
        cluster.schedule(this::record, job(Scope.BROADCAST));
        assertThat(org.assertj.core.api.Assertions.catchThrowable(
                        () -> cluster.amend("job", override -> override.withShardingTotalCount(4))))
                .rootCause()
                .hasMessageContaining("shardingTotalCount is '4'")
                .hasMessageContaining("1 with scope BROADCAST");
        assertRuns(Scope.BROADCAST);
    }

    @Tag("slow")
    @Test
    void unknownScopeIsIgnoredAndRepaired() {
        cluster.schedule(this::record, job(Scope.BROADCAST));
        assertRuns(Scope.BROADCAST);
        for (String hostile : List.of("\"EVERYWHERE\"", "7", "null", "[]", "{\"a\":1}", "\"SHARDED,\"", "\"\"")) {
            zkCli.write(CONFIG, zkCli.text(CONFIG).replaceFirst("\"scope\":\"BROADCAST\"", "\"scope\":" + hostile));
            cluster.advance(LONG.multipliedBy(12));
            assertThat(zkCli.text(CONFIG)).contains("\"scope\":\"BROADCAST\"");
            assertRuns(Scope.BROADCAST);
            zkCli.write(RECORDS, zkCli.text(RECORDS).replaceFirst("\"scope\":\"BROADCAST\"", "\"scope\":" + hostile));
            cluster.advance(LONG.multipliedBy(12));
            assertThat(zkCli.text(RECORDS)).contains("\"scope\":\"BROADCAST\"");
            assertRuns(Scope.BROADCAST);
        }
    }

    /** No instance remembers the plan, so the leader builds it from the records alone. */
    @ParameterizedTest
    @EnumSource
    void lostPlanIsRebuiltFromTheRecords(Scope scope) {
        cluster.schedule(this::record, job(scope));
        assertRuns(scope);
        cluster.instances().forEach(TestCluster.Instance::kill);
        cluster.advance(LONG);
        zkCli.write(RECORDS, "damaged");
        cluster.joinIn("north");
        cluster.joinIn("south");
        cluster.advance(LONG.multipliedBy(2));
        assertRuns(scope);
    }

    @ParameterizedTest
    @EnumSource
    void deletedRecordsAndPlansAreRestored(Scope scope) {
        cluster.schedule(this::record, job(scope));
        assertRuns(scope);
        zkCli.delete(RECORDS + "/" + items(scope).iterator().next());
        cluster.advance(LONG.multipliedBy(12));
        assertRuns(scope);
        zkCli.delete(RECORDS);
        cluster.advance(LONG.multipliedBy(12));
        assertRuns(scope);
    }
}
