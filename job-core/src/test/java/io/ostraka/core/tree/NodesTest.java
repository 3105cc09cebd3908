package io.ostraka.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.SystemClock;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class NodesTest {
    private static final byte[] DATA = {1};

    private final List<NodeOp> sent = new ArrayList<>();
    private Outcome outcome = new Outcome.Committed(1, Instant.EPOCH);
    private final Nodes nodes = new Nodes(store(), new SystemClock());

    private NodeStore store() {
        return (NodeStore) Proxy.newProxyInstance(
                NodeStore.class.getClassLoader(), new Class<?>[] {NodeStore.class}, (proxy, method, arguments) -> {
                    ((List<?>) arguments[0]).forEach(operation -> sent.add((NodeOp) operation));
                    return CompletableFuture.completedStage(outcome);
                });
    }

    private Outcome send(NodeOp... operations) {
        return nodes.send(List.of(operations)).toCompletableFuture().join();
    }

    @Test
    void versionsWrapAroundWithoutMinusOne() {
        assertThat(Versioned.next(0)).isEqualTo(1);
        assertThat(Versioned.next(Integer.MAX_VALUE)).isEqualTo(Integer.MIN_VALUE);
        assertThat(Versioned.next(-3)).isEqualTo(-2);
        assertThat(Versioned.next(-2)).isZero();
    }

    @Test
    void writesNodeInLastVersionTwice() {
        NodeOp last = new NodeOp.Set("/a", DATA, Versioned.LAST_VERSION);
        NodeOp again = new NodeOp.Set("/a", DATA, Versioned.next(Versioned.LAST_VERSION));
        send(last, again);

        assertThat(sent).hasSize(3);
        assertThat(sent.get(0)).isSameAs(last);
        assertThat(sent.get(1)).isEqualTo(new NodeOp.Set("/a", DATA, NodeOp.ANY_VERSION));
        assertThat(sent.get(2)).isSameAs(again);
    }

    @Test
    void rejectionHasIndexOfRequestedOperation() {
        outcome = new Outcome.Rejected(2, Outcome.Reason.BAD_VERSION);

        assertThat(send(new NodeOp.Set("/a", DATA, Versioned.LAST_VERSION), new NodeOp.Check("/b", 7)))
                .isEqualTo(new Outcome.Rejected(1, Outcome.Reason.BAD_VERSION));
    }
}
