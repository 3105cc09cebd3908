package io.ostraka.lite.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.model.ShardingPlan;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.SystemClock;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.DeafListener;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.process.Event.Kind;
import io.ostraka.lite.scenario.CountingServer;
import io.ostraka.lite.scenario.CountingServer.Transaction;
import io.ostraka.lite.scenario.SingleEngine;
import io.ostraka.zk.ZooKeeperConfig;
import io.ostraka.zk.ZooKeeperNodeStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes join and leave while a fire runs. The test counts the items that move. At the server it also counts the
 * transactions that a join or a departure costs each remaining process.
 *
 * <p>Each count begins and ends at a moment when all items that an instance keeps are in mid-run. Between two such
 * moments the instance sends one completion and one claim per fire. This process leads and hosts no job, so all
 * transactions of a worker concern the worker's items.
 */
@Tag("cluster")
@Timeout(300)
class JoiningAndLeavingTest {
    private static final String RECORDS = "/" + HoldingWorker.NAMESPACE + "/jobs/" + CountedWorker.JOB + "/sharding/";
    private static final Set<String> ITEMS = CountedWorker.items();
    private static final int FIRES = 3;

    @TempDir
    Path data;

    @TempDir
    Path gates;

    private final Recorder recorder = new Recorder();
    private final Map<String, WorkerProcess> workers = new TreeMap<>();
    private CountingServer server;
    private ZooKeeperNodeStore bystander;
    private SingleEngine leader;

    /**
     * The counts at a moment in mid-run.
     *
     * @param transactions number of transactions so far
     * @param starts number of starts of each item so far
     */
    private record Moment(int transactions, Map<String, Integer> starts) {}

    @BeforeEach
    void lead() throws Exception {
        server = new CountingServer(data);
        server.keepTransactions();
        bystander = new ZooKeeperNodeStore(ZooKeeperConfig.of(server.servers(), HoldingWorker.NAMESPACE));
        CountDownLatch connected = new CountDownLatch(1);
        bystander.start(new DeafListener() {
            @Override
            public void connected(long sessionId, Duration sessionTimeout) {
                connected.countDown();
            }
        });
        assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
        leader = CountedWorker.engine(server.servers());
        leader.start();
        Eventually.holds("a leader", () -> leader.engine().leading());
    }

    @AfterEach
    void end() {
        workers.values().forEach(WorkerProcess::destroy);
        leader.close();
        bystander.close();
        server.close();
    }

    @Test
    void membershipChangeMovesFewestItemsForOneExtraTransaction() throws Exception {
        start("a", "b", "c");
        Eventually.holds("ten items each", () -> sizes(plan()).equals(List.of(10, 10, 10)));
        Map<String, String> three = plan();

        Moment before = holdSettled(three);
        start("d");
        Eventually.holds("a fourth in the plan", () -> sizes(plan()).size() == 4);
        Map<String, String> four = plan();
        assertThat(sizes(four)).containsExactly(7, 7, 8, 8);
        assertThat(moved(three, four)).hasSize(ITEMS.size() / 4).allMatch(item -> !three.containsValue(four.get(item)));
        assertCost(three, four, before, continueItems(four, ITEMS, without(ITEMS, moved(three, four))));

        Moment then = holdSettled(four);
        String leaving = instanceOf("c");
        Set<String> departed = owned(four, leaving, ITEMS);
        workers.get("c").signal(false);
        CountedWorker.hold(gates, departed, false);
        assertThat(workers.get("c").awaitExit()).isEqualTo(128 + 15);
        CountedWorker.hold(gates, departed, true);
        Eventually.holds("a plan without c", () -> sizes(plan()).size() == 3);
        Map<String, String> left = plan();
        assertThat(moved(four, left)).isEqualTo(departed);
        assertThat(sizes(left)).containsExactly(10, 10, 10);
        // the moved items stay in mid-run while the other items continue, so no claim or completion of a moved item is
        // counted
        Eventually.holds("the moved items to run", () -> departed.stream().allMatch(item -> held(item, left)));
        assertCost(four, left, then, continueItems(left, without(ITEMS, departed), without(ITEMS, departed)));

        Moment last = moment();
        CountedWorker.hold(gates, ITEMS, false);
        awaitFires(last, ITEMS);
        assertThat(plan()).as("final plan").isEqualTo(left);
        assertThat(Runs.violations(recorder)).as("events:\n%s", recorder).isEmpty();
        assertThat(recorder.all(event -> event.kind() == Kind.STARTED))
                .extracting(start -> start.item() + " of " + start.run())
                .doesNotHaveDuplicates();
    }

