package io.ostraka.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.text.ParseException;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the parser with the grammar of docs/schedules.md, as a straightforward evaluator understands it: an
 * expression of the grammar fires when the evaluator says so, and every other expression is refused.
 */
class CronGrammarTest {
    private static final LocalDate FROM = LocalDate.of(2024, 1, 1);
    private static final LocalDate TO = LocalDate.of(2025, 3, 1);

    /** The evaluator. Each method throws an exception for what is not part of the grammar. */
    private static final class Evaluator {
        private static final List<String> MONTHS =
                List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
        private static final List<String> DAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

        static Optional<Predicate<LocalDateTime>> of(String expression) {
            try {
                return Optional.of(
                        parse(expression.toUpperCase(Locale.ROOT).strip().split("[ \t]+")));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        private static void require(boolean holds) {
            if (!holds) {
                throw new IllegalArgumentException();
            }
        }

        private static Predicate<LocalDateTime> parse(String[] fields) {
            require(fields.length == 6 || fields.length == 7);
            BitSet seconds = values(fields[0], 0, 59, List.of());
            BitSet minutes = values(fields[1], 0, 59, List.of());
            BitSet hours = values(fields[2], 0, 23, List.of());
            BitSet months = values(fields[4], 1, 12, MONTHS);
            BitSet years = fields.length == 6 ? null : values(fields[6], 1970, 2199, List.of());
            require(fields[3].equals("?") != fields[5].equals("?"));
            Predicate<LocalDate> days = fields[3].equals("?") ? ofWeek(fields[5]) : ofMonth(fields[3]);
            return time -> seconds.get(time.getSecond())
                    && minutes.get(time.getMinute())
                    && hours.get(time.getHour())
                    && months.get(time.getMonthValue())
                    && (years == null || years.get(time.getYear()))
                    && days.test(time.toLocalDate());
        }

        private static int number(String text, int least, int most) {
            require(!text.isEmpty() && text.length() <= 4 && text.chars().allMatch(c -> c >= '0' && c <= '9'));
            int number = Integer.parseInt(text);
            require(number >= least && number <= most);
            return number;
        }

        private static int shortNumber(String text, int least, int most) {
            require(text.length() <= 2);
            return number(text, least, most);
        }

        private static BitSet values(String field, int least, int most, List<String> names) {
            BitSet values = new BitSet();
            for (String part : field.split(",", -1)) {
                String[] step = part.split("/", -1);
                String[] ends = step[0].split("-", -1);
                require(step.length <= 2 && ends.length <= 2);
                boolean all = step[0].equals("*") || (step[0].isEmpty() && step.length == 2);
                boolean named = names.contains(ends[0]);
                require(!named || step.length == 1);
                require(ends.length == 1 || named == names.contains(ends[1]));
                int from = all ? least : named ? least + names.indexOf(ends[0]) : number(ends[0], least, most);
                int to = ends.length == 2
                        ? named ? least + names.indexOf(ends[1]) : number(ends[1], least, most)
                        : all || step.length == 2 ? most : from;
                int by = step.length == 2
                        ? number(step[1], 1, least == 1970 ? 9_999 : most - least + (least == 0 ? 0 : 1))
                        : 1;
                require(to >= from || least < 1970);
                int size = most - least + 1;
                for (int i = from; i <= (to < from ? to + size : to); i += by) {
                    values.set(least + (i - least) % size);
                }
            }
            return values;
        }

        private static Predicate<LocalDate> ofWeek(String field) {
            if (field.equals("L")) {
                return ofWeek("SAT");
            }
            if (field.endsWith("L")) {
                int day = day(field.substring(0, field.length() - 1));
                return date -> number(date) == day && date.plusWeeks(1).getMonth() != date.getMonth();
            }
            int hash = field.indexOf('#');
            if (hash >= 0) {
                int day = day(field.substring(0, hash));
                int week = shortNumber(field.substring(hash + 1), 1, 5);
                return date -> number(date) == day && (date.getDayOfMonth() + 6) / 7 == week;
            }
            BitSet days = values(field, 1, 7, DAYS);
            return date -> days.get(number(date));
        }

        private static int day(String text) {
            return DAYS.contains(text) ? DAYS.indexOf(text) + 1 : shortNumber(text, 1, 7);
        }

        private static int number(LocalDate date) {
            return date.getDayOfWeek().getValue() % 7 + 1;
        }

        private static Predicate<LocalDate> ofMonth(String field) {
            List<Predicate<LocalDate>> any = new ArrayList<>();
            for (String part : field.split(",", -1)) {
                boolean nearest = part.endsWith("W");
                String day = nearest ? part.substring(0, part.length() - 1) : part;
                if (day.startsWith("L")) {
                    require(day.equals("L") || day.startsWith("L-"));
                    int before = day.equals("L") ? 0 : shortNumber(day.substring(2), 0, 30);
                    any.add(date -> is(date, date.lengthOfMonth() - before, nearest));
                } else if (nearest) {
                    int named = shortNumber(day, 1, 31);
                    any.add(date -> is(date, named, true));
                } else {
                    BitSet days = values(part, 1, 31, List.of());
                    any.add(date -> days.get(date.getDayOfMonth()));
                }
            }
            return date -> any.stream().anyMatch(each -> each.test(date));
        }

        private static boolean is(LocalDate date, int day, boolean nearest) {
            YearMonth month = YearMonth.from(date);
            if (!month.isValidDay(day)) {
                return false;
            }
            LocalDate named = month.atDay(day);
            if (nearest && named.getDayOfWeek() == DayOfWeek.SATURDAY) {
                named = day == 1 ? named.plusDays(2) : named.minusDays(1);
            } else if (nearest && named.getDayOfWeek() == DayOfWeek.SUNDAY) {
                named = day == month.lengthOfMonth() ? named.minusDays(2) : named.plusDays(1);
            }
            return date.equals(named);
        }
    }

    private final List<String> wrong = new ArrayList<>();

    /** Compares all fires at midnight between two days. */
    private void compareDays(String expression) {
        compare(expression, FROM.datesUntil(TO).map(LocalDate::atStartOfDay));
    }

    private void compare(String expression, Stream<LocalDateTime> times) {
        Optional<Predicate<LocalDateTime>> expected = Evaluator.of(expression);
        LocalCron cron;
        try {
            cron = CronParser.parse(expression);
        } catch (ParseException e) {
            if (expected.isPresent()) {
                wrong.add(expression + " is refused: " + e.getMessage());
            }
            return;
        }
        if (expected.isEmpty()) {
            wrong.add(expression + " is accepted");
            return;
        }
        List<LocalDateTime> all = times.toList();
        LocalDateTime last = all.get(all.size() - 1);
        List<LocalDateTime> named = all.stream().filter(expected.get()).toList();
        List<LocalDateTime> found = new ArrayList<>();
        Optional<LocalDateTime> time = cron.atOrAfter(all.get(0));
        while (time.isPresent() && !time.get().isAfter(last) && found.size() <= named.size()) {
            found.add(time.get());
            time = cron.after(time.get());
        }
        if (!found.equals(named)) {
            wrong.add(expression + " fires " + found.size() + " times, not " + named.size());
        }
    }

    private static final List<String> DAYS_OF_WEEK =
            parts("* ? L 1 7 2 MON FRI SAT 0 8 2-6 6-2 MON-FRI FRI-MON MON-6 2-FRI 2/2 1/3 */2 /2 2-6/2 "
                    + "6-3/2 MON/2 MON-FRI/2 2/0 2/8 2/ 6L FRIL 2-6L MON-FRIL FRI-L L-1 LW 6LW 2#1 MON#2 FRI#5 "
                    + "2#0 2#6 2# #2 MON# MON-FRI#1 2-6#1 MON#1-3 2/2#1 2#1/2 *#1 FRI#1L 2W MONW MONDAY M MO "
                    + "(empty) 2- -2 2--3 2-3-4 +2 ** *2 *-3 2* 2? ?2 02 002");

    private static final List<String> DAYS_OF_MONTH =
            parts("* ? L 1 31 15 0 32 5-9 28-3 1/10 20/5 */10 /10 1-20/6 28-6/3 15/0 15/32 L-1 L-3 L-30 "
                    + "L-31 L- L3 LL LW WL L-3W LW-3 15W 1W 31W W W15 15-20W 15W-20 1/10W 15W/2 *W 15L L/2 "
                    + "L-2/2 1-L 15#2 ?/2 (empty) 5- -5 MON 05 5* *5 5? ?5");

    private static final List<String> MONTHS_OF_YEAR =
            parts("* 1 12 2 JAN DEC 0 13 2-4 11-2 FEB-APR NOV-FEB FEB-4 2-APR 1/4 */5 /5 2-9/3 11-3/2 JAN/4 "
                    + "FEB-SEP/3 1/0 1/13 1/ ? L 1L 1#1 1W JANU JANUARY J (empty) 1- -1 01 1* *1 *-3");

    private static final List<String> MINUTES =
            parts("* 0 59 60 7 5-9 55-4 0/7 3/20 */20 /20 10-40/15 50-10/5 0/0 0/59 0/60 0/61 5/ / ? L 1L "
                    + "1W 1#1 MON (empty) 5- -5 5--6 05 005 5* *5 *-5 5-* 5/* 5-7-9 5/2/2");

    private static final List<String> YEARS =
            parts("* 2200 2024 2025 2024-2025 2025-2024 2024/2 */2 /2 2023-2026/2 1969 1970 2100 2098-2099 "
                    + "24 0 ? L 2024L 2024W 2024#1 JAN (empty) 2024- -2024 02024 2024/0");

    private static List<String> parts(String parts) {
        return Stream.of(parts.split(" "))
                .map(part -> part.equals("(empty)") ? "" : part)
                .toList();
    }

    private List<String> wrong() {
        return wrong.stream().distinct().toList();
    }

    private static Stream<String> pairs(List<String> parts) {
        return parts.stream().flatMap(one -> parts.stream().map(other -> one + "," + other));
    }

    @Test
    void eachFieldFiresAsItsGrammarSays() {
        DAYS_OF_WEEK.forEach(part -> compareDays("0 0 0 ? * " + part));
        DAYS_OF_WEEK.forEach(part -> compareDays("0 0 0 * * " + part));
        DAYS_OF_MONTH.forEach(part -> compareDays("0 0 0 " + part + " * ?"));
        DAYS_OF_MONTH.forEach(part -> compareDays("0 0 0 " + part + " * *"));
        MONTHS_OF_YEAR.forEach(part -> compareDays("0 0 0 * " + part + " ?"));
        YEARS.forEach(part -> compareDays("0 0 0 15 * ? " + part));
        MINUTES.forEach(this::compareTimes);
        assertThat(wrong()).isEmpty();
    }

    private void compareTimes(String part) {
        LocalDateTime midnight = FROM.atStartOfDay();
        compare(
                "0 " + part + " 0 * * ?",
                Stream.iterate(midnight, at -> at.plusMinutes(1)).limit(60));
        compare(
                part + " 0 0 * * ?",
                Stream.iterate(midnight, at -> at.plusSeconds(1)).limit(60));
        compare(
                "0 0 " + part + " * * ?",
                Stream.iterate(midnight, at -> at.plusHours(1)).limit(24));
    }

    @Test
    @Tag("exhaustive")
    void eachPairInAListFiresAsTheGrammarSays() {
        pairs(DAYS_OF_WEEK).forEach(part -> compareDays("0 0 0 ? * " + part));
        pairs(DAYS_OF_MONTH).forEach(part -> compareDays("0 0 0 " + part + " * ?"));
        pairs(MONTHS_OF_YEAR).forEach(part -> compareDays("0 0 0 1 " + part + " ?"));
        pairs(YEARS).forEach(part -> compareDays("0 0 0 15 1 ? " + part));
        pairs(MINUTES).forEach(this::compareTimes);
        assertThat(wrong()).isEmpty();
    }

    @Test
    void randomTextFiresAsTheGrammarSays() {
        long seed = Long.getLong("ostraka.seed", new SplittableRandom().nextLong());
        SplittableRandom random = new SplittableRandom(seed);
        List<String> letters = List.of(
                "0", "1", "2", "3", "5", "7", "12", "15", "31", "59", "2024", "*", "?", "/", "-", ",", "#", "L", "W",
                "MON", "FRI", "JAN", "MAR", " ");
        for (int i = 0; i < 2_000; i++) {
            String[] fields = {"0", "0", "0", "?", "*", "?", ""};
            int day = random.nextInt(2) * 2 + 3;
            fields[day] = "*";
            int field = random.nextInt(3) > 0 ? day : random.nextInt(7);
            StringBuilder text = new StringBuilder();
            for (int part = 1 + random.nextInt(5); part > 0; part--) {
                text.append(letters.get(random.nextInt(letters.size())));
            }
            fields[field] = text.toString();
            if (field < 3) {
                compareTimes(text.toString());
            } else {
                compareDays(String.join(" ", fields));
            }
        }
        assertThat(wrong()).as("seed %d", seed).isEmpty();
    }

    @Test
    void refusalSaysWhatWouldBeAccepted() {
        for (String[] each : Arrays.asList(
                new String[] {"0 0 0 ? * MON#2,FRI", "MON#2,FRI"},
                new String[] {"0 0 0 ? * MON/2", "MON/2"},
                new String[] {"0 0 99 * * ?", "99"},
                new String[] {"0 0 0 ? JANUARY MON", "JANUARY"})) {
            try {
                CronParser.parse(each[0]);
            } catch (ParseException e) {
                assertThat(e).hasMessageContaining("'" + each[1] + "'").hasMessageContaining("accepted: ");
                continue;
            }
            wrong.add(each[0]);
        }
        assertThat(wrong()).isEmpty();
    }

    @Test
    void expressionOfAnotherDialectIsRefusedWithAHint() {
        assertThat(refusal("0 0 6 * * *")).isEqualTo("day of month or day of week must be '?'; write 0 0 6 * * ?");
        assertThat(refusal("0 0 6 1 * *")).endsWith("; write 0 0 6 1 * ?");
        assertThat(refusal("0 0 6 * * mon-fri 2030")).endsWith("; write 0 0 6 ? * MON-FRI 2030");
        assertThat(refusal("0 0 6 1 * MON")).isEqualTo("day of month or day of week must be '?'");
    }

    @Test
    void hintForAnotherDialectIsAnAcceptedExpression() {
        String days = "; days of the week are 1 (Sunday) to 7, or SUN to SAT";
        assertThat(refusal("0 0 6 * * 0")).isEqualTo("day of month or day of week must be '?'" + days);
        assertThat(refusal("0 0 6 * * 1-5"))
                .isEqualTo("day of month or day of week must be '?'; write 0 0 6 ? * 1-5" + days);
        assertThat(refusal("0 0 6 * * SUN,0")).isEqualTo("day of month or day of week must be '?'" + days);
        assertThat(refusal("0 0 99 * * *")).isEqualTo("day of month or day of week must be '?'");
    }

    private static String refusal(String expression) {
        return assertThrows(ParseException.class, () -> CronParser.parse(expression))
                .getMessage();
    }
}
