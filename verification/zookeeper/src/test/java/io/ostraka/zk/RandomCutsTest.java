package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.coordination.Outcome;
import io.ostraka.core.tree.NodeOp;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.fixtures.RecordingListener;
import io.ostraka.fixtures.net.Direction;
import io.ostraka.fixtures.net.ZooKeeperProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that answers are correct and reports arrive in order, no matter when the connection breaks. */
@Tag("cluster")
class RandomCutsTest {
    private static final int CUTS = 5;
    private static final int MOST_REQUESTS_BETWEEN_CUTS = 400;
    private static final int MOST_UNANSWERED = 50;

    @TempDir
    private Path directory;

    private final RecordingListener reports = new RecordingListener();
    private final List<CompletableFuture<Outcome>> sent = new ArrayList<>();

    @Test
    void answersAreTrueAndReportsInOrder() throws Exception {
        long seed = Long.getLong("ostraka.seed", 1);
        var random = new SplittableRandom(seed);
        try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory, 0);
                var proxy = new ZooKeeperProxy(server.port());
                var store = new ZooKeeperNodeStore(new ZooKeeperConfig(
                        proxy.connectString(),
                        "app",
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(10),
                        Duration.ofMillis(100)))) {
            store.start(reports);
            assertThat(reports.next()).isEqualTo("connected");
            for (int cut = 0; cut < CUTS; cut++) {
                // the first request of each connection must succeed; the outcome of the later ones is random
                send(store, 1);
                assertThat(sent.get(sent.size() - 1))
                        .succeedsWithin(60, TimeUnit.SECONDS)
                        .isInstanceOf(Outcome.Committed.class);
                send(store, random.nextInt(MOST_REQUESTS_BETWEEN_CUTS));
                if (random.nextBoolean()) {
                    proxy.hold(Direction.TO_CLIENT);
                    send(store, random.nextInt(MOST_UNANSWERED));
                }
                proxy.cut();
                send(store, random.nextInt(MOST_UNANSWERED));
                assertThat(reports.next()).isEqualTo("suspended");
                proxy.heal();
                send(store, random.nextInt(MOST_UNANSWERED));
                assertThat(reports.next()).isEqualTo("connected");
            }
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
            store.sync().toCompletableFuture().get(60, TimeUnit.SECONDS);

            var existing =
                    new HashSet<>(store.children("/").toCompletableFuture().get(60, TimeUnit.SECONDS));
            for (int number = 0; number < sent.size(); number++) {
                Outcome outcome = sent.get(number).join();
                assertThat(outcome).isInstanceOfAny(Outcome.Committed.class, Outcome.Unknown.class);
                if (outcome instanceof Outcome.Committed) {
                    assertThat(existing).as("seed %d", seed).contains("n" + number);
                }
            }
            assertThat(existing.size()).as("seed %d", seed).isBetween(CUTS, sent.size());
            assertThat(reports.rest()).isEmpty();
        }
    }

    private void send(NodeStore store, int requests) {
        for (int i = 0; i < requests; i++) {
            var create = new NodeOp.Create("/n" + sent.size(), new byte[0], NodeOp.Kind.PERSISTENT);
            sent.add(store.commit(List.of(create)).toCompletableFuture());
        }
    }
}
