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

/** What {@code META-INF/services} names is part of an instance without a word in the application's code. */
@Tag("cluster")
@Timeout(120)
class FoundExtensionsTest {
    /** What those that were found have to tell; they are made by {@link java.util.ServiceLoader}, out of the test's hands. */
    private static final List<String> TOLD = new CopyOnWriteArrayList<>();

    @TempDir
    Path directory;

    private ClassLoader before;

    /** A type of job of one's own. */
    public record Statement(String sql) implements Job {}

    public static final class StatementExecutor implements JobItemExecutor<Statement> {
        @Override
        public Class<Statement> type() {
            return Statement.class;
        }

        @Override
        public void execute(Statement job, ShardingContext context) {
            TOLD.add("executes " + job.sql());
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
            TOLD.add("pages " + error.getMessage());
        }
    }

    public static final class WarmUp implements InstanceListener {
        @Override
        public void beforeWork() {
            TOLD.add("warm");
        }

        @Override
        public void stateChanged(InstanceState now) {
            TOLD.add(now.name());
        }
    }

    public static final class Interceptor implements RunInterceptor {
        @Override
        public void before(ShardingContext context) {
            TOLD.add("before the code");
        }
    }

    public static final class Listener implements JobListener {
        @Override
        public void afterFire(JobFire fire, Map<String, ItemOutcome> outcomes) {
            TOLD.add("after the fire " + outcomes);
        }
    }

    /** What names them is there for this test alone. */
    @BeforeEach
    void name() throws IOException {
        TOLD.clear();
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
    void forget() {
        Thread.currentThread().setContextClassLoader(before);
    }

    @Test
    void executorsHandlersListenersAndInterceptorsAreFoundAndUsed() throws Exception {
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

        assertThat(TOLD)
                .contains("warm", "WORKING", "pages no database", "after the fire {0=FAILED}", "DRAINING", "STOPPED")
                .containsSubsequence("warm", "before the code", "executes delete");
    }
}
