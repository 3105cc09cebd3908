package io.ostraka.core.schedule;

import static java.time.DayOfWeek.FRIDAY;
import static java.time.DayOfWeek.MONDAY;
import static java.time.DayOfWeek.SATURDAY;
import static java.time.DayOfWeek.SUNDAY;

import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A cron expression, and its meaning as a Java function, which needs no parser.
 *
 * @param interval true if the fires keep their interval across a clock change
 * @param matches selects the local times, in whole seconds
 */
record CronSample(String expression, boolean interval, Predicate<LocalDateTime> matches) {
    static final List<CronSample> ALL = List.of(
            interval("* * * * * ?", t -> true),
            interval("0/30 * * * * ?", t -> t.getSecond() % 30 == 0),
            interval("0 * * * * ?", t -> t.getSecond() == 0),
            interval("0 0/7 * * * ?", t -> t.getSecond() == 0 && t.getMinute() % 7 == 0),
            interval("0 0 * * * ?", t -> t.getSecond() == 0 && t.getMinute() == 0),
            interval("0 30 * * * ?", t -> t.getSecond() == 0 && t.getMinute() == 30),
            interval("15 0/20 0-23 * * ?", t -> t.getSecond() == 15 && t.getMinute() % 20 == 0),
            interval(
                    "0 0/15 0/1 ? * SUN",
                    t -> t.getSecond() == 0 && t.getMinute() % 15 == 0 && t.getDayOfWeek() == SUNDAY),
            interval(
                    "0 10,50 * L * ?",
                    t -> t.getSecond() == 0
                            && (t.getMinute() == 10 || t.getMinute() == 50)
                            && t.toLocalDate().equals(lastDay(t))),
            fixed("0 30 2 * * ?", t -> at(t, 2, 30)),
            fixed("0 0 3 * * ?", t -> at(t, 3, 0)),
            fixed("0 0 2 * * ?", t -> at(t, 2, 0)),
            fixed("0 15 2 * * ?", t -> at(t, 2, 15)),
            fixed("* * 2 * * ?", t -> t.getHour() == 2),
            fixed("59 59 1 * * ?", t -> t.toLocalTime().equals(LocalTime.of(1, 59, 59))),
            fixed(
                    "0 0/10 1-3 * * ?",
                    t -> t.getSecond() == 0 && t.getMinute() % 10 == 0 && t.getHour() >= 1 && t.getHour() <= 3),
            fixed("0 0 0/2 * * ?", t -> t.getSecond() == 0 && t.getMinute() == 0 && t.getHour() % 2 == 0),
            fixed(
                    "0 0 22-4 * * ?",
                    t -> t.getSecond() == 0 && t.getMinute() == 0 && (t.getHour() >= 22 || t.getHour() <= 4)),
            fixed(
                    "0 15 1,2,3 ? * SUN",
                    t -> t.getDayOfWeek() == SUNDAY && (at(t, 1, 15) || at(t, 2, 15) || at(t, 3, 15))),
            fixed(
                    "0 0 12 ? * MON-FRI",
                    t -> at(t, 12, 0)
                            && t.getDayOfWeek().getValue() >= MONDAY.getValue()
                            && t.getDayOfWeek().getValue() <= FRIDAY.getValue()),
            fixed(
                    "0 30 2 ? * 1L",
                    t -> at(t, 2, 30)
                            && t.toLocalDate().equals(t.toLocalDate().with(TemporalAdjusters.lastInMonth(SUNDAY)))),
            fixed(
                    "0 30 2 ? * SUN#2",
                    t -> at(t, 2, 30)
                            && t.toLocalDate()
                                    .equals(t.toLocalDate().with(TemporalAdjusters.dayOfWeekInMonth(2, SUNDAY)))),
            fixed(
                    "0 30 2 ? 3,APR,10-11 sun",
                    t -> at(t, 2, 30)
                            && t.getDayOfWeek() == SUNDAY
                            && Set.of(3, 4, 10, 11).contains(t.getMonthValue())),
            fixed(
                    "0 45 1 L-2 * ?",
                    t -> at(t, 1, 45) && t.toLocalDate().equals(lastDay(t).minusDays(2))),
            fixed("0 0 0 29 2 ?", t -> at(t, 0, 0) && t.getMonthValue() == 2 && t.getDayOfMonth() == 29),
            fixed(
                    "0 0 6 1 1 ? 2024/2",
                    t -> at(t, 6, 0) && t.getDayOfYear() == 1 && t.getYear() >= 2024 && t.getYear() % 2 == 0),
            fixed("0 0 9 15W * ?", t -> at(t, 9, 0) && isNearestWeekday(t, 15)),
            fixed(
                    "0 0 9,17 LW * ?",
                    t -> (at(t, 9, 0) || at(t, 17, 0))
                            && isNearestWeekday(t, lastDay(t).getDayOfMonth())),
            fixed(
                    "0 30 2 1W,14W,15W,31W,20 3-11 ?",
                    t -> at(t, 2, 30)
                            && t.getMonthValue() >= 3
                            && t.getMonthValue() <= 11
                            && (t.getDayOfMonth() == 20
                                    || isNearestWeekday(t, 1)
                                    || isNearestWeekday(t, 14)
                                    || isNearestWeekday(t, 15)
                                    || isNearestWeekday(t, 31))),
            fixed(
                    "0 20 4 L-1W * ?",
                    t -> at(t, 4, 20) && isNearestWeekday(t, lastDay(t).getDayOfMonth() - 1)));

    FireTimes in(ZoneId zone) {
        return FireSchedules.of("job", Schedule.cron(expression, zone), Instant.EPOCH);
    }

    private static CronSample interval(String expression, Predicate<LocalDateTime> matches) {
        return new CronSample(expression, true, matches);
    }

    private static CronSample fixed(String expression, Predicate<LocalDateTime> matches) {
        return new CronSample(expression, false, matches);
    }

    private static boolean at(LocalDateTime time, int hour, int minute) {
        return time.getHour() == hour && time.getMinute() == minute && time.getSecond() == 0;
    }

    private static LocalDate lastDay(LocalDateTime time) {
        return time.toLocalDate().with(TemporalAdjusters.lastDayOfMonth());
    }

    /** Returns whether the date is a weekday and no other weekday of its month is nearer to the given day. */
    private static boolean isNearestWeekday(LocalDateTime time, int day) {
        if (day > lastDay(time).getDayOfMonth() || isWeekend(time.getDayOfWeek())) {
            return false;
        }
        int distance = Math.abs(time.getDayOfMonth() - day);
        for (int other = Math.max(1, day - distance + 1); other < day + distance; other++) {
            if (other <= lastDay(time).getDayOfMonth()
                    && !isWeekend(time.withDayOfMonth(other).getDayOfWeek())) {
                return false;
            }
        }
        return distance <= 2;
    }

    private static boolean isWeekend(DayOfWeek day) {
        return day == SATURDAY || day == SUNDAY;
    }

    @Override
    public String toString() {
        return expression;
    }
}
