package io.ostraka.faults.kills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.fixtures.database.PostgreSqlServer;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Tag("postgresql")
@Timeout(300)
class HistoryKillsTest {
    private static final int KILLS = 3;

    @TempDir
    Path directory;

    @BeforeAll
    static void requirePostgreSql() {
        assumeTrue(PostgreSqlServer.isInstalled(), PostgreSqlServer.NOT_INSTALLED);
    }

    @Test
    void keptSpoolsDeliverTheRunsOfKilledWorkers() throws Exception {
        HistoryKills.Result result = killed(false);

        assertThat(result.held()).as("%s", result).isTrue();
        assertThat(result.compared().rows()).isGreaterThanOrEqualTo(KILLS);
    }

    @Test
    void rowsLostWithTheirSpoolAreUnknown() throws Exception {
        HistoryKills.Result result = killed(true);

        assertThat(result.held()).as("%s", result).isTrue();
        assertThat(result.compared().claims()).isGreaterThanOrEqualTo(KILLS);
    }

    private HistoryKills.Result killed(boolean deletesSpool) throws Exception {
        var options = new HistoryKills.Options(KILLS, deletesSpool, false, new Random().nextLong());
        try (var kills = new HistoryKills(options, directory)) {
            return kills.run(line -> {});
        }
    }
}
