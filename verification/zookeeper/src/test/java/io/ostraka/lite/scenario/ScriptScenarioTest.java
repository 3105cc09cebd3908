package io.ostraka.lite.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Health;
import io.ostraka.api.ItemFailure;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobHealth;
import io.ostraka.api.JobRun;
import io.ostraka.api.Schedule;
import io.ostraka.api.ScriptJob;
import io.ostraka.fixtures.Eventually;
import io.ostraka.lite.OneOffJobBootstrap;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ScheduleJobBootstrap;
import io.ostraka.lite.ZooKeeperRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class ScriptScenarioTest {
    @TempDir
    Path directory;

    private final BlockingQueue<ItemFailure> failures = new LinkedBlockingQueue<>();

    /**
     * Guards against a script that continues after its instance has stopped, while the successor's script already runs.
     */
    @Test
    void scriptEndsWithItsInstanceAndAnotherTakesOverItsItem() throws Exception {
        Path starts = directory.resolve("starts");
        ScriptJob script = ScriptJob.command(
                        "sh",
                        "-c",
                        """
                        trap '' TERM
                        echo "$OSTRAKA_ATTEMPT $OSTRAKA_FENCING_TOKEN $$" >> starts
                        [ "$OSTRAKA_ATTEMPT" = 1 ] || exit 0
                        while :; do sleep 1000; done
                        """)
                .workingDirectory(directory)
                .build();
        JobConfiguration job = JobConfiguration.newBuilder("script", 1)
                .shutdownGrace(Duration.ZERO)
                .build();
        try (Server server = new Server(directory.resolve("server"));
                ZooKeeperRegistry successor = registry(server)) {
            JobRun run;
            try (ZooKeeperRegistry first = registry(server)) {
                new OneOffJobBootstrap(first, script, job);
                Eventually.holds("the job's definition", () -> first.health().good());
                run = successor.trigger("script", Map.of());
                Eventually.holds(
                        "the script's start",
                        () -> Files.exists(starts) && lines(starts).size() == 1);
                new OneOffJobBootstrap(successor, script, job);
            }
            assertThat(ProcessHandle.of(Long.parseLong(lines(starts).get(0).split(" ")[2])))
                    .isEmpty();

            assertThat(run.await(Duration.ofSeconds(60))).containsExactly(Map.entry("0", ItemOutcome.SUCCEEDED));
            assertThat(lines(starts)).hasSize(2);
            assertThat(lines(starts).get(1)).startsWith("2 ");
            assertThat(token(lines(starts).get(1)))
                    .isGreaterThan(token(lines(starts).get(0)));
        }
    }

    /** Guards against a scheduler that abandons hanging scripts run after run without ending them. */
    @Test
    void scriptThatTimesOutIsEndedAndItsOutputReported() throws Exception {
        ScriptJob script = ScriptJob.command("sh", "-c", "echo $$ > pid; echo counting; sleep 1000; echo counted")
                .workingDirectory(directory)
                .build();
        JobConfiguration job = JobConfiguration.newBuilder("slow", 1)
                .timeout(Duration.ofSeconds(2))
                .errorHandler("BOOK")
                .build();
        try (Server server = new Server(directory.resolve("server"));
                ZooKeeperRegistry registry =
                        builder(server).errorHandler(book()).connect()) {
            JobRun run = new OneOffJobBootstrap(registry, script, job).execute();

            assertThat(run.await(Duration.ofSeconds(60))).containsExactly(Map.entry("0", ItemOutcome.TIMED_OUT));
            assertThat(ProcessHandle.of(
                            Long.parseLong(lines(directory.resolve("pid")).get(0))))
                    .isEmpty();
            ItemFailure failure = failures.take();
            assertThat(failure.outcome()).isEqualTo(ItemOutcome.TIMED_OUT);
            assertThat(failure.errorMessage()).contains("PT2S", "counting").doesNotContain("counted");
        }
    }

    /** Guards against a script that ignores SIGTERM and thereby blocks its job. */
    @Test
    void stubbornScriptIsKilledWithItsChildrenAndItsJobContinues() throws Exception {
        Path starts = directory.resolve("starts");
        ScriptJob script = ScriptJob.command(
                        "sh",
                        "-c",
                        """
                        trap '' TERM
                        [ -e starts ] && { echo again >> starts; exit 0; }
                        sleep 1000 &
                        echo "$$ $!" >> starts
                        while :; do wait; sleep 1000; done
                        """)
                .workingDirectory(directory)
                .build();
        JobConfiguration job = JobConfiguration.newBuilder("stubborn", 1)
                .schedule(Schedule.fixedRate(Duration.ofSeconds(2)))
                .timeout(Duration.ofSeconds(5))
                .errorHandler("BOOK")
                .build();
        Set<JobHealth.Kind> reasons = ConcurrentHashMap.newKeySet();
        try (Server server = new Server(directory.resolve("server"));
                ZooKeeperRegistry registry = builder(server)
                        .errorHandler(book())
                        .healthListener(health -> reasons.addAll(kinds(health)))
                        .connect()) {
            new ScheduleJobBootstrap(registry, script, job).schedule();

            assertThat(failures.take().outcome()).isEqualTo(ItemOutcome.TIMED_OUT);
            assertThat(lines(starts).get(0).split(" ")).hasSize(2).allSatisfy(pid -> assertThat(
                            ProcessHandle.of(Long.parseLong(pid))
                                    .flatMap(process -> process.info().command()))
                    .as("program of process %s; an ended process has none", pid)
                    .isEmpty());
            Eventually.holds("two more fires", () -> lines(starts).size() > 2);
            assertThat(failures).isEmpty();
            reasons.addAll(kinds(registry.health()));
            assertThat(reasons).doesNotContain(JobHealth.Kind.STUCK_ITEMS);
        }
    }

    private static List<JobHealth.Kind> kinds(Health health) {
        return health.jobs().values().stream()
                .flatMap(job -> job.reasons().stream())
                .map(JobHealth.Reason::kind)
                .toList();
    }

    private JobErrorHandler book() {
        return new JobErrorHandler() {
            @Override
            public String type() {
                return "BOOK";
            }

            @Override
            public void handle(ItemFailure failure, Throwable error) {
                failures.add(failure);
            }
        };
    }

    private static ZooKeeperRegistry registry(Server server) {
        return builder(server).connect();
    }

    private static RegistryBuilder builder(Server server) {
        return ZooKeeperRegistry.newBuilder(server.servers(), "scripts")
                .allowScriptJobs()
                .shutdownHook(false);
    }

    private static long token(String start) {
        return Long.parseLong(start.split(" ")[1]);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
