package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Health;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobHealth;
import io.ostraka.api.Schedule;
import io.ostraka.core.tree.Node;
import io.ostraka.core.tree.NodeOp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the wrap of ZooKeeper's node versions after 2^32 writes. A comparison with version -1 always passes. */
class VersionWrapTest {
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final List<String> COMPARED = List.of(
            "/jobs/job/config",
            "/jobs/job/override",
            "/jobs/job/sharding",
            "/jobs/job/sharding/0",
            "/jobs/job/sharding/1",
            "/leader/epoch");

    private final TestCluster cluster = new TestCluster(2, Instant.parse("2026-01-01T00:00:00Z"), 0);
    private final List<String> runs = new ArrayList<>();
    private final Set<String> wrapped = new HashSet<>();

    private void schedule() {
        cluster.schedule(
                context -> runs.add(context.runId() + " " + context.shardingItem()),
                JobConfiguration.newBuilder("job", 2)
                        .schedule(Schedule.fixedRate(PERIOD))
                        .build());
        cluster.amend("job", override -> override.withJobParameter("overridden"));
        cluster.advance(PERIOD);
    }

    private void age(int version) {
        COMPARED.forEach(path -> cluster.tree().setVersion(path, version));
    }

    private void advance(Duration duration) {
        for (long i = 0; i < duration.toSeconds(); i++) {
            cluster.advance(Duration.ofSeconds(1));
            for (String path : COMPARED) {
                int version = cluster.tree().read(path).map(Node::version).orElseThrow();
                assertThat(version).as(path).isNotEqualTo(NodeOp.ANY_VERSION);
                if (version >= 0) {
                    wrapped.add(path);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-2, -3, -4, -5})
    void comparedNodesNeverStayInVersionMinusOne(int version) {
        schedule();
        age(version);
        runs.clear();
        for (int i = 0; i < 6; i++) {
            String parameter = "value " + i;
            cluster.amend("job", override -> override.withJobParameter(parameter));
            advance(PERIOD);
        }
        cluster.instances().get(0).expireSession();
        advance(Duration.ofSeconds(5));
        cluster.instances().get(1).expireSession();
        advance(Duration.ofMinutes(1));
        assertThat(cluster.trigger("job", Map.of()).completion().toCompletableFuture())
                .isCompleted();

        assertThat(wrapped).contains("/jobs/job/override", "/jobs/job/sharding", "/jobs/job/sharding/0");
        assertThat(runs).doesNotHaveDuplicates().hasSizeGreaterThan(20);
        cluster.instances()
                .forEach(instance -> assertThat(instance.engine().health()).matches(Health::good));
        cluster.close();
    }

    /** The engine never leaves a node at version -1, so another client must have written this node. */
    @Test
    void nodeInVersionMinusOneIsLeftAloneAndReported() {
        schedule();
        String path = "/jobs/job/sharding/0";
        cluster.tree().setVersion(path, NodeOp.ANY_VERSION);
        byte[] data = cluster.tree().read(path).orElseThrow().data();
        cluster.advance(Duration.ofMinutes(3));

        assertThat(cluster.tree().read(path).orElseThrow().data()).isEqualTo(data);
        assertThat(cluster.instances().stream()
                        .map(instance -> instance.engine().health().jobs().get("job"))
                        .flatMap(job -> job.reasons().stream())
                        .map(JobHealth.Reason::text))
                .anyMatch(text -> text.contains(path) && text.contains("version is -1"));
        new ZkCli(cluster).write(path, new String(data, StandardCharsets.UTF_8));
        runs.clear();
        cluster.advance(Duration.ofMinutes(3));
        assertThat(runs).anyMatch(run -> run.endsWith(" 0"));
        cluster.close();
    }
}
