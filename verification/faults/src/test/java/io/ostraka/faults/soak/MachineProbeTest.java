package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineProbeTest {
    @TempDir
    Path directory;

    @Test
    void measuresTheLongestStallSinceTheLastCall() throws IOException {
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE); // the clock may overflow
        try (MachineProbe probe = new MachineProbe(directory, nanos::get)) {
            nanos.addAndGet(Duration.ofMillis(1_050).toNanos());
            assertThat(probe.longestStall()).isEqualTo(Duration.ofSeconds(1));

            nanos.addAndGet(Duration.ofMillis(50).toNanos());
            assertThat(probe.longestStall()).isZero();
        }
    }

    @Test
    void stallThatHasNotEndedCounts() throws IOException {
        AtomicLong nanos = new AtomicLong();
        try (MachineProbe probe = new MachineProbe(directory, nanos::get)) {
            probe.longestStall();
            nanos.addAndGet(Duration.ofSeconds(3).toNanos());

            assertThat(probe.longestStall()).isGreaterThan(Duration.ofSeconds(2));
        }
    }
}
