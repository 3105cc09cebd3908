package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.database.PostgreSqlServer;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that real workers on a real ensemble neither lose nor double a fire under faults. If PostgreSQL is installed,
 * the workers write their history to it, it has faults as well, and its rows must agree with the recorded events. The
 * times of recoveries are only reported. The command {@code bin/faults soak}, which has the machine to itself, compares
 * them with their bounds.
 */
@Tag("faults")
@Timeout(900)
class SoakTest {
    @Test
    void threeMinutesLoseAndDoubleNothing() throws Exception {
        Part part =
                new Part(new Random().nextInt(100_000), 3, Path.of("target/soak-test"), PostgreSqlServer.isInstalled());
        System.out.println("soak: seed " + part.seed() + (part.history() ? "" : ", without PostgreSQL"));

        SoakResult result = part.run(System.out::println);

        System.out.println(result.figure());
        Part.tell(result, System.out);
        assertThat(result.isCorrect())
                .as(
                        "seed %d: violations %s, first %s; %s; files are kept in %s",
                        part.seed(),
                        result.violations(),
                        result.breaches().stream()
                                .findFirst()
                                .map(each -> each.invariant() + " " + each.what())
                                .orElse("none"),
                        result.figure(),
                        part.directory().toAbsolutePath())
                .isTrue();
        assertThat(result.numberOfFaults()).isGreaterThan(10);
        assertThat(result.tally().all().runs()).isGreaterThan(1_000);
        if (part.history()) {
            assertThat(result.history().get("claims decided")).isGreaterThan(500);
        }
        part.delete();
    }
}
