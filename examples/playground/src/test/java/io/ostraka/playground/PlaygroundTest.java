package io.ostraka.playground;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Runs the playground as a user does. */
@Tag("cluster")
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class PlaygroundTest {
    /** Contains only the files of the playground. */
    @TempDir
    Path temporary;

    @TempDir
    Path logs;

    private RunningProgram playground;
    private List<ProcessHandle> children = List.of();

    @AfterEach
    void end() {
        if (playground != null) {
            playground.close();
        }
        children.forEach(ProcessHandle::destroyForcibly);
    }

    /** Starts a playground, and returns its link. */
    private URI start(String... options) throws IOException {
        PlaygroundProcess started = PlaygroundProcess.start(temporary, logs, options);
        playground = started.process();
        children = playground.handle().descendants().toList();
        return started.link();
    }

    private boolean nothingIsLeft() throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.findAny().isEmpty() && children.stream().noneMatch(ProcessHandle::isAlive);
        }
    }

    @Test
    void visitorSeesTwelveJobsAndKillsAWorkerAndNothingIsLeftAtTheEnd() throws Exception {
        Visitor visitor = Visitor.follow(start());

        assertThat(visitor.jobs()).hasSize(12);
        assertThat(visitor.get("/api/v1/session")
                        .getAsJsonObject("console")
                        .get("playground")
                        .getAsBoolean())
                .isTrue();
        assertThat(visitor.workers()).containsExactly("worker-1 RUNNING", "worker-2 RUNNING", "worker-3 RUNNING");
        Eventually.holds("worker-1", () -> visitor.instances().contains("worker-1"));

        assertThat(visitor.command("kill", "worker-1")).isEqualTo(200);
        assertThat(visitor.command("resume", "worker-2")).as("it is not frozen").isEqualTo(409);
        assertThat(visitor.command("kill", "worker-4")).isEqualTo(404);

        assertThat(visitor.workers()).containsExactly("worker-1 DEAD", "worker-2 RUNNING", "worker-3 RUNNING");
        Eventually.holds("the end of worker-1", () -> !visitor.instances().contains("worker-1"));
        Eventually.holds("new owners", () -> visitor.jobs().stream().allMatch(PlaygroundTest::isOnSurvivors));
        assertThat(visitor.command("start", "worker-1")).isEqualTo(200);
        Eventually.holds("worker-1", () -> visitor.instances().contains("worker-1"));

        assertThat(children).hasSizeGreaterThanOrEqualTo(3);
        playground.terminate();
        assertThat(playground.exitCode()).isZero();
        assertThat(nothingIsLeft()).isTrue();
    }

    private static boolean isOnSurvivors(JsonObject job) {
        JsonObject owners = job.getAsJsonObject("owners");
        int placed =
                owners.asMap().values().stream().mapToInt(JsonElement::getAsInt).sum();
        return owners.keySet().stream().noneMatch(each -> each.startsWith("worker-1@"))
                && placed == job.get("items").getAsInt();
    }

    @Test
    void nightHasTroublesAndAKilledPlaygroundLeavesNothing() throws Exception {
        Visitor visitor = Visitor.follow(start("--troubles"));

        assertThat(visitor.job("charge-cards").toString()).contains("PAUSED", "in maintenance until 22:00");
        assertThat(visitor.job("sync-stock").toString()).contains("PT2M", "PT10S");
        Eventually.holds("the end of worker-0", () -> !visitor.instances().contains("worker-0"));
        Eventually.holds(
                "a job without an instance",
                () -> visitor.job("import-returns").toString().contains("NO_INSTANCE"));
        Eventually.holds(
                "worker-2 to be frozen",
                () -> visitor.workers().contains("worker-2 RUNNING") && visitor.command("freeze", "worker-2") == 200);
        children = playground.handle().descendants().toList();

        playground.kill();
        Eventually.holds("the end of all processes", this::nothingIsLeft);
    }
}
