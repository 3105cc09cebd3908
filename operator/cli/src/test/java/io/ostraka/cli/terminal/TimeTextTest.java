package io.ostraka.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTextTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-01-31T20:30:00Z"), ZoneId.of("Europe/Berlin"));

    @ParameterizedTest
    @CsvSource({
        "2026-02-01T08:00:00Z, 2026-02-01T08:00:00Z",
        "2026-02-01T08:00Z, 2026-02-01T08:00:00Z",
        "2026-02-01T08:00+02:00, 2026-02-01T06:00:00Z",
        "2026-02-01T08:00, 2026-02-01T07:00:00Z",
        "2026-02-01 08:00, 2026-02-01T07:00:00Z",
        "2026-02-01, 2026-01-31T23:00:00Z",
        "22:00, 2026-01-31T21:00:00Z",
        "7:05, 2026-02-01T06:05:00Z",
        "21:30:00, 2026-02-01T20:30:00Z",
        "2h30m, 2026-01-31T23:00:00Z",
        "+1d, 2026-02-01T20:30:00Z",
        "-90s, 2026-01-31T20:28:30Z"
    })
    void timesAreReadAsPeopleTypeThem(String text, Instant expected) {
        assertThat(TimeText.time(text, CLOCK)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "25:00", "2026-13-01", "2h2h", "1w", "12", "2026-02-01T", "999999999999d"})
    void otherTextsAreRefusedWithExamples(String text) {
        assertThatThrownBy(() -> TimeText.time(text, CLOCK))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("accepted: ");
    }

    @ParameterizedTest
    @CsvSource({"30s, PT30S", "1d2h, PT26H", "PT5M, PT5M", "15m, PT15M"})
    void spans(String text, Duration expected) {
        assertThat(TimeText.span(text)).isEqualTo(expected);
    }

    /** A server may send any time. */
    @Test
    void timesOfAllYearsAreShown() {
        for (String zone : List.of("Europe/Berlin", "-18:00", "+18:00", "Z")) {
            Times times = new Times(CLOCK.instant(), ZoneId.of(zone));
            for (Instant time : List.of(
                    Instant.MIN,
                    Instant.parse("-0005-01-01T00:00:00Z"),
                    Instant.parse("0000-01-01T00:00:00Z"),
                    Instant.parse("9999-12-31T23:59:59Z"),
                    Instant.parse("+10000-01-01T00:00:00Z"),
                    Instant.MAX)) {
                assertThat(times.both(time)).startsWith(time + " (");
            }
            assertThat(times.absolute(Instant.parse("0000-01-03T00:00:00Z"))).startsWith("0000-01-0");
        }
    }

    @Test
    void digitsThatAreNoTimeAreLeftAlone() {
        Times times = new Times(CLOCK.instant(), CLOCK.getZone());
        String text = "until 2026-13-45T99:99:99Z, or 0000-00-00T00:00:00Z";

        assertThat(times.local(text)).isEqualTo(text);
        assertThat(times.local("until 2026-01-31T21:00:00Z")).isEqualTo("until 2026-01-31 22:00:00 (in 30 min)");
    }

    @Test
    void timesAreShownAbsoluteAndRelative() {
        Times times = new Times(CLOCK.instant(), CLOCK.getZone());

        assertThat(times.both(CLOCK.instant().plusSeconds(300))).isEqualTo("2026-01-31 21:35:00 (in 5 min)");
        assertThat(times.relative(CLOCK.instant().minus(Duration.ofHours(25)))).isEqualTo("1 d 1 h ago");
        assertThat(times.relative(CLOCK.instant())).isEqualTo("now");
        assertThat(times.both(null)).isEqualTo("-");
    }
}
