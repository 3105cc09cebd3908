package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecoveriesTest {
    private static final Instant KILL = Instant.parse("2026-01-01T00:01:00Z");
    private static final Instant HEALED = KILL.plusSeconds(60);
    private static final int OWNER = 0;
    private static final int HEIR = 1;
    private static final int TAKER = 2;
    private static final int BYSTANDER = 3;
    private static final int LEADER = 4;

    @Test
    void itemThatContinuesInTimeIsWithinBound() {
        Recoveries recoveries = recoveries(4_300);

        assertThat(recoveries.times().get(Recoveries.KILLED)).containsExactly(4_300L);
        assertThat(recoveries.times().get(Recoveries.KILLED_CLEAR)).containsExactly(4_300L);
        assertThat(recoveries.times().get(Recoveries.EXPIRED)).containsExactly(300L);
        assertThat(bound(recoveries, Recoveries.KILLED_CLEAR))
                .isEqualTo(new Bound(Recoveries.KILLED_CLEAR, 7_200, 1, 4_300, List.of()));
        assertThat(recoveries.slowest().get(Recoveries.INTERRUPTED))
                .hasSize(1)
                .first()
                .satisfies(slowest -> assertThat(slowest.trail()).anyMatch(line -> line.contains("Killed")));
    }

    @Test
    void itemThatContinuesTooLateIsBeyondBound() {
        assertThat(broken(recoveries(9_000), Recoveries.KILLED_CLEAR)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.Kind.class,
            names = {"CLOCK_OFF", "PAUSED", "WORKER_KILLED"})
    void faultWithoutInfluenceIsNoExcuse(Fault.Kind kind) {
        // a kill of the owner, its wrong clock and a pause of the job do not excuse a late recovery
        assertThat(broken(recoveries(9_000, injected(kind, OWNER, -20, 8_900)), Recoveries.KILLED_CLEAR))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {OWNER, LEADER, HEIR, TAKER})
    void timeCountsFromEndOfFaultOfAnInvolvedWorker(int place) {
        Recoveries late = recoveries(9_000, injected(Fault.Kind.STALL, place, 1_000, 4_000));
        assertThat(late.times().get(Recoveries.KILLED)).containsExactly(9_000L);
        assertThat(late.times().get(Recoveries.KILLED_CLEAR)).isEmpty();
        assertThat(bound(late, Recoveries.KILLED_CLEAR).judged()).isZero();
        assertThat(bound(late, Recoveries.KILLED_HINDERED))
                .isEqualTo(new Bound(Recoveries.KILLED_HINDERED, 7_200, 1, 5_000, List.of()));

        Recoveries tooLate = recoveries(12_000, injected(Fault.Kind.STALL, place, 1_000, 4_000));
        assertThat(broken(tooLate, Recoveries.KILLED_HINDERED)).hasSize(1);
    }

    @Test
    void faultOfUninvolvedWorkerIsNoExcuse() {
        Recoveries recoveries = recoveries(9_000, injected(Fault.Kind.WORKER_STOPPED, BYSTANDER, 1_000, 8_900));

        assertThat(broken(recoveries, Recoveries.KILLED_CLEAR)).hasSize(1);
    }

    @Test
    void faultAfterTheLimitIsNoExcuse() {
        InjectedFault server = injected(Fault.Kind.LEADER_STOPPED, 0, -500, 3_000);

        assertThat(broken(
                        recoveries(15_000, server, injected(Fault.Kind.STALL, TAKER, 9_000, 12_000)),
                        Recoveries.KILLED_HINDERED))
                .isEmpty();
        assertThat(broken(
                        recoveries(15_000, server, injected(Fault.Kind.STALL, TAKER, 10_500, 14_000)),
                        Recoveries.KILLED_HINDERED))
                .hasSize(1);
    }

    @Test
    void noFaultExcusesMoreThanHalfAMinute() {
        InjectedFault whole = injected(Fault.Kind.LEADER_STOPPED, 0, -500, 29_000);

        assertThat(broken(recoveries(30_500, whole), Recoveries.KILLED_HINDERED))
                .isEmpty();
        assertThat(broken(recoveries(30_500, whole), Recoveries.INTERRUPTED)).hasSize(1);
        assertThat(broken(recoveries(29_500, whole), Recoveries.INTERRUPTED)).isEmpty();
    }

    @Test
    void itemThatRunsLateAfterOutageIsBeyondBound() {
        InjectedFault outage = injected(Fault.Kind.ALL_KILLED, 0, -10_000, 0);

        assertThat(bound(outage(5_900, outage), Recoveries.OUTAGE_CLEAR))
                .isEqualTo(new Bound(Recoveries.OUTAGE_CLEAR, 5_000, 1, 4_900, List.of()));
        Recoveries late = outage(6_100, outage);
        assertThat(broken(late, Recoveries.OUTAGE_CLEAR)).hasSize(1);
        assertThat(late.slowest().get(Recoveries.OUTAGE))
                .extracting(Recovery::millis)
                .containsExactly(6_100L);
        assertThat(bound(
                                outage(6_100, outage, injected(Fault.Kind.STALL, BYSTANDER, -500, 100)),
                                Recoveries.OUTAGE_CLEAR)
                        .judged())
                .isEqualTo(1);
        assertThat(bound(outage(6_100, outage, injected(Fault.Kind.STALL, HEIR, -500, 100)), Recoveries.OUTAGE_CLEAR)
                        .judged())
                .isZero();
    }

    @Test
    void completionAsItsWorkerDiesIsNoInterruption() {
        List<Event> history = new ArrayList<>(killed());
        history.add(Written.record(8, KILL.plusMillis(2), "IDLE", "n1", 1, session(OWNER)));

        assertThat(of(history).times().get(Recoveries.KILLED)).isEmpty();
    }

    @Test
    void itemWithoutFireAfterLastFaultIsBeyondBound() {
        List<Event> history = new ArrayList<>(killed());
        history.add(Written.record(8, KILL.plusMillis(2), "IDLE", "n1", 1, session(OWNER)));
        assertThat(broken(of(history), Recoveries.HEALED)).hasSize(1);

        history.add(Written.record(9, HEALED.plusSeconds(25), "RUNNING", "n9", 1, session(TAKER)));
        assertThat(broken(of(history), Recoveries.HEALED)).hasSize(1);

        history.set(history.size() - 1, Written.record(9, HEALED.plusSeconds(15), "RUNNING", "n9", 1, session(TAKER)));
        assertThat(broken(of(history), Recoveries.HEALED)).isEmpty();
    }

    /**
     * Returns the history of a killed owner. Of five workers, one leads, one owns the item, one is its next owner in
     * the plan, and one takes the item over.
     */
    private static List<Event> killed() {
        Instant before = KILL.minusSeconds(9);
        return List.of(
                Written.first(1, before),
                Written.candidate(2, before, instance(LEADER)),
                Written.instance(3, before, instance(HEIR)),
                Written.instance(4, before, instance(TAKER)),
                Written.instance(5, before, instance(OWNER)),
                Written.plan(6, before, instance(OWNER)),
                Written.record(7, KILL.minusMillis(50), "RUNNING", "n1", 1, session(OWNER)),
                new Event.Began(
                        KILL,
                        process(OWNER),
                        new Event.RunKey(Written.ITEM, 7),
                        "execute",
                        1,
                        1,
                        instance(OWNER),
                        "r",
                        KILL),
                new Event.Killed(KILL, process(OWNER)));
    }

    private static String process(int place) {
        return "worker-" + place + "-0";
    }

    private static long session(int place) {
        return 0x10 + place;
    }

    private static String instance(int place) {
        return process(place) + "@1@" + Long.toHexString(session(place));
    }

    private static Recoveries recoveries(long restartedAfterMillis, InjectedFault... injectedFaults) {
        List<Event> history = new ArrayList<>(killed());
        history.add(Written.endOfSession(8, KILL.plusMillis(4_000), session(OWNER)));
        history.add(Written.plan(9, KILL.plusMillis(4_100), instance(HEIR)));
        history.add(Written.record(10, KILL.plusMillis(restartedAfterMillis), "RUNNING", "n2", 2, session(TAKER)));
        return of(history, injectedFaults);
    }

    private static Recoveries outage(long ranAfterMillis, InjectedFault... injectedFaults) {
        List<Event> history = new ArrayList<>(killed().subList(0, 5));
        history.add(Written.plan(6, KILL.minusSeconds(9), instance(HEIR)));
        history.add(Written.endOfSession(8, KILL.plusMillis(1), 0xff));
        history.add(Written.record(10, KILL.plusMillis(ranAfterMillis), "RUNNING", "n2", 1, session(HEIR)));
        return of(history, injectedFaults);
    }

    private static Recoveries of(List<Event> history, InjectedFault... injectedFaults) {
        return new Recoveries(history, List.of(injectedFaults), Map.of("job", 1), HEALED);
    }

    private static InjectedFault injected(Fault.Kind kind, int target, long fromMillis, long untilMillis) {
        Fault fault = new Fault(0, kind, Duration.ZERO, Duration.ZERO, target, 0);
        return new InjectedFault(fault, KILL.plusMillis(fromMillis), KILL.plusMillis(untilMillis));
    }

    private static Bound bound(Recoveries recoveries, String name) {
        return recoveries.bounds().stream()
                .filter(bound -> bound.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> broken(Recoveries recoveries, String name) {
        return bound(recoveries, name).broken();
    }
}
