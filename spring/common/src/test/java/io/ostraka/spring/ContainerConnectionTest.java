package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** The address of a container's ZooKeeper takes the place of the property. The tests need no Docker. */
@Tag("spring")
class ContainerConnectionTest {
    private static final String[] ADDRESS = Applications.servers().split(":");

    /** Pretends that the server of the tests runs in a container. */
    static final class OutsideDocker extends GenericContainer<OutsideDocker> {
        OutsideDocker() {
            super(DockerImageName.parse("zookeeper:3.9"));
        }

        @Override
        public String getDockerImageName() {
            return "zookeeper:3.9";
        }

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return true;
        }

        @Override
        public String getHost() {
            return ADDRESS[0];
        }

        @Override
        public Integer getMappedPort(int port) {
            assertThat(port).isEqualTo(2181);
            return Integer.valueOf(ADDRESS[1]);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        @ServiceConnection(name = "zookeeper")
        OutsideDocker zookeeper() {
            return new OutsideDocker();
        }
    }

    /** A service of Docker Compose. */
    private record Service(ImageReference image) implements RunningService {
        @Override
        public String name() {
            return "coordination";
        }

        @Override
        public String host() {
            return ADDRESS[0];
        }

        @Override
        public ConnectionPorts ports() {
            return new ConnectionPorts() {
                @Override
                public int get(int port) {
                    assertThat(port).isEqualTo(2181);
                    return Integer.parseInt(ADDRESS[1]);
                }

                @Override
                public List<Integer> getAll() {
                    return List.of(get(2181));
                }

                @Override
                public List<Integer> getAll(String protocol) {
                    return getAll();
                }
            };
        }

        @Override
        public Map<String, String> env() {
            return Map.of();
        }

        @Override
        public Map<String, String> labels() {
            return Map.of();
        }
    }

    @Test
    void applicationConnectsToTheContainer() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(OstrakaAutoConfiguration.class, ServiceConnectionAutoConfiguration.class))
                .withUserConfiguration(Application.class)
                .withPropertyValues("ostraka.namespace=" + Applications.namespace(), "ostraka.lifecycle.fail-fast=60s")
                .run(context -> assertThat(context.getBean(OstrakaLifecycle.class)
                                .registry()
                                .orElseThrow()
                                .health()
                                .connected())
                        .isTrue());
    }

    @Test
    void containerTakesThePlaceOfTheEmbeddedServer(@TempDir Path directory) {
        Path data = directory.resolve("zookeeper");
        Applications.connected()
                .withBean(OstrakaConnectionDetails.class, () -> Applications::servers)
                .withPropertyValues(
                        "ostraka.zookeeper.connect-string=",
                        "ostraka.zookeeper.embedded=true",
                        "ostraka.zookeeper.embedded-directory=" + data)
                .run(context -> assertThat(context.getBean(OstrakaLifecycle.class)
                                .registry()
                                .orElseThrow()
                                .servers())
                        .isEqualTo(Applications.servers()));
        assertThat(data).doesNotExist();
    }

    @Test
    void serviceOfDockerComposeHasAnAddress() throws Exception {
        Constructor<DockerComposeConnectionSource> constructor =
                DockerComposeConnectionSource.class.getDeclaredConstructor(RunningService.class, Environment.class);
        constructor.setAccessible(true); // only Spring Boot creates sources
        Object source =
                constructor.newInstance(new Service(ImageReference.of("zookeeper:3.9")), new StandardEnvironment());

        assertThat(new ConnectionDetailsFactories(getClass().getClassLoader())
                        .getConnectionDetails(source, true)
                        .values())
                .singleElement()
                .extracting(details -> ((OstrakaConnectionDetails) details).connectString())
                .isEqualTo(Applications.servers());
    }
}
