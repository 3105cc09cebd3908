package io.ostraka.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.api.RetryPolicy;
import io.ostraka.fixtures.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the manual lists each field of a configuration in its group and with its default. */
class ConfigurationManualTest {
    private static final Map<JobField.Group, String> HEADINGS = Map.of(
            JobField.Group.JOB, "## The job",
            JobField.Group.PLACEMENT, "## Placement: which instances have its items",
            JobField.Group.LIMITS, "## Limits",
            JobField.Group.POLICIES, "## Policies: missed, overlapping, failed and interrupted fires");

    @Test
    void hasARowForEachFieldWithItsDefault() throws IOException {
        List<String> manual = Files.readAllLines(Repository.page("configuration.md"));
        for (JobField.Group group : JobField.Group.values()) {
            List<String> expected = JobConfiguration.fields().stream()
                    .filter(field -> field.group() == group)
                    .map(field -> "| `" + field.name() + "` | " + shown(field) + " |")
                    .toList();
            List<String> rows = manual.stream()
                    .dropWhile(line -> !line.equals(HEADINGS.get(group)))
                    .skip(4) // the heading, a blank line, and the two header lines of the table
                    .takeWhile(line -> line.startsWith("|"))
                    .map(row -> row.substring(0, row.indexOf('|', row.indexOf('|', 1) + 1) + 1))
                    .toList();
            assertThat(rows).as("%s", group).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/configuration.md",
                "docs/coming-from-elasticjob.md",
                "docs/schedules.md",
                "docs/design/how-it-works.md",
                "docs/design/decisions.md",
                "job-api/src/main/java/io/ostraka/api/MisfirePolicy.java",
                "job-api/src/main/java/io/ostraka/api/JobConfiguration.java"
            })
    void allTextsSayTheSameAboutLateFires(String file) throws IOException {
        String text = Files.readString(Repository.root().resolve(file)).replaceAll("\\n[ *]*", " ");

        assertThat(text)
                .contains(
                        "By default, an item that could not start its fires when they came due runs the latest of them,"
                                + " however late, and skips the earlier ones.");
    }

    private static String shown(JobField<?> field) {
        if (List.of("jobName", "shardingTotalCount").contains(field.name())) {
            return "required";
        }
        @Nullable Object unset = field.unset();
        if (unset == null || unset.equals(Map.of())) {
            return "none";
        }
        if (unset instanceof Duration span) {
            return span.isZero() ? "zero" : span.toSeconds() + " s";
        }
        if (unset instanceof RetryPolicy) {
            return "no retries";
        }
        if (unset instanceof Record kind) {
            String name = kind.getClass().getSimpleName();
            return "`" + Character.toLowerCase(name.charAt(0)) + name.substring(1) + "`";
        }
        return unset.equals("") ? "empty" : "`" + unset + "`";
    }
}