    private void start(String... names) throws IOException {
        for (String name : names) {
            List<String> arguments = List.of(server.servers(), gates.toString());
            workers.put(name, new WorkerProcess(name, CountedWorker.class, arguments, recorder));
        }
    }

    private String instanceOf(String worker) {
        return recorder.all(
                        event -> event.kind() == Kind.STARTED && event.worker().equals(worker))
                .get(0)
                .detail();
    }

    /** Returns the owner of each item in the plan in force; empty before the first plan. */
    private Map<String, String> plan() {
        Versioned<ShardingPlan> plan = new TreeCoordination(bystander, new SystemClock())
                .jobs()
                .job(CountedWorker.JOB)
                .toCompletableFuture()
                .join()
                .plan();
        return plan == null ? Map.of() : plan.value().owners();
    }

    private static List<Integer> sizes(Map<String, String> plan) {
        Map<String, Integer> sizes = new HashMap<>();
        plan.values().forEach(instance -> sizes.merge(instance, 1, Integer::sum));
        return sizes.values().stream().sorted().toList();
    }

    private static Set<String> moved(Map<String, String> from, Map<String, String> to) {
        return without(
                ITEMS,
                ITEMS.stream()
                        .filter(item -> from.get(item).equals(to.get(item)))
                        .collect(Collectors.toSet()));
    }

    private static Set<String> without(Set<String> all, Set<String> some) {
        Set<String> rest = new TreeSet<>(all);
        rest.removeAll(some);
        return rest;
    }

    /** Waits until each instance claims all of its items in one transaction, then holds all items in mid-run. */
    private Moment holdSettled(Map<String, String> plan) throws IOException {
        Moment from = moment();
        CountedWorker.hold(gates, ITEMS, false);
        awaitFires(from, ITEMS);
        Eventually.holds("joint claims", () -> Set.copyOf(plan.values()).stream()
                .allMatch(instance -> lastClaim(instance).equals(owned(plan, instance, ITEMS))));
        return hold(plan, ITEMS);
    }

    /** Releases items, waits for {@link #FIRES} more fires of each kept item, and holds the kept items again. */
    private Moment continueItems(Map<String, String> plan, Set<String> released, Set<String> kept) throws IOException {
        Moment from = moment();
        CountedWorker.hold(gates, released, false);
        awaitFires(from, kept);
        return hold(plan, kept);
    }

    private void awaitFires(Moment from, Set<String> items) {
        Eventually.holds("further fires", () -> {
            Map<String, Integer> starts = moment().starts;
            return items.stream()
                    .allMatch(item -> starts.getOrDefault(item, 0) >= from.starts.getOrDefault(item, 0) + FIRES);
        });
    }

    /**
     * Holds items. Waits until the last runs of these items on each instance belong to the same fire, and until at
     * least one of these runs is held.
     */
    private Moment hold(Map<String, String> plan, Set<String> items) throws IOException {
        CountedWorker.hold(gates, items, true);
        Eventually.holds("mid-run", () -> Set.copyOf(plan.values()).stream().allMatch(instance -> {
            Set<String> own = owned(plan, instance, items);
            return own.isEmpty()
                    || (own.stream().anyMatch(item -> held(item, plan))
                            && own.stream().map(this::lastRun).distinct().count() == 1);
        }));
        return moment();
    }

