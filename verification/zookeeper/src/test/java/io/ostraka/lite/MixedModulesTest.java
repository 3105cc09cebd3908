package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmHandler;
import io.ostraka.api.AlarmPolicy;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.ScriptJob;
import io.ostraka.fixtures.Eventually;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests an instance without the module ostraka-job-types together with one that has it. */
class MixedModulesTest {
    private static final ScriptJob FAILING = ScriptJob.command("false").build();
    private static final JobConfiguration JOB = JobConfiguration.newBuilder("scripted", 1)
            .errorHandler("IGNORE")
            .alarms(AlarmPolicy.defaults().failuresInARow(1))
            .build();

    @TempDir
    Path directory;

    /** An instance whose class loader does not have the module. */
    public static final class Lean implements Callable<String>, AutoCloseable {
        private final ZooKeeperRegistry registry;

        /** Connects, and waits until the instance is registered. */
        public Lean(String servers, Consumer<String> alarms) {
            registry = ZooKeeperRegistry.newBuilder(servers, "mixed")
                    .shutdownHook(false)
                    .failFast(Duration.ofSeconds(60))
                    .alarmHandler(new AlarmHandler() {
                        @Override
                        public String name() {
                            return "recorder";
                        }

                        @Override
                        public void handle(Alarm alarm) {
                            alarms.accept(alarm.job() + " " + alarm.kind() + " " + alarm.state());
                        }
                    })
                    .connect();
        }

        /** Returns why the instance refuses a script job. */
        @Override
        public String call() {
            try {
                new OneOffJobBootstrap(registry, FAILING, JOB);
                return "";
            } catch (JobConfigurationException e) {
                return String.valueOf(e.getMessage());
            }
        }

        @Override
        public void close() {
            registry.close();
        }
    }

    private static AutoCloseable connected(ClassLoader loader, String servers, Consumer<String> alarms)
            throws ReflectiveOperationException {
        Thread current = Thread.currentThread();
        ClassLoader before = current.getContextClassLoader();
        current.setContextClassLoader(loader); // as in an application that a container has loaded
        try {
            return (AutoCloseable) loader.loadClass(Lean.class.getName())
                    .getConstructor(String.class, Consumer.class)
                    .newInstance(servers, alarms);
        } finally {
            current.setContextClassLoader(before);
        }
    }

    @Test
    @Tag("cluster")
    void aLeaderWithoutTheModuleReportsTheFailureOfAScript() throws Exception {
        BlockingQueue<String> alarms = new LinkedBlockingQueue<>();
        Consumer<String> recorder = alarms::add;
        try (TestingServer zooKeeper = TestingServers.start(directory);
                URLClassLoader lean = EngineAloneTest.loader();
                AutoCloseable leader = connected(lean, zooKeeper.getConnectString(), recorder);
                ZooKeeperOperations observer = ZooKeeperOperations.connect(zooKeeper.getConnectString(), "mixed")) {
            assertThat(((Callable<?>) leader).call())
                    .asString()
                    .contains("job 'scripted'", "io.ostraka:ostraka-job-types");
            Eventually.holds("a leader", () -> observer.operations().namespace().leader() != null);

            try (ZooKeeperRegistry registry = ZooKeeperRegistry.newBuilder(zooKeeper.getConnectString(), "mixed")
                    .allowScriptJobs()
                    .connect()) {
                new OneOffJobBootstrap(registry, FAILING, JOB).execute();

                assertThat(alarms.take()).isEqualTo("scripted FAILING FIRING");
            }
        }
    }
}
