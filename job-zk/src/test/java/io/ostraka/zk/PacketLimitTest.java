package io.ostraka.zk;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.core.tree.NodeRequests;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PacketLimitTest {
    private final AtomicLong nanos = new AtomicLong(-5);
    private final PacketLimit limit = new PacketLimit(nanos::get);

    @Test
    void threeConnectionsLostInARowHalveTheLimit() {
        assertThat(limit.lost(800_000, 1)).isEmpty();
        assertThat(limit.lost(800_000, 3)).isEmpty();
        limit.answered(2_000);
        assertThat(limit.allows(800_000)).isTrue();
        assertThat(limit.lost(700_000, 5)).hasValue(350_000);

        assertThat(limit.allows(350_000)).isTrue();
        assertThat(limit.allows(350_001)).isFalse();
    }

    @Test
    void answeredLargeTransactionClearsSuspicion() {
        limit.lost(800_000, 1);
        limit.lost(800_000, 3);
        limit.answered(800_000);
        assertThat(limit.lost(800_000, 5)).isEmpty();
        assertThat(limit.allows(800_000)).isTrue();
    }

    @Test
    void lostConnectionCountsOnceForAllItsTransactions() {
        for (int i = 0; i < 10; i++) {
            assertThat(limit.lost(800_000, 1)).isEmpty();
        }
    }

    @Test
    void smallTransactionsNeverLowerTheLimit() {
        for (int connection = 0; connection < 10; connection++) {
            assertThat(limit.lost(2_000, connection)).isEmpty();
        }
    }

    @Test
    void limitExpires() {
        for (int connection = 0; connection < 3; connection++) {
            limit.lost(800_000, connection);
        }
        nanos.addAndGet(PacketLimit.TRUST.toNanos());
        assertThat(limit.allows(500_000)).isFalse();
        nanos.addAndGet(1);
        assertThat(limit.allows(NodeRequests.MAX_BYTES)).isTrue();
        assertThat(limit.allows(NodeRequests.MAX_BYTES + 1)).isFalse();
    }
}
