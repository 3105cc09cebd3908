package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.MisfirePolicy;
import io.ostraka.api.OverlapPolicy;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the console as a process of its own. */
@Tag("cluster")
@Timeout(120)
class ConsoleProcessTest {
    private static final Duration PERIOD = Duration.ofMillis(250);
    private static final int ITEMS = 2;

    @TempDir
    Path directory;

    private final Site site = new Site();
    private final Map<String, Queue<Instant>> fires = new ConcurrentHashMap<>();
    private final List<RunningProgram> processes = new ArrayList<>();
    private EmbeddedZooKeeper zooKeeper;

    @BeforeEach
    void startZooKeeper() {
        zooKeeper = EmbeddedZooKeeper.start(directory.resolve("zookeeper"), 0);
    }

    @AfterEach
    void end() {
        processes.forEach(RunningProgram::close);
        zooKeeper.close();
    }

    private RunningProgram run(Path settings) throws IOException {
        RunningProgram process = Program.java(ConsoleMain.class)
                .jvm("-Xmx96m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error")
                .arguments(settings)
                .log(directory.resolve("stderr.txt"))
                .start();
        processes.add(process);
        return process;
    }

    private String errors() throws IOException {
        return Files.readString(directory.resolve("stderr.txt"));
    }

    /** Starts a console, and returns its process when it listens. */
    private RunningProgram startConsole(String... more) throws IOException {
        RunningProgram process = run(site.settings(directory, zooKeeper.connectString(), more));
        String line = process.readLine();
        assertThat(line).as("first line; errors: %s", errors()).startsWith("The console listens at http://127.0.0.1:");
        site.at(URI.create(line.substring(line.indexOf("http"))));
        return process;
    }

    /** Waits until each item has had that many fires since now. */
    private void awaitFires(int count) throws Exception {
        Map<String, Integer> before = new ConcurrentHashMap<>();
        fires.forEach((item, times) -> before.put(item, times.size()));
        Eventually.holds(
                count + " more fires of each item",
                () -> fires.size() == ITEMS
                        && fires.entrySet().stream()
                                .allMatch(each ->
                                        each.getValue().size() >= before.getOrDefault(each.getKey(), 0) + count));
    }

    @Tag("slow")
    @Test
    void killedConsoleDisturbsNoFire() throws Exception {
        try (ZooKeeperRegistry registry = ZooKeeperRegistry.connect(zooKeeper.connectString(), "orders")) {
            registry.schedule(
                            (SimpleJob) context -> fires.computeIfAbsent(
                                            context.itemKey(), item -> new ConcurrentLinkedQueue<>())
                                    .add(context.fireTime()),
                            JobConfiguration.newBuilder("settle", ITEMS)
                                    .schedule(Schedule.fixedRate(PERIOD))
                                    .misfire(MisfirePolicy.fireAll(1000)) // a slow machine skips no fire
                                    .overlap(OverlapPolicy.queue(1000))
                                    .build())
                    .scheduled()
                    .toCompletableFuture()
                    .join();
            awaitFires(2);
            RunningProgram console = startConsole();
            String job = "/api/v1/namespaces/orders/jobs/settle";
            assertThat(site.get(job).statusCode()).isEqualTo(200);
            assertThat(site.post(job + "/pause", "{\"reason\":\"test\"}").statusCode())
                    .isEqualTo(200);
            assertThat(site.post(job + "/resume", "{\"catchUp\":true}").statusCode())
                    .isEqualTo(200);
            awaitFires(2);

            console.kill();
            awaitFires(6);

            for (Map.Entry<String, Queue<Instant>> item : fires.entrySet()) {
                List<Instant> times = List.copyOf(item.getValue());
                for (int i = 1; i < times.size(); i++) {
                    assertThat(times.get(i))
                            .as("fire %d of item %s", i, item.getKey())
                            .isEqualTo(times.get(i - 1).plus(PERIOD));
                }
            }
        }
    }

    @Test
    void stopByAnOperatorIsASuccess() throws Exception {
        RunningProgram console =
                startConsole("history.url=jdbc:h2:mem:stop", "history.spool=" + directory.resolve("spool"));

        console.terminate();

        assertThat(console.exitCode()).as(errors()).isEqualTo(ConsoleMain.OK);
    }

    @Tag("slow")
    @Test
    void oneTimePasswordIsPrintedOnceAndIsNotInTheLog() throws Exception {
        Path file = Files.writeString(
                directory.resolve("open.properties"),
                "zookeeper.servers=" + zooKeeper.connectString() + "\nlisten.port=0\n");
        RunningProgram console = run(file);
        console.readLine();
        String line = console.readLine();

        assertThat(line).contains("One-time password of the user 'admin'");
        console.terminate();
        assertThat(console.readLine()).isNull();
        assertThat(console.exitCode()).isEqualTo(ConsoleMain.OK);
        assertThat(errors()).doesNotContain(line.substring(line.lastIndexOf(' ') + 1));
    }

    @Test
    void wrongSettingsEndWithCodeTwoAndAllMistakes() throws Exception {
        RunningProgram console = run(site.settings(directory, "zk:2181", "listen.prot=1", "namespaces=a/b"));

        assertThat(console.exitCode()).isEqualTo(ConsoleMain.NOT_ACCEPTED);
        assertThat(errors().lines()).hasSize(2);
        assertThat(errors()).contains("the nearest is 'listen.port'").contains("namespaces has 'a/b'");
    }

    @Test
    void portInUseEndsWithCodeOne() throws Exception {
        RunningProgram console = run(site.settings(directory, "127.0.0.1:1", "listen.port=" + zooKeeper.port()));

        assertThat(console.exitCode()).isEqualTo(ConsoleMain.FAILED);
        assertThat(errors()).contains("cannot listen at 127.0.0.1:" + zooKeeper.port());
    }
}
