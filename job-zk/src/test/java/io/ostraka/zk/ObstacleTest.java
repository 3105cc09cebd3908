package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.zk.ServerProbe.Findings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;

/** Tests which of several reasons the store reports. */
class ObstacleTest {
    private final List<String> reported = new ArrayList<>();
    private final Obstacle obstacle = new Obstacle(
            new ZooKeeperConfig(
                    "localhost:2181", "app", Duration.ofSeconds(20), Duration.ofSeconds(3), Duration.ofMillis(100)),
            reported::add);

    @Test
    void findingsReplaceEarlierFindings() {
        obstacle.found(new Findings("is not listening", true));
        obstacle.found(new Findings("is not listening", true));
        obstacle.found(new Findings("has no quorum", false));

        assertThat(reported).containsExactly("is not listening", "has no quorum");
        assertThat(obstacle.present()).contains("has no quorum");
    }

    @Test
    void refusedWriteIsForgottenWhenTheNodeIsWritten() {
        obstacle.refused("/app/a", Code.NOAUTH);
        obstacle.accepted(Stream.of("/app/b"));
        assertThat(obstacle.present())
                .hasValueSatisfying(text -> assertThat(text).contains("refuses to write /app/a"));

        obstacle.accepted(Stream.of("/app/b", "/app/a"));
        assertThat(obstacle.present()).isEmpty();
    }

    @Test
    void reasonOfZooKeeperIsReplacedOnlyInOutage() {
        obstacle.is("refused the credentials");
        obstacle.found(new Findings("answers, but there is no session yet", false));
        assertThat(obstacle.present()).contains("refused the credentials");

        obstacle.found(new Findings("is not listening", true));
        assertThat(obstacle.present()).contains("is not listening");

        obstacle.found(new Findings("answers, but there is no session yet", false));
        assertThat(obstacle.present()).contains("answers, but there is no session yet");

        obstacle.is("refused the credentials");
        obstacle.found(new Findings("answers, but there is no session yet", false));
        assertThat(obstacle.present()).contains("refused the credentials");
    }
}
