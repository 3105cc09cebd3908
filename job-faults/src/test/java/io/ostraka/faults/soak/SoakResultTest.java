package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SoakResultTest {
    private static final Tally TALLY = new Tally(
            Map.of("job", new Tally.Fires(93, 7, Map.of("SUCCEEDED", 99L), Map.of("MISFIRED", 10L))),
            900,
            3,
            150,
            5,
            4);

    @Test
    void partsAreAddedUp() {
        SoakResult sum = SoakResult.sum(List.of(result(1, 200), result(2, 300)));

        assertThat(sum.seeds()).containsExactly(1L, 2L);
        assertThat(sum.minutes()).isEqualTo(20);
        assertThat(sum.faults()).containsExactly(Map.entry("stall", 6L), Map.entry("worker killed", 4L));
        assertThat(sum.tally().all())
                .isEqualTo(new Tally.Fires(186, 14, Map.of("SUCCEEDED", 198L), Map.of("MISFIRED", 20L)));
        assertThat(sum.tally().refused()).isEqualTo(10);
        assertThat(sum.figure())
                .contains("2 seeds, 20.0 minutes, 10 faults, 200 runs of 206 fires due, 14 failed over");
        assertThat(sum.times().get("restart")).containsExactly(200L, 900L, 300L, 900L);
        assertThat(sum.slowest()).extracting(Recovery::millis).containsExactly(300L, 200L);
        assertThat(sum.bounds()).containsExactly(new Bound("restart", 1_000, 4, 900, List.of()));
        assertThat(sum.held()).isTrue();
    }

    @Test
    void whatOnePartLacksTheSumLacks() {
        SoakResult broken = with(result(2, 300), List.of(breach()), List.of());
        SoakResult late = with(result(3, 300), List.of(), List.of("job/1 went on too late"));

        assertThat(SoakResult.sum(List.of(result(1, 200), broken)).held()).isFalse();
        assertThat(SoakResult.sum(List.of(result(1, 200), late)).held()).isFalse();
        assertThat(broken.figure()).endsWith("1 violations, 0 out of bounds");
        assertThat(late.figure()).endsWith("0 violations, 1 out of bounds");
    }

    @Test
    void aPartIsReadAsItWasWritten(@TempDir Path directory) throws IOException {
        SoakResult result = with(result(1, 200), List.of(breach()), List.of("late"));
        Path file = directory.resolve("part.json");
        result.write(file);

        assertThat(SoakResult.read(file)).isEqualTo(result);
    }

    @Test
    void theReportNeedsNothingElseAndSaysWhatIsWrong() {
        String page = Report.of(with(result(1, 200), List.of(breach()), List.of("job/1 went on too late")));

        assertThat(page)
                .contains("not all held", "&lt;twice&gt;", "event &amp; event", "job/1 went on too late", "<svg")
                .doesNotContain("<script", "http:", "https:", " src=", "<link");
        assertThat(Report.of(result(1, 200))).contains("all held", "None of I1 to I8.");
    }

    @Test
    void anHourIsDividedIntoSeedsOfTenMinutes() {
        assertThat(SoakCommand.parts(60, 5, Path.of("d")))
                .extracting(Part::seed)
                .containsExactly(5L, 6L, 7L, 8L, 9L, 10L);
        assertThat(SoakCommand.parts(21, 1, Path.of("d")))
                .extracting(Part::minutes)
                .containsExactly(10.0, 11.0);
    }

    private static SoakResult.Breach breach() {
        return new SoakResult.Breach(1, "I2", "it ends <twice>", List.of("event & event"));
    }

    private static SoakResult result(long seed, long millis) {
        return new SoakResult(
                "build",
                "2 processors",
                List.of(seed),
                10,
                4,
                Map.of("worker killed", 2L, "stall", 3L),
                TALLY,
                Map.of("restart", List.of(millis, 900L)),
                List.of(new Recovery("job/0", "a kill", millis, null, true, List.of("event"))),
                List.of(new Bound("restart", 1_000, 2, 900, List.of())),
                List.of());
    }

    private static SoakResult with(SoakResult of, List<SoakResult.Breach> breaches, List<String> late) {
        return new SoakResult(
                of.build(),
                of.machine(),
                of.seeds(),
                of.minutes(),
                of.workers(),
                of.faults(),
                of.tally(),
                of.times(),
                of.slowest(),
                List.of(new Bound("restart", 1_000, 2, 900, late)),
                breaches);
    }
}
