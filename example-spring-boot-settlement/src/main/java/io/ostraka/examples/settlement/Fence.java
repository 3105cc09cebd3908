package io.ostraka.examples.settlement;

import io.ostraka.api.OwnershipLostException;
import io.ostraka.api.ShardingContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** Keeps late writes of earlier owners of an item out of the database. */
@Component
class Fence {
    private static final String RAISE = "UPDATE fence SET token = ? WHERE job = ? AND item = ? AND token <= ?";

    private static final String CREATE =
            """
            INSERT INTO fence (token, job, item)
            SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM fence WHERE job = ? AND item = ?)
            """;

    private final JdbcTemplate database;

    Fence(JdbcTemplate database) {
        this.database = database;
    }

    /**
     * Begins the transaction of a run. Call this method inside the transaction, before the transaction reads or writes
     * anything else.
     *
     * @throws OwnershipLostException if a later owner of the item has already entered; the transaction must roll back
     */
    void enter(ShardingContext run) {
        long token = run.fencingToken();
        String job = run.jobName();
        int item = run.shardingItem();
        if (database.update(RAISE, token, job, item, token) == 0
                && database.update(CREATE, token, job, item, job, item) == 0) {
            throw new OwnershipLostException("item " + item + " of job '" + job
                    + "' has a later owner than the one with token " + token + "; this transaction is rolled back");
        }
    }
}
