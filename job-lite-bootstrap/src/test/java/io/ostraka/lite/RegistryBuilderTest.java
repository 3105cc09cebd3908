package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests that the builder refuses values where they are set, such as those of an environment variable that is not set. */
class RegistryBuilderTest {
    private static RegistryBuilder builder() {
        return ZooKeeperRegistry.newBuilder("localhost:2181", "orders");
    }

    private static void refused(ThrowingCallable set, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(set)
                .withMessageStartingWith(message)
                .withMessageContaining("; accepted: ");
    }

    @Test
    void refusesMissingServersAndNamespace() {
        refused(() -> ZooKeeperRegistry.connect(null, "orders"), "servers is null");
        refused(() -> ZooKeeperRegistry.newBuilder(null, "orders"), "servers is null");
        refused(() -> ZooKeeperOperations.newBuilder(null), "servers is null");
        refused(() -> ZooKeeperRegistry.newBuilder("localhost:2181", null), "namespace is null");
    }

    @Test
    void refusesAttributesThatCannotBeStored() {
        refused(() -> builder().zone(null), "zone is null");
        refused(() -> builder().tag(null, "a"), "tag is 'null'");
        refused(() -> builder().tag("rack", null), "tag rack is 'null'");
        refused(() -> builder().tag("rack", "cut \ud83d"), "tag rack is 'cut ");
        refused(() -> builder().tag("a", "x".repeat(9_000)).tag("b", "x".repeat(9_000)), "zone and tags have 18002");
    }

    @Test
    void refusesMissingHostsAndNames() {
        refused(() -> builder().instanceName(null), "instanceName is 'null'");
        refused(() -> builder().allowHttpJobs("one", null), "host is 'null'");
        refused(() -> builder().allowPrivateHosts((String) null), "host is 'null'");
        refused(() -> builder().chroot(null), "chroot is 'null'");
    }
}
