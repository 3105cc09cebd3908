package io.ostraka.lite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ostraka.api.Secret;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;
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

    /** This module does not depend on ostraka-job-types. */
    @Test
    void refusesPowersWithoutTheirModuleAndNamesItsArtifact() {
        URI target = URI.create("https://monitoring.example.com/");
        Secret secret = "hunter2"::toCharArray;
        Map<String, UnaryOperator<RegistryBuilder>> powers = Map.of(
                "allowScriptJobs()", RegistryBuilder::allowScriptJobs,
                "allowHttpJobs(…)", builder -> builder.allowHttpJobs("billing.example.com"),
                "allowPrivateHosts(…)", builder -> builder.allowPrivateHosts("billing.internal"),
                "webhook(…)", builder -> builder.webhook(target, secret),
                "alarmWebhook(…)", builder -> builder.alarmWebhook(target, secret),
                "heartbeat(…)", builder -> builder.heartbeat("settle-orders", target));

        powers.forEach((method, grant) -> assertThatIllegalStateException()
                .isThrownBy(() -> grant.apply(builder()).connect())
                .withMessageContainingAll(method, "io.ostraka:ostraka-job-types"));
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        builder().heartbeat(target).webhook(target, secret).connect())
                .withMessageContaining("webhook(…), heartbeat(…)");
    }

    @Test
    void settingsThatGrantNoPowerNeedNoModule() {
        Powers powers = builder().allowHttpJobs().heartbeatInterval(Duration.ofHours(1)).powers;

        assertThat(ProcessExtension.parts(powers).jobItemExecutors()).isEmpty();
    }
}
