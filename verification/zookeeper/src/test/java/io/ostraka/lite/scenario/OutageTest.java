package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.core.tree.NodeStore;
import io.ostraka.lite.TestingServers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(1200)
class OutageTest {
    private static final int JOBS = 50;
    private static final int INSTANCES = 2;
    private static final Duration SESSION = Duration.ofSeconds(2);

    @TempDir
    Path directory;

    /** Scenario 1. Guards against jobs that do not fire again after an outage of ZooKeeper until a restart. */
    @Test
    void everyJobFiresAgainAfterOutageLongerThanSessions() throws Exception {
        int outages = Integer.getInteger("ostraka.outages", 3);
        Phaser lost = new Phaser(INSTANCES + 1);
        List<Runs> jobs = IntStream.range(0, JOBS).mapToObj(job -> new Runs()).toList();
        TestingServer server = TestingServers.start(directory);
        List<SingleEngine> engines = new ArrayList<>();
        try {
            for (int i = 0; i < INSTANCES; i++) {
                NodeStore store = Server.store(server.getConnectString(), "outage", SESSION);
                SingleEngine engine =
                        new SingleEngine(reportingLoss(store, lost), Duration.ZERO, Duration.ofSeconds(5));
                engines.add(engine);
                engine.start();
                for (int job = 0; job < JOBS; job++) {
                    engine.engine()
                            .register(
                                    jobs.get(job).recording(),
                                    JobConfiguration.newBuilder("job-" + job, 2)
                                            .schedule(Schedule.fixedRate(Duration.ofMillis(500)))
                                            .build());
                }
            }
            awaitMoreOfEach(jobs);
            for (int outage = 1; outage <= outages; outage++) {
                server.stop();
                lost.awaitAdvanceInterruptibly(lost.arrive(), 90, TimeUnit.SECONDS);
                server.restart();
                awaitMoreOfEach(jobs);
            }
        } finally {
            engines.forEach(SingleEngine::close);
            server.close();
        }
        // if the outage interrupted a run, another attempt follows; no attempt runs twice
        for (Runs runs : jobs) {
            assertThat(runs.all().stream()
                            .map(run -> run.fire() + " item " + run.item() + " attempt " + run.attempt())
                            .toList())
                    .doesNotHaveDuplicates();
        }
    }

    /** Waits until every item of every job has run two more times. */
    private static void awaitMoreOfEach(List<Runs> jobs) throws InterruptedException {
        List<List<Runs.Ran>> before = jobs.stream().map(Runs::all).toList();
        for (int job = 0; job < JOBS; job++) {
            int known = before.get(job).size();
            jobs.get(job).await("more runs of job " + job, all -> IntStream.range(0, 2)
                    .allMatch(item -> all.stream()
                                    .skip(known)
                                    .filter(run -> run.item() == item)
                                    .count()
                            >= 2));
        }
    }

    /** Wraps a store, so that a lost session also arrives at the phaser. */
    private static NodeStore reportingLoss(NodeStore store, Phaser lost) {
        return proxy(NodeStore.class, store, (name, arguments) -> {
            if (name.equals("start")) {
                NodeStore.Listener listener = (NodeStore.Listener) arguments[0];
                arguments[0] = proxy(NodeStore.Listener.class, listener, (method, ignored) -> {
                    if (method.equals("lost")) {
                        lost.arrive();
                    }
                });
            }
        });
    }

    private interface Before {
        void call(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, T target, Before before) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    before.call(method.getName(), arguments);
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
