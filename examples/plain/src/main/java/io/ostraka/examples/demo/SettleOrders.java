package io.ostraka.examples.demo;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.Schedule;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.examples.demo.WorkerEvent.Kind;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The job of the demo: settles the unsettled orders of its item in batches. Each batch is a transaction that starts
 * with the fence.
 */
final class SettleOrders implements SimpleJob {
    static final String NAME = "settle-orders";
    static final int ITEMS = 8;
    static final JobConfiguration CONFIGURATION = JobConfiguration.newBuilder(NAME, ITEMS)
            .schedule(Schedule.fixedRate(Duration.ofSeconds(1)))
            .shutdownGrace(Duration.ofSeconds(3))
            .maxAttempts(6) // the demo loses two of its instances on purpose
            .build();

    /** Report of a run that stopped because it may have lost its item. */
    static final String GIVEN_UP = "given up";

    /** Report of a run that failed for a reason other than the fence. */
    static final String FAILED = "failed";

    private static final int BATCH = 50;
    /** Time that the payment provider takes for a batch. */
    private static final Duration CHARGE = Duration.ofMillis(180);

    private final SettlementStore store;
    private final Gate gate;
    private final Consumer<WorkerEvent> events;

    SettleOrders(SettlementStore store, Gate gate, Consumer<WorkerEvent> events) {
        this.store = store;
        this.gate = gate;
        this.events = events;
    }

    @Override
    public void execute(ShardingContext context) throws Exception {
        tell(Kind.STARTED, context, "");
        String end = FAILED;
        try {
            settleAll(context);
            end = "done";
        } catch (LateWriteException e) {
            end = "refused";
            tell(Kind.REFUSED, context, String.valueOf(e.getMessage()));
            throw e;
        } catch (OwnershipLostException | InterruptedException e) {
            end = GIVEN_UP;
            throw e;
        } finally {
            tell(Kind.ENDED, context, end);
        }
    }

    private void settleAll(ShardingContext context) throws SQLException, LateWriteException, InterruptedException {
        Fence fence = Fence.of(context);
        gate.pass(() -> tell(Kind.HELD, context, ""));
        store.enter(fence);
        while (true) {
            List<SettlementStore.Order> batch = store.unsettled(context.shardingItem(), BATCH);
            if (batch.isEmpty()) {
                return;
            }
            context.checkOwnership();
            charge();
            gate.pass(() -> tell(Kind.HELD, context, ""));
            store.settle(batch, fence);
        }
    }

    private static void charge() throws InterruptedException {
        Thread.sleep(CHARGE.toMillis());
    }

    private void tell(Kind kind, ShardingContext context, String detail) {
        events.accept(WorkerEvent.of(kind, context, detail));
    }
}
