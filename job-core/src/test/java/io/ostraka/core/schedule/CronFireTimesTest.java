package io.ostraka.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("smoke")
class CronFireTimesTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final ZoneId LORD_HOWE = ZoneId.of("Australia/Lord_Howe");
    private static final List<ZoneId> ZONES =
            List.of(BERLIN, ZoneId.of("America/New_York"), LORD_HOWE, ZoneId.of("Asia/Kolkata"), ZoneOffset.UTC);
    private static final List<CronSample> SAMPLES = CronSample.ALL;

    @Test
    void fixedTimeInGapFiresOnceRightAfterIt() {
        // 2025-03-30 in Berlin: 02:00 to 03:00 do not exist
        assertThat(fires("0 30 2 * * ?", BERLIN, "2025-03-29T00:00:00Z", "2025-04-01T00:00:00Z"))
                .containsExactly("2025-03-29T01:30:00Z", "2025-03-30T01:00:00Z", "2025-03-31T00:30:00Z");
        // 2025-10-05 on Lord Howe: 02:00 to 02:30 do not exist
        assertThat(fires("0 15 2 * * ?", LORD_HOWE, "2025-10-03T20:00:00Z", "2025-10-06T00:00:00Z"))
                .containsExactly("2025-10-04T15:30:00Z", "2025-10-05T15:15:00Z");
    }

    @Test
    void fixedTimesInGapAndAtItsEndAreOneFire() {
        assertThat(fires("0 0/10 2-3 * * ?", BERLIN, "2025-03-30T00:00:00Z", "2025-03-30T01:20:00Z"))
                .containsExactly("2025-03-30T01:00:00Z", "2025-03-30T01:10:00Z", "2025-03-30T01:20:00Z");
    }

    @Test
    void fixedTimeInOverlapFiresInFirstPass() {
        // 2025-10-26 in Berlin: 02:00 to 03:00 come twice
        assertThat(fires("0 30 2 * * ?", BERLIN, "2025-10-25T00:00:00Z", "2025-10-28T00:00:00Z"))
                .containsExactly("2025-10-25T00:30:00Z", "2025-10-26T00:30:00Z", "2025-10-27T01:30:00Z");
        // 2025-04-06 on Lord Howe: 01:30 to 02:00 come twice
        assertThat(fires("0 45 1 * * ?", LORD_HOWE, "2025-04-05T00:00:00Z", "2025-04-07T00:00:00Z"))
                .containsExactly("2025-04-05T14:45:00Z", "2025-04-06T15:15:00Z");
    }

    @Test
    void intervalKeepsRhythmInElapsedTime() {
        assertThat(fires("0 0/30 * * * ?", BERLIN, "2025-03-30T00:00:00Z", "2025-03-30T02:00:00Z"))
                .containsExactly(
                        "2025-03-30T00:30:00Z", "2025-03-30T01:00:00Z", "2025-03-30T01:30:00Z", "2025-03-30T02:00:00Z");
        assertThat(fires("0 0/30 * * * ?", BERLIN, "2025-10-25T23:30:00Z", "2025-10-26T02:00:00Z"))
                .containsExactly(
                        "2025-10-26T00:00:00Z",
                        "2025-10-26T00:30:00Z",
                        "2025-10-26T01:00:00Z",
                        "2025-10-26T01:30:00Z",
                        "2025-10-26T02:00:00Z");
        // two o'clock does not exist on Lord Howe, and only an hour and a half passes between one and three o'clock
        assertThat(fires("0 0 * * * ?", LORD_HOWE, "2025-10-04T14:00:00Z", "2025-10-04T17:00:00Z"))
                .containsExactly("2025-10-04T14:30:00Z", "2025-10-04T16:00:00Z", "2025-10-04T17:00:00Z");
    }

    @Test
    void intervalThatBeginsInDistantGapBeginsAtItsEnd() {
        // 2024-04-26 in Cairo begins at 01:00; the change of the previous autumn lies between start and fire
        assertThat(fires("0 0/30 * 26 4 ?", ZoneId.of("Africa/Cairo"), "2023-06-01T00:00:00Z", "2024-04-25T23:00:00Z"))
                .containsExactly("2024-04-25T22:00:00Z", "2024-04-25T22:30:00Z", "2024-04-25T23:00:00Z");
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void firesExactlyOnceAroundEveryChangeOfOffset(CronSample sample) {
        for (ZoneId zone : ZONES) {
            FireTimes fireTimes = sample.in(zone);
            for (Instant change : changes(zone)) {
                Instant from = change.minus(Duration.ofHours(3));
                Instant to = change.plus(Duration.ofHours(3));
                List<Instant> expected = firesByWalking(sample, zone, from, to);
                List<Instant> found = walk(fireTimes, from, to);
                if (!found.equals(expected)) {
                    assertThat(found)
                            .as("%s in %s around %s", sample, zone, change)
                            .isEqualTo(expected);
                }
            }
        }
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void nextLatestAndCountAgree(CronSample sample) {
        long seed = new SplittableRandom().nextLong();
        SplittableRandom random = new SplittableRandom(seed);
        for (ZoneId zone : ZONES) {
            FireTimes fireTimes = sample.in(zone);
            List<Instant> starts = new ArrayList<>();
            random.longs(12, 0, Instant.parse("2090-01-01T00:00:00Z").toEpochMilli())
                    .forEach(millis -> starts.add(Instant.ofEpochMilli(millis)));
            changes(zone).forEach(change -> starts.add(change.plusMillis(random.nextLong(-7_200_000, 7_200_000))));
            for (Instant start : starts) {
                check(fireTimes, start, random, "%s in %s from %s, seed %d".formatted(sample, zone, start, seed));
            }
        }
    }

    private static void check(FireTimes fireTimes, Instant start, SplittableRandom random, String what) {
        List<Instant> fires = new ArrayList<>();
        Optional<Instant> next = fireTimes.next(start);
        while (next.isPresent() && fires.size() < 12) {
            assertThat(next.get()).as(what).isAfter(fires.isEmpty() ? start : fires.get(fires.size() - 1));
            fires.add(next.get());
            next = fireTimes.next(next.get());
        }
        Instant before = start;
        for (Instant fire : fires) {
            Instant between = before.plusMillis(
                    random.nextLong(Duration.between(before, fire).toMillis()));
            assertThat(fireTimes.next(between))
                    .as("%s, after %s", what, between)
                    .contains(fire);
            before = fire;
        }
        int size = fires.isEmpty() ? 0 : 1 + random.nextInt(fires.size());
        Instant upTo =
                size == 0 ? start.plusSeconds(86_400) : fires.get(size - 1).plusMillis(random.nextLong(1_000));
        assertThat(fireTimes.count(start, upTo)).as(what).isEqualTo(size);
        for (int max : new int[] {1, 2, 100}) {
            assertThat(fireTimes.latest(start, upTo, max))
                    .as("the latest %d of %s up to %s", max, what, upTo)
                    .isEqualTo(fires.subList(Math.max(0, size - max), size));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"* * * * * ?", "0/30 * * * * ?", "0 0 3 * * ?", "0 0 9 LW * ?", "0 0 0 1 1 ?", "0 0 0 29 2 ?"})
    void decidesOutageOfTenYearsWithFewEvaluations(String expression) throws Exception {
        AtomicInteger evaluations = new AtomicInteger();
        LocalCron cron = CronParser.parse(expression);
        LocalCron counted = time -> {
            evaluations.incrementAndGet();
            return cron.after(time);
        };
        FireTimes fireTimes = new CronFireTimes(counted, CronParser.firesInEveryHour(expression), BERLIN.getRules());
        Instant from = Instant.parse("2015-06-01T00:00:00Z");
        Instant to = Instant.parse("2025-06-01T00:00:00Z");
        // ten years are 2^28.2 seconds; the search first doubles its steps back, then halves them forth, and evaluates
        // the expression twice in each step
        int perFire = 2 * 2 * 29;

        assertThat(fireTimes.latest(from, to, 1)).hasSize(1);
        assertThat(evaluations.getAndSet(0)).isBetween(1, perFire);

        assertThat(fireTimes.latest(from, to, 20)).hasSizeBetween(2, 20);
        assertThat(evaluations.getAndSet(0)).isBetween(1, 20 * perFire);

        assertThat(fireTimes.count(from, to)).isBetween(2L, (long) FireTimes.COUNT_LIMIT);
        assertThat(evaluations.get()).isBetween(1, 2 * FireTimes.COUNT_LIMIT);
    }

    @Test
    void findsFixedTimeAtOnceFromSecondPassOfOverlap() throws Exception {
        AtomicInteger evaluations = new AtomicInteger();
        LocalCron cron = CronParser.parse("* * 2 * * ?");
        LocalCron counted = time -> {
            evaluations.incrementAndGet();
            return cron.after(time);
        };
        FireTimes fireTimes = new CronFireTimes(counted, false, BERLIN.getRules());

        assertThat(fireTimes.next(Instant.parse("2025-10-26T01:00:00Z")))
                .contains(Instant.parse("2025-10-27T01:00:00Z"));
        assertThat(evaluations).hasValue(1);
    }

    @Test
    void expressionThatNeverFiresAgainHasNoFires() {
        Instant now = Instant.parse("2025-06-01T00:00:00Z");
        for (String expression : List.of("0 0 12 * * ? 2020", "* * * * * ? 2020", "0 0 0 30 2 ?", "0 0 9 31W 4 ?")) {
            FireTimes fireTimes = FireSchedules.of("job", Schedule.cron(expression, BERLIN), Instant.EPOCH);

            assertThat(fireTimes.next(now)).as(expression).isEmpty();
            assertThat(fireTimes.latest(now, now.plus(Duration.ofDays(3_650)), 5))
                    .as(expression)
                    .isEmpty();
            assertThat(fireTimes.count(now, now.plus(Duration.ofDays(3_650))))
                    .as(expression)
                    .isZero();
        }
        FireTimes past = FireSchedules.of("job", Schedule.cron("0 0 12 * * ? 2020", BERLIN), Instant.EPOCH);
        assertThat(past.latest(Instant.EPOCH, now, 2))
                .containsExactly(Instant.parse("2020-12-30T11:00:00Z"), Instant.parse("2020-12-31T11:00:00Z"));
    }

    @Test
    void acceptsAnyInstant() {
        FireTimes hourly = FireSchedules.of("job", Schedule.cron("0 0 * * * ?", BERLIN), Instant.EPOCH);

        assertThat(hourly.next(Instant.MIN)).contains(Instant.parse("1969-12-31T23:00:00Z"));
        assertThat(hourly.next(Instant.MAX)).isEmpty();
        assertThat(hourly.latest(Instant.MIN, Instant.parse("2025-06-01T00:00:00.999999999Z"), 1))
                .containsExactly(Instant.parse("2025-06-01T00:00:00Z"));
        assertThat(hourly.latest(Instant.MAX, Instant.MIN, 1)).isEmpty();
        assertThat(hourly.count(Instant.MIN, Instant.MAX)).isEqualTo(FireTimes.COUNT_LIMIT);
        assertThat(hourly.count(Instant.MAX, Instant.MIN)).isZero();
    }

    /** The intervals of {@link CronFireTimes} rely on this property. */
    @Test
    void noChangeOfOffsetSince1970GoesBehindPreviousOne() {
        for (String id : ZoneId.getAvailableZoneIds()) {
            ZoneRules rules = ZoneId.of(id).getRules();
            ZoneOffsetTransition change = rules.nextTransition(Instant.EPOCH);
            for (int i = 0; i < 300 && change != null; i++) {
                ZoneOffsetTransition next = rules.nextTransition(change.getInstant());
                if (next != null && !next.getDateTimeAfter().isAfter(change.getDateTimeAfter())) {
                    assertThat(next.getDateTimeAfter())
                            .as("%s: %s, %s", id, change, next)
                            .isAfter(change.getDateTimeAfter());
                }
                change = next;
            }
        }
    }

    /** Returns the clock changes of two years, or the turn of the year if the zone has none. */
    private static List<Instant> changes(ZoneId zone) {
        Instant until = Instant.parse("2026-01-01T00:00:00Z");
        List<Instant> changes = new ArrayList<>();
        ZoneOffsetTransition change = zone.getRules().nextTransition(Instant.parse("2024-01-01T00:00:00Z"));
        while (change != null && change.getInstant().isBefore(until)) {
            changes.add(change.getInstant());
            change = zone.getRules().nextTransition(change.getInstant());
        }
        return changes.isEmpty() ? List.of(until) : changes;
    }

    /**
     * Computes the fires in {@code (from, to]} from the local time of every second. A fixed time fires when the
     * local clock first reaches or passes it.
     */
    private static List<Instant> firesByWalking(CronSample sample, ZoneId zone, Instant from, Instant to) {
        List<Instant> fires = new ArrayList<>();
        LocalDateTime reached = LocalDateTime.ofInstant(from, zone);
        for (Instant second = from.plusSeconds(1); !second.isAfter(to); second = second.plusSeconds(1)) {
            LocalDateTime local = LocalDateTime.ofInstant(second, zone);
            boolean fire = sample.interval() && sample.matches().test(local);
            while (reached.isBefore(local)) {
                reached = reached.plusSeconds(1);
                fire |= !sample.interval() && sample.matches().test(reached);
            }
            if (fire) {
                fires.add(second);
            }
        }
        return fires;
    }

    private static List<Instant> walk(FireTimes fireTimes, Instant from, Instant to) {
        List<Instant> fires = new ArrayList<>();
        Optional<Instant> next = fireTimes.next(from);
        while (next.isPresent() && !next.get().isAfter(to)) {
            fires.add(next.get());
            Instant last = next.get();
            next = fireTimes.next(last);
            // without this check, a fire that follows itself would exhaust the memory
            next.filter(fire -> !fire.isAfter(last))
                    .ifPresent(fire -> assertThat(fire).isAfter(last));
        }
        return fires;
    }

    private static List<String> fires(String expression, ZoneId zone, String from, String to) {
        FireTimes fireTimes = FireSchedules.of("job", Schedule.cron(expression, zone), Instant.EPOCH);
        return walk(fireTimes, Instant.parse(from), Instant.parse(to)).stream()
                .map(Instant::toString)
                .toList();
    }
}
