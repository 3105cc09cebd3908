package io.ostraka.core.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.api.JobConfigurationException;
import io.ostraka.api.Schedule;
import io.ostraka.core.model.FireTimes;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulesTest {
    private static final Iterable<CronSample> SAMPLES = CronSample.ALL;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "every day",
                "* * * * *",
                "* * * * * *",
                "* * * * * ? * *",
                "0 0 25 * * ?",
                "60 * * * * ?",
                "0 0 0 ? * 8",
                "0 0 0 ? * MON#6",
                // these Quartz parses, but can't evaluate
                ", * * * * ?",
                "0 0 0 1 L ?",
                "0 0 0 ? * ,",
                "0 0 9 15W-18 * ?",
                // this one it would parse until the memory is full
                "0 0 0 1 1 ? 1970-999999999"
            })
    void aCronExpressionThatCannotBeReadIsRefusedByNameFieldAndValue(String expression) {
        Schedule schedule = Schedule.cron(expression);

        assertThatThrownBy(() -> Schedules.validate("settle-orders", schedule))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining(
                        "job 'settle-orders': schedule is '" + expression + "'; accepted: a cron expression");
        assertThatThrownBy(() -> Schedules.of("settle-orders", schedule, Instant.EPOCH))
                .isInstanceOf(JobConfigurationException.class);
    }

    @Test
    void aRefusalSaysWhatQuartzSays() {
        assertThatThrownBy(() -> Schedules.validate("settle-orders", Schedule.cron("0 0 25 * * ?")))
                .hasMessageContaining("(Hour values must be between 0 and 23)");
    }

    @Test
    void anEndlessExpressionIsRefused() {
        assertThatThrownBy(() -> Schedules.validate("job", Schedule.cron("0 0 0 1 1 ?" + " ".repeat(1_000))))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining("at most 1000 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 0 0 30 2 ?", "0 0 0 31 4,6,9,11 ?", "0 0 9 31W 2 ?", "0 0 0 1 1 ? 1950"})
    void anExpressionThatNeverFiresIsRefusedFromUsersButStillReadable(String expression) {
        Schedule schedule = Schedule.cron(expression);

        assertThatThrownBy(() -> Schedules.validate("job", schedule))
                .isInstanceOf(JobConfigurationException.class)
                .hasMessageContaining("schedule is '" + expression + "'; accepted: a cron expression that fires");
        assertThat(Schedules.of("job", schedule, Instant.EPOCH).next(Instant.EPOCH))
                .isEmpty();
    }

    @ParameterizedTest
    @FieldSource("SAMPLES")
    void ordinaryExpressionsAreAccepted(CronSample sample) {
        assertThatCode(() -> Schedules.validate("job", Schedule.cron(sample.expression())))
                .doesNotThrowAnyException();
    }

    @Test
    void aYearThatHasPassedIsAccepted() {
        assertThatCode(() -> Schedules.validate("job", Schedule.cron("0 0 0 1 1 ? 2020")))
                .doesNotThrowAnyException();
    }

    @Test
    void aPeriodOfMoreThanACenturyIsRefused() {
        assertThatCode(() -> Schedules.validate("job", Schedule.fixedRate(Duration.ofDays(36_500))))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> Schedule.fixedRate(Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fixed rate period is PT2562047788015215H30M7S; accepted: whole milliseconds");
    }

    @Test
    void onDemandNeverFires() {
        Schedules.validate("job", Schedule.onDemand());
        FireTimes fireTimes = Schedules.of("job", Schedule.onDemand(), Instant.EPOCH);

        assertThat(fireTimes.next(Instant.MIN)).isEmpty();
        assertThat(fireTimes.latest(Instant.MIN, Instant.MAX, 1)).isEmpty();
        assertThat(fireTimes.count(Instant.MIN, Instant.MAX)).isZero();
    }
}
