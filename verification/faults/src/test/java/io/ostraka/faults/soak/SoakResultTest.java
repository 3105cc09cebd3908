package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.worker.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SoakResultTest {
    private static final FireCounts TALLY = new FireCounts(
            Map.of("job", new FireCounts.Fires(93, 7, 0, Map.of("SUCCEEDED", 99L), Map.of("MISFIRED", 10L))),
            900,
            3,
            150,
            5,
            4,
            1);

    @Test
    void sumAddsUpParts() {
        SoakResult sum = SoakResult.sum(List.of(result(1, 200), result(2, 300)));

        assertThat(sum.seeds()).containsExactly(1L, 2L);
        assertThat(sum.minutes()).isEqualTo(20);
        assertThat(sum.faults()).containsExactly(Map.entry("stall", 6L), Map.entry("worker killed", 4L));
        assertThat(sum.missed()).containsExactly(Map.entry("stall", 2L));
        assertThat(sum.history()).containsExactly(Map.entry("rows", 20L));
        assertThat(sum.tally().all())
                .isEqualTo(new FireCounts.Fires(186, 14, 0, Map.of("SUCCEEDED", 198L), Map.of("MISFIRED", 20L)));
        assertThat(sum.tally().refused()).isEqualTo(10);
        assertThat(sum.figure())
                .contains("2 seeds, 20.0 minutes, 10 faults, 200 runs of 206 fires due, 14 failed over");
        assertThat(sum.times().get("restart")).containsExactly(200L, 900L, 300L, 900L);
        assertThat(sum.slowest().get("restart")).extracting(Recovery::millis).containsExactly(300L, 200L);
        assertThat(sum.bounds()).containsExactly(new Bound("restart", 1_000, 4, 900, List.of()));
        assertThat(sum.held()).isTrue();
    }

    @Test
    void sumFailsIfOnePartFails() {
        SoakResult broken = with(result(2, 300), List.of(breach()), List.of());
        SoakResult late = with(result(3, 300), List.of(), List.of("job/1 went on too late"));

        assertThat(SoakResult.sum(List.of(result(1, 200), broken)).held()).isFalse();
        assertThat(SoakResult.sum(List.of(result(1, 200), late)).held()).isFalse();
        assertThat(broken.isCorrect()).isFalse();
        assertThat(late.isCorrect()).isTrue();
        assertThat(broken.figure()).endsWith("4 violations, 0 out of bounds");
        assertThat(late.figure()).endsWith("0 violations, 1 out of bounds");
    }

    @Test
    void resultWithTooFewFaultsHasNotHeld() {
        SoakResult idle = result(1, 200, List.of("seed 1, faults: 3, at least 90"));

        assertThat(idle.held()).isFalse();
        assertThat(idle.isCorrect()).isFalse();
        assertThat(idle.figure()).endsWith("too little: seed 1, faults: 3, at least 90");
        assertThat(SoakResult.sum(List.of(result(2, 200), idle)).held()).isFalse();
        assertThat(Report.of(idle)).contains("not all held", "at least 90");
    }

    @Test
    void reportsTooLowFiguresOfLongSoak() {
        Duration trouble = Duration.ofMinutes(9);
        assertThat(MinimumFigures.lacking(trouble, 10, 90, tally(10_000, 10_000), clear(1)))
                .isEmpty();
        assertThat(MinimumFigures.lacking(trouble, 10, 89, tally(9_999, 9_999), clear(0)))
                .containsExactly(
                        "faults: 89, at least 90",
                        "runs: 9999, at least 10000",
                        "times " + Recoveries.KILLED_CLEAR + ": 0, at least 1",
                        "times " + Recoveries.OUTAGE_CLEAR + ": 0, at least 1");
        assertThat(MinimumFigures.lacking(Duration.ofMinutes(2), 3, 19, tally(3_000, 1), clear(0)))
                .containsExactly("faults: 19, at least 20");
        assertThat(MinimumFigures.lacking(trouble, 10, 90, tally(10_000, 0), clear(1)))
                .containsExactly(
                        "writes that the resource has accepted: 0, at least 1",
                        "kills inside of a once-listener's call: 0, at least 1",
                        "runs of job once: 0, at least 1");
        assertThat(MinimumFigures.lacking(Duration.ofMinutes(1), 2, 10, tally(2_000, 1), clear(0)))
                .isEmpty();
    }

    /** Returns the counts of all jobs. The job {@code ONCE} has run only if there was at least one accepted write. */
    private static FireCounts tally(long runs, long written) {
        Map<String, FireCounts.Fires> jobs = new TreeMap<>();
        Workload.jobs().forEach(job -> jobs.put(job.jobName(), new FireCounts.Fires(1, 0, 0, Map.of(), Map.of())));
        long others = jobs.size() - 1L;
        jobs.put(Workload.ONCE, new FireCounts.Fires(written == 0 ? 0 : 1, 0, 0, Map.of(), Map.of()));
        jobs.put(Workload.RATE, new FireCounts.Fires(runs - others + (written == 0 ? 1 : 0), 0, 0, Map.of(), Map.of()));
        return new FireCounts(jobs, 0, 0, written + 7, 7, 1, written);
    }

    private static List<Bound> clear(long judged) {
        return List.of(
                new Bound(Recoveries.KILLED_CLEAR, 7_200, judged, 0, List.of()),
                new Bound(Recoveries.OUTAGE_CLEAR, 5_000, judged, 0, List.of()));
    }

    @Test
    void earlierPartIsReusedOnlyForExactlySameCommit() {
        Part part = new Part(1, 10, Path.of("d"));
        SoakResult known = result(1, 200);

        assertThat(SoakCommand.serves(known, "build", part)).isTrue();
        assertThat(SoakCommand.serves(known, "another", part)).isFalse();
        assertThat(SoakCommand.serves(known, "build", new Part(2, 10, Path.of("d"))))
                .isFalse();
        assertThat(SoakCommand.serves(known, "build", new Part(1, 11, Path.of("d"))))
                .isFalse();
        for (String vague : List.of("build-dirty", "unknown")) {
            assertThat(SoakCommand.serves(ofBuild(known, vague), vague, part)).isFalse();
        }
    }

    @Test
    void writtenPartIsReadBackUnchanged(@TempDir Path directory) throws IOException {
        SoakResult result = with(result(1, 200), List.of(breach()), List.of("late"));
        Path file = directory.resolve("part.json");
        result.write(file);

        assertThat(SoakResult.read(file)).isEqualTo(result);
    }

    @Test
    void reportIsSelfContainedAndNamesViolations() {
        String page = Report.of(with(result(1, 200), List.of(breach()), List.of("job/1 went on too late")));

        assertThat(page)
                .contains("not all held", "&lt;twice&gt;", "event &amp; event", "job/1 went on too late", "<svg")
                .doesNotContain("<script", "http:", "https:", " src=", "<link");
        assertThat(Report.of(result(1, 200))).contains("all held", "None of I1 to I8.");
    }

    @Test
    void hourIsDividedIntoSeedsOfTenMinutes() {
        assertThat(SoakCommand.parts(60, 5, Path.of("d"), false))
                .extracting(Part::seed)
                .containsExactly(5L, 6L, 7L, 8L, 9L, 10L);
        assertThat(SoakCommand.parts(21, 1, Path.of("d"), false))
                .extracting(Part::minutes)
                .containsExactly(10.0, 11.0);
    }

    private static SoakResult.Breach breach() {
        return new SoakResult.Breach(1, "I2", "it ends <twice>", List.of("event & event"));
    }

    private static SoakResult result(long seed, long millis) {
        return result(seed, millis, List.of());
    }

    private static SoakResult result(long seed, long millis, List<String> lacking) {
        return new SoakResult(
                "build",
                "2 processors",
                List.of(seed),
                10,
                4,
                Map.of("worker killed", 2L, "stall", 3L),
                Map.of("stall", 1L),
                TALLY,
                Map.of("restart", List.of(millis, 900L)),
                Map.of("restart", List.of(new Recovery("job/0", "a kill", millis, null, true, List.of("event")))),
                List.of(new Bound("restart", 1_000, 2, 900, List.of())),
                lacking,
                Map.of("rows", 10L),
                Map.of(),
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
                of.missed(),
                of.tally(),
                of.times(),
                of.slowest(),
                List.of(new Bound("restart", 1_000, 2, 900, late)),
                of.lacking(),
                of.history(),
                breaches.isEmpty() ? Map.of() : Map.of("I2", 4L), // only one of them is reported
                breaches);
    }

    private static SoakResult ofBuild(SoakResult of, String build) {
        return new SoakResult(
                build,
                of.machine(),
                of.seeds(),
                of.minutes(),
                of.workers(),
                of.faults(),
                of.missed(),
                of.tally(),
                of.times(),
                of.slowest(),
                of.bounds(),
                of.lacking(),
                of.history(),
                of.violations(),
                of.breaches());
    }
}
