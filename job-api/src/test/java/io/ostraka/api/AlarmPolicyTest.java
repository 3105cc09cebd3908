package io.ostraka.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AlarmPolicyTest {
    @ParameterizedTest
    @EnumSource
    void everyKindIsOnByDefaultAndHasItsDefaultLimit(AlarmKind kind) {
        assertThat(AlarmPolicy.defaults().has(kind)).isTrue();
        assertThat(AlarmPolicy.defaults().limit(kind).orElse(null)).isEqualTo(kind.limit());
        assertThat(AlarmPolicy.none().has(kind)).isEqualTo(!kind.isOfJob());
    }

    @ParameterizedTest
    @ValueSource(strings = {"default", "MISSED=PT10M", "MISSED=PT10M LATE=off FAILING=3", "QUARANTINED=off"})
    void textIsParsedAndWrittenAlike(String text) {
        assertThat(AlarmPolicy.of(text)).hasToString(text);
        assertThat(AlarmPolicy.of(AlarmPolicy.of(text).toString())).isEqualTo(AlarmPolicy.of(text));
    }

    @Test
    void textMayHaveLowerCaseHyphensAndCommas() {
        assertThat(AlarmPolicy.of("runs-too-long=pt1h, failing=2,late=OFF"))
                .isEqualTo(AlarmPolicy.defaults()
                        .after(AlarmKind.RUNS_TOO_LONG, Duration.ofHours(1))
                        .failuresInARow(2)
                        .without(AlarmKind.LATE))
                .hasSameHashCodeAs(AlarmPolicy.of("RUNS_TOO_LONG=PT1H FAILING=2 LATE=off"));
        assertThat(AlarmPolicy.of("off")).isEqualTo(AlarmPolicy.none());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "MISSED",
                "=PT1M",
                "MISSED=",
                "MISSED=5",
                "MISSED=PT0S",
                "MISSED=-PT1S",
                "MISSED=PT999999999H",
                "FAILING=PT1M",
                "FAILING=0",
                "FAILING=-1",
                "FAILING=99999999999",
                "QUARANTINED=PT1M",
                "NEVER=PT1M",
                "MISSED=PT1M MISSED=PT2M",
                "HISTORY_LOST=off",
                "HISTORY_LOST=PT1H"
            })
    void otherTextsAreRefusedWithWhatIsAccepted(String text) {
        assertThatThrownBy(() -> AlarmPolicy.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(error -> assertThat(error.getMessage()).matches("(?s).*(accepted|accept|belongs).*"));
    }
}
