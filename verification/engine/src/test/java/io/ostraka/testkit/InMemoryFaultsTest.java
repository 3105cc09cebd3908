package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.Outcome.Reason;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeOp.Kind;
import io.ostraka.fixtures.RecordingListener;
import io.ostraka.testkit.InMemoryCoordination.Transaction;
import io.ostraka.testkit.InMemoryNodeStore.Operations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tests each fault that the in-memory store can inject. */
class InMemoryFaultsTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00.123456Z");

    private final InMemoryCoordination tree = new InMemoryCoordination(() -> START);
    private final RecordingListener events = new RecordingListener();
    private final RecordingListener otherEvents = new RecordingListener();
    private final InMemoryNodeStore store = start("one", events);
    private final InMemoryNodeStore other = start("other", otherEvents);

    private InMemoryNodeStore start(String name, RecordingListener listener) {
        InMemoryNodeStore started = tree.connect(name, Runnable::run);
        started.start(listener);
        listener.await("connected");
        return started;
    }

    private static NodeOp create(String path) {
        return new NodeOp.Create(path, new byte[0], Kind.PERSISTENT);
    }

    private static NodeOp ephemeral(String path) {
        return new NodeOp.Create(path, new byte[0], Kind.EPHEMERAL);
    }

    private static NodeOp set(String path) {
        return new NodeOp.Set(path, new byte[0], NodeOp.ANY_VERSION);
    }

    private static NodeOp delete(String path) {
        return new NodeOp.Delete(path, NodeOp.ANY_VERSION);
    }

    private static CompletionStage<Outcome> send(InMemoryNodeStore to, NodeOp... operations) {
        return to.commit(List.of(operations));
    }

    private static Outcome commit(InMemoryNodeStore to, NodeOp... operations) {
        return send(to, operations).toCompletableFuture().join();
    }

    private static boolean isOpen(CompletionStage<?> answer) {
        return !answer.toCompletableFuture().isDone();
    }

    private int version(InMemoryNodeStore reader, String path) {
        return reader.read(path, false)
                .toCompletableFuture()
                .join()
                .orElseThrow()
                .version();
    }

    @Test
    void expiredSessionIsRefusedBeforeItsClientLearnsOfIt() {
        commit(store, create("/a"), ephemeral("/a/running"));
        other.watch("/a/running", false);

        store.expire();

        assertThat(tree.paths()).containsExactly("/", "/a");
        assertThat(otherEvents.rest()).containsExactly("changed /a/running");
        assertThat(events.rest()).isEmpty();
        assertThat(commit(store, set("/a"))).isEqualTo(new Outcome.Unknown());
        assertThat(store.read("/a", false).toCompletableFuture()).isCompletedExceptionally();
        assertThat(version(other, "/a")).isZero();

        store.reconnect();
        assertThat(events.rest()).containsExactly("suspended", "lost", "connected");
        assertThat(commit(store, set("/a"))).isInstanceOf(Outcome.Committed.class);
    }

    @Test
    void lostReplyHidesACommittedTransaction() {
        commit(store, create("/a"));
        long session = store.session();
        store.loseNextReply();

        assertThat(commit(store, set("/a"))).isEqualTo(new Outcome.Unknown());

        assertThat(events.rest()).containsExactly("suspended", "connected");
        assertThat(store.session()).isEqualTo(session);
        assertThat(version(store, "/a")).isOne();
        assertThat(commit(store, set("/a"))).isInstanceOf(Outcome.Committed.class);
    }

    @Test
    void lostRequestIsNotCommitted() {
        commit(store, create("/a"));
        store.loseNextRequest();

        assertThat(commit(store, set("/a"))).isEqualTo(new Outcome.Unknown());

        assertThat(events.rest()).containsExactly("suspended", "connected");
        assertThat(version(store, "/a")).isZero();
        assertThat(commit(store, set("/a"))).isInstanceOf(Outcome.Committed.class);
    }

    @Test
    void heldRequestsArriveLateAndInOrder() {
        store.holdRequests();
        CompletionStage<Outcome> first = send(store, create("/a"));
        CompletionStage<Outcome> second = send(store, set("/a"));
        assertThat(tree.paths()).containsExactly("/");

        store.releaseRequests();

        assertThat(first.toCompletableFuture()).isCompletedWithValue(new Outcome.Committed(0, Instant.EPOCH));
        assertThat(second.toCompletableFuture().join()).isInstanceOf(Outcome.Committed.class);
    }

    @Test
    void lateRequestOfALivingSessionCommitsThoughItsOutcomeIsUnknown() {
        commit(store, create("/a"));
        store.holdRequests();
        CompletionStage<Outcome> late = send(store, set("/a"));
        store.suspend();
        assertThat(late.toCompletableFuture()).isCompletedWithValue(new Outcome.Unknown());
        assertThat(version(other, "/a")).isZero();

        store.releaseRequests();

        assertThat(version(other, "/a")).isOne();
    }

    @Test
    void lateRequestIsRefusedAfterReconnectionOrExpiry() {
        commit(store, create("/a"));
        store.holdRequests();
        send(store, set("/a"));
        store.reconnect();
        store.releaseRequests();
        assertThat(version(other, "/a")).isZero();

        store.holdRequests();
        send(store, set("/a"));
        store.suspend();
        store.expire();
        store.releaseRequests();
        assertThat(version(other, "/a")).isZero();
    }

    @Test
    void heldRepliesArriveOnReleaseAndAreUnknownOnDisconnection() {
        commit(store, create("/a"));
        store.holdReplies();
        CompletionStage<Outcome> late = send(store, set("/a"));
        assertThat(isOpen(late)).isTrue();
        assertThat(version(other, "/a")).isOne();
        store.releaseReplies();
        assertThat(late.toCompletableFuture().join()).isInstanceOf(Outcome.Committed.class);

        store.holdReplies();
        CompletionStage<Outcome> never = send(store, set("/a"));
        store.suspend();
        assertThat(never.toCompletableFuture()).isCompletedWithValue(new Outcome.Unknown());
        assertThat(version(other, "/a")).isEqualTo(2);
    }

    @Test
    void heldWatchesArriveAfterTheChange() {
        commit(store, create("/a"));
        store.watch("/a", false);
        store.holdWatches();

        commit(other, set("/a"));
        assertThat(version(store, "/a")).isOne();
        assertThat(events.rest()).isEmpty();
        store.releaseWatches();

        assertThat(events.rest()).containsExactly("changed /a");
    }

    @Test
    void persistentWatchMissesChangesDuringADisconnection() {
        commit(store, create("/a"));
        store.watch("/a", false);
        store.suspend();

        commit(other, set("/a"));
        store.reconnect();

        assertThat(events.rest()).containsExactly("suspended", "connected");
        commit(other, set("/a"));
        assertThat(events.rest()).containsExactly("changed /a");
    }

    @Test
    void watchedReadReportsOnReconnectionOnlyChangesItMissed() {
        commit(store, create("/a"), create("/b"));
        store.read("/a", true);
        store.read("/b", true);
        store.holdReplies();
        commit(other, set("/a"));
        store.suspend();
        store.releaseReplies();

        store.reconnect();

        assertThat(events.rest()).containsExactly("suspended", "connected", "changed /a");
    }

    @Test
    void abandonedSessionLivesOnBesideTheNextOne() {
        commit(store, ephemeral("/old"));
        long abandoned = store.session();

        store.abandon();
        store.reconnect();

        assertThat(events.rest()).containsExactly("suspended", "lost", "connected");
        assertThat(tree.read("/old").map(Node::ephemeralOwner)).contains(abandoned);
        assertThat(commit(store, ephemeral("/old"))).isEqualTo(new Outcome.Rejected(0, Reason.NODE_EXISTS));
        tree.expire(abandoned);
        assertThat(tree.paths()).containsExactly("/");
    }

    @Test
    void storeClosedWhileDisconnectedKeepsItsNodesUntilExpiry() {
        commit(store, ephemeral("/mine"));
        store.suspend();

        store.close();

        assertThat(tree.paths()).contains("/mine");
        store.expire();
        assertThat(tree.paths()).containsExactly("/");
    }

    @Test
    void laggingServerShowsForeignWritesLateAndOwnAtOnce() {
        commit(store, create("/a"));
        store.lag(2);
        store.watch("/a", false);

        commit(other, set("/a"));
        commit(other, set("/a"));
        assertThat(version(store, "/a")).isZero();
        assertThat(events.rest()).isEmpty();
        commit(other, set("/a"));
        assertThat(version(store, "/a")).isOne();
        assertThat(events.rest()).containsExactly("changed /a");

        assertThat(commit(store, create("/b"))).isInstanceOf(Outcome.Committed.class);
        assertThat(version(store, "/a")).isEqualTo(3);

        commit(other, set("/a"));
        assertThat(version(store, "/a")).isEqualTo(3);
        store.sync().toCompletableFuture().join();
        assertThat(version(store, "/a")).isEqualTo(4);

        commit(other, set("/a"));
        store.lag(0);
        assertThat(version(store, "/a")).isEqualTo(5);
        commit(other, delete("/a"));
        assertThat(store.read("/a", false).toCompletableFuture().join()).isEmpty();
    }

    @Test
    void transactionOnALaggingServerSeesTheNewestState() {
        commit(store, create("/a"));
        store.lag(5);
        commit(other, set("/a"));

        assertThat(commit(store, new NodeOp.Set("/a", new byte[0], 0)))
                .isEqualTo(new Outcome.Rejected(0, Reason.BAD_VERSION));
        assertThat(version(store, "/a")).as("after the rejection").isOne();
    }

    @Test
    void expiredLeaderBelievesItLeadsUntilNotified() {
        commit(store, create("/latch"));
        store.campaign("/latch", "one");
        other.campaign("/latch", "other");
        String node = events.await("leads as ").substring("leads as ".length());
        store.holdReplies();

        store.expire();

        assertThat(otherEvents.await("leads as ")).isNotEqualTo("leads as " + node);
        assertThat(events.rest()).isEmpty();
        store.releaseReplies();
        store.reconnect();
        assertThat(events.rest()).containsExactly("doesn't lead", "suspended", "lost", "connected");
    }

    @Test
    void leadershipIsReportedLateWhenWatchesAreHeld() {
        commit(store, create("/latch"));
        store.holdWatches();
        store.campaign("/latch", "one");
        assertThat(events.rest()).isEmpty();

        store.releaseWatches();

        assertThat(events.rest()).containsExactly("leads as /latch/latch-0000000000");
    }

    @Test
    void lateReportOfAnEndedCandidacyIsIgnored() {
        commit(store, create("/latch"));
        store.holdWatches();
        store.campaign("/latch", "one");
        store.resign();
        other.campaign("/latch", "other");
        store.campaign("/latch", "again");

        store.releaseWatches();

        assertThat(events.rest()).isEmpty();
        assertThat(otherEvents.rest()).hasSize(1);
    }

    @Test
    void candidacyResignedWhileDisconnectedEndsOnReconnection() {
        commit(store, create("/latch"));
        store.campaign("/latch", "one");
        other.campaign("/latch", "other");
        store.suspend();

        store.resign();
        assertThat(tree.children("/latch")).hasSize(2);
        store.reconnect();

        assertThat(tree.children("/latch")).hasSize(1);
        assertThat(otherEvents.rest()).containsExactly("leads as /latch/latch-0000000001");
    }

    @Test
    void candidateThatCampaignsAgainUsesItsLatestName() {
        commit(store, create("/latch"));
        store.holdRequests();
        store.campaign("/latch", "first");
        store.resign();
        store.campaign("/latch", "second");
        store.releaseRequests();

        String node = events.await("leads as ").substring("leads as ".length());
        assertThat(tree.children("/latch")).hasSize(1);
        assertThat(tree.read(node).orElseThrow().data()).asString().isEqualTo("second");
    }

    @Test
    void candidateWhoseNodeIsDeletedCampaignsAgain() {
        commit(store, create("/latch"));
        store.campaign("/latch", "one");
        events.await("leads as ");

        commit(other, delete("/latch/latch-0000000000"));

        assertThat(events.rest()).containsExactly("leads as /latch/latch-0000000001");
    }

    @Test
    void historyHoldsCommittedTransactionsAndSessionEnds() {
        var history = new ArrayList<Transaction>();
        tree.onCommit(history::add);

        commit(store, create("/a"), new NodeOp.Create("/a/n-", new byte[0], Kind.PERSISTENT_SEQUENTIAL));
        commit(store, delete("/missing"));
        commit(store, ephemeral("/e"));
        store.expire();

        assertThat(history).extracting(Transaction::session).containsOnly(store.session());
        assertThat(history).extracting(Transaction::endsSession).containsExactly(false, false, true);
        assertThat(history).extracting(Transaction::zxid).isSorted().doesNotHaveDuplicates();
        assertThat(history.get(0).operations()).extracting(NodeOp::path).containsExactly("/a", "/a/n-0000000000");
        assertThat(history.get(2).operations()).containsExactly(delete("/e"));
        assertThat(history.get(0).at()).isEqualTo(START.minusNanos(456_000));
    }

    @Test
    void transactionsAreNumberedWithinTheEpochOfTheEnsemble() {
        commit(store, create("/a"));
        assertThat(tree.read("/a").orElseThrow().czxid() >>> 32).isOne();

        tree.newEpoch();
        commit(store, create("/b"));

        assertThat(tree.read("/b").orElseThrow().czxid()).isEqualTo((2L << 32) + 1);
    }

    @Test
    void operationsAreCountedOnArrival() {
        Operations before = store.operations();
        commit(store, create("/a"));
        commit(store, create("/a"));
        store.read("/a", true);
        store.children("/a");
        store.sync();
        store.suspend();
        commit(store, create("/b"));

        assertThat(before).isEqualTo(new Operations(0, 0, 0));
        assertThat(store.operations()).isEqualTo(new Operations(2, 1, 1));
    }

    @Test
    void executorsControlWhenRequestsAndRepliesRun() {
        Queue<Runnable> requests = new ArrayDeque<>();
        Queue<Runnable> replies = new ArrayDeque<>();
        InMemoryNodeStore slow = tree.connect("slow", requests::add, replies::add, Duration.ofSeconds(1));
        var slowEvents = new RecordingListener();
        slow.start(slowEvents);
        assertThat(slowEvents.rest()).isEmpty();
        replies.remove().run();
        assertThat(slowEvents.rest()).containsExactly("connected");
        assertThat(slowEvents.sessionTimeout()).isEqualTo(Duration.ofSeconds(1));

        CompletionStage<Outcome> first = send(slow, create("/a"));
        CompletionStage<Outcome> second = send(slow, create("/b"));
        assertThat(tree.paths()).containsExactly("/");
        requests.remove().run();
        assertThat(tree.paths()).containsExactly("/", "/a");
        assertThat(isOpen(first)).isTrue();
        replies.remove().run();
        assertThat(isOpen(first)).isFalse();
        assertThat(isOpen(second)).isTrue();
        requests.remove().run();
        replies.remove().run();
        assertThat(isOpen(second)).isFalse();
        assertThat(requests).isEmpty();
        assertThat(replies).isEmpty();
    }
}
