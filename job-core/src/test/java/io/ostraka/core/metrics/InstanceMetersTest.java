package io.ostraka.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.FailoverReason;
import io.ostraka.api.ItemOutcome;
import io.ostraka.api.SkipReason;
import io.ostraka.api.event.Claim;
import io.ostraka.api.event.FiresSkipped;
import io.ostraka.api.event.ItemClaimed;
import io.ostraka.api.event.ItemTakenOver;
import io.ostraka.api.event.ItemWaiting;
import io.ostraka.api.event.RunEnded;
import io.ostraka.api.event.RunFenced;
import io.ostraka.api.event.RunRecorded;
import io.ostraka.api.event.RunRetried;
import io.ostraka.api.event.RunStarted;
import io.ostraka.api.event.SkipRecorded;
import io.ostraka.api.metrics.JobMetrics;
import io.ostraka.api.metrics.Load;
import io.ostraka.api.metrics.Metrics;
import io.ostraka.api.metrics.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InstanceMetersTest {
    private static final Load LOAD = new Load(
            Map.of(),
            new Load.Workers(0, 0, 0, 0, 0),
            new Load.SerialExecutors(0, 0, 0, 0),
            Load.Pool.NONE,
            Load.Events.NONE);
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private static Claim claim(String job) {
        return new Claim(job, "0", 1, job + "@1", NOW, false, 1, 1, 1, "nonce", 7, NOW, NOW, "host@1@s", NOW);
    }

    private static void publishEverything(InstanceMeters book) {
        Claim a = claim("a");
        book.on(new ItemClaimed(a, NOW, true, NOW));
        book.on(new ItemClaimed(a, NOW, false, NOW));
        book.on(new RunStarted(a, Duration.ofMillis(1), Duration.ofMillis(2), NOW));
        book.on(new RunStarted(claim("b"), Duration.ofMillis(3), null, NOW));
        book.on(new RunRetried(a, 2, NOW));
        book.on(new RunEnded(a, 2, ItemOutcome.FAILED, "failed", NOW, Duration.ofMillis(4), NOW, NOW));
        book.on(new RunFenced(a, "another has it", NOW));
        book.on(new ItemWaiting("a", "0", "a@1", "host@1@s", NOW));
        book.on(new FiresSkipped("a", "0", 1, NOW, null, NOW, NOW, 7, SkipReason.MISFIRED, NOW, NOW, "host@1@s", NOW));
        book.on(new ItemTakenOver(a, a, FailoverReason.CRASHED, NOW));
        book.on(new RunRecorded(a, ItemOutcome.FAILED, "failed", NOW, NOW, "host@1@s", NOW));
        book.on(new SkipRecorded("a", "0", 1, NOW, NOW, NOW, 7, SkipReason.MISFIRED, NOW, NOW, "host@1@s", NOW));
    }

    @Test
    void keepsFiguresOfJobsApart() {
        InstanceMeters book = new InstanceMeters(() -> 0);
        publishEverything(book);

        Metrics read = book.read(LOAD, Status.NONE);
        JobMetrics a = read.jobs().get("a");
        assertThat(a.waiting().max()).isEqualTo(Duration.ofMillis(1));
        assertThat(a.delay().max()).isEqualTo(Duration.ofMillis(2));
        assertThat(a.running().max()).isEqualTo(Duration.ofMillis(4));
        assertThat(List.of(a.retries(), a.fenced(), a.misfires(), a.slotWaits()))
                .containsOnly(1L);
        assertThat(a.skips(SkipReason.MISFIRED)).isEqualTo(7);
        assertThat(a.skips(SkipReason.OVERLAPPED)).isZero();
        assertThat(a.failovers(FailoverReason.CRASHED)).isEqualTo(1);
        assertThat(read.jobs().get("b").delay().count()).isZero();
        assertThat(read.jobs().get("b").waiting().count()).isEqualTo(1);
        assertThat(read.jobs().get("b").ended()).isEmpty();
    }
}
