package io.ostraka.console.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.operations.Command;
import io.ostraka.api.operations.CommandOptions;
import io.ostraka.api.operations.Operations;
import io.ostraka.console.Namespaces;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the cache of labels. */
@ExtendWith(OstrakaExtension.class)
class JobLabelsTest {
    private final ManualClock clock = new ManualClock();
    private int reads;
    private boolean down;

    private JobLabels labels(TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("pay", 1)
                        .labels(Map.of("team", "payments"))
                        .build());
        cluster.schedule(context -> {}, JobConfiguration.newBuilder("ship", 1).build());
        Operations plain = cluster.observe();
        Operations counting = (Operations) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Operations.class}, (proxy, method, arguments) -> {
                    reads++;
                    if (down) {
                        throw new CoordinationException("ZooKeeper does not answer");
                    }
                    try {
                        return method.invoke(plain, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return new JobLabels(
                new Namespaces() {
                    @Override
                    public List<String> names() {
                        return List.of("orders");
                    }

                    @Override
                    public Optional<Operations> operations(String namespace) {
                        return namespace.equals("orders") ? Optional.of(counting) : Optional.empty();
                    }
                },
                clock);
    }

    @Test
    void readsAJobOnceAMinute(@Instances(1) TestCluster cluster) {
        JobLabels labels = labels(cluster);

        assertThat(labels.apply("orders", "pay")).isEqualTo(Map.of("team", "payments"));
        assertThat(labels.apply("orders", "ship")).isEmpty();
        clock.advance(Duration.ofSeconds(59));
        labels.apply("orders", "pay");
        labels.apply("orders", "ship");
        assertThat(reads).isEqualTo(2);

        clock.advance(Duration.ofSeconds(1));
        labels.apply("orders", "pay");
        assertThat(reads).isEqualTo(3);
    }

    @Test
    void jobThatCannotBeReadHasNoLabelsAndIsReadAgainSoon(@Instances(1) TestCluster cluster) {
        JobLabels labels = labels(cluster);
        down = true;

        assertThat(labels.apply("orders", "pay")).isEmpty();
        down = false;
        clock.advance(Duration.ofSeconds(4));
        assertThat(labels.apply("orders", "pay")).isEmpty();
        assertThat(reads).isEqualTo(1);
        clock.advance(Duration.ofSeconds(1));
        assertThat(labels.apply("orders", "pay")).isEqualTo(Map.of("team", "payments"));
    }

    @Test
    void unknownJobAndUnknownNamespaceHaveNoLabels(@Instances(1) TestCluster cluster) {
        JobLabels labels = labels(cluster);

        assertThat(labels.apply("orders", "no-such-job")).isEmpty();
        assertThat(labels.apply("billing", "pay")).isEmpty();
    }

    @Test
    void operatorCannotGainARoleByOverridingLabels(@Instances(1) TestCluster cluster) {
        JobLabels labels = labels(cluster);
        cluster.observe()
                .execute(
                        new Command.SetOverride("ship", "labels", Map.of("team", "payments")),
                        CommandOptions.by("mallory"));
        cluster.advance(Duration.ofSeconds(10));

        assertThat(labels.apply("orders", "ship")).isEmpty();
        assertThat(cluster.observe().job("ship").field("labels").orElseThrow().effective())
                .isEqualTo(Map.of("team", "payments"));
    }

    @Test
    void forgetsTheOldestJobBeyondTheBound(@Instances(1) TestCluster cluster) {
        JobLabels labels = labels(cluster);
        labels.apply("orders", "pay");
        for (int i = 0; i < JobLabels.MOST - 1; i++) {
            labels.apply("billing", "job-" + i);
        }
        labels.apply("orders", "pay");
        assertThat(reads).isEqualTo(1);

        labels.apply("billing", "one-more");
        labels.apply("orders", "pay");
        assertThat(reads).isEqualTo(2);
    }
}
