package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Plans a job with the maximum number of items, which the strategy scatters over the instances. */
@Tag("cluster")
@Timeout(600)
class LargePlanOnZooKeeperTest {
    private static final String NAMESPACE = "large";
    private static final String PLAN = "/jobs/large/sharding";

    @Test
    void planOfHundredThousandItemsFitsOneNodeAndFollowsMembers(@TempDir Path directory) throws Exception {
        JobConfiguration job = JobConfiguration.newBuilder("large", JobConfiguration.MAX_ITEMS)
                .shardingStrategy("CONSISTENT_HASH")
                .build();
        try (Server server = new Server(directory);
                Server.Bystander bystander = server.bystander(NAMESPACE);
                ZooKeeperRegistry first = ZooKeeperRegistry.connect(server.servers(), NAMESPACE)) {
            new OneOffJobBootstrap(first, (SimpleJob) context -> {}, job);
            bystander.awaitText(PLAN, plan -> plan.contains("\"0-99999\""));
            try (ZooKeeperRegistry second = ZooKeeperRegistry.connect(server.servers(), NAMESPACE)) {
                new OneOffJobBootstrap(second, (SimpleJob) context -> {}, job);
                bystander.awaitText(PLAN, plan -> plan.contains("itemsGzip"));
                assertThat(bystander.text(PLAN)).hasSizeBetween(64 << 10, 512 << 10);
                Eventually.holds(
                        "good health of both",
                        () -> first.health().good() && second.health().good());
            }
            bystander.awaitText(PLAN, plan -> plan.contains("\"0-99999\""));
            Eventually.holds("good health of the first", () -> first.health().good());
        }
    }
}
