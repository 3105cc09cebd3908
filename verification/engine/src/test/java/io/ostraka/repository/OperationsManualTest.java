package io.ostraka.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobHealth;
import io.ostraka.api.SkipReason;
import io.ostraka.fixtures.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the operations manual explains each name that health and records show, and no other names. */
class OperationsManualTest {
    private static final Pattern CODE = Pattern.compile("`([A-Z_]+)`");

    @Test
    void explainsEveryReasonForWhichAFireIsNotRun() throws IOException {
        assertThat(firstColumn("| reason | why |")).containsExactlyInAnyOrderElementsOf(names(SkipReason.values()));
    }

    @Test
    void explainsEveryReasonOfHealth() throws IOException {
        assertThat(firstColumn("| reason | meaning | what to do |"))
                .containsExactlyInAnyOrderElementsOf(names(JobHealth.Kind.values()));
    }

    private static List<String> names(Enum<?>[] values) {
        return Arrays.stream(values).map(Enum::name).toList();
    }

    /** Returns the names in the first column of the table with this header line. */
    private static List<String> firstColumn(String head) throws IOException {
        return Files.readAllLines(Repository.page("operations.md")).stream()
                .dropWhile(line -> !line.equals(head))
                .skip(2) // the two header lines
                .takeWhile(line -> line.startsWith("|"))
                .flatMap(row -> CODE.matcher(row.split("\\|", -1)[1]).results())
                .map(code -> code.group(1))
                .toList();
    }
}
