package io.ostraka.examples.demo;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Checks from the database alone whether all orders were settled correctly. */
final class Audit {
    /**
     * Result of one check.
     *
     * @param holds true if the check has passed
     * @param text description of the result
     */
    record Finding(boolean holds, String text) {}

    private final DataSource source;

    Audit(DataSource source) {
        this.source = source;
    }

    /** Checks that the ledger has exactly one entry for each order. */
    Finding settledExactlyOnce(int expected) throws SQLException {
        long once = orders("entries = 1 AND settled AND paid = cents");
        long never = orders("entries = 0");
        long repeatedly = orders("entries > 1");
        long entries = number("SELECT COUNT(*) FROM settlement");
        boolean holds = once == expected && never == 0 && repeatedly == 0 && entries == expected;
        String text = "settled exactly once: " + once + " of " + expected;
        String rest = "; never: " + never + ", more than once: " + repeatedly + ", ledger entries: " + entries;
        return new Finding(holds, holds ? text : text + rest);
    }

    private long orders(String which) throws SQLException {
        return number("SELECT COUNT(*) FROM (SELECT o.id, o.settled, o.cents, COUNT(s.entry) AS entries,"
                + " SUM(s.cents) AS paid FROM orders o LEFT JOIN settlement s ON s.order_id = o.id"
                + " GROUP BY o.id, o.settled, o.cents) WHERE " + which);
    }

    /**
     * Checks that an item's tokens only rise in the order of the ledger: no earlier owner wrote after a later owner.
     */
    Finding tokensOnlyRise() throws SQLException {
        long entries = number("SELECT COUNT(*) FROM settlement");
        long falls = number(
                "SELECT COUNT(*) FROM (SELECT token,"
                        + " LAG(token) OVER (PARTITION BY item ORDER BY entry) AS before FROM settlement) WHERE token < before");
        return new Finding(
                entries > 0 && falls == 0,
                falls == 0
                        ? "nobody wrote after a later owner: tokens only rise in " + entries + " ledger entries"
                        : "written after a later owner: " + falls + " of " + entries + " ledger entries");
    }

    /** Checks that the store refused a late write, because its token was smaller than the present one. */
    Finding lateWrite(int item, long token, boolean refused, String whose) throws SQLException {
        long present = number("SELECT COALESCE(MAX(token), 0) FROM fence WHERE item = '" + item + "'");
        return new Finding(
                refused && token < present,
                "late write with old token " + token + (refused ? " refused" : " ACCEPTED") + " (present token "
                        + present + "): item " + item + ", " + whose);
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
