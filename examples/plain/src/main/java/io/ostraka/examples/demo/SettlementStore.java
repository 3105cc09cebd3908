package io.ostraka.examples.demo;

import io.ostraka.api.OwnershipLostException;
import io.ostraka.jdbc.JdbcFence;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Orders and the ledger of their settlements. Only the fence prevents an order from being settled twice: the ledger has
 * no unique key on the order, and the store does not check whether an order is already settled.
 */
final class SettlementStore {
    /** An order to settle. */
    record Order(long id, int cents) {}

    static final JdbcFence FENCE = new JdbcFence("fence");

    private final DataSource source;
    private final boolean fenced;

    /**
     * Creates a store.
     *
     * @param source database
     * @param fenced false to show the behaviour without a fence
     */
    SettlementStore(DataSource source, boolean fenced) {
        this.source = source;
        this.fenced = fenced;
    }

    /** Locks out earlier owners before the present owner reads, so that they cannot change the data that it reads. */
    void enter(Fence fence) throws SQLException, LateWriteException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            admit(connection, fence);
            connection.commit();
        }
    }

    List<Order> unsettled(int item, int limit) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement select = connection.prepareStatement(
                        "SELECT id, cents FROM orders WHERE item = ? AND settled = FALSE ORDER BY id LIMIT ?")) {
            select.setInt(1, item);
            select.setInt(2, limit);
            List<Order> orders = new ArrayList<>();
            for (ResultSet row = select.executeQuery(); row.next(); ) {
                orders.add(new Order(row.getLong(1), row.getInt(2)));
            }
            return orders;
        }
    }

    /** Settles orders in one transaction that starts with the fence. */
    void settle(List<Order> orders, Fence fence) throws SQLException, LateWriteException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false); // closing without a commit rolls back
            admit(connection, fence);
            try (PreparedStatement insert = connection.prepareStatement(
                            "INSERT INTO settlement (order_id, item, token, cents) VALUES (?, ?, ?, ?)");
                    PreparedStatement mark =
                            connection.prepareStatement("UPDATE orders SET settled = TRUE WHERE id = ?")) {
                for (Order order : orders) {
                    insert.setLong(1, order.id());
                    insert.setInt(2, fence.item());
                    insert.setLong(3, fence.token());
                    insert.setInt(4, order.cents());
                    insert.addBatch();
                    mark.setLong(1, order.id());
                    mark.addBatch();
                }
                insert.executeBatch();
                mark.executeBatch();
            }
            connection.commit();
        }
    }

    /** Begins a transaction with the fence, unless the demo runs without one. */
    private void admit(Connection connection, Fence fence) throws SQLException, LateWriteException {
        if (!fenced) {
            return;
        }
        try {
            FENCE.check(connection, fence.job(), String.valueOf(fence.item()), fence.token(), fence.generation());
        } catch (OwnershipLostException e) {
            throw new LateWriteException(e);
        }
    }
}
