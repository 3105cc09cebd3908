package io.ostraka.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ostraka.core.tree.Node;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Tests that every {@link io.ostraka.core.tree.NodeStore} must pass. To test an adapter, extend this class and provide
 * the server and the faults. Each test method uses a separate, empty namespace. This class itself contains the tests of
 * the leader election and the comparison with the tree in memory. Its superclasses contain the tests of nodes and
 * transactions, of sessions and of watches.
 */
public abstract class NodeStoreContract extends NodeWatchContract {
    private Client candidate(String id) {
        Client client = start();
        client.store().campaign("/latch", id);
        return client;
    }

    private static String leads(Client client) {
        return client.told().await("leads as ").substring("leads as ".length());
    }

    @Test
    void theFirstCandidateLeadsWithAnEphemeralNodeThatNamesIt() {
        start().committed(create("/latch"));

        Client first = candidate("first");
        Node node = first.node(leads(first));

        assertArrayEquals(bytes("first"), node.data());
        assertEquals(first.told().session(), node.ephemeralOwner());
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

        first.store().resign();
        String node = leads(second);
        assertFalse(first.toldByNow().contains("doesn't lead"));
        second.store().close();
        leads(third);

        assertFalse(watching.exists(node));
        assertEquals(1, watching.children("/latch").size());
    }

    private Client candidateThatWaits(Client watching, String id, int candidates) {
        watching.store().watch("/latch", false);
        Client client = candidate(id);
        while (watching.children("/latch").size() < candidates) {
            watching.told().await("changed /latch");
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

        expire(first.store());
        leads(second);
        first.told().await("doesn't lead");
        first.told().await("connected");
        while (watching.children("/latch").size() < 2) {
            watching.told().await("changed /latch");
        }
        assertFalse(watching.exists(lostNode));
        second.store().resign();

        String node = leads(first);
        assertNotEquals(lostNode, node);
        assertEquals(first.told().session(), watching.node(node).ephemeralOwner());
    }

    @Test
    void whoIsCutOffDoesNotLeadUntilItIsBack() {
        start().committed(create("/latch"));
        Client client = candidate("alone");
        String node = leads(client);

        cut(client.store());
        assertEquals("doesn't lead", client.told().next());
        assertEquals("suspended", client.told().next());
        heal(client.store());

        assertEquals("connected", client.told().next());
        assertEquals(node, leads(client));
    }

    @Test
    void whoWasNotStartedCannotStand() {
        Client client = unstarted();

        client.store().resign();
        assertThrows(IllegalStateException.class, () -> client.store().campaign("/latch", "too early"));
    }

    @Test
    void whoHasResignedMayStandAgain() {
        Client watching = start();
        watching.committed(create("/latch"));
        Client client = candidate("again");
        String node = leads(client);

        client.store().resign();
        client.store().resign();
        client.store().campaign("/latch", "and again");

        String next = leads(client);
        assertNotEquals(node, next);
        assertArrayEquals(bytes("and again"), watching.node(next).data());
        assertThrows(IllegalStateException.class, () -> client.store().campaign("/latch", "once more"));
    }

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
