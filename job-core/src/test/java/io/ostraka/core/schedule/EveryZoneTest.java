package io.ostraka.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the clock changes of every zone of the JDK, with fires in the hour that is skipped or repeated. */
@Tag("smoke")
class EveryZoneTest {
    private static final Instant FROM = Instant.parse("2020-01-01T00:00:00Z");
    private static final Instant TO = Instant.parse("2031-01-01T00:00:00Z");
    private static final Duration HALF_A_DAY = Duration.ofHours(11);
    private static final int QUARTER = 900;

    @Tag("exhaustive")
    @Test
    void firesAreRightAtEveryChangeOfOffsetInEveryZone() {
        Map<ZoneRules, String> zones = new HashMap<>();
        new TreeSet<>(ZoneId.getAvailableZoneIds())
                .forEach(zone -> zones.putIfAbsent(ZoneId.of(zone).getRules(), zone));
        int gaps = 0;
        int overlaps = 0;
        for (String name : zones.values()) {
            ZoneId zone = ZoneId.of(name);
            ZoneOffsetTransition change = zone.getRules().nextTransition(FROM);
            while (change != null && change.getInstant().isBefore(TO)) {
                check(zone, change);
                gaps += change.isGap() ? 1 : 0;
                overlaps += change.isOverlap() ? 1 : 0;
                change = zone.getRules().nextTransition(change.getInstant());
            }
        }
        assertThat(gaps).isGreaterThan(300);
        assertThat(overlaps).isGreaterThan(300);
    }

    private static void check(ZoneId zone, ZoneOffsetTransition change) {
        String what = zone + ", " + change;
        long shift = Math.abs(change.getDuration().toSeconds());
        LocalDateTime first = change.isGap() ? change.getDateTimeBefore() : change.getDateTimeAfter();
        for (long into : new long[] {0, shift / 2, shift - 1}) {
            LocalDateTime local = first.plusSeconds(into);
            FireTimes daily =
                    of("%d %d %d * * ?".formatted(local.getSecond(), local.getMinute(), local.getHour()), zone);
            Instant expected = change.isGap() ? change.getInstant() : local.toInstant(change.getOffsetBefore());
            assertThat(daily.latest(expected.minus(HALF_A_DAY), expected.plus(HALF_A_DAY), 9))
                    .as("%s at %s", what, local)
                    .containsExactly(expected);
            assertThat(daily.next(expected.minus(HALF_A_DAY))).as(what).contains(expected);
        }
        if (shift % QUARTER == 0) { // otherwise the local clock no longer shows a quarter of an hour
            long last = Math.floorDiv(change.getInstant().getEpochSecond(), (long) QUARTER) * QUARTER + 3 * 3_600;
            Instant end = Instant.ofEpochSecond(last);
            assertThat(of("0 0/15 * * * ?", zone).latest(end.minus(Duration.ofHours(6)), end, 99))
                    .as(what)
                    .containsExactlyElementsOf(LongStream.iterate(23, back -> back >= 0, back -> back - 1)
                            .mapToObj(back -> end.minusSeconds(back * QUARTER))
                            .toList());
        }
        Optional<Instant> later = of("0 0 12 * * ?", zone).next(change.getInstant());
        assertThat(later).as(what).isPresent();
    }

    private static FireTimes of(String expression, ZoneId zone) {
        return FireSchedules.of("job", Schedule.cron(expression, zone), Instant.EPOCH);
    }
}
