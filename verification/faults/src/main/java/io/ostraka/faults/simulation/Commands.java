package io.ostraka.faults.simulation;

import io.ostraka.core.coordination.Membership;
import io.ostraka.core.coordination.OrdersResult;
import io.ostraka.core.model.Orders;
import io.ostraka.core.tree.TreeCoordination;
import io.ostraka.fixtures.DeafListener;
import io.ostraka.testkit.InMemoryNodeStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gives the commands of an operator, with a session of its own. The operator gives one command after the other. It
 * repeats each command, as the same request, until its result is known.
 */
final class Commands {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Cluster cluster;
    private final Set<String> drained = new TreeSet<>();
    private @Nullable InMemoryNodeStore store;
    private @Nullable Membership membership;
    private int requests;
    /** Completes when the result of the latest command is known. */
    private CompletableFuture<@Nullable Void> last = CompletableFuture.completedFuture(null);

    Commands(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Freezes the namespace. If {@code length} is null, the freeze lasts until {@link #thaw}. */
    void freeze(@Nullable Duration length, boolean losesReply) {
        request(new Orders.Freeze(order(length)), losesReply);
    }

    void thaw() {
        request(new Orders.Thaw(), false);
    }

    /** Drains instances. If {@code length} is null, the drain lasts until {@link #undrain}. */
    void drain(String name, @Nullable Duration length, boolean losesReply) {
        drained.add(name);
        request(new Orders.Drain(name, order(length)), losesReply);
    }

    void undrain(String name) {
        request(new Orders.Undrain(name), false);
    }

    void evict(String instance) {
        membership().evict(instance, order(null));
    }

    /** Ends the freeze and all drains. */
    void takeBack() {
        if (store != null) {
            thaw();
            drained.forEach(this::undrain);
        }
    }

    private Orders.Order order(@Nullable Duration length) {
        Instant now = cluster.scheduler.now();
        return new Orders.Order("operator", "simulation", now, length == null ? null : now.plus(length));
    }

    private void request(Orders.Change change, boolean losesReply) {
        Membership known = membership();
        String request = "request-" + ++requests;
        last = last.thenCompose(done -> {
            if (losesReply && store != null) {
                store.loseNextReply();
            }
            var answered = new CompletableFuture<@Nullable Void>();
            send(known, change, request, answered);
            return answered;
        });
    }

    private void send(Membership known, Orders.Change change, String request, CompletableFuture<?> answered) {
        known.amend(change, request, null).whenComplete((result, error) -> {
            if (error != null || result instanceof OrdersResult.Unknown) {
                cluster.scheduler.after(PAUSE, () -> send(known, change, request, answered));
            } else {
                answered.complete(null);
            }
        });
    }

    /** Connects at the first command, so that a scenario without commands has the same steps as without this class. */
    private Membership membership() {
        Membership known = membership;
        if (known == null) {
            InMemoryNodeStore connected = cluster.tree.connect(
                    "commands", cluster.scheduler.tasks(), cluster.scheduler.tasks(), Cluster.SESSION_TIMEOUT);
            connected.start(new DeafListener());
            known = new TreeCoordination(
                            connected,
                            cluster.instances.get(0).machine.platform().clock())
                    .membership();
            store = connected;
            membership = known;
        }
        return known;
    }
}
