package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Schedule;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.testkit.Instances;
import io.ostraka.testkit.OstrakaExtension;
import io.ostraka.testkit.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests values that a console with mask-parameters hides: they are neither compared nor sent. */
@ExtendWith(OstrakaExtension.class)
class MaskedTest {
    private static final String JOB = "settle";
    private static final String NOT_COMPARED =
            "job 'settle': jobParameter is not compared, because its value in the document is hidden (***)";

    @TempDir
    private Path folder;

    private Harness masked;
    private Harness direct;

    @BeforeEach
    void start(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder(JOB, 1)
                        .schedule(Schedule.onDemand())
                        .build());
        masked = Harness.masked(cluster);
        direct = Harness.of(cluster);
        assertThat(direct.run("job", "override", "set", JOB, "jobParameter=secret"))
                .isZero();
        cluster.advance(Duration.ofSeconds(6));
    }

    private String export(Harness ostraka) throws IOException {
        assertThat(ostraka.run("namespace", "export")).isZero();
        return Files.writeString(folder.resolve("settings.json"), ostraka.out()).toString();
    }

    @Test
    void comparisonNamesTheFieldsThatItLeavesOut() throws IOException {
        String file = export(masked);
        assertThat(masked.out()).contains("***").doesNotContain("secret");

        for (Harness ostraka : List.of(masked, direct)) {
            assertThat(ostraka.run("namespace", "diff", file)).isZero();
            assertThat(ostraka.out().lines()).containsExactly("DIFFERENCE", NOT_COMPARED);
        }
    }

    @Test
    void differenceOfValuesIsShownWithoutThem() throws IOException {
        String file = export(direct);
        assertThat(masked.run("namespace", "diff", file)).isZero();
        assertThat(masked.out()).isEmpty();

        Files.writeString(Path.of(file), Files.readString(Path.of(file)).replace("secret", "other"));
        assertThat(masked.run("namespace", "diff", file)).isZero();
        assertThat(masked.out()).contains("with different values").doesNotContain("secret", "other", "***");
    }

    @Test
    void hiddenValuesAreNeverStored() throws IOException {
        String file = export(masked);
        for (Harness ostraka : List.of(masked, direct)) {
            assertThat(ostraka.run("namespace", "apply", file, "--yes")).isEqualTo(ExitCode.USAGE.code());
            assertThat(ostraka.err()).contains("document.overrides.settle.jobParameter is hidden (***)");
            int before = ostraka.requests().size();
            assertThat(ostraka.run("job", "override", "set", JOB, "jobParameter=***"))
                    .isEqualTo(ExitCode.USAGE.code());
            assertThat(ostraka.err()).contains("FIELD=VALUE has ***");
            assertThat(ostraka.run("job", "trigger", JOB, "--parameter", "day=***"))
                    .isEqualTo(ExitCode.USAGE.code());
            assertThat(ostraka.err()).contains("--parameter has ***");
            assertThat(ostraka.requests()).hasSize(before);
        }
        direct.run("namespace", "export");
        assertThat(direct.out()).contains("\"jobParameter\": \"secret\"");
    }

    @Test
    void fieldsWithoutAValueAreNotShownAsIfTheyHadOne(@Instances(1) TestCluster cluster) {
        cluster.schedule(
                context -> {},
                JobConfiguration.newBuilder("plain", 1)
                        .schedule(Schedule.onDemand())
                        .build());
        Harness ostraka = Harness.masked(cluster);

        assertThat(ostraka.run("job", "get", "plain")).isZero();
        assertThat(ostraka.out()).contains("schedule").doesNotContain("***", "jobParameter");
    }
}
