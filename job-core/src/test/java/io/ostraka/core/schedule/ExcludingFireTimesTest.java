package io.ostraka.core.schedule;

import static java.time.DayOfWeek.SATURDAY;
import static java.time.DayOfWeek.SUNDAY;
import static java.time.DayOfWeek.WEDNESDAY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.Exclusions;
import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import java.text.ParseException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TimeZone;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.quartz.CronExpression;
import org.quartz.impl.calendar.AnnualCalendar;
import org.quartz.impl.calendar.BaseCalendar;
import org.quartz.impl.calendar.CronCalendar;
import org.quartz.impl.calendar.DailyCalendar;
import org.quartz.impl.calendar.HolidayCalendar;
import org.quartz.impl.calendar.MonthlyCalendar;
import org.quartz.impl.calendar.WeeklyCalendar;

class ExcludingFireTimesTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final List<ZoneId> ZONES = List.of(
            BERLIN,
            ZoneId.of("America/New_York"),
            ZoneId.of("Australia/Lord_Howe"),
            ZoneId.of("Asia/Kolkata"),
            ZoneId.of("Africa/Cairo"),
            ZoneOffset.UTC);
    private static final Instant WEEK = Instant.parse("2026-03-23T00:00:00Z");

    /** Checks each fire of a week or more around every kind of clock change. */
    @Tag("slow")
    @Test
    void nextLatestAndCountMatchFiresCheckedOneByOne() {
        long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 300; round++) {
            ZoneId zone = ZONES.get(random.nextInt(ZONES.size()));
            Exclusions exclusions = exclusions(zone, random, CRONS);
            Instant from = start(zone, random);
            FireTimes all = random.nextBoolean()
                    ? FireSchedules.of("job", Schedule.fixedRate(Duration.ofMinutes(random.nextLong(7, 900))), from)
                    : FireSchedules.of("job", Schedule.cron("0 0/15 1-23/2 * * ?", zone), from);
            FireTimes free = new ExcludingFireTimes(all, ExcludedTimes.of("job", exclusions));
            Instant to = from.plus(Duration.ofDays(random.nextLong(1, 12)));
            List<Instant> expected = all.latest(from, to, 10_000).stream()
                    .filter(fire -> !excluded(exclusions, fire.atZone(zone).toLocalDateTime()))
                    .toList();
            String what = exclusions + " from " + from + " to " + to + ", seed " + seed;

            assertThat(free.latest(from, to, 10_000)).as(what).isEqualTo(expected);
            assertThat(free.count(from, to)).as(what).isEqualTo(expected.size());
            int few = 1 + random.nextInt(5);
            assertThat(free.latest(from, to, few))
                    .as(what)
                    .isEqualTo(expected.subList(Math.max(0, expected.size() - few), expected.size()));
            List<Instant> walked = new ArrayList<>();
            Optional<Instant> next = free.next(from);
            while (next.isPresent() && !next.get().isAfter(to)) {
                walked.add(next.get());
                next = free.next(next.get());
            }
            assertThat(walked).as(what).isEqualTo(expected);
        }
    }

    /** On the day of a clock change, Quartz treats windows differently. On all other days the results must be equal. */
    @Test
    void excludesSameTimesAsQuartzCalendars() {
        long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 300; round++) {
            ZoneId zone = ZONES.get(random.nextInt(ZONES.size()));
            Exclusions exclusions = exclusions(zone, random, CRONS_OF_CALENDARS);
            ExcludedTimes excluded = ExcludedTimes.of("job", exclusions);
            BaseCalendar calendar = quartz(exclusions);
            Instant from = start(zone, random);
            for (int i = 0; i < 100; i++) {
                Instant at = from.plusMillis(random.nextLong(Duration.ofDays(20).toMillis()));
                LocalDate day = at.atZone(zone).toLocalDate();
                boolean changes = !day.atStartOfDay(zone)
                        .plusHours(24)
                        .toLocalDate()
                        .atStartOfDay()
                        .equals(day.plusDays(1).atStartOfDay());
                boolean shifts = !Duration.between(
                                day.atStartOfDay(zone), day.plusDays(1).atStartOfDay(zone))
                        .equals(Duration.ofDays(1));
                if (!shifts && !changes) {
                    assertThat(excluded.contains(at))
                            .as("%s at %s, seed %s", exclusions, at, seed)
                            .isEqualTo(!calendar.isTimeIncluded(at.toEpochMilli()));
                }
            }
        }
    }

    /** The base schedule is evaluated only at the edges of the pieces, however many fires there are. */
    @Test
    void decidesWeekOfFiresEveryTenMillisecondsByPieces() {
        AtomicInteger asked = new AtomicInteger();
        FireTimes every10Ms = FireSchedules.of("job", Schedule.fixedRate(Duration.ofMillis(10)), WEEK);
        FireTimes counted = new FireTimes() {
            @Override
            public Optional<Instant> next(Instant after) {
                asked.incrementAndGet();
                return every10Ms.next(after);
            }

            @Override
            public List<Instant> latest(Instant after, Instant upTo, int max) {
                asked.incrementAndGet();
                return every10Ms.latest(after, upTo, max);
            }

            @Override
            public long count(Instant after, Instant upTo) {
                asked.incrementAndGet();
                return every10Ms.count(after, upTo);
            }
        };
        ExcludedTimes excluded = ExcludedTimes.of(
                "job",
                Exclusions.in(BERLIN).weekdays(SATURDAY, SUNDAY).daily(LocalTime.of(12, 0), LocalTime.of(13, 0)));
        FireTimes free = new ExcludingFireTimes(counted, excluded);
        Instant end = WEEK.plus(Duration.ofDays(7));

        assertThat(free.latest(WEEK, end, 1)).hasSize(1);
        assertThat(free.count(WEEK, end)).isGreaterThanOrEqualTo(FireTimes.COUNT_LIMIT);
        assertThat(free.next(end.minus(Duration.ofDays(2)))).contains(Instant.parse("2026-03-29T22:00:00Z"));
        assertThat(asked.get()).isLessThan(80);
        // by Berlin's clock: Monday from 01:00 on (22 hours without lunch), four days of 23 hours, and after the clock
        // change two hours of the next Monday
        assertThat(new ExcludingFireTimes(every10Ms, excluded).count(WEEK, end))
                .isEqualTo((22 + 4 * 23 + 2) * 360_000L);
    }

    @Test
    void windowIsSkippedOrRepeatedWithItsLocalTime() {
        Schedule halfHours = Schedule.cron("0 0/30 * * * ?", BERLIN)
                .excluding(Exclusions.in(BERLIN).daily(LocalTime.of(2, 0), LocalTime.of(3, 0)));
        FireTimes times = FireSchedules.of("job", halfHours, WEEK);

        Instant spring = Instant.parse("2026-03-29T01:00:00Z");
        assertThat(times.latest(spring.minusSeconds(1_800), spring.plusSeconds(1_800), 9))
                .containsExactly(spring, spring.plusSeconds(1_800));
        Instant autumn = Instant.parse("2026-10-25T01:00:00Z");
        assertThat(times.latest(autumn.minusSeconds(5_400), autumn.plusSeconds(3_600), 9))
                .containsExactly(autumn.plusSeconds(3_600));
        assertThat(times.next(autumn.minusSeconds(3_601))).contains(autumn.plusSeconds(3_600));
    }

    @Test
    void windowMaySpanMidnight() {
        FireTimes times = FireSchedules.of(
                "job",
                Schedule.cron("0 0 * * * ?")
                        .excluding(Exclusions.in(ZoneOffset.UTC).daily(LocalTime.of(3, 0), LocalTime.of(1, 0))),
                WEEK);

        assertThat(times.latest(WEEK, WEEK.plus(Duration.ofDays(1)), 9))
                .containsExactly(WEEK.plusSeconds(3_600), WEEK.plusSeconds(7_200));
    }

    @Test
    void exclusionsUseZoneOfScheduleByDefault() {
        Schedule hourly = Schedule.cron("0 0 * * * ?", BERLIN);

        assertThat(hourly.excluding(none -> none.weekdays(SUNDAY)))
                .isEqualTo(hourly.excluding(Exclusions.in(BERLIN).weekdays(SUNDAY)));
        assertThat(hourly.jitter(Duration.ofSeconds(1)).excluding(none -> none.monthly(1)))
                .isEqualTo(hourly.excluding(Exclusions.in(BERLIN).monthly(1)).jitter(Duration.ofSeconds(1)));
        assertThat(Schedule.fixedRate(Duration.ofHours(1)).excluding(none -> none.monthly(1)))
                .isEqualTo(Schedule.fixedRate(Duration.ofHours(1))
                        .excluding(Exclusions.in(ZoneOffset.UTC).monthly(1)));
    }

    /** The day of a change has 23 or 25 hours, and a leap day comes every four years. */
    @Test
    void excludedDaysAreWholeDaysOfTheirZone() {
        Schedule halfHours = Schedule.cron("0 0/30 * * * ?", BERLIN)
                .excluding(none ->
                        none.yearly(MonthDay.of(3, 29), MonthDay.of(2, 29)).monthly(31));
        FireTimes times = FireSchedules.of("job", halfHours, WEEK);

        Instant spring = Instant.parse("2026-03-28T23:00:00Z"); // midnight; the day has 23 hours
        assertThat(times.next(spring.minusSeconds(1))).contains(spring.plus(Duration.ofHours(23)));
        assertThat(times.count(spring.minusSeconds(1), spring.plus(Duration.ofHours(24))))
                .isEqualTo(3);
        Instant leap = Instant.parse("2028-02-28T23:00:00Z");
        assertThat(times.next(leap.minusSeconds(1))).contains(leap.plus(Duration.ofDays(1)));
        assertThat(times.next(Instant.parse("2026-03-30T21:45:00Z"))).contains(Instant.parse("2026-03-31T22:00:00Z"));
    }

    @Test
    void excludedCronFollowsLocalClockThroughChanges() {
        Schedule halfHours = Schedule.cron("0 0/30 * * * ?", BERLIN).excluding(none -> none.cron("* * 2 ? * SUN"));
        FireTimes times = FireSchedules.of("job", halfHours, WEEK);

        Instant spring = Instant.parse("2026-03-29T01:00:00Z"); // two o'clock does not exist
        assertThat(times.latest(spring.minusSeconds(1_800), spring.plusSeconds(1_800), 9))
                .containsExactly(spring, spring.plusSeconds(1_800));
        Instant autumn = Instant.parse("2026-10-25T01:00:00Z"); // two o'clock comes twice
        assertThat(times.latest(autumn.minusSeconds(5_400), autumn.plusSeconds(3_600), 9))
                .containsExactly(autumn.plusSeconds(3_600));
    }

    @Test
    void rejectsInvalidExclusionWithAcceptedValues() {
        for (String hostile : List.of(
                "nonsense",
                "0 0 12 * * ?",
                "*/2 * * * * ?",
                "* * 25 * * ?",
                "* , * * * ?",
                "* * * 31 2 ?",
                "* * * * * ? 1970-99999")) {
            for (Schedule base : List.of(
                    Schedule.cron("0 0 * * * ?"),
                    Schedule.fixedRate(Duration.ofSeconds(1)),
                    Schedule.fixedDelay(Duration.ofSeconds(1)))) {
                assertThatThrownBy(() -> FireSchedules.validate("orders", base.excluding(none -> none.cron(hostile))))
                        .as(hostile)
                        .isInstanceOf(JobConfigurationException.class)
                        .hasMessageContaining("orders")
                        .hasMessageContaining("excluded cron")
                        .hasMessageContaining("whose seconds are *");
            }
        }
        assertThatThrownBy(() -> Exclusions.in(BERLIN).cron(" ")).hasMessageContaining("none of them blank");
        assertThatThrownBy(() -> Exclusions.in(BERLIN).monthly(0)).hasMessageContaining("from 1 to 31");
        assertThatThrownBy(() -> Exclusions.in(BERLIN).monthly(32)).hasMessageContaining("from 1 to 31");
        Exclusions many = IntStream.range(0, Exclusions.MOST_CRONS)
                .boxed()
                .reduce(Exclusions.in(BERLIN), (some, hour) -> some.cron("* " + hour + " * * * ?"), (a, b) -> a);
        assertThatThrownBy(() -> many.cron("* 59 * * * ?")).hasMessageContaining("at most 20");
    }

    @Test
    void rejectsExclusionsThatTogetherLeaveNoTime() {
        for (Schedule base : List.of(
                Schedule.fixedRate(Duration.ofSeconds(1)),
                Schedule.fixedDelay(Duration.ofSeconds(1)),
                Schedule.once(WEEK),
                Schedule.cron("* * * * * ?"))) {
            assertThatThrownBy(() -> FireSchedules.validate("orders", base.excluding(none -> none.cron("* * * * * ?"))))
                    .isInstanceOf(JobConfigurationException.class);
            assertThatThrownBy(() -> FireSchedules.validate("orders", base.excluding(none -> none.cron("* * 0-11 * * ?")
                            .daily(LocalTime.NOON, LocalTime.MIDNIGHT))))
                    .isInstanceOf(JobConfigurationException.class);
        }
    }

    @Test
    void rejectsExclusionsThatLeaveNoTime() {
        assertThatThrownBy(() -> Exclusions.in(BERLIN)
                        .monthly(IntStream.rangeClosed(1, 31).toArray()))
                .hasMessageContaining("at most 30 different days");
        assertThatThrownBy(() -> Exclusions.in(BERLIN).weekdays(DayOfWeek.values()))
                .hasMessageContaining("accepted: at most six");
        assertThatThrownBy(() -> Exclusions.in(BERLIN)
                        .daily(LocalTime.of(20, 0), LocalTime.of(4, 0))
                        .daily(LocalTime.of(3, 0), LocalTime.of(12, 0))
                        .daily(LocalTime.of(12, 0), LocalTime.of(20, 0)))
                .hasMessageContaining("accepted: windows that leave a part of the day free");
        assertThatThrownBy(() -> Exclusions.in(BERLIN).daily(LocalTime.NOON, LocalTime.NOON))
                .hasMessageContaining("two different times");
    }

    /** Evaluates the exclusions one by one. */
    @SuppressWarnings("JavaUtilDate") // Quartz's API has nothing else
    private static boolean excluded(Exclusions exclusions, LocalDateTime local) {
        return exclusions.weekdays().contains(local.getDayOfWeek())
                || exclusions.dates().contains(local.toLocalDate())
                || exclusions.yearly().contains(MonthDay.from(local))
                || exclusions.monthly().contains(local.getDayOfMonth())
                || exclusions.windows().stream().anyMatch(window -> window.contains(local.toLocalTime()))
                || exclusions.crons().stream().anyMatch(cron -> cron(cron, ZoneOffset.UTC)
                        .isSatisfiedBy(Date.from(local.toInstant(ZoneOffset.UTC))));
    }

    private static final Map<String, CronExpression> PARSED = new ConcurrentHashMap<>();

    private static CronExpression cron(String expression, ZoneId zone) {
        try {
            CronExpression cron = new CronExpression(expression);
            cron.setTimeZone(TimeZone.getTimeZone(zone));
            return cron;
        } catch (ParseException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static final List<String> CRONS = List.of(
            "* * 0-7,18-23 ? * MON-FRI",
            "* 0-29 12 ? * *",
            "* */7 3,4 L * ?",
            "* * * ? * 6#2",
            "* 59 23 15W * ?",
            "* * 2 ? MAR,OCT SUN 2026-2030");

    /** Quartz's calendar computes the nearest weekday wrongly. */
    private static final List<String> CRONS_OF_CALENDARS =
            CRONS.stream().filter(cron -> !cron.contains("W ")).toList();

    private static Exclusions exclusions(ZoneId zone, SplittableRandom random, List<String> crons) {
        Exclusions exclusions = Exclusions.in(zone);
        for (int days = random.nextInt(3); days > 0; days--) {
            exclusions = exclusions.yearly(MonthDay.of(1 + random.nextInt(12), 1 + random.nextInt(28)));
            exclusions = exclusions.monthly(1 + random.nextInt(31));
        }
        for (int count = random.nextInt(3); count > 0; count--) {
            exclusions = exclusions.cron(crons.get(random.nextInt(crons.size())));
        }
        for (DayOfWeek day : List.of(SUNDAY, SATURDAY, WEDNESDAY)) {
            exclusions = random.nextInt(3) == 0 ? exclusions.weekdays(day) : exclusions;
        }
        for (int dates = random.nextInt(3); dates > 0; dates--) {
            exclusions = exclusions.dates(LocalDate.of(2026, 1 + random.nextInt(12), 1 + random.nextInt(28)));
        }
        for (int windows = random.nextInt(3); windows > 0; windows--) {
            LocalTime from = LocalTime.MIDNIGHT.plusMinutes(random.nextLong(24 * 4) * 15);
            exclusions = exclusions.daily(from, from.plusMinutes(15 * random.nextLong(1, 40)));
        }
        return exclusions;
    }

    /** Returns a random day of 2026, or a day shortly before a clock change. */
    private static Instant start(ZoneId zone, SplittableRandom random) {
        Instant year = Instant.parse("2026-01-01T00:00:00Z");
        ZoneOffsetTransition change = random.nextBoolean()
                ? zone.getRules().nextTransition(year.plus(Duration.ofDays(random.nextInt(200))))
                : null;
        return change == null
                ? year.plus(Duration.ofMinutes(random.nextLong(350 * 24 * 60)))
                : change.getInstant().minus(Duration.ofMinutes(random.nextLong(3 * 24 * 60)));
    }

    @SuppressWarnings("JavaUtilDate") // Quartz's API has nothing else
    private static BaseCalendar quartz(Exclusions exclusions) {
        TimeZone zone = TimeZone.getTimeZone(exclusions.zone());
        WeeklyCalendar weekly = new WeeklyCalendar(zone);
        weekly.setDaysExcluded(new boolean[8]);
        exclusions.weekdays().forEach(day -> weekly.setDayExcluded(day.getValue() % 7 + 1, true));
        HolidayCalendar holidays = new HolidayCalendar(weekly, zone);
        exclusions
                .dates()
                .forEach(date -> holidays.addExcludedDate(
                        Date.from(date.atStartOfDay(exclusions.zone()).toInstant())));
        AnnualCalendar annual = new AnnualCalendar(zone);
        for (MonthDay day : exclusions.yearly()) {
            annual.setDayExcluded(GregorianCalendar.from(day.atYear(2026).atStartOfDay(exclusions.zone())), true);
        }
        // only now: setDayExcluded ignores days that the base calendar excludes in 2026
        annual.setBaseCalendar(holidays);
        MonthlyCalendar monthly = new MonthlyCalendar(annual, zone);
        exclusions.monthly().forEach(day -> monthly.setDayExcluded(day, true));
        BaseCalendar calendar = monthly;
        for (String expression : exclusions.crons()) {
            calendar = cronCalendar(calendar, expression, zone);
        }
        for (Exclusions.Window window : exclusions.windows()) {
            LocalTime last = window.to().minusNanos(1_000_000);
            if (last.isBefore(window.from())) {
                calendar = daily(calendar, zone, window.from(), LocalTime.MAX);
                calendar = daily(calendar, zone, LocalTime.MIDNIGHT, last);
            } else {
                calendar = daily(calendar, zone, window.from(), last);
            }
        }
        return calendar;
    }

    private static CronCalendar cronCalendar(BaseCalendar base, String expression, TimeZone zone) {
        try {
            return new CronCalendar(base, expression, zone);
        } catch (ParseException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static BaseCalendar daily(BaseCalendar base, TimeZone zone, LocalTime from, LocalTime last) {
        Calendar begin = calendar(zone, from);
        return new DailyCalendar(base, begin, calendar(zone, last)) {
            private static final long serialVersionUID = 1L;

            {
                setTimeZone(zone);
            }
        };
    }

    private static Calendar calendar(TimeZone zone, LocalTime time) {
        Calendar calendar = Calendar.getInstance(zone);
        calendar.clear();
        calendar.set(2026, Calendar.JANUARY, 15, time.getHour(), time.getMinute(), time.getSecond());
        calendar.set(Calendar.MILLISECOND, time.getNano() / 1_000_000);
        return calendar;
    }
}
