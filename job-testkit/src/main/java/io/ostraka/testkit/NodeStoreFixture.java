package io.ostraka.testkit;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ostraka.api.CoordinationException;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeOp.Kind;
import io.ostraka.core.tree.NodeStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;

/**
 * Methods that the test of an adapter must implement for {@link NodeStoreContract}, and helper methods for the tests of
 * the contract.
 */
abstract class NodeStoreFixture {
    private static final long LIMIT_SECONDS = 60;

    private final Deque<NodeStore> stores = new ArrayDeque<>();

    /** Creates a store without starting it. All stores of a test method use the same server and namespace. */
    protected abstract NodeStore create();

    /** Disconnects a store and prevents it from connecting again. The store notices the lost connection. */
    protected abstract void cut(NodeStore store);

    /** Lets a store connect again after {@link #cut}. */
    protected abstract void heal(NodeStore store);

    /**
     * Holds all messages from the server to a store until {@link #cut} is called for this store. Requests of the store
     * still arrive.
     */
    protected abstract void muteServer(NodeStore store);

    /** Makes the server end the session of a store. The store notices this and connects again. */
    protected abstract void expire(NodeStore store);

    /** Returns the number of random sequences of requests that a test sends. */
    protected int randomSequences() {
        return 3;
    }

    @AfterEach
    void closeStores() {
        while (!stores.isEmpty()) {
            stores.pop().close();
        }
    }

    /** A store, and a listener that records its reports. */
    record Client(NodeStore store, RecordingListener told) {
        /** Waits until the server has executed all earlier requests. */
        void settle() {
            get(store.sync());
        }

        Outcome commit(NodeOp... operations) {
            return get(store.commit(List.of(operations)));
        }

        /**
         * Commits operations. Repeats this while the store is not connected. Use this method for a store whose listener
         * does not record the connection.
         */
        void committedOnceConnected(NodeOp... operations) {
            while (!(commit(operations) instanceof Outcome.Committed)) {
                LockSupport.parkNanos(1_000_000);
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

        /** Returns all reports that result from messages that the server has sent so far. */
        List<String> toldByNow() {
            settle();
            return told.rest();
        }
    }

    Client unstarted() {
        NodeStore store = create();
        stores.push(store);
        return new Client(store, new RecordingListener());
    }

    Client start() {
        Client client = unstarted();
        client.store().start(client.told());
        client.told().await("connected");
        return client;
    }

    static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            throw new AssertionError("No answer", e);
        }
    }

    static void assertCannotBeKnown(CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        ExecutionException e =
                assertThrows(ExecutionException.class, () -> future.get(LIMIT_SECONDS, TimeUnit.SECONDS));
        assertInstanceOf(CoordinationException.class, e.getCause());
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static NodeOp create(String path) {
        return new NodeOp.Create(path, bytes("new"), Kind.PERSISTENT);
    }

    static NodeOp ephemeral(String path) {
        return new NodeOp.Create(path, bytes("new"), Kind.EPHEMERAL);
    }

    static NodeOp numbered(String path) {
        return new NodeOp.Create(path, bytes("new"), Kind.PERSISTENT_SEQUENTIAL);
    }

    static NodeOp set(String path, int version) {
        return new NodeOp.Set(path, bytes("set"), version);
    }

    static NodeOp delete(String path) {
        return new NodeOp.Delete(path, NodeOp.ANY_VERSION);
    }

    static NodeOp check(String path, int version) {
        return new NodeOp.Check(path, version);
    }
}
