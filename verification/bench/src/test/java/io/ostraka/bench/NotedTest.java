package io.ostraka.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class NotedTest {
    private static final Duration PERIOD = Duration.ofSeconds(2);

    @Test
    void delayOfFireIsThatOfItsFirstItem() {
        Noted noted = Noted.parse("a:0:4030000 a:1:4010000 a:1:6005000 b:0:4500000");

        assertThat(noted.delays(PERIOD)).containsExactlyInAnyOrder(10.0, 5.0, 500.0);
        assertThat(noted.fires(PERIOD)).isEqualTo(3);
        assertThat(noted.items()).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void slightlyEarlyStartCountsForTheNextFire() {
        assertThat(Noted.parse("a:0:3998000").delays(PERIOD)).containsExactly(-2.0);
    }

    @Test
    void noStartsMeanNoFires() {
        assertThat(Noted.parse("").fires(PERIOD)).isZero();
        assertThat(Noted.all(List.of(Noted.parse(""), Noted.parse("a:0:1"))).runs())
                .hasSize(1);
    }
}
