package io.ostraka.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class LocalCronTest {
    private static final LocalDateTime FROM = LocalDateTime.of(2023, 12, 1, 0, 0);
    private static final LocalDateTime TO = LocalDateTime.of(2025, 7, 1, 0, 0);

    /** Samples that fire at whole minutes, and at most a few times a day. */
    private static final List<CronSample> SPARSE = CronSample.ALL.stream()
            .filter(sample -> !sample.interval() && !sample.expression().startsWith("*"))
            .filter(sample -> sample.expression().startsWith("0"))
            .toList();

    /**
     * Expected fires of each sample. They come from a check of every minute, and not from Quartz or from our handling
     * of W.
     */
    private static final Map<CronSample, List<LocalDateTime>> NAMED = named();

    private static Map<CronSample, List<LocalDateTime>> named() {
        Map<CronSample, List<LocalDateTime>> named = new HashMap<>();
        SPARSE.forEach(sample -> named.put(sample, new ArrayList<>()));
        for (LocalDateTime time = FROM; time.isBefore(TO); time = time.plusMinutes(1)) {
            for (CronSample sample : SPARSE) {
                if (sample.matches().test(time)) {
                    named.get(sample).add(time);
                }
            }
        }
        return named;
    }

    @ParameterizedTest
    @FieldSource("SPARSE")
    void findsExactlyTheTimesOfExpression(CronSample sample) throws Exception {
        LocalCron cron = CronParser.parse(sample.expression());
        List<LocalDateTime> found = new ArrayList<>();
        LocalDateTime time = cron.atOrAfter(FROM).orElseThrow();
        while (time.isBefore(TO)) {
            found.add(time);
            time = cron.after(time).orElseThrow();
        }

        assertThat(found).isEqualTo(NAMED.get(sample));
    }

    @Test
    void jobsWithSameExpressionShareItsTrees() throws Exception {
        assertThat(CronParser.parse("0 0 3 * * ?")).isSameAs(CronParser.parse("0 0 3 * * ?"));
    }

    @ParameterizedTest
    @FieldSource("SPARSE")
    void findsSameTimeFromAnyStart(CronSample sample) throws Exception {
        long seed = new SplittableRandom().nextLong();
        SplittableRandom random = new SplittableRandom(seed);
        LocalCron cron = CronParser.parse(sample.expression());
        List<LocalDateTime> named = NAMED.get(sample);
        LocalDateTime previous = FROM;
        for (LocalDateTime next : named) {
            long seconds = Duration.between(previous, next).toSeconds();
            LocalDateTime between = previous.plusSeconds(seconds == 0 ? 0 : random.nextLong(seconds));
            if (between.isBefore(next)) {
                assertThat(cron.after(between))
                        .as("after %s, seed %d", between, seed)
                        .contains(next);
            }
            previous = next;
        }
    }

    @Test
    void detectsExpressionsThatFireInEveryHour() {
        assertThat(CronSample.ALL).allSatisfy(sample -> assertThat(CronParser.firesInEveryHour(sample.expression()))
                .isEqualTo(sample.interval()));
        assertThat(CronParser.firesInEveryHour("0 0 12-11 * * ?")).isTrue();
        assertThat(CronParser.firesInEveryHour("0 0 1-23 * * ?")).isFalse();
        assertThat(CronParser.firesInEveryHour("0 0 0-22 * * ?")).isFalse();
    }
}
