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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A job whose scope is changed, and what a hand does to one that has another scope than most. */
@ExtendWith(OstrakaExtension.class)
class ScopeChangeTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final String CONFIG = "/jobs/job/config";
    private static final String RECORDS = "/jobs/job/sharding";

    private final Map<Instant, Set<String>> runs = new TreeMap<>();
    /** What jobs have seen and must not: what they throw fails their run alone. */
    private final List<String> wrong = new ArrayList<>();

    private TestCluster cluster;
    private Hand hand;

    @BeforeEach
    void twoZones(@Instances(0) TestCluster given) {
        cluster = given;
        cluster.joinIn("north");
        cluster.joinIn("south");
        cluster.joinIn("south");
        hand = new Hand(cluster);
    }

    @AfterEach
    void nothingWasWrong() {
        assertThat(wrong).isEmpty();
    }

    private static JobConfiguration job(Scope scope) {
        return JobConfiguration.newBuilder("job", scope == Scope.SHARDED ? 4 : 1)
                .scope(scope)
                .schedule(Schedule.fixedRate(PERIOD))
                .build();
    }

    private void note(ShardingContext context) {
        if (!runs.computeIfAbsent(context.fireTime(), fire -> new TreeSet<>()).add(context.itemKey())) {
            wrong.add(context.itemKey() + " again at " + context.fireTime());
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
        String text = hand.text(CONFIG)
                .replaceFirst(
                        "\"shardingTotalCount\":\\d+", "\"shardingTotalCount\":" + (scope == Scope.SHARDED ? 4 : 1))
                .replaceFirst("\"scope\":\"\\w+\",", "");
        hand.write(
                CONFIG,
                scope == Scope.SHARDED
                        ? text
                        : text.replaceFirst("\"schedule\"", "\"scope\":\"" + scope + "\",\"schedule\""));
        cluster.advance(Duration.ofSeconds(1));
    }

    private void assertRuns(Scope scope) {
        cluster.advance(PERIOD);
        runs.clear();
        cluster.advance(PERIOD.multipliedBy(3));
        assertThat(runs.values()).isNotEmpty().allMatch(items(scope)::equals);
        cluster.instances().stream().filter(TestCluster.Instance::alive).forEach(each -> assertThat(
                        each.engine().health().jobs().get("job").reasons())
                .as("%s, which no instance has registered but by the hand", scope)
                .allMatch(reason -> reason.kind() == Kind.DEFINITION_REPLACED));
    }

    /** Every one into every other, with instances that come and go between. */
    @ParameterizedTest
    @EnumSource
    void fromEachScopeAJobIsChangedIntoEachOther(Scope first) {
        cluster.schedule(this::note, job(first));
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
        assertThat(hand.children(RECORDS)).as("what is nobody's any more").doesNotContain(left);
    }

    @Test
    void theChangeWaitsForWhatRunsAndSaysSo() {
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

    /** Somebody who dies under the closed plan holds nothing up. */
    @ParameterizedTest
    @EnumSource
    void whoDiesWhileTheScopeChangesHoldsNothingUp(Scope next) {
        List<JobRun> triggered = new ArrayList<>();
        for (Scope first : Set.of(Scope.BROADCAST, Scope.ONE_PER_ZONE)) {
            try (TestCluster other = new TestCluster(0, Instant.parse("2026-01-01T00:00:00Z"), 0)) {
                cluster = other;
                hand = new Hand(other);
                TestCluster.Instance teller = other.joinIn("north");
                other.joinIn("south");
                other.schedule(
                        context -> {
                            if (context.triggerParameters().containsKey("die")
                                    && context.attempt() == 1
                                    && !context.instanceId().equals(teller.id())) {
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
                assertThat(hand.text(RECORDS)).doesNotContain("\"change\"");
                assertThat(teller.engine().health().jobs().get("job").reasons())
                        .extracting(JobHealth.Reason::kind)
                        .as("the definition is the hand's, or its own again if the dead one had registered it")
                        .isSubsetOf(JobHealth.Kind.DEFINITION_REPLACED);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void removedAndRegisteredAnewItRunsAgain(Scope scope) {
        cluster.schedule(this::note, job(scope));
        assertRuns(scope);
        cluster.amend("job", override -> override.withRemoved(true));
        cluster.advance(LONG);
        runs.clear();
        cluster.advance(LONG);
        assertThat(runs).isEmpty();
        cluster.amend("job", override -> override.withRemoved(false));
        assertRuns(scope);
    }

    /** Who comes while the plan is closed begins then, however far back the others stand. */
    @ParameterizedTest
    @EnumSource(names = {"BROADCAST", "ONE_PER_ZONE"})
    void aRemovalTakenBackLeavesEachItemWhereItStands(Scope scope) {
        Map<String, Instant> joined = new TreeMap<>();
        AtomicBoolean held = new AtomicBoolean();
        cluster.schedule(
                context -> {
                    note(context);
                    Instant from = joined.getOrDefault(context.instanceId(), Instant.MIN);
                    if (context.fireTime().isBefore(from)) {
                        wrong.add(context.itemKey() + " at " + context.fireTime() + ", there since " + from);
                    }
                    if (!context.triggerParameters().isEmpty() && !held.getAndSet(true)) {
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
    void anItemCountOverriddenByAnOperatorIsRefusedInWords() {
        cluster.schedule(this::note, job(Scope.BROADCAST));
        assertThat(org.assertj.core.api.Assertions.catchThrowable(
                        () -> cluster.amend("job", override -> override.withShardingTotalCount(4))))
                .rootCause()
                .hasMessageContaining("shardingTotalCount is '4'")
                .hasMessageContaining("1 with scope BROADCAST");
        assertRuns(Scope.BROADCAST);
    }

    @Test
    void aScopeThatNobodyKnowsLeavesWhatWasInForceAndIsPutBack() {
        cluster.schedule(this::note, job(Scope.BROADCAST));
        assertRuns(Scope.BROADCAST);
        for (String hostile : List.of("\"EVERYWHERE\"", "7", "null", "[]", "{\"a\":1}", "\"SHARDED,\"", "\"\"")) {
            hand.write(CONFIG, hand.text(CONFIG).replaceFirst("\"scope\":\"BROADCAST\"", "\"scope\":" + hostile));
            cluster.advance(LONG.multipliedBy(12));
            assertThat(hand.text(CONFIG)).contains("\"scope\":\"BROADCAST\"");
            assertRuns(Scope.BROADCAST);
            hand.write(RECORDS, hand.text(RECORDS).replaceFirst("\"scope\":\"BROADCAST\"", "\"scope\":" + hostile));
            cluster.advance(LONG.multipliedBy(12));
            assertThat(hand.text(RECORDS)).contains("\"scope\":\"BROADCAST\"");
            assertRuns(Scope.BROADCAST);
        }
    }

    /** Nobody remembers it: it is made from the records alone. */
    @ParameterizedTest
    @EnumSource
    void aPlanThatIsLostWithAllWhoKnewItIsMadeAnew(Scope scope) {
        cluster.schedule(this::note, job(scope));
        assertRuns(scope);
        cluster.instances().forEach(TestCluster.Instance::kill);
        cluster.advance(LONG);
        hand.write(RECORDS, "damaged");
        cluster.joinIn("north");
        cluster.joinIn("south");
        cluster.advance(LONG.multipliedBy(2));
        assertRuns(scope);
    }

    @ParameterizedTest
    @EnumSource
    void recordsAndPlansThatAreDeletedComeBack(Scope scope) {
        cluster.schedule(this::note, job(scope));
        assertRuns(scope);
        hand.delete(RECORDS + "/" + items(scope).iterator().next());
        cluster.advance(LONG.multipliedBy(12));
        assertRuns(scope);
        hand.delete(RECORDS);
        cluster.advance(LONG.multipliedBy(12));
        assertRuns(scope);
    }
}
