package io.ostraka.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Tests the connections and sessions of a store. This class is a part of {@link NodeStoreContract}. */
abstract class NodeSessionContract extends NodeTransactionContract {
    @Test
    void anEphemeralNodeBelongsToItsSessionAndGoesWhenTheStoreIsClosed() {
        Client owner = start();
        Client other = start();
        owner.committed(create("/a"), ephemeral("/a/e"));
        assertEquals(owner.told().session(), other.node("/a/e").ephemeralOwner());
        assertNotEquals(owner.told().session(), other.told().session());

        owner.store().close();

        assertFalse(other.exists("/a/e"));
        assertTrue(other.exists("/a"));
    }

    @Test
    void aRenewedSessionEndsAtOnceAndTheNextOneIsConnected() {
        Client client = start();
        Client other = start();
        client.committed(create("/a"), ephemeral("/e"));
        long session = client.told().session();
        client.store().watch("/a", false);

        client.store().renew();

        assertEquals("suspended", client.told().next());
        assertEquals("lost", client.told().next());
        assertEquals("connected", client.told().next());
        assertNotEquals(session, client.told().session());
        assertFalse(other.exists("/e"));
        client.committed(set("/a", 0));
        assertEquals("changed /a", client.told().next());
    }

    @Test
    void theListenerIsToldTheSessionsTimeout() {
        assertTrue(start().told().sessionTimeout().compareTo(Duration.ofSeconds(1)) >= 0);
    }

    @Test
    void aClosedStoreAnswersThatNothingCanBeKnownAndTellsNothing() {
        Client client = start();
        client.committed(create("/a"));
        client.store().watch("/a", false);

        client.store().close();
        client.store().close();

        assertEquals(new Outcome.Unknown(), client.commit(set("/a", 0)));
        assertCannotBeKnown(client.store().read("/a", false));
        assertEquals(List.of(), client.told().rest());
        assertThrows(IllegalStateException.class, () -> client.store().start(client.told()));
    }

    @Test
    void aStoreThatWasNeverStartedCanBeClosed() {
        Client client = unstarted();

        assertEquals(new Outcome.Unknown(), client.commit(create("/a")));
        client.store().close();
    }

    @Test
    void aStoreIsStartedOnce() {
        Client client = start();

        assertThrows(IllegalStateException.class, () -> client.store().start(client.told()));
    }

    @Test
    void withoutAConnectionNothingIsKnownAndNothingWaits() {
        Client client = start();
        cut(client.store());
        client.told().await("suspended");

        assertEquals(new Outcome.Unknown(), client.commit(create("/a")));
        assertCannotBeKnown(client.store().read("/a", true));
        client.store().read(List.of("/a", "/b")).forEach(NodeStoreFixture::assertCannotBeKnown);
        assertCannotBeKnown(client.store().children("/"));
        assertCannotBeKnown(client.store().sync());

        heal(client.store());
        client.told().await("connected");
        assertFalse(client.exists("/a"));
    }

    @Test
    void anInterruptedConnectionComesBackInTheSameSession() {
        Client client = start();
        client.committed(ephemeral("/e"));
        long session = client.told().session();

        cut(client.store());
        assertEquals("suspended", client.told().next());
        heal(client.store());

        assertEquals("connected", client.told().next());
        assertEquals(session, client.told().session());
        assertEquals(session, client.node("/e").ephemeralOwner());
    }

    @Test
    void anExpiredSessionIsToldAsLostBeforeTheNextOneIsConnected() {
        Client client = start();
        client.committed(create("/a"), ephemeral("/e"));
        long session = client.told().session();

        expire(client.store());

        assertEquals("suspended", client.told().next());
        assertEquals("lost", client.told().next());
        assertEquals("connected", client.told().next());
        assertNotEquals(session, client.told().session());
        assertFalse(client.exists("/e"));
        client.committed(ephemeral("/e"), set("/a", 0));
        assertEquals(client.told().session(), client.node("/e").ephemeralOwner());
    }

    @Test
    void sessionsFollowOneAnother() {
        Client client = start();
        var sessions = new TreeSet<Long>(Set.of(client.told().session()));

        for (int i = 0; i < 3; i++) {
            expire(client.store());
            client.told().await("lost");
            client.told().await("connected");
            assertTrue(sessions.add(client.told().session()));
            client.committed(ephemeral("/e" + i));
        }

        assertEquals(Set.of("e2"), client.children("/"));
    }

    @Test
    void aTransactionWhoseAnswerIsLostIsUnknownAndCanBeReadAfterwards() {
        Client client = start();
        Client other = start();
        client.committed(create("/a"));
        other.store().watch("/a", false);
        get(other.store().sync());

        muteServer(client.store());
        CompletionStage<Outcome> lost = client.store().commit(List.of(set("/a", 0), ephemeral("/e")));
        other.told().await("changed /a");
        assertFalse(lost.toCompletableFuture().isDone());
        cut(client.store());

        assertEquals(new Outcome.Unknown(), get(lost));
        heal(client.store());
        client.told().await("connected");
        get(client.store().sync());
        assertEquals(1, client.node("/a").version());
        assertEquals(client.told().session(), client.node("/e").ephemeralOwner());
    }

    @Test
    void whatIsUnansweredWhenTheConnectionGoesIsAnsweredInOrderBeforeThatIsTold() {
        Client client = start();
        client.committed(create("/a"));

        muteServer(client.store());
        client.noting("read", client.store().read("/a", true));
        client.noting("commit", client.store().commit(List.of(set("/a", 0))));
        client.noting("sync", client.store().sync());
        cut(client.store());

        assertEquals("read", client.told().next());
        assertEquals("commit", client.told().next());
        assertEquals("sync", client.told().next());
        assertEquals("suspended", client.told().next());
    }

    @Test
    void whatIsUnknownForWantOfAConnectionIsAnsweredBeforeTheNextOneIsTold() {
        var sent = new ConcurrentLinkedQueue<CompletableFuture<Outcome>>();
        var openWhenTold = new ArrayList<CompletableFuture<Outcome>>();
        Client client = unstarted();
        client.store().start(new ToldWhenConnected(client.told(), () -> {
            openWhenTold.clear();
            sent.stream().filter(answer -> !answer.isDone()).forEach(openWhenTold::add);
        }));
        client.told().await("connected");
        cut(client.store());
        client.told().await("suspended");

        heal(client.store());
        while (client.told().rest().isEmpty()) {
            CompletionStage<Outcome> answer = client.store().commit(List.of(check("/", NodeOp.ANY_VERSION)));
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

    /** A listener that runs an action when a connection is reported. It forwards all reports to another listener. */
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
        public void changed(String path, boolean deleted) {
            told.changed(path, deleted);
        }

        @Override
        public void leadership(Optional<String> candidate) {
            told.leadership(candidate);
        }
    }

    @Test
    void whatAListenerThrowsDoesNotStopTheStore() {
        Client client = unstarted();
        client.store().start(new ToldWhenConnected(client.told(), () -> {
            throw new IllegalStateException("thrown by a listener, as this test wants it");
        }));

        client.committedOnceConnected(create("/a"));
        cut(client.store());
        client.told().await("suspended");
        heal(client.store());

        client.committedOnceConnected(set("/a", 0));
    }
}
