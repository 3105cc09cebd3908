package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZooKeeperConfigTest {
    @Test
    void thePathOfTheConnectStringIsAboveTheNamespace() {
        ZooKeeperConfig config = ZooKeeperConfig.of("one:2181,two:2181/a/b", "app");

        assertThat(config.hosts()).isEqualTo("one:2181,two:2181");
        assertThat(config.root()).isEqualTo("/a/b/app");
    }

    @Test
    void withoutAPathTheNamespaceIsAtTheTop() {
        assertThat(ZooKeeperConfig.of("one:2181", "app").root()).isEqualTo("/app");
        assertThat(ZooKeeperConfig.of("one:2181/", "app").root()).isEqualTo("/app");
        assertThat(ZooKeeperConfig.of("one:2181/", "app").hosts()).isEqualTo("one:2181");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "zookeeper", "a/b", "..", ".", "-a", "a b", "ä"})
    void aNamespaceIsOneName(String namespace) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ZooKeeperConfig.of("one:2181", namespace))
                .withMessageContaining("namespace");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/path", ",", "one:port", "one:2181/a//b", "one:2181/a/"})
    void aConnectStringNamesServersAndMaybeAPath(String connectString) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ZooKeeperConfig.of(connectString, "app"))
                .withMessageContaining("connect string");
    }

    @Test
    void timesAreAtLeastAMillisecond() {
        Duration second = Duration.ofSeconds(1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ZooKeeperConfig("one", "app", Duration.ZERO, second, second))
                .withMessageContaining("sessionTimeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ZooKeeperConfig("one", "app", second, Duration.ofDays(30), second))
                .withMessageContaining("connectionTimeout");
    }
}
