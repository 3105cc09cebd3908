package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.operations.InstanceDetails;
import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import io.ostraka.lite.ZooKeeperOperations;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DevTools restarts the application in the same process, with a new class loader. */
@Tag("spring")
class DevToolsTest {
    private final List<String> output = new ArrayList<>();

    @TempDir
    Path classes;

    @TempDir
    Path configuration;

    @Test
    void restartedApplicationIsOneInstanceAndRunsItsNewCode() throws Exception {
        Path changed = Files.writeString(classes.resolve("changed.txt"), "once");
        String namespace = Applications.namespace();
        try (RunningProgram process = start(namespace)) {
            String first = nextRun(process, "");
            Files.writeString(changed, "twice");
            String second = nextRun(process, first);

            assertThat(List.of(first, second)).allMatch(run -> run.endsWith(" true"));
            assertThat(instances(namespace)).hasSize(1);
            process.terminate();
            output.addAll(process.readAll());
            assertThat(output)
                    .anyMatch(line -> line.startsWith("INFO") && line.contains("closed in"))
                    .filteredOn(line -> !line.contains("SkippedFires")) // a busy machine skips fires of a short period
                    .noneMatch(line -> line.startsWith("ERROR") || line.startsWith("WARN"));
            assertThat(instances(namespace)).isEmpty();
        }
    }

    /** Returns the instances, as an observer finds them that connects now. */
    private static List<InstanceDetails> instances(String namespace) {
        try (ZooKeeperOperations observer = ZooKeeperOperations.connect(Applications.servers(), namespace)) {
            return observer.operations().instances();
        }
    }

    private RunningProgram start(String namespace) throws IOException {
        Path logging = Files.writeString(
                configuration.resolve("logback.xml"),
                """
                <configuration>
                  <appender name="CONSOLE" class="ch.qos.logback.core.ConsoleAppender">
                    <encoder><pattern>%level %logger %msg%n</pattern></encoder>
                  </appender>
                  <root level="INFO"><appender-ref ref="CONSOLE"/></root>
                </configuration>
                """);
        return Program.java(DevToolsApplication.class)
                .classPath(classes + File.pathSeparator + Program.CLASS_PATH)
                .arguments(
                        "--spring.main.web-application-type=none",
                        "--spring.docker.compose.enabled=false",
                        "--logging.config=" + logging,
                        "--spring.devtools.restart.poll-interval=200ms",
                        "--spring.devtools.restart.quiet-period=100ms",
                        "--ostraka.zookeeper.connect-string=" + Applications.servers(),
                        "--ostraka.namespace=" + namespace)
                .errors(Redirect.PIPE)
                .start();
    }

    /** Returns the next line of a run that differs from the given line. */
    private String nextRun(RunningProgram process, String before) {
        String line;
        while ((line = process.readLine()) != null) {
            output.add(line);
            if (line.startsWith("run of ") && !line.equals(before)) {
                return line;
            }
        }
        throw new AssertionError("the application has ended, or has not restarted in time: " + output);
    }
}
