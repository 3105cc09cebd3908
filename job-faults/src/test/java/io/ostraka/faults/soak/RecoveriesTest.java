package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecoveriesTest {
    private static final Instant KILL = Instant.parse("2026-01-01T00:01:00Z");
    private static final Instant HEALED = KILL.plusSeconds(60);

    @Test
    void anItemThatGoesOnInTimeIsWithinTheBound() {
        Recoveries recoveries = recoveries(4_300);

        assertThat(recoveries.times().get(Recoveries.KILLED)).containsExactly(4_300L);
        assertThat(recoveries.times().get(Recoveries.KILLED_ALONE)).containsExactly(4_300L);
        assertThat(recoveries.times().get(Recoveries.EXPIRED)).containsExactly(300L);
        assertThat(broken(recoveries, Recoveries.KILLED)).isEmpty();
        assertThat(recoveries.slowest()).hasSize(1).first().satisfies(slowest -> assertThat(slowest.trail())
                .anyMatch(line -> line.contains("Killed")));
    }

    @Test
    void anItemThatGoesOnTooLateIsBeyondTheBound() {
        assertThat(broken(recoveries(9_000), Recoveries.KILLED)).hasSize(1);
        assertThat(broken(recoveries(9_000, strike(Fault.Kind.CLOCK_OFF, 0, 8_900)), Recoveries.KILLED))
                .hasSize(1);
        assertThat(broken(recoveries(9_000, strike(Fault.Kind.PAUSED, 0, 8_900)), Recoveries.KILLED))
                .hasSize(1);
    }

    @Test
    void theTimeCountsFromTheLastOfTheFaultsThatBefellServersOrWorkersMeanwhile() {
        Strike server = strike(Fault.Kind.LEADER_STOPPED, -500, 3_000);
        Strike worker = strike(Fault.Kind.WORKER_STOPPED, 9_000, 12_000);

        Recoveries recoveries = recoveries(15_000, server, worker);
        assertThat(recoveries.times().get(Recoveries.KILLED)).containsExactly(3_000L);
        assertThat(recoveries.times().get(Recoveries.KILLED_ALONE)).isEmpty();
        assertThat(broken(recoveries, Recoveries.KILLED)).isEmpty();
        assertThat(broken(recoveries(20_000, server, worker), Recoveries.KILLED))
                .hasSize(1);
        // the second began after the time was over that the first left
        assertThat(broken(
                        recoveries(15_000, server, strike(Fault.Kind.WORKER_STOPPED, 10_500, 14_000)),
                        Recoveries.KILLED))
                .hasSize(1);
    }

    @Test
    void aKillExcusesNothingItself() {
        assertThat(broken(recoveries(9_000, strike(Fault.Kind.WORKER_KILLED, -20, 6_000)), Recoveries.KILLED))
                .hasSize(1);
        assertThat(broken(recoveries(9_000, strike(Fault.Kind.WORKER_KILLED, 1_000, 6_000)), Recoveries.KILLED))
                .isEmpty();
    }

    @Test
    void whatWasCompletedAsItsWorkerDiedIsNoInterruption() {
        List<Event> history = new ArrayList<>(killed());
        history.add(Written.record(5, KILL.plusMillis(2), "IDLE", "n1", 1, 0xa));

        assertThat(of(history).times().get(Recoveries.KILLED)).isEmpty();
    }

    @Test
    void anItemThatBeginsNothingOnceAllIsHealedIsBeyondTheBound() {
        List<Event> history = new ArrayList<>(killed());
        history.add(Written.record(5, KILL.plusMillis(2), "IDLE", "n1", 1, 0xa));
        assertThat(broken(of(history), Recoveries.HEALED)).hasSize(1);

        history.add(Written.record(8, HEALED.plusSeconds(25), "RUNNING", "n9", 1, 0xb));
        assertThat(broken(of(history), Recoveries.HEALED)).hasSize(1);

        history.set(history.size() - 1, Written.record(8, HEALED.plusSeconds(15), "RUNNING", "n9", 1, 0xb));
        assertThat(broken(of(history), Recoveries.HEALED)).isEmpty();
    }

    private static List<Event> killed() {
        return List.of(
                Written.first(1, KILL.minusSeconds(9)),
                Written.record(2, KILL.minusMillis(50), "RUNNING", "n1", 1, 0xa),
                new Event.Began(KILL, "w", new Event.RunKey(Written.ITEM, 2), "execute", 1, 1, "p@1@a", "r", KILL),
                new Event.Killed(KILL, "w"));
    }

    private static Recoveries recoveries(long restartedAfterMillis, Strike... strikes) {
        List<Event> history = new ArrayList<>(killed());
        history.add(Written.endOfSession(6, KILL.plusMillis(4_000), 0xa));
        history.add(Written.record(7, KILL.plusMillis(restartedAfterMillis), "RUNNING", "n2", 2, 0xb));
        return of(history, strikes);
    }

    private static Recoveries of(List<Event> history, Strike... strikes) {
        return new Recoveries(history, List.of(strikes), Map.of("job", 1), HEALED);
    }

    private static Strike strike(Fault.Kind kind, long fromMillis, long untilMillis) {
        Fault fault = new Fault(0, kind, Duration.ZERO, Duration.ZERO, 0, 0);
        return new Strike(fault, KILL.plusMillis(fromMillis), KILL.plusMillis(untilMillis));
    }

    private static List<String> broken(Recoveries recoveries, String name) {
        return recoveries.bounds().stream()
                .filter(bound -> bound.name().equals(name))
                .findFirst()
                .orElseThrow()
                .broken();
    }
}
