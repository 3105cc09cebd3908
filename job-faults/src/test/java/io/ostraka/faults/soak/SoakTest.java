package io.ostraka.faults.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.faults.history.Violation;
import io.ostraka.faults.mutants.Mutant;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real workers on a real ensemble: nothing is lost whatever befalls, and what is wrong with the protocol is found. */
@Tag("cluster")
@Timeout(900)
class SoakTest {
    /** A defect needs the right moment: within how many seeds it must be found. */
    private static final int TRIES = 4;

    @Test
    void nothingIsLostOrDoubledInThreeMinutes() throws Exception {
        Part part = new Part(new Random().nextInt(100_000), 3, Path.of("target/soak-test"));
        System.out.println("soak: seed " + part.seed());

        SoakResult result = part.run(line -> {});

        System.out.println(result.figure());
        Part.tell(result, System.out);
        assertThat(result.held())
                .as(
                        "%s; everything is kept in %s",
                        result.figure(), part.directory().toAbsolutePath())
                .isTrue();
        assertThat(result.numberOfFaults()).isGreaterThan(10);
        assertThat(result.tally().all().runs()).isGreaterThan(1_000);
        part.delete();
    }

    @Test
    void aClaimOfUnknownOutcomeThatIsTakenAsDoneIsFound(@TempDir Path directory) throws Exception {
        assertThat(found(
                        Mutant.UNKNOWN_AS_SUCCESS,
                        EnumSet.of(Fault.Kind.REPLIES_LOST, Fault.Kind.CONNECTIONS_RESET),
                        Duration.ofSeconds(20),
                        directory))
                .extracting(Violation::invariant)
                .contains("I1");
    }

    @Test
    void aCompletionWithoutVersionIsFound(@TempDir Path directory) throws Exception {
        assertThat(found(
                        Mutant.COMPLETION_WITHOUT_VERSION,
                        EnumSet.of(Fault.Kind.OVERTAKEN),
                        Duration.ofSeconds(55),
                        directory))
                .extracting(Violation::invariant)
                .contains("I2");
    }

    private static List<Violation> found(Mutant mutant, Set<Fault.Kind> kinds, Duration length, Path directory)
            throws Exception {
        for (long seed = 1; seed <= TRIES; seed++) {
            Path own = Files.createDirectory(directory.resolve("seed-" + seed));
            List<Violation> violations =
                    Soak.run(FaultPlan.of(seed, length, kinds), own, mutant).violations();
            if (!violations.isEmpty()) {
                System.out.println(
                        mutant + ", seed " + seed + ": " + violations.get(0).what());
                return violations;
            }
        }
        return List.of();
    }
}
