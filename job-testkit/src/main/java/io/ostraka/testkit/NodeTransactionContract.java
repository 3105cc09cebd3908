package io.ostraka.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.coordination.Outcome.Reason;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeOp.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tests the nodes and transactions of a store. This class is a part of {@link NodeStoreContract}. */
abstract class NodeTransactionContract extends NodeStoreFixture {
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
        assertEquals(a.stat().created(), a.stat().modified());
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
        assertEquals(before.stat().created(), after.stat().created());
        assertEquals(written.zxid(), after.mzxid());
        assertEquals(written.at(), after.stat().modified());
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
        assertThrows(IllegalArgumentException.class, () -> client.store().commit(List.of(delete("/"))));
        assertThrows(IllegalArgumentException.class, () -> client.store().commit(List.of(create("/"))));
    }

    @Test
    void whatCannotBeARequestIsAnIllegalArgument() {
        Client client = start();

        assertThrows(IllegalArgumentException.class, () -> client.store().commit(List.of()));
        assertThrows(IllegalArgumentException.class, () -> client.store().commit(List.of(create("relative"))));
        assertThrows(IllegalArgumentException.class, () -> client.store().commit(List.of(create("/a//b"))));
        assertThrows(IllegalArgumentException.class, () -> client.store().read("/a/", false));
        assertThrows(IllegalArgumentException.class, () -> client.store().children("/a/../b"));
        assertThrows(IllegalArgumentException.class, () -> client.store().watch("", true));
        assertThrows(IllegalArgumentException.class, () -> client.store().read("/a\u0085", false));
        assertThrows(IllegalArgumentException.class, () -> client.store().read("/\ud83d\ude00", true));
        assertFalse(client.exists("/.../-._~ \u00e4\u6f22"));
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

        assertRejected(-1, Reason.TOO_LARGE, tooLarge);
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
            writes.add(client.store().commit(List.of(set("/a", version))));
            reads.add(client.store().read("/a", version % 2 == 0));
        }

        writes.forEach(write -> assertInstanceOf(Outcome.Committed.class, get(write)));
        for (int version = 0; version < 100; version++) {
            assertEquals(version + 1, get(reads.get(version)).orElseThrow().version());
        }
    }

    @Test
    void aMissingNodeIsEmptyAndHasNoChildren() {
        Client client = start();

        assertEquals(Optional.empty(), get(client.store().read("/missing", false)));
        assertEquals(List.of(), get(client.store().children("/missing")));
    }

    @Test
    void severalNodesAreReadInOneGoEachAsIfAlone() {
        Client client = start();
        client.committed(create("/here"), create("/here/below"));

        List<Optional<Node>> read = client.store().read(List.of("/here/below", "/missing", "/here")).stream()
                .map(NodeStoreFixture::get)
                .toList();

        assertEquals(
                List.of(Optional.of("/here/below"), Optional.empty(), Optional.of("/here")),
                read.stream().map(node -> node.map(Node::path)).toList());
        assertEquals(client.node("/here").czxid(), read.get(2).orElseThrow().czxid());
        assertEquals(List.of(), client.store().read(List.of()));
    }

    @Test
    void nodesThatTogetherTakeMoreThanAMegabyteAreReadInOneGo() {
        Client client = start();
        List<String> paths = List.of("/a", "/b", "/c", "/d");
        byte[] data = new byte[700_000];
        paths.forEach(path -> client.committed(new NodeOp.Create(path, data, Kind.PERSISTENT)));

        client.store()
                .read(paths)
                .forEach(read -> assertEquals(
                        data.length, NodeStoreFixture.get(read).orElseThrow().data().length));
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
            get(reader.store().sync());
            assertEquals(version + 1, reader.node("/a").version());
        }
    }
}
