package io.ostraka.core.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.api.metrics.Load;
import io.ostraka.core.run.TestRun;
import io.ostraka.core.time.SystemClock;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.helpers.BasicMDCAdapter;

@Timeout(60)
class EngineThreadsTest {
    private static final int MANY = 5;

    private final CountDownLatch begun = new CountDownLatch(MANY);
    private final CountDownLatch release = new CountDownLatch(1);

    private static EngineThreads givingBackAfter(Duration idle) {
        return EngineThreads.givingBackAfter(
                idle, new SystemClock(), TestRun.onCallersThread().fireTimer());
    }

    private void runMany(WorkerStatistics workers) throws InterruptedException {
        for (int i = 0; i < MANY; i++) {
            workers.execute(() -> {
                begun.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        begun.await();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** What code can see of the code that has used its thread before. */
    private record Seen(
            String name,
            int priority,
            @Nullable ClassLoader loader,
            Thread.@Nullable UncaughtExceptionHandler handler,
            @Nullable String tenant,
            @Nullable String inherited) {
        static Seen now() {
            Thread thread = Thread.currentThread();
            return new Seen(
                    thread.getName(),
                    thread.getPriority(),
                    thread.getContextClassLoader(),
                    thread.getUncaughtExceptionHandler(),
                    MDC.get("tenant"),
                    INHERITED.get());
        }
    }

    private static final InheritableThreadLocal<@Nullable String> INHERITED = new InheritableThreadLocal<>();

    /** Replaces the adapter of the simple logger, which has no MDC, by one whose values new threads inherit. */
    @BeforeAll
    static void useAnMdc() throws ReflectiveOperationException {
        LoggerFactory.getILoggerFactory(); // sets the provider's adapter, and would otherwise replace this one later
        Field adapter = MDC.class.getDeclaredField("MDC_ADAPTER");
        adapter.setAccessible(true);
        adapter.set(null, new BasicMDCAdapter());
    }

    private static void leaveTraces() {
        Thread thread = Thread.currentThread();
        thread.setName("tenant-acme");
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.setContextClassLoader(null);
        thread.setUncaughtExceptionHandler((failed, error) -> {});
        thread.interrupt();
        MDC.put("tenant", "acme");
    }

    @Test
    void codeSeesNothingOfTheCodeBeforeItOnItsThread() throws Exception {
        ExecutorService one = Executors.newSingleThreadExecutor();
        try {
            Seen fresh = one.submit(Seen::now).get();
            WorkerStatistics workers = new WorkerStatistics(one);
            workers.execute(EngineThreadsTest::leaveTraces);
            CompletableFuture<Seen> next = new CompletableFuture<>();
            workers.execute(() -> next.complete(Seen.now()));

            assertThat(next.get()).isEqualTo(fresh);
        } finally {
            one.shutdown();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void newThreadInheritsNothingFromTheCodeThatNeedsIt(boolean virtual) throws Exception {
        assumeTrue(!virtual || Runtime.version().feature() >= 21);
        try (EngineThreads machine =
                new EngineThreads(new SystemClock(), TestRun.onCallersThread().fireTimer(), virtual)) {
            WorkerStatistics workers = new WorkerStatistics(machine.platform().workers());
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            CompletableFuture<Seen> worker = new CompletableFuture<>();
            CompletableFuture<Seen> engine = new CompletableFuture<>();
            Thread user = new Thread(() -> {
                INHERITED.set("acme");
                leaveTraces();
                workers.execute(() -> worker.complete(Seen.now()));
                machine.platform().engineThreads().execute(() -> engine.complete(Seen.now()));
            });
            user.start();

            for (Seen seen : List.of(worker.get(), engine.get())) {
                assertThat(seen.name()).startsWith("ostraka-");
                assertThat(seen.priority()).isEqualTo(Thread.NORM_PRIORITY);
                assertThat(seen.loader()).isSameAs(loader);
                assertThat(seen.tenant()).isNull();
                assertThat(seen.inherited()).isNull();
            }
        }
    }

    @Test
    void releasesIdleThreads() throws Exception {
        try (EngineThreads machine = givingBackAfter(Duration.ofMillis(1))) {
            WorkerStatistics workers = new WorkerStatistics(machine.platform().workers());
            runMany(workers);
            assertThat(workers.load()).isEqualTo(new Load.Workers(MANY, MANY, 0, MANY, MANY));
            release.countDown();

            await(() -> workers.load().poolSize() == 0);
            assertThat(workers.load()).isEqualTo(new Load.Workers(0, MANY, MANY, 0, MANY));
        }
    }

    @Test
    void keepsIdleThreadsForAWhile() throws Exception {
        try (EngineThreads machine = givingBackAfter(Duration.ofHours(1))) {
            WorkerStatistics workers = new WorkerStatistics(machine.platform().workers());
            runMany(workers);
            release.countDown();

            await(() -> workers.load().active() == 0);
            assertThat(workers.load().poolSize()).isEqualTo(MANY);
        }
    }

    @Test
    void reportsThePoolOfEngineThreads() throws Exception {
        try (EngineThreads machine = givingBackAfter(Duration.ofHours(1))) {
            for (int i = 0; i < MANY; i++) {
                machine.platform().engineThreads().execute(() -> {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            await(() -> pool(machine).active() == 2);
            assertThat(pool(machine)).isEqualTo(new Load.Pool(2, MANY - 2, 0, 2, 2));
            release.countDown();

            await(() -> pool(machine).completed() == MANY);
            await(() -> pool(machine).equals(new Load.Pool(0, 0, MANY, 2, 2)));
        }
    }

    private static Load.Pool pool(EngineThreads machine) {
        return WorkerStatistics.pool(machine.platform().engineThreads()).orElseThrow();
    }
}
