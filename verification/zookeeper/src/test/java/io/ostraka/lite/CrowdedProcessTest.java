package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobRun;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.metrics.Load;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.ExpectedErrors;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Tests the run slots of one process, and the runs that wait for a slot. */
@Tag("smoke")
@Tag("cluster")
@ExpectedErrors("job 'deaf' item 0")
class CrowdedProcessTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private TestingServer zooKeeper;

    @BeforeEach
    void start() {
        zooKeeper = TestingServers.start(directory);
    }

    @AfterEach
    void stop() {
        TestingServers.close(zooKeeper);
    }

    private RegistryBuilder registry() {
        return ZooKeeperRegistry.newBuilder(zooKeeper.getConnectString(), "crowded");
    }

    private static OneOffJobBootstrap job(ZooKeeperRegistry registry, JobConfiguration.Builder job, SimpleJob code) {
        return new OneOffJobBootstrap(registry, code, job.build());
    }

    @Test
    void runsEveryItemOfManyJobsWithTwoSlots() throws Exception {
        AtomicInteger running = new AtomicInteger();
        Set<Integer> most = ConcurrentHashMap.newKeySet();
        try (ZooKeeperRegistry registry = registry().concurrentRuns(2, 1).connect()) {
            List<JobRun> runs = new ArrayList<>();
            for (int number = 0; number < 10; number++) {
                runs.add(job(registry, JobConfiguration.newBuilder("job-" + number, 10), context -> {
                            most.add(running.incrementAndGet());
                            Thread.yield();
                            running.decrementAndGet();
                        })
                        .execute());
            }
            for (JobRun run : runs) {
                assertThat(run.await(LIMIT).values()).hasSize(10).containsOnly(ItemOutcome.SUCCEEDED);
            }
        }

        assertThat(most).allSatisfy(at -> assertThat(at).isLessThanOrEqualTo(2));
    }

    /** Guards against one endless run that blocks the whole pool and keeps the process from exiting. */
    @Test
    void codeThatNeverReturnsOccupiesOnlyOneThread() throws Exception {
        Set<Thread> before = threads();
        CountDownLatch never = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        ZooKeeperRegistry registry = registry().concurrentRuns(2, 2).connect();
        try {
            OneOffJobBootstrap deaf = job(
                    registry,
                    JobConfiguration.newBuilder("deaf", 1)
                            .timeout(Duration.ofMillis(100))
                            .shutdownGrace(Duration.ofMillis(100)),
                    context -> {
                        begun.countDown();
                        awaitDeaf(never);
                    });
            deaf.execute();
            begun.await();
            OneOffJobBootstrap other = job(registry, JobConfiguration.newBuilder("other", 20), context -> {});
            for (int round = 0; round < 3; round++) {
                deaf.execute(); // the trigger waits for its item and occupies no thread
                assertThat(other.execute().await(LIMIT).values()).hasSize(20).containsOnly(ItemOutcome.SUCCEEDED);
                assertThat(deaf(before)).hasSize(1);
            }
            Eventually.holds(
                    "one thread", () -> registry.metrics().load().workers().active() == 1);
            assertThat(registry.metrics().load().slots().values().stream()
                            .mapToInt(Load.Slots::taken)
                            .sum())
                    .isEqualTo(1);
        } finally {
            registry.close(); // close returns although the code does not
        }
        assertThat(never.getCount()).isEqualTo(1);
        awaitEnd(() -> {
            Set<Thread> others = ownThreads(before);
            others.removeAll(deaf(before));
            return others;
        });
        assertThat(deaf(before)).hasSize(1).allMatch(Thread::isDaemon);
        never.countDown();
        awaitEnd(() -> ownThreads(before));
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet();
    }

    /** Returns the library's threads that started after the snapshot. */
    private static Set<Thread> ownThreads(Set<Thread> before) {
        return threads().stream()
                .filter(thread -> thread.getName().startsWith("ostraka-") && !before.contains(thread))
                .collect(Collectors.toSet());
    }

    /** Returns the library's threads that run code which never returns. */
    private static Set<Thread> deaf(Set<Thread> before) {
        return ownThreads(before).stream()
                .filter(thread -> Stream.of(thread.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("awaitDeaf")))
                .collect(Collectors.toSet());
    }

    private static void awaitEnd(Supplier<Set<Thread>> ending) throws InterruptedException {
        for (Set<Thread> left = ending.get(); !left.isEmpty(); left = ending.get()) {
            for (Thread thread : left) {
                thread.join(LIMIT.toMillis());
                assertThat(thread.isAlive())
                        .as("%s among %s", thread, threads())
                        .isFalse();
            }
        }
    }

    private static void awaitDeaf(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // ignored on purpose
            }
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void runsAndTasksUseVirtualThreadsOnRequest() throws Exception {
        Set<Object> virtual = ConcurrentHashMap.newKeySet();
        AtomicInteger tasks = new AtomicInteger();
        try (ZooKeeperRegistry registry = registry().virtualThreads(true).connect()) {
            OneOffJobBootstrap job = job(registry, JobConfiguration.newBuilder("virtual", 8), context -> {
                virtual.add(isVirtual());
                for (int i = 0; i < 100; i++) {
                    context.tasks().inOrder(i % 10).submit(() -> {
                        virtual.add(isVirtual());
                        tasks.incrementAndGet();
                    });
                }
            });

            assertThat(job.execute().await(LIMIT).values()).hasSize(8).containsOnly(ItemOutcome.SUCCEEDED);
        }
        assertThat(virtual).containsExactly(true);
        assertThat(tasks).hasValue(800);
    }

    private static Object isVirtual() throws ReflectiveOperationException {
        return Thread.class.getMethod("isVirtual").invoke(Thread.currentThread());
    }

    @Test
    @DisabledForJreRange(min = JRE.JAVA_21)
    void refusesVirtualThreadsBeforeJdk21() {
        assertThatThrownBy(() -> registry().virtualThreads(true).connect())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("JDK 21");
    }
}
