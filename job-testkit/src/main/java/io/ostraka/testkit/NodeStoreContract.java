package io.ostraka.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.coordination.Node;
import io.ostraka.core.coordination.NodeOp;
import io.ostraka.core.coordination.NodeOp.Kind;
import io.ostraka.core.coordination.NodeStore;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.Outcome.Reason;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link NodeStore} must do, as tests. An adapter's test extends this class and brings the server and the
 * faults; each test method gets a namespace that is empty.
 */
public abstract class NodeStoreContract {
    private static final long LIMIT_SECONDS = 60;

    private final Deque<NodeStore> stores = new ArrayDeque<>();

    /** Makes a store that hasn't been started; all of a test method's share server and namespace. */
    protected abstract NodeStore create();

    /** Cuts the connection of a store and keeps it from making another; the store notices. */
    protected abstract void cut(NodeStore store);

    /** Lets a store connect again after {@link #cut}. */
    protected abstract void heal(NodeStore store);

    /** Keeps everything that the server sends from reaching a store, whose requests still arrive, until it is cut. */
    protected abstract void muteServer(NodeStore store);

    /** Has the server end the session of a store, which then notices and connects again. */
    protected abstract void expire(NodeStore store);

    /** Returns how many random sequences of requests are tried. */
    protected int randomSequences() {
        return 3;
    }

    @AfterEach
    void closeStores() {
        while (!stores.isEmpty()) {
            stores.pop().close();
        }
    }

    private record Client(NodeStore store, RecordingListener told) {
        /** The server has everything that was asked of it before. */
        void settle() {
            get(store.sync());
        }

        Outcome commit(NodeOp... operations) {
            return get(store.commit(List.of(operations)));
        }

        /** For who isn't told of the connection. */
        void committedOnceConnected(NodeOp... operations) {
            while (!(commit(operations) instanceof Outcome.Committed)) {
                Thread.onSpinWait();
            }
        }

        Outcome.Committed committed(NodeOp... operations) {
            return assertInstanceOf(Outcome.Committed.class, commit(operations));
        }

        Node node(String path) {
            return get(store.read(path, false)).orElseThrow(() -> new AssertionError("No node at " + path));
        }

        boolean exists(String path) {
            return get(store.read(path, false)).isPresent();
        }

        Set<String> children(String path) {
            return new TreeSet<>(get(store.children(path)));
        }

        void noting(String what, CompletionStage<?> answer) {
            answer.whenComplete((value, failure) -> told.note(what));
        }

        /** Has been told everything that the server sent before. */
        List<String> toldByNow() {
            settle();
            return told.rest();
        }
    }

    private Client unstarted() {
        NodeStore store = create();
        stores.push(store);
        return new Client(store, new RecordingListener());
    }

    private Client start() {
        Client client = unstarted();
        client.store.start(client.told);
        client.told.await("connected");
        return client;
    }

