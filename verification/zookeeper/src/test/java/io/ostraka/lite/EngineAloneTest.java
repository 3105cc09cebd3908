package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.api.SimpleJob;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import io.ostraka.fixtures.Eventually;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests an instance whose class path has the engine, and none of the artifacts that add commands or destinations. */
@Tag("cluster")
@Timeout(120)
class EngineAloneTest {
    /** Parts of the class path that this instance lacks: folders of modules, and names of jars. */
    private static final List<String> ABSENT = List.of(
            "operator/operations/",
            "ostraka-job-operations",
            "extensions/job-types/",
            "ostraka-job-types",
            "extensions/http/",
            "ostraka-http");

    @TempDir
    private Path directory;

    /** An instance with one job. Its loader shares only the JDK with the test, so it answers questions with texts. */
    public static final class Instance implements Function<String, String>, AutoCloseable {
        private final AtomicInteger runs = new AtomicInteger();
        private final ZooKeeperRegistry registry;

        public Instance(String servers) {
            registry = ZooKeeperRegistry.connect(servers, "alone");
            registry.schedule(
                    (SimpleJob) context -> runs.incrementAndGet(),
                    JobConfiguration.newBuilder("settle", 2)
                            .schedule(Schedule.fixedRate(Duration.ofMillis(100)))
                            .build());
        }

        @Override
        public String apply(String question) {
            try {
                return switch (question) {
                    case "runs" -> "" + runs;
                    case "health" -> registry.health().toString();
                    default -> registry.operations().toString();
                };
            } catch (IllegalStateException e) {
                return String.valueOf(e.getMessage());
            }
        }

        @Override
        public void close() {
            registry.close();
        }
    }

    @Test
    void instanceWithoutOperationsObeysOrdersAndNamesTheArtifactThatItLacks() throws Exception {
        try (TestingServer server = TestingServers.start(directory);
                URLClassLoader loader = loader();
                ZooKeeperOperations observer = ZooKeeperOperations.connect(server.getConnectString(), "alone")) {
            Function<String, String> instance = start(loader, server.getConnectString());
            try (var closed = (AutoCloseable) instance) {
                Eventually.holds("runs", () -> Integer.parseInt(instance.apply("runs")) > 2);
                assertThat(instance.apply("operations"))
                        .isEqualTo("the views and commands of operators are not on the class path: add the dependency"
                                + " io.ostraka:ostraka-job-operations");
                Operations operations = observer.operations();

                operations.execute(new Command.Pause("settle"), CommandOptions.by("test"));
                Eventually.holds("a pause", () -> instance.apply("health").contains("PAUSED"));
                operations.execute(new Command.Resume("settle"), CommandOptions.by("test"));
                Eventually.holds(
                        "a resumed job", () -> !instance.apply("health").contains("PAUSED"));
                int before = Integer.parseInt(instance.apply("runs"));

                Eventually.holds("more runs", () -> Integer.parseInt(instance.apply("runs")) > before + 2);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static Function<String, String> start(ClassLoader loader, String servers) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader); // Quartz loads classes with it
        try {
            return (Function<String, String>) loader.loadClass(Instance.class.getName())
                    .getConstructor(String.class)
                    .newInstance(servers);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Returns a loader of the test's class path without these artifacts. */
    static URLClassLoader loader() throws Exception {
        List<URL> present = new ArrayList<>();
        int absent = 0;
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (ABSENT.stream().anyMatch(entry::contains)) {
                absent++;
            } else {
                present.add(Path.of(entry).toUri().toURL());
            }
        }
        assertThat(absent)
                .as("entries of the class path without which the instance runs")
                .isEqualTo(3);
        return new URLClassLoader(present.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