    private Moment moment() {
        Map<String, Integer> starts = new HashMap<>();
        recorder.all(event -> event.kind() == Kind.STARTED)
                .forEach(start -> starts.merge(start.item(), 1, Integer::sum));
        return new Moment(server.transactions().size(), starts);
    }

    private static Set<String> owned(Map<String, String> plan, String instance, Set<String> among) {
        return among.stream().filter(item -> instance.equals(plan.get(item))).collect(Collectors.toSet());
    }

    private Optional<Event> lastStart(String item) {
        List<Event> starts = recorder.all(event -> event.is(Kind.STARTED, CountedWorker.JOB, item));
        return starts.isEmpty() ? Optional.empty() : Optional.of(starts.get(starts.size() - 1));
    }

    private String lastRun(String item) {
        return lastStart(item).map(Event::run).orElse("");
    }

    /** Returns whether an item's last run is held on the owner of the item. */
    private boolean held(String item, Map<String, String> plan) {
        return lastStart(item)
                .filter(start -> start.detail().equals(plan.get(item)))
                .map(start -> recorder.all(
                        event -> event.is(Kind.HELD, CountedWorker.JOB, item) && event.token() == start.token()))
                .filter(holds -> !holds.isEmpty())
                .isPresent();
    }

    private Set<String> lastClaim(String instance) {
        Set<String> last = Set.of();
        for (Transaction transaction : sent(instance, 0, Integer.MAX_VALUE)) {
            Set<String> claimed = transaction.created().stream()
                    .filter(path -> path.endsWith("/running"))
                    .map(JoiningAndLeavingTest::item)
                    .collect(Collectors.toSet());
            last = claimed.isEmpty() ? last : claimed;
        }
        return last;
    }

    private List<Transaction> sent(String instance, int from, int to) {
        long session = Long.parseUnsignedLong(instance.substring(instance.lastIndexOf('@') + 1), 16);
        List<Transaction> all = server.transactions();
        return all.subList(from, Math.min(to, all.size())).stream()
                .filter(transaction -> transaction.session() == session)
                .toList();
    }

    private static String item(String path) {
        return path.substring(RECORDS.length()).replace("/running", "");
    }

    private static Set<String> items(Transaction transaction) {
        return transaction.paths().stream()
                .filter(path -> path.startsWith(RECORDS))
                .map(JoiningAndLeavingTest::item)
                .collect(Collectors.toSet());
    }

    /**
     * Checks that each instance sent two transactions per fire, plus or minus one. Transactions that concern only
     * gained items are not counted, nor those that publish health, which changes if the machine is slow. If the run before the first fire was held until this fire came due, one transaction
     * may contain its completion and the claim of the fire.
     */
    private void assertCost(Map<String, String> before, Map<String, String> after, Moment from, Moment to) {
        Set<String> stayed = new TreeSet<>(before.values());
        stayed.retainAll(after.values());
        assertThat(stayed).hasSize(3);
        for (String instance : stayed) {
            Set<String> kept = owned(before, instance, without(ITEMS, moved(before, after)));
            Set<Integer> fires = kept.stream()
                    .map(item -> to.starts.get(item) - from.starts.get(item))
                    .collect(Collectors.toSet());
            assertThat(fires).as("fires of the items that %s keeps", instance).hasSize(1);
            int usual = 2 * fires.iterator().next();
            Set<String> gained = owned(after, instance, moved(before, after));
            List<Transaction> sent = sent(instance, from.transactions, to.transactions).stream()
                    .filter(transaction -> !isHealth(transaction))
                    .filter(transaction -> items(transaction).isEmpty() || !gained.containsAll(items(transaction)))
                    .toList();
            assertThat(sent)
                    .as("transactions of %s, which keeps %s", instance, kept)
                    .hasSizeBetween(usual - 1, usual + 1);
        }
    }

    private static boolean isHealth(Transaction transaction) {
        return transaction.paths().stream().allMatch(path -> path.contains("/health/"));
    }
}
