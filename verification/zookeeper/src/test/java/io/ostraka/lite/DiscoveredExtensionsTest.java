package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.InstanceListener;
import io.ostraka.api.InstanceState;
import io.ostraka.api.ItemFailure;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.Job;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobFire;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.JobListener;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.ShardingContext;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that an instance uses the extensions of {@code META-INF/services} without any code of the application. */
@Tag("cluster")
@Timeout(120)
class DiscoveredExtensionsTest {
    /** Calls of the extensions; static, because {@link java.util.ServiceLoader} creates them. */
    private static final List<String> CALLS = new CopyOnWriteArrayList<>();

    @TempDir
    Path directory;

    private ClassLoader before;

    /** A custom job type. */
    public record Statement(String sql) implements Job {}

    public static final class StatementExecutor implements JobItemExecutor<Statement> {
        @Override
        public Class<Statement> type() {
            return Statement.class;
        }

        @Override
        public void execute(Statement job, ShardingContext context) {
            CALLS.add("executes " + job.sql());
            throw new IllegalStateException("no database");
        }
    }

    public static final class Handler implements JobErrorHandler {
        @Override
        public String type() {
            return "PAGER";
        }

        @Override
        public void handle(ItemFailure failure, Throwable error) {
            CALLS.add("pages " + error.getMessage());
        }
    }

    public static final class WarmUp implements InstanceListener {
        @Override
        public void beforeWork() {
            CALLS.add("warm");
        }

        @Override
        public void stateChanged(InstanceState now) {
            CALLS.add(now.name());
        }
    }

    public static final class Interceptor implements RunInterceptor {
        @Override
        public void before(ShardingContext context) {
            CALLS.add("before the code");
        }
    }

    public static final class Listener implements JobListener {
        @Override
        public void afterFire(JobFire fire, Map<String, ItemOutcome> outcomes) {
            CALLS.add("after the fire " + outcomes);
        }
    }

    /** Declares the extensions as services that only this test sees. */
    @BeforeEach
    void declareServices() throws IOException {
        CALLS.clear();
        Map<Class<?>, Class<?>> services = Map.of(
                JobItemExecutor.class, StatementExecutor.class,
                JobErrorHandler.class, Handler.class,
                InstanceListener.class, WarmUp.class,
                RunInterceptor.class, Interceptor.class,
                JobListener.class, Listener.class);
        Path names = Files.createDirectories(directory.resolve("classes/META-INF/services"));
        for (Map.Entry<Class<?>, Class<?>> service : services.entrySet()) {
            Files.writeString(
                    names.resolve(service.getKey().getName()),
                    service.getValue().getName());
        }
        before = Thread.currentThread().getContextClassLoader();
        URL[] classes = {directory.resolve("classes").toUri().toURL()};
        Thread.currentThread().setContextClassLoader(new URLClassLoader(classes, before));
    }

    @AfterEach
    void restoreClassLoader() {
        Thread.currentThread().setContextClassLoader(before);
    }

    @Test
    void usesExtensionsFromServiceLoader() throws Exception {
        try (TestingServer zooKeeper = TestingServers.start(directory.resolve("zookeeper"));
                ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(zooKeeper.getConnectString(), "found")
                        .shutdownHook(false)
                        .connect()) {
            OneOffJobBootstrap job = new OneOffJobBootstrap(
                    registry,
                    new Statement("delete"),
                    JobConfiguration.newBuilder("job", 1).errorHandler("PAGER").build());
            assertThat(job.execute().await(Duration.ofSeconds(60))).containsValue(ItemOutcome.FAILED);
        }

        assertThat(CALLS)
                .contains("warm", "WORKING", "pages no database", "after the fire {0=FAILED}", "DRAINING", "STOPPED")
                .containsSubsequence("warm", "before the code", "executes delete");
    }
}
