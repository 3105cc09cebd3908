package io.ostraka.examples.settlement;

import io.ostraka.api.JobDefinition;
import io.ostraka.api.ShardingContext;
import io.ostraka.api.SimpleJob;
import io.ostraka.jdbc.JdbcFence;
import java.sql.Connection;
import java.util.List;
import java.util.stream.LongStream;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Receives new orders; a real application would fetch them from a shop. The ids follow from the fire, so a fire that runs
 * again finds the orders that it has already stored.
 */
@Component
@JobDefinition(name = "receive-orders", shardingTotalCount = 2, fixedRateMillis = 2_000)
class ReceiveOrders implements SimpleJob {
    private static final int ORDERS = 50;

    private final JdbcTemplate database;
    private final JdbcFence fence;

    ReceiveOrders(JdbcTemplate database, JdbcFence fence) {
        this.database = database;
        this.fence = fence;
    }

    @Override
    @Transactional
    public void execute(ShardingContext context) {
        database.execute((Connection connection) -> fence.check(connection, context));
        long fire = context.fireTime().toEpochMilli();
        long first = (fire * context.shardingTotalCount() + context.shardingItem()) * ORDERS;
        Integer stored = database.queryForObject("SELECT COUNT(*) FROM orders WHERE id = ?", Integer.class, first);
        if (stored != null && stored == 0) {
            List<Object[]> orders = LongStream.range(first, first + ORDERS)
                    .mapToObj(id -> new Object[] {id, 100 + id % 900})
                    .toList();
            database.batchUpdate("INSERT INTO orders (id, cents, settled) VALUES (?, ?, FALSE)", orders);
        }
    }
}
