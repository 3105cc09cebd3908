package io.ostraka.history.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.ostraka.fixtures.database.PostgreSqlServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.postgresql.ds.PGSimpleDataSource;

/** Counts the rows that PostgreSQL reads. */
@Tag("cluster")
@Tag("postgresql")
class PostgreSqlPlansTest extends PlansContract {
    private static final PGSimpleDataSource SOURCE = new PGSimpleDataSource();
    private static PostgreSqlServer server;

    @BeforeAll
    static void createRows() throws IOException, SQLException {
        assumeTrue(PostgreSqlServer.isInstalled(), PostgreSqlServer.NOT_INSTALLED);
        server = PostgreSqlServer.start();
        SOURCE.setUrl(server.url());
        createRows(SOURCE, (largest, column) -> "generate_series(CAST(0 AS BIGINT), " + largest + ") " + column);
        try (Connection connection = SOURCE.getConnection()) {
            Migrations.execute(connection, "VACUUM ANALYZE");
        }
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    DataSource source() {
        return SOURCE;
    }

    @Override
    long rowsRead(String name, FaultySource.Query query) throws SQLException {
        JsonObject plan = explain("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ", query);
        report("  pages: %d", number(plan, "Shared Hit Blocks") + number(plan, "Shared Read Blocks"));
        return rowsRead(name, plan);
    }

    @Override
    void requireIndex(FaultySource.Query statement) throws SQLException {
        String plan = explain("EXPLAIN (FORMAT JSON) ", statement).toString();
        assertThat(plan).contains("Index").doesNotContain("Seq Scan");
    }

    private static JsonObject explain(String how, FaultySource.Query query) throws SQLException {
        try (Connection connection = SOURCE.getConnection();
                PreparedStatement statement = connection.prepareStatement(how + query.sql())) {
            PageQuery.bind(statement, query.parameters());
            try (ResultSet plan = statement.executeQuery()) {
                plan.next();
                return JsonParser.parseString(plan.getString(1))
                        .getAsJsonArray()
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonObject("Plan");
            }
        }
    }

    /** Returns the number of rows that the scans of a plan read. Fails if one of them reads a whole table. */
    private static long rowsRead(String name, JsonObject node) {
        String type = node.get("Node Type").getAsString();
        assertThat(type).as("%s: %s", name, node).isNotEqualTo("Seq Scan");
        long read = 0;
        if (type.contains("Scan") && !type.startsWith("Subquery") && !type.startsWith("Bitmap Heap")) {
            long loops = node.get("Actual Loops").getAsLong();
            read = loops
                    * (node.get("Actual Rows").getAsLong()
                            + number(node, "Rows Removed by Filter")
                            + number(node, "Rows Removed by Index Recheck"));
        }
        JsonElement children = node.get("Plans");
        if (children != null) {
            for (JsonElement each : children.getAsJsonArray()) {
                read += rowsRead(name, each.getAsJsonObject());
            }
        }
        return read;
    }

    private static long number(JsonObject node, String name) {
        return Optional.ofNullable(node.get(name)).map(JsonElement::getAsLong).orElse(0L);
    }
}
