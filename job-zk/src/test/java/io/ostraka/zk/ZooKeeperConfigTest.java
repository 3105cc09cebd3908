package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZooKeeperConfigTest {
    @Test
    void pathOfConnectStringPrecedesNamespace() {
        ZooKeeperConfig config = ZooKeeperConfig.of("one:2181,two:2181/a/b", "app");

        assertThat(config.hosts()).isEqualTo("one:2181,two:2181");
        assertThat(config.root()).isEqualTo("/a/b/app");
    }

    @Test
    void namespaceIsAtTopWithoutPath() {
        assertThat(ZooKeeperConfig.of("one:2181", "app").root()).isEqualTo("/app");
        assertThat(ZooKeeperConfig.of("one:2181/", "app").root()).isEqualTo("/app");
        assertThat(ZooKeeperConfig.of("one:2181/", "app").hosts()).isEqualTo("one:2181");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "zookeeper", "a/b", "..", ".", "-a", "a b", "ä"})
    void rejectsNamespaceThatIsNotOneName(String namespace) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ZooKeeperConfig.of("one:2181", namespace))
                .withMessageContaining("namespace");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/path", ",", ":", ":2181,two:2181", "one:port", "one:2181/a//b", "one:2181/a/"})
    void rejectsInvalidConnectString(String connectString) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ZooKeeperConfig.of(connectString, "app"))
                .withMessageContaining("connect string");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "null:2181",
                "one:2181,null:2181",
                "one:2181;two:2181",
                "one;two",
                "one:2181 two:2181",
                "one:2181\uff0ctwo:2181",
                "one\uff1a2181",
                "one:2181|two:2181",
                "http://one:2181"
            })
    void rejectsHostThatNoServerCanHave(String connectString) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ZooKeeperConfig.of(connectString, "app"))
                .withMessageContaining("connect string")
                .withMessageContaining("accepted: host:port,host:port/path");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "one:2181, two:2181",
                "zoo_keeper-0.zk.svc:2181",
                "10.0.0.1",
                "[::1]:2181,[2001:db8::1%eth0]:2181",
                "b\u00fccher.example:2181"
            })
    void acceptsHostsOfAllKinds(String connectString) {
        assertThat(ZooKeeperConfig.of(connectString, "app").root()).isEqualTo("/app");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a:b", ":"})
    void rejectsDigestUserThatIsEmptyOrHasColon(String user) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ZooKeeperSecurity.NONE.withDigest(user, "secret"::toCharArray))
                .withMessageContaining("'" + user + "'");
    }

    @Test
    void saslRequiresSection() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ZooKeeperSecurity.NONE.withSasl(" "))
                .withMessageContaining("section");
    }

    @Test
    void credentialsRestrictNodesToTheirCreator() {
        ZooKeeperSecurity none = ZooKeeperSecurity.NONE;
        ZooKeeperSecurity digest = none.withDigest("orders", "secret"::toCharArray);
        Tls tls = Tls.trustingTheJdk();

        assertThat(none.acl()).isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
        assertThat(none.withTls(tls).acl()).as("encryption alone").isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
        assertThat(digest.acl()).isEqualTo(ZooDefs.Ids.CREATOR_ALL_ACL);
        assertThat(none.withSasl("Orders").acl()).isEqualTo(ZooDefs.Ids.CREATOR_ALL_ACL);
        assertThat(none.withTls(tls.withKey(Path.of("own.p12"), "secret"::toCharArray))
                        .acl())
                .isEqualTo(ZooDefs.Ids.CREATOR_ALL_ACL);
        assertThat(digest.withOpenAccess(true).acl()).isEqualTo(ZooDefs.Ids.OPEN_ACL_UNSAFE);
    }

    @Test
    void rejectsDurationsOutOfRange() {
        Duration second = Duration.ofSeconds(1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ZooKeeperConfig("one", "app", Duration.ZERO, second, second))
                .withMessageContaining("sessionTimeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ZooKeeperConfig("one", "app", second, Duration.ofDays(30), second))
                .withMessageContaining("connectionTimeout");
    }
}
