package io.ostraka.examples.settlement;

import io.ostraka.api.ShardingContext;
import io.ostraka.jdbc.JdbcFence;
import io.ostraka.spring.ShardedJob;
import java.sql.Connection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/** Settles pending orders. Each item settles the orders whose ids have the item as remainder. */
@Component
class SettleOrders {
    private static final Logger log = LoggerFactory.getLogger(SettleOrders.class);

    private static final int BATCH = 100;

    private final JdbcTemplate database;
    private final TransactionTemplate transactions;
    private final JdbcFence fence;

    SettleOrders(JdbcTemplate database, TransactionTemplate transactions, JdbcFence fence) {
        this.database = database;
        this.transactions = transactions;
        this.fence = fence;
    }

    @ShardedJob(name = "settle-orders", shardingTotalCount = 6, cron = "* * * * * ?")
    void settle(ShardingContext context) {
        int settled = BATCH;
        while (settled == BATCH && !context.isCancelled()) {
            settled = transactions.execute(status -> settleBatch(context));
        }
    }

    /** Settles up to a hundred orders and returns their number. The fence comes first, before the orders are read. */
    private int settleBatch(ShardingContext context) {
        database.execute((Connection connection) -> fence.check(connection, context));
        List<Long> pending = database.queryForList(
                "SELECT id FROM orders WHERE NOT settled AND MOD(id, ?) = ? ORDER BY id LIMIT ?",
                Long.class,
                context.shardingTotalCount(),
                context.shardingItem(),
                BATCH);
        List<Object[]> ids = pending.stream().map(id -> new Object[] {id}).toList();
        database.batchUpdate("INSERT INTO settlement (order_id, cents) SELECT id, cents FROM orders WHERE id = ?", ids);
        database.batchUpdate("UPDATE orders SET settled = TRUE WHERE id = ?", ids);
        if (!ids.isEmpty()) {
            log.info("item {} settled {} orders", context.shardingItem(), ids.size());
        }
        return pending.size();
    }
}
