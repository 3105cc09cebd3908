package io.ostraka.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Progress;
import io.ostraka.api.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the progress that a run reports about itself. */
@ExtendWith(OstrakaExtension.class)
class ProgressTest {
    private final List<Optional<Progress>> seen = new ArrayList<>();

    private static Map<String, Progress> read(TestCluster cluster, String job) {
        Map<String, Progress> progress = new TreeMap<>();
        cluster.operations().items(job, Set.of("0", "1")).forEach(item -> {
            if (item.run() != null && item.run().progress() != null) {
                progress.put(item.item(), item.run().progress());
            }
        });
        return progress;
    }

    private static JobConfiguration.Builder retried(String name) {
        return JobConfiguration.newBuilder(name, 1)
                .retry(RetryPolicy.attempts(3).backoff(Duration.ofMinutes(1), 1, Duration.ofMinutes(1)));
    }

    /** Creates the progress nodes, because an item's very first run may end before the engine has created its node. */
    private static void createProgressNodes(TestCluster cluster, String job) {
        cluster.advance(Duration.ofSeconds(1));
        for (String item : List.of("0", "1")) {
            new ZkCli(cluster).write("/jobs/" + job + "/sharding/" + item + "/progress", "{}");
        }
    }

    @Test
    void latestProgressIsKeptAndMostReportsAreNeverWritten(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    for (int done = 1; done <= 100; done++) {
                        context.progress(done, 100, "row " + done);
                    }
                    seen.add(context.progress());
                },
                JobConfiguration.newBuilder("busy", 2).build());
        createProgressNodes(cluster, "busy");
        String runId = cluster.trigger("busy", Map.of()).runId();
        cluster.advance(Duration.ofSeconds(1));

        Progress last = seen.get(seen.size() - 1).orElseThrow();
        assertThat(last).isEqualTo(new Progress(runId, 1, 100, 100, "row 100", last.at()));
        assertThat(read(cluster, "busy")).containsOnlyKeys("0", "1").containsValue(last);
        assertThat(cluster.tree().read("/jobs/busy/sharding/0/progress"))
                .hasValueSatisfying(node -> assertThat(node.version()).isEqualTo(2));
    }

    @Test
    void retrySeesTheProgressOfThePreviousAttempt(TestCluster cluster) {
        cluster.schedule(
                context -> {
                    seen.add(context.progress());
                    context.progress(context.attempt(), 0, "");
                    throw new IllegalStateException("not yet");
                },
                retried("again").build());
        cluster.trigger("again", Map.of());
        cluster.advance(Duration.ofMinutes(5));

        assertThat(seen).hasSize(3);
        assertThat(seen.get(0)).isEmpty();
        assertThat(seen.get(2)).hasValueSatisfying(progress -> {
            assertThat(progress.done()).isEqualTo(2);
            assertThat(progress.attempt()).isEqualTo(2);
        });
    }

    @Test
    void progressSurvivesATakeoverAndEndsWithTheFire(TestCluster cluster) {
        List<String> owners = new ArrayList<>();
        cluster.schedule(
                context -> {
                    owners.add(context.instanceId());
                    seen.add(context.progress());
                    if (owners.size() == 1) {
                        context.progress(7, 9, "seventh");
                        throw new IllegalStateException("not yet");
                    }
                },
                retried("moving").build());
        cluster.trigger("moving", Map.of());
        cluster.advance(Duration.ofSeconds(10));
        cluster.instance(owners.get(0)).kill();
        cluster.advance(Duration.ofMinutes(5));
        cluster.trigger("moving", Map.of());
        cluster.advance(Duration.ofSeconds(10));

        assertThat(owners).hasSize(3);
        assertThat(owners.get(1)).isNotEqualTo(owners.get(0));
        assertThat(seen.get(1)).hasValueSatisfying(progress -> {
            assertThat(progress.done()).isEqualTo(7);
            assertThat(progress.message()).isEqualTo("seventh");
            assertThat(progress.attempt()).isEqualTo(1);
        });
        assertThat(seen.get(2)).isEmpty();
    }

    @Test
    void invalidProgressIsRejectedAndLongMessagesAreTruncated(TestCluster cluster) {
        List<Throwable> refused = new ArrayList<>();
        cluster.schedule(
                context -> {
                    assertThatThrownBy(() -> context.progress(-1, 0, "")).satisfies(refused::add);
                    context.progress(0, 0, "x".repeat(10_000));
                },
                JobConfiguration.newBuilder("strange", 2).build());
        createProgressNodes(cluster, "strange");
        cluster.trigger("strange", Map.of());
        cluster.advance(Duration.ofSeconds(1));

        assertThat(refused)
                .allSatisfy(error -> assertThat(error).hasMessageContainingAll("strange", "-1", "0 or more"));
        assertThat(read(cluster, "strange").get("0").message()).hasSize(500);
    }
}
