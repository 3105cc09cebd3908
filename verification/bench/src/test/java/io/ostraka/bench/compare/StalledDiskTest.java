package io.ostraka.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.ensemble.Ensemble;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(300)
class StalledDiskTest {
    private static final String NAMESPACE = "stalled-disk";
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final long STALL_MILLIS = 3000;

    private static final RecurringJob PUNCTUAL = new RecurringJob("punctual", 12, 5, 100);
    private static final List<RecurringJob> LOAD = IntStream.range(0, 4)
            .mapToObj(job -> new RecurringJob("load-" + job, 12, 1, 100))
            .toList();

    /** Covers a stall of ZooKeeper's disk, such as during a nightly backup. It must not make any job run twice. */
    @Test
    void stalledDiskDelaysFiresButLosesAndDoublesNone(@TempDir Path directory) throws Exception {
        List<RecurringJob> jobs =
                Stream.concat(Stream.of(PUNCTUAL), LOAD.stream()).toList();
        try (Ensemble ensemble = Ensemble.start(directory);
                Cluster cluster = new Cluster(
                        Participant.ostraka(),
                        ensemble.servers(),
                        NAMESPACE,
                        Duration.ofSeconds(10),
                        jobs,
                        directory.resolve("workers"))) {
            cluster.start(2);
            awaitAllFrom(cluster, 0);
            long fire = PUNCTUAL.fireAt(HostClock.millis()) + 2 * PUNCTUAL.periodMillis();
            HostClock.sleepUntil(fire - 1000);
            slowDisks(ensemble, Duration.ofMillis(STALL_MILLIS));
            HostClock.sleepUntil(fire - 1000 + STALL_MILLIS);
            slowDisks(ensemble, Duration.ZERO);
            awaitAllFrom(cluster, fire + PUNCTUAL.periodMillis());
            for (String worker : cluster.workers()) {
                cluster.leave(worker);
            }

            List<Entry> entries = cluster.ledger().since(0);
            assertThat(entries)
                    .as("nothing can begin while the disks stall")
                    .noneMatch(entry -> entry.kind() == Entry.Kind.START
                            && entry.nanos() > HostClock.nanos(fire)
                            && entry.nanos() < HostClock.nanos(fire + STALL_MILLIS / 2));
            FireCounts fires =
                    new FireCounts(entries, ensemble.transactionLogs().of(NAMESPACE));
            FireCounts.Count punctual = fires.count(PUNCTUAL, fires.first(PUNCTUAL), fire);
            assertThat(punctual).isEqualTo(new FireCounts.Count(punctual.due(), 0, 0, 0));
            for (RecurringJob job : LOAD) {
                FireCounts.Count count = fires.count(job, fires.first(job), fire + STALL_MILLIS);
                assertThat(count.lost() + count.twice())
                        .as("%s: %s", job, count)
                        .isZero();
            }
        }
    }

    private static void slowDisks(Ensemble ensemble, Duration perFlush) {
        IntStream.range(0, ensemble.size()).forEach(server -> ensemble.slowDisk(server, perFlush));
    }

    /** Waits until each item has begun a fire that is not earlier than the given one. */
    private static void awaitAllFrom(Cluster cluster, long fire) throws InterruptedException {
        Set<Integer> missing =
                new HashSet<>(IntStream.range(0, PUNCTUAL.items()).boxed().toList());
        boolean all = cluster.ledger().await(0, LIMIT, entry -> {
            if (entry.is(Entry.Kind.START, PUNCTUAL.name()) && entry.fire() >= fire) {
                missing.remove(entry.item());
            }
            return missing.isEmpty();
        });
        assertThat(all).as("items that have not begun: %s", missing).isTrue();
    }
}
