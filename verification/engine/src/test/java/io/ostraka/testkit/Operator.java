package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.coordination.Membership;
import io.ostraka.core.coordination.OrdersResult;
import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.model.Orders;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.DeafListener;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** An operator with its own session, outside of all instances. */
final class Operator {
    private static final String NAME = "ann";

    private final TestCluster cluster;
    private final InMemoryNodeStore store;
    private final Membership membership;
    private int requests;

    Operator(TestCluster cluster) {
        this.cluster = cluster;
        store = cluster.tree()
                .connect("operator", cluster.time().executor(), cluster.time().executor(), TestCluster.SESSION_TIMEOUT);
        membership = new TreeCoordination(
                        store, cluster.time().platform(Duration.ZERO).clock())
                .membership();
        store.start(new DeafListener());
    }

    InMemoryNodeStore store() {
        return store;
    }

    Membership membership() {
        return membership;
    }

    Orders.Order order(String reason, @Nullable Duration length) {
        Instant now = cluster.now();
        return new Orders.Order(NAME, reason, now, length == null ? null : now.plus(length));
    }

    void freeze(@Nullable Duration length) {
        changed(new Orders.Freeze(order("database upgrade", length)));
    }

    void thaw() {
        changed(new Orders.Thaw());
    }

    void drain(String instance, @Nullable Duration length) {
        changed(new Orders.Drain(instance, order("new disk", length)));
    }

    void undrain(String instance) {
        changed(new Orders.Undrain(instance));
    }

    private void changed(Orders.Change change) {
        assertThat(amend(change, "request-" + ++requests, null)).isInstanceOf(OrdersResult.Changed.class);
    }

    OrdersResult amend(Orders.Change change, String request, @Nullable Long expected) {
        return answer(membership.amend(change, request, expected));
    }

    Outcome evict(String instance) {
        return answer(membership.evict(instance, order("hangs", null)));
    }

    /** Returns the answer to a request, after a second that gives all instances time to follow the change. */
    <T> T answer(CompletionStage<T> request) {
        CompletableFuture<T> answer = request.toCompletableFuture();
        cluster.advance(Duration.ofSeconds(1));
        assertThat(answer).isDone();
        return answer.join();
    }
}
