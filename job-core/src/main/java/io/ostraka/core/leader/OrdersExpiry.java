package io.ostraka.core.leader;

import io.ostraka.core.coordination.TransactionResult;
import io.ostraka.core.model.Orders;
import io.ostraka.core.model.OrdersView;
import io.ostraka.core.model.UnreadableNode;
import io.ostraka.core.model.Versioned;
import io.ostraka.core.time.Stages;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Revokes operators' orders for the namespace (a freeze, or drains of instances) when their end time has passed on the
 * server's clock, and restores the node of the orders if it is damaged. Schedules a wake-up for the next end time. The
 * instance reads the orders; this class only writes them. Confined to the leader's executor.
 */
final class OrdersExpiry {
    /** Pause before a failed write is tried again. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(OrdersExpiry.class);

    private final Term term;
    private @Nullable Latest latest;
    private Runnable wakeUp = () -> {};
    private boolean writing;

    /**
     * The orders as this instance has read them.
     *
     * @param known the last readable value; empty if the node did not exist; null if no value has been readable yet
     */
    record Latest(OrdersView read, @Nullable Optional<Versioned<Orders>> known) {}

    OrdersExpiry(Term term) {
        this.term = term;
    }

    /** Called each time this instance has read the orders, and at the beginning of the term with the latest read. */
    void enforce(Latest read) {
        latest = read;
        work();
    }

    private void work() {
        Latest now = latest;
        if (writing || now == null) {
            return;
        }
        wakeUp.run();
        UnreadableNode damage = now.read.damage();
        Optional<Versioned<Orders>> known = now.known;
        if (damage != null) {
            // otherwise an operator may have given an order between the last read and the damage
            if (known != null && damage.replaceable() && damage.follows(known.orElse(null))) {
                Orders last = known.map(Versioned::value).orElse(Orders.NONE);
                write(
                        known.map(damage::<Orders>replacedBy).orElseGet(() -> damage.replacedBy(last)),
                        last,
                        damage.text() + "; the leader has restored the last readable state");
            }
            return;
        }
        Versioned<Orders> present = now.read.value();
        if (present == null) {
            return;
        }
        Instant time = term.coordination.membership().serverTime();
        Orders left = present.value().at(time);
        if (left.equals(present.value())) {
            left.nextEnd().ifPresent(end -> wake(Duration.between(time, end)));
        } else {
            write(present, left, "the leader has ended orders of operators whose time is over; left: " + left);
        }
    }

    private void write(Versioned<Orders> from, Orders to, String done) {
        writing = true;
        Stages.of(() -> term.coordination.membership().replace(term.leadership, from, to))
                .whenComplete((result, error) -> term.executor.execute(
                        () -> { // says so even after the end of the term
                            writing = false;
                            if (result != null && term.checked(result) instanceof TransactionResult.Done) {
                                log.info("{}", done); // the change causes the next read
                            } else {
                                wake(PAUSE);
                            }
                        }));
    }

    private void wake(Duration pause) {
        wakeUp = term.after(pause, this::work);
    }
}
