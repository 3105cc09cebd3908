package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PendingWriteTest {
    private final PendingWrite pending = new PendingWrite();

    @Test
    void timeoutsBeforeAWriteDoNotEndTheConnection() {
        assertThat(pending.timesOut()).isFalse();
        assertThat(pending.timesOut()).isFalse();
        assertThat(pending.isPending()).isFalse();
    }

    /** At a stop, Jetty's timeout of a running request came between the beginning of its response and the first byte. */
    @Test
    void firstTimeoutOfAWriteMayHaveMeasuredTheWaitBeforeIt() {
        pending.timesOut();

        pending.begin();

        assertThat(pending.isPending()).isTrue();
        assertThat(pending.timesOut()).isFalse();
        assertThat(pending.timesOut()).isTrue();
        assertThat(pending.timesOut()).isTrue();
    }

    @Test
    void everyWriteHasItsOwnTimeouts() {
        pending.begin();
        pending.timesOut();
        pending.end();
        assertThat(pending.timesOut()).isFalse();

        pending.begin();

        assertThat(pending.timesOut()).isFalse();
        assertThat(pending.timesOut()).isTrue();
    }
}
