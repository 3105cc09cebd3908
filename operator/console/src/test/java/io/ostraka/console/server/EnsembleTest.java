package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.operations.NamespaceSummary;
import io.ostraka.fixtures.InfoLog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class EnsembleTest {
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private List<String> answer = List.of("orders", "invoices");
    private String trouble = "no answer";
    private int reads;

    private final Ensemble ensemble = new Ensemble(this::read, new Clock() {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    });

    /** Returns the namespaces; fails if there is no answer. */
    private List<NamespaceSummary> read() {
        reads++;
        if (answer.isEmpty()) {
            throw new CoordinationException(trouble);
        }
        return answer.stream()
                .map(name -> new NamespaceSummary(name, true, 0, 0, false, null))
                .toList();
    }

    private void after(Duration time) {
        now = now.plus(time);
    }

    @Test
    void callersShareAReadForAMinute() {
        assertThat(ensemble.names()).containsExactly("invoices", "orders");
        answer = List.of("other");
        after(Duration.ofSeconds(59));
        assertThat(ensemble.names()).containsExactly("invoices", "orders");
        after(Duration.ofSeconds(1));
        assertThat(ensemble.names()).containsExactly("other");
        assertThat(reads).isEqualTo(2);
    }

    @Test
    void namesStayKnownWhileZooKeeperIsAway() {
        ensemble.names();
        answer = List.of();
        after(Duration.ofMinutes(5));

        assertThat(ensemble.names()).containsExactly("invoices", "orders");
        assertThat(ensemble.answers()).isFalse();
        assertThat(reads).as("the failure is remembered").isEqualTo(2);
        answer = List.of("orders");
        after(Duration.ofSeconds(3));
        assertThat(ensemble.answers()).isTrue();
        assertThat(ensemble.names()).containsExactly("orders");
    }

    @Test
    void probesShareAReadForTenSeconds() {
        assertThat(ensemble.answers()).isTrue();
        answer = List.of();
        after(Duration.ofSeconds(9));
        assertThat(ensemble.answers()).isTrue();
        after(Duration.ofSeconds(1));
        assertThat(ensemble.answers()).isFalse();
    }

    @Test
    void listFailsIfZooKeeperHasNeverAnswered() {
        answer = List.of();

        assertThatThrownBy(ensemble::names).isInstanceOf(CoordinationException.class);
        assertThatThrownBy(ensemble::names).isInstanceOf(CoordinationException.class);
        assertThat(reads).isEqualTo(1);
    }

    @Test
    void logHasEachCauseOnce() throws ReflectiveOperationException {
        answer = List.of();
        try (InfoLog log = new InfoLog(Ensemble.class.getName())) {
            for (String each : List.of("refused", "refused", "no quorum", "no quorum")) {
                trouble = "the ensemble of this test: " + each;
                assertThat(ensemble.answers()).isFalse();
                after(Duration.ofSeconds(3));
            }
            assertThat(log.lines("the ensemble of this test"))
                    .satisfiesExactly(
                            first -> assertThat(first).contains("WARN", "refused"),
                            second -> assertThat(second).contains("WARN", "no quorum"));
        }
    }
}
