package io.ostraka.examples.demo;

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

    /**
     * Locks out earlier owners before the present owner reads, so that they cannot change the data that the present
     * owner reads.
     */
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

    /** Passes the tokens to the store. A token may rise or stay the same, but never fall. */
    private void admit(Connection connection, Fence fence) throws SQLException, LateWriteException {
        if (!fenced) {
            return;
        }
        try (PreparedStatement item = connection.prepareStatement(
                        "UPDATE fence SET token = ? WHERE job = ? AND item = ? AND token <= ?");
                PreparedStatement job =
                        connection.prepareStatement("UPDATE generation SET token = ? WHERE job = ? AND token <= ?")) {
            item.setLong(1, fence.token());
            item.setString(2, fence.job());
            item.setInt(3, fence.item());
            item.setLong(4, fence.token());
            job.setLong(1, fence.generation());
            job.setString(2, fence.job());
            job.setLong(3, fence.generation());
            if (item.executeUpdate() != 1 || job.executeUpdate() != 1) {
                throw new LateWriteException(fence, presentToken(connection, fence));
            }
        }
    }

    private static long presentToken(Connection connection, Fence fence) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT token FROM fence WHERE job = ? AND item = ?")) {
            select.setString(1, fence.job());
            select.setInt(2, fence.item());
            ResultSet row = select.executeQuery();
            return row.next() ? row.getLong(1) : -1;
        }
    }
}