    private static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            throw new AssertionError("No answer", e);
        }
    }

    private static void assertCannotBeKnown(CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        ExecutionException e =
                assertThrows(ExecutionException.class, () -> future.get(LIMIT_SECONDS, TimeUnit.SECONDS));
        assertInstanceOf(CoordinationException.class, e.getCause());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static NodeOp create(String path) {
        return new NodeOp.Create(path, bytes("new"), Kind.PERSISTENT);
    }

    private static NodeOp ephemeral(String path) {
        return new NodeOp.Create(path, bytes("new"), Kind.EPHEMERAL);
    }

    private static NodeOp numbered(String path) {
        return new NodeOp.Create(path, bytes("new"), Kind.PERSISTENT_SEQUENTIAL);
    }

    private static NodeOp set(String path, int version) {
        return new NodeOp.Set(path, bytes("set"), version);
    }

    private static NodeOp delete(String path) {
        return new NodeOp.Delete(path, NodeOp.ANY_VERSION);
    }

    private static NodeOp check(String path, int version) {
        return new NodeOp.Check(path, version);
    }

    // nodes and transactions

    @Test
    void aNewNodeHasVersionZeroAndTheTransactionThatCreatedIt() {
        Client client = start();

        client.committed(create("/a"), create("/b"));

        Node a = client.node("/a");
        assertEquals("/a", a.path());
        assertArrayEquals(bytes("new"), a.data());
        assertEquals(0, a.version());
        assertEquals(a.czxid(), a.mzxid());
        assertEquals(a.czxid(), client.node("/b").czxid());
        assertEquals(a.created(), a.modified());
        assertEquals(0, a.ephemeralOwner());
    }

    @Test
    void aWriteRaisesTheVersionAndLeavesTheCreationAsItWas() {
        Client client = start();
        client.committed(create("/a"));
        Node before = client.node("/a");

        Outcome.Committed written = client.committed(set("/a", 0));

        Node after = client.node("/a");
        assertArrayEquals(bytes("set"), after.data());
        assertEquals(1, after.version());
        assertEquals(before.czxid(), after.czxid());
        assertEquals(before.created(), after.created());
        assertEquals(written.zxid(), after.mzxid());
        assertEquals(written.at(), after.modified());
        assertTrue(after.mzxid() > before.mzxid());
    }

    @Test
    void aTransactionThatWritesNoNodeDoesNotSayItsNumber() {
        Client client = start();

        assertEquals(new Outcome.Committed(0, Instant.EPOCH), client.commit(create("/a"), check("/a", 0)));
        assertEquals(new Outcome.Committed(0, Instant.EPOCH), client.commit(delete("/a")));
    }

    @Test
    void aTransactionHasOneNumber() {
        Client client = start();

        Outcome.Committed committed =
                client.committed(create("/a"), set("/a", 0), create("/b"), set("/a", 1), set("/b", 0));

        assertEquals(committed.zxid(), client.node("/a").czxid());
        assertEquals(committed.zxid(), client.node("/a").mzxid());
        assertEquals(committed.zxid(), client.node("/b").mzxid());
        assertEquals(2, client.node("/a").version());
    }

    @Test
    void aRejectedTransactionChangesNothingAndNamesTheFirstOperationThatFailed() {
        Client client = start();
        client.committed(create("/a"), create("/parent"), create("/parent/child"), ephemeral("/mortal"));

        assertRejected(1, Reason.BAD_VERSION, client.commit(create("/x"), check("/a", 1), delete("/missing")));
        assertRejected(2, Reason.BAD_VERSION, client.commit(create("/x"), check("/a", 0), set("/a", 7)));
        assertRejected(0, Reason.BAD_VERSION, client.commit(new NodeOp.Delete("/a", 3)));
        assertRejected(1, Reason.NO_NODE, client.commit(create("/x"), create("/missing/child")));
        assertRejected(0, Reason.NO_NODE, client.commit(set("/missing", 0)));
        assertRejected(0, Reason.NO_NODE, client.commit(delete("/missing")));
        assertRejected(0, Reason.NO_NODE, client.commit(check("/missing", NodeOp.ANY_VERSION)));
        assertRejected(1, Reason.NODE_EXISTS, client.commit(create("/x"), create("/a")));
        assertRejected(1, Reason.NOT_EMPTY, client.commit(create("/x"), delete("/parent")));
        assertRejected(1, Reason.REFUSED, client.commit(create("/x"), create("/mortal/child")));

        assertFalse(client.exists("/x"));
        assertEquals(0, client.node("/a").version());
        assertEquals(Set.of("a", "parent", "mortal"), client.children("/"));
    }

    private static void assertRejected(int index, Reason reason, Outcome outcome) {
        assertEquals(new Outcome.Rejected(index, reason), outcome);
    }

    @Test
    void anOperationSeesWhatThoseBeforeItInTheTransactionHaveDone() {
        Client client = start();

        client.committed(create("/a"), create("/a/b"), set("/a", 0), check("/a", 1), delete("/a/b"), delete("/a"));
        assertRejected(1, Reason.NODE_EXISTS, client.commit(create("/a"), create("/a")));
        assertRejected(2, Reason.NO_NODE, client.commit(create("/a"), delete("/a"), check("/a", 0)));
        assertRejected(2, Reason.BAD_VERSION, client.commit(create("/a"), set("/a", 0), check("/a", 0)));
        assertRejected(2, Reason.NOT_EMPTY, client.commit(create("/a"), create("/a/b"), delete("/a")));

        assertEquals(Set.of(), client.children("/"));
    }

    @Test
    void sequentialNamesHaveTenDigitsThatRiseWithEveryCreationUnderTheParent() {
        Client client = start();
        client.committed(create("/q"));

        client.committed(numbered("/q/n-"), numbered("/q/n-"), create("/q/other"));
        client.committed(delete("/q/n-0000000001"), numbered("/q/n-"));
        client.commit(numbered("/q/n-"), check("/missing", 0));
        client.committed(numbered("/q/"));

        assertEquals(Set.of("n-0000000000", "other", "n-0000000003", "0000000004"), client.children("/q"));
    }

    @Test
    void theRootExistsAndIsNeitherCreatedNorDeleted() {
        Client client = start();

        assertTrue(client.exists("/"));
        assertEquals(Set.of(), client.children("/"));
        assertThrows(IllegalArgumentException.class, () -> client.store.commit(List.of(delete("/"))));
        assertThrows(IllegalArgumentException.class, () -> client.store.commit(List.of(create("/"))));
    }

    @Test
    void whatCannotBeARequestIsAnIllegalArgument() {
        Client client = start();

        assertThrows(IllegalArgumentException.class, () -> client.store.commit(List.of()));
        assertThrows(IllegalArgumentException.class, () -> client.store.commit(List.of(create("relative"))));
        assertThrows(IllegalArgumentException.class, () -> client.store.commit(List.of(create("/a//b"))));
        assertThrows(IllegalArgumentException.class, () -> client.store.read("/a/", false));
        assertThrows(IllegalArgumentException.class, () -> client.store.children("/a/../b"));
        assertThrows(IllegalArgumentException.class, () -> client.store.watch("", true));
    }

    @Test
    void aTransactionBeyondAMegabyteIsRefusedAsAWholeAndTheStoreGoesOn() {
        Client client = start();

        Outcome tooLarge = client.commit(
                new NodeOp.Create("/a", new byte[600_000], Kind.PERSISTENT),
                new NodeOp.Create("/b", new byte[600_000], Kind.PERSISTENT));
        client.committed(
                new NodeOp.Create("/c", new byte[450_000], Kind.PERSISTENT),
                new NodeOp.Create("/d", new byte[450_000], Kind.PERSISTENT));

        assertRejected(-1, Reason.REFUSED, tooLarge);
        assertEquals(Set.of("c", "d"), client.children("/"));
        assertEquals(450_000, client.node("/d").data().length);
        assertEquals(List.of(), client.toldByNow());
    }

    @Test
    void fiveHundredItemsAreClaimedInOneTransaction() {
        Client client = start();
        var records = new ArrayList<NodeOp>();
        var claims = new ArrayList<NodeOp>();
        for (int item = 0; item < 500; item++) {
            records.add(create("/" + item));
            claims.add(new NodeOp.Set("/" + item, new byte[900], 0));
            claims.add(ephemeral("/" + item + "/running"));
        }

        client.committed(records.toArray(NodeOp[]::new));
        client.committed(claims.toArray(NodeOp[]::new));

        assertEquals(1, client.node("/499").version());
        assertTrue(client.exists("/499/running"));
    }

    @Test
    void requestsAreCarriedOutInTheOrderInWhichTheyWereMade() {
        Client client = start();
        client.committed(create("/a"));

        var writes = new ArrayList<CompletionStage<Outcome>>();
        var reads = new ArrayList<CompletionStage<Optional<Node>>>();
        for (int version = 0; version < 100; version++) {
            writes.add(client.store.commit(List.of(set("/a", version))));
            reads.add(client.store.read("/a", version % 2 == 0));
        }

        writes.forEach(write -> assertInstanceOf(Outcome.Committed.class, get(write)));
        for (int version = 0; version < 100; version++) {
            assertEquals(version + 1, get(reads.get(version)).orElseThrow().version());
        }
    }

    @Test
    void aMissingNodeIsEmptyAndHasNoChildren() {
        Client client = start();

        assertEquals(Optional.empty(), get(client.store.read("/missing", false)));
        assertEquals(List.of(), get(client.store.children("/missing")));
    }

    @Test
    void childrenAreNamesOfTheNextLevelAlone() {
        Client client = start();
        client.committed(create("/a"), create("/a/b"), create("/a/b-2"), create("/a/b/c"), create("/ab"));

        assertEquals(Set.of("b", "b-2"), client.children("/a"));
        assertEquals(Set.of("a", "ab"), client.children("/"));
    }

    @Test
    void afterASyncWhatOthersWereAnsweredIsSeen() {
        Client writer = start();
        Client reader = start();
        writer.committed(create("/a"));

        for (int version = 0; version < 20; version++) {
            writer.committed(set("/a", version));
            get(reader.store.sync());
            assertEquals(version + 1, reader.node("/a").version());
        }
    }

    // sessions

    @Test
    void anEphemeralNodeBelongsToItsSessionAndGoesWhenTheStoreIsClosed() {
        Client owner = start();
        Client other = start();
        owner.committed(create("/a"), ephemeral("/a/e"));
        assertEquals(owner.told.session(), other.node("/a/e").ephemeralOwner());
        assertNotEquals(owner.told.session(), other.told.session());

        owner.store.close();

        assertFalse(other.exists("/a/e"));
        assertTrue(other.exists("/a"));
    }

    @Test
    void theListenerIsToldTheSessionsTimeout() {
        assertTrue(start().told.sessionTimeout().compareTo(Duration.ofSeconds(1)) >= 0);
    }

    @Test
    void aClosedStoreAnswersThatNothingCanBeKnownAndTellsNothing() {
        Client client = start();
        client.committed(create("/a"));
        client.store.watch("/a", false);

        client.store.close();
        client.store.close();

        assertEquals(new Outcome.Unknown(), client.commit(set("/a", 0)));
        assertCannotBeKnown(client.store.read("/a", false));
        assertEquals(List.of(), client.told.rest());
        assertThrows(IllegalStateException.class, () -> client.store.start(client.told));
    }

    @Test
    void aStoreThatWasNeverStartedCanBeClosed() {
        Client client = unstarted();

        assertEquals(new Outcome.Unknown(), client.commit(create("/a")));
        client.store.close();
    }

    @Test
    void aStoreIsStartedOnce() {
        Client client = start();

        assertThrows(IllegalStateException.class, () -> client.store.start(client.told));
    }

    @Test
    void withoutAConnectionNothingIsKnownAndNothingWaits() {
        Client client = start();
        cut(client.store);
        client.told.await("suspended");

        assertEquals(new Outcome.Unknown(), client.commit(create("/a")));
        assertCannotBeKnown(client.store.read("/a", true));
        assertCannotBeKnown(client.store.children("/"));
        assertCannotBeKnown(client.store.sync());

        heal(client.store);
        client.told.await("connected");
        assertFalse(client.exists("/a"));
    }

    @Test
    void anInterruptedConnectionComesBackInTheSameSession() {
        Client client = start();
        client.committed(ephemeral("/e"));
        long session = client.told.session();

        cut(client.store);
        assertEquals("suspended", client.told.next());
        heal(client.store);

        assertEquals("connected", client.told.next());
        assertEquals(session, client.told.session());
        assertEquals(session, client.node("/e").ephemeralOwner());
    }

    @Test
    void anExpiredSessionIsToldAsLostBeforeTheNextOneIsConnected() {
        Client client = start();
        client.committed(create("/a"), ephemeral("/e"));
        long session = client.told.session();

        expire(client.store);

        assertEquals("suspended", client.told.next());
        assertEquals("lost", client.told.next());
        assertEquals("connected", client.told.next());
        assertNotEquals(session, client.told.session());
        assertFalse(client.exists("/e"));
        client.committed(ephemeral("/e"), set("/a", 0));
        assertEquals(client.told.session(), client.node("/e").ephemeralOwner());
    }

    @Test
    void sessionsFollowOneAnother() {
        Client client = start();
        var sessions = new TreeSet<Long>(Set.of(client.told.session()));

        for (int i = 0; i < 3; i++) {
            expire(client.store);
            client.told.await("lost");
            client.told.await("connected");
            assertTrue(sessions.add(client.told.session()));
            client.committed(ephemeral("/e" + i));
        }

        assertEquals(Set.of("e2"), client.children("/"));
    }

    @Test
    void aTransactionWhoseAnswerIsLostIsUnknownAndCanBeReadAfterwards() {
        Client client = start();
        Client other = start();
        client.committed(create("/a"));
        other.store.watch("/a", false);
        get(other.store.sync());

        muteServer(client.store);
        CompletionStage<Outcome> lost = client.store.commit(List.of(set("/a", 0), ephemeral("/e")));
        other.told.await("changed /a");
        assertFalse(lost.toCompletableFuture().isDone());
        cut(client.store);

        assertEquals(new Outcome.Unknown(), get(lost));
        heal(client.store);
        client.told.await("connected");
        get(client.store.sync());
        assertEquals(1, client.node("/a").version());
        assertEquals(client.told.session(), client.node("/e").ephemeralOwner());
    }

    @Test
    void whatIsUnansweredWhenTheConnectionGoesIsAnsweredInOrderBeforeThatIsTold() {
        Client client = start();
        client.committed(create("/a"));

        muteServer(client.store);
        client.noting("read", client.store.read("/a", true));
        client.noting("commit", client.store.commit(List.of(set("/a", 0))));
        client.noting("sync", client.store.sync());
        cut(client.store);

        assertEquals("read", client.told.next());
        assertEquals("commit", client.told.next());
        assertEquals("sync", client.told.next());
        assertEquals("suspended", client.told.next());
    }

    @Test
    void whatIsUnknownForWantOfAConnectionIsAnsweredBeforeTheNextOneIsTold() {
        var sent = new ConcurrentLinkedQueue<CompletableFuture<Outcome>>();
        var openWhenTold = new ArrayList<CompletableFuture<Outcome>>();
        Client client = unstarted();
        client.store.start(new ToldWhenConnected(client.told, () -> {
            openWhenTold.clear();
            sent.stream().filter(answer -> !answer.isDone()).forEach(openWhenTold::add);
        }));
        client.told.await("connected");
        cut(client.store);
        client.told.await("suspended");

        heal(client.store);
        while (client.told.rest().isEmpty()) {
            CompletionStage<Outcome> answer = client.store.commit(List.of(check("/", NodeOp.ANY_VERSION)));
            sent.add(answer.toCompletableFuture());
            if (sent.size() > 50) {
                get(sent.remove());
            }
        }

        client.settle();
        for (CompletableFuture<Outcome> answer : openWhenTold) {
            assertInstanceOf(Outcome.Committed.class, get(answer));
        }
    }

    /** Does something more in the callback that tells of a connection. */
    private record ToldWhenConnected(NodeStore.Listener told, Runnable action) implements NodeStore.Listener {
        @Override
        public void connected(long sessionId, Duration sessionTimeout) {
            action.run();
            told.connected(sessionId, sessionTimeout);
        }

        @Override
        public void suspended() {
            told.suspended();
        }

        @Override
        public void lost() {
            told.lost();
        }

        @Override
        public void changed(String path) {
            told.changed(path);
        }

        @Override
        public void leadership(Optional<String> candidate) {
            told.leadership(candidate);
        }
    }

    @Test
    void whatAListenerThrowsDoesNotStopTheStore() {
        Client client = unstarted();
        client.store.start(new ToldWhenConnected(client.told, () -> {
            throw new IllegalStateException("thrown by a listener, as this test wants it");
        }));

        client.committedOnceConnected(create("/a"));
        cut(client.store);
        client.told.await("suspended");
        heal(client.store);

        client.committedOnceConnected(set("/a", 0));
    }

    // watches

    @Test
    void aWatchedReadReportsTheNextChangeOnce() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"));

        assertTrue(get(watching.store.read("/a", true)).isPresent());
        assertEquals(List.of(), watching.toldByNow());
        writing.committed(set("/a", 0));
        writing.committed(set("/a", 1));

        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void aWatchedReadReportsDeletion() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"), ephemeral("/a/running"));

        assertTrue(get(watching.store.read("/a/running", true)).isPresent());
        writing.store.close();

        assertEquals("changed /a/running", watching.told.next());
        assertFalse(watching.exists("/a/running"));
    }

    @Test
    void aWatchedReadOfAMissingNodeReportsItsCreation() {
        Client watching = start();
        Client writing = start();

        assertFalse(get(watching.store.read("/a", true)).isPresent());
        writing.committed(create("/a"));

        assertEquals("changed /a", watching.told.next());
        assertEquals(List.of(), watching.toldByNow());
    }

    @Test
    void aWatchedReadReportsNothingAboutOtherNodesOrChildren() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"));

        get(watching.store.read("/a", true));
        writing.committed(create("/a/b"), create("/ab"), set("/a/b", 0));
        assertEquals(List.of(), watching.toldByNow());
        writing.committed(delete("/a/b"), delete("/a"));

        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void aWatchedReadNeverMissesAChangeThatItDoesNotShow() {
        Client watching = start();
        Client writing = start();

        for (int round = 0; round < 50; round++) {
            CompletionStage<Outcome> change =
                    writing.store.commit(List.of(round % 2 == 0 ? create("/a") : delete("/a")));
            Optional<Node> read = get(watching.store.read("/a", true));
            get(change);
            if (read.isPresent() != (round % 2 == 0)) {
                watching.told.await("changed /a");
            }
            watching.toldByNow();
        }
    }

    @Test
    void aWatchedReadStillReportsAfterAnInterruption() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/changed"), create("/deleted"), create("/kept"));
        get(watching.store.read("/changed", true));
        get(watching.store.read("/deleted", true));
        get(watching.store.read("/created", true));
        get(watching.store.read("/kept", true));
        get(watching.store.read("/missing", true));

        cut(watching.store);
        watching.told.await("suspended");
        writing.committed(set("/changed", 0), delete("/deleted"), create("/created"));
        heal(watching.store);

        watching.told.await("connected");
        assertEquals(
                Set.of("changed /changed", "changed /deleted", "changed /created"), Set.copyOf(watching.toldByNow()));
        writing.committed(set("/kept", 0), create("/missing"));
        assertEquals(Set.of("changed /kept", "changed /missing"), Set.copyOf(watching.toldByNow()));
    }

    @Test
    void aWatchedReadEndsWithItsSession() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"));
        get(watching.store.read("/a", true));

        expire(watching.store);
        watching.told.await("connected");
        writing.committed(set("/a", 0));

        assertEquals(List.of(), watching.toldByNow());
    }

    @Test
    void aWatchReportsEveryChangeOfTheNodeAndOfItsChildrensNames() {
        Client watching = start();
        Client writing = start();
        watching.store.watch("/a", false);
        assertEquals(List.of(), watching.toldByNow());

        List<List<NodeOp>> reported = List.of(
                List.of(create("/a")),
                List.of(set("/a", 0)),
                List.of(create("/a/b")),
                List.of(create("/a/c")),
                List.of(delete("/a/b")),
                List.of(delete("/a/c")),
                List.of(delete("/a")),
                List.of(create("/a")));
        for (List<NodeOp> change : reported) {
            assertInstanceOf(Outcome.Committed.class, get(writing.store.commit(change)));
            assertEquals(List.of("changed /a"), watching.toldByNow(), () -> "after " + change);
        }
    }

    @Test
    void aWatchOfOneNodeReportsNothingFromBelowItsChildren() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"), create("/a/b"));
        watching.store.watch("/a", false);
        watching.settle();

        writing.committed(set("/a/b", 0), create("/a/b/c"), set("/a/b/c", 0), create("/ab"), check("/a", 0));

        assertEquals(List.of(), watching.toldByNow());
    }

    @Test
    void aRecursiveWatchReportsEveryChangeAtAndBelowTheNode() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/ab"));
        watching.store.watch("/a", true);
        watching.settle();

        writing.committed(create("/a"), create("/a/b"), create("/a/b/c"), set("/a/b", 0), create("/ab/c"));
        assertEquals(List.of("changed /a", "changed /a/b", "changed /a/b/c", "changed /a/b"), watching.toldByNow());
        writing.committed(delete("/a/b/c"), delete("/a/b"), delete("/a"));
        assertEquals(List.of("changed /a/b/c", "changed /a/b", "changed /a"), watching.toldByNow());
    }

    @Test
    void theWholeTreeCanBeWatched() {
        Client watching = start();
        Client writing = start();
        watching.store.watch("/", true);
        watching.settle();

        writing.committed(create("/a"), create("/a/b"), set("/", NodeOp.ANY_VERSION));

        assertEquals(List.of("changed /a", "changed /a/b", "changed /"), watching.toldByNow());
    }

    @Test
    void oneChangeThatSeveralWatchesAreAboutIsReportedOnce() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"));
        watching.store.watch("/", true);
        watching.store.watch("/a", false);
        get(watching.store.read("/a", true));

        writing.committed(set("/a", 0));

        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void aWatchSurvivesInterruptionsAndNewSessions() {
        Client watching = start();
        Client writing = start();
        watching.store.watch("/a", false);
        watching.store.watch("/r", true);

        cut(watching.store);
        watching.told.await("suspended");
        watching.store.watch("/later", false);
        heal(watching.store);
        watching.told.await("connected");
        watching.settle();
        writing.committed(create("/a"), create("/r"), create("/r/x"), create("/later"));
        assertEquals(List.of("changed /a", "changed /r", "changed /r/x", "changed /later"), watching.toldByNow());

        expire(watching.store);
        watching.told.await("connected");
        watching.toldByNow();
        writing.committed(set("/a", 0), set("/r/x", 0), set("/later", 0));
        assertEquals(List.of("changed /a", "changed /r/x", "changed /later"), watching.toldByNow());
    }

    @Test
    void aWatchMayBeSetBeforeTheStoreIsStarted() {
        Client watching = unstarted();
        Client writing = start();
        watching.store.watch("/a", false);
        watching.store.start(watching.told);
        watching.told.await("connected");
        watching.settle();

        writing.committed(create("/a"));

        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void anEndedWatchReportsNothingMore() {
        Client watching = start();
        Client writing = start();
        watching.store.watch("/a", false);
        watching.store.watch("/r", true);
        watching.store.watch("/cut", true);
        watching.store.unwatch("/a");
        watching.store.unwatch("/r");
        watching.store.unwatch("/never-watched");
        watching.settle();
        writing.committed(create("/a"), create("/r"), create("/r/x"), create("/cut"));
        assertEquals(List.of("changed /cut"), watching.toldByNow());

        cut(watching.store);
        watching.told.await("suspended");
        watching.store.unwatch("/cut");
        heal(watching.store);
        watching.told.await("connected");
        watching.settle();
        writing.committed(set("/a", 0), set("/r/x", 0), set("/cut", 0));
        assertEquals(List.of(), watching.toldByNow());

        watching.store.watch("/a", false);
        watching.settle();
        writing.committed(set("/a", 1));
        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void theEndOfAWatchLeavesAWatchedReadOfTheSameNode() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"));
        watching.store.watch("/a", false);
        get(watching.store.read("/a", true));

        watching.store.unwatch("/a");
        watching.settle();
        writing.committed(set("/a", 0));

        assertEquals(List.of("changed /a"), watching.toldByNow());
    }

    @Test
    void anotherWatchOfTheSameNodeReplacesTheFirst() {
        Client watching = start();
        Client writing = start();
        writing.committed(create("/a"), create("/a/b"));

        watching.store.watch("/a", true);
        watching.store.watch("/a", false);
        watching.settle();
        writing.committed(set("/a/b", 0), set("/a", 0));
        assertEquals(List.of("changed /a"), watching.toldByNow());

        watching.store.watch("/a", true);
        watching.settle();
        writing.committed(set("/a/b", 1), create("/a/c"));
        assertEquals(List.of("changed /a/b", "changed /a/c"), watching.toldByNow());
    }

    // leadership

    private Client candidate(String id) {
        Client client = start();
        client.store.campaign("/latch", id);
        return client;
    }

    private static String leads(Client client) {
        return client.told.await("leads as ").substring("leads as ".length());
    }

    @Test
    void theFirstCandidateLeadsWithAnEphemeralNodeThatNamesIt() {
        start().committed(create("/latch"));

        Client first = candidate("first");
        Node node = first.node(leads(first));

        assertArrayEquals(bytes("first"), node.data());
        assertEquals(first.told.session(), node.ephemeralOwner());
        assertEquals(Set.of(node.path().substring("/latch/".length())), first.children("/latch"));
    }

    @Test
    void leadershipGoesFromOneCandidateToTheNext() {
        Client watching = start();
        watching.committed(create("/latch"));
        Client first = candidate("first");
        leads(first);
        Client second = candidateThatWaits(watching, "second", 2);
        Client third = candidateThatWaits(watching, "third", 3);
        assertEquals(List.of(), second.toldByNow());

        first.store.resign();
        String node = leads(second);
        assertFalse(first.toldByNow().contains("doesn't lead"));
        second.store.close();
        leads(third);

        assertFalse(watching.exists(node));
        assertEquals(1, watching.children("/latch").size());
    }

    private Client candidateThatWaits(Client watching, String id, int candidates) {
        watching.store.watch("/latch", false);
        Client client = candidate(id);
        while (watching.children("/latch").size() < candidates) {
            watching.told.await("changed /latch");
        }
        return client;
    }

    @Test
    void whoLosesTheSessionStandsAgainBehindTheOthers() {
        Client watching = start();
        watching.committed(create("/latch"));
        Client first = candidate("first");
        String lostNode = leads(first);
        Client second = candidateThatWaits(watching, "second", 2);

        expire(first.store);
        leads(second);
        first.told.await("doesn't lead");
        first.told.await("connected");
        while (watching.children("/latch").size() < 2) {
            watching.told.await("changed /latch");
        }
        assertFalse(watching.exists(lostNode));
        second.store.resign();

        String node = leads(first);
        assertNotEquals(lostNode, node);
        assertEquals(first.told.session(), watching.node(node).ephemeralOwner());
    }

    @Test
    void whoIsCutOffDoesNotLeadUntilItIsBack() {
        start().committed(create("/latch"));
        Client client = candidate("alone");
        String node = leads(client);

        cut(client.store);
        assertEquals("doesn't lead", client.told.next());
        assertEquals("suspended", client.told.next());
        heal(client.store);

        assertEquals("connected", client.told.next());
        assertEquals(node, leads(client));
    }

    @Test
    void whoWasNotStartedCannotStand() {
        Client client = unstarted();

        client.store.resign();
        assertThrows(IllegalStateException.class, () -> client.store.campaign("/latch", "too early"));
    }

    @Test
    void whoHasResignedMayStandAgain() {
        Client watching = start();
        watching.committed(create("/latch"));
        Client client = candidate("again");
        String node = leads(client);

        client.store.resign();
        client.store.resign();
        client.store.campaign("/latch", "and again");

        String next = leads(client);
        assertNotEquals(node, next);
        assertArrayEquals(bytes("and again"), watching.node(next).data());
        assertThrows(IllegalStateException.class, () -> client.store.campaign("/latch", "once more"));
    }

    // the same as in memory

    @Test
    void randomOperationsComeOutAsInMemory() {
        Long chosen = Long.getLong("ostraka.seed");
        LongStream seeds = chosen == null ? LongStream.range(0, randomSequences()) : LongStream.of(chosen);
        seeds.forEach(seed -> {
            try {
                new RandomOperations(seed, "/seed-" + seed, this::create).run(100);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + " (-Dostraka.seed=" + seed + "): " + e.getMessage(), e);
            }
        });
    }
}
