package io.ostraka.history;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.ostraka.fixtures.ArchitectureRules;
import io.ostraka.fixtures.LockRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks the dependencies between the packages of this module. */
class ArchitectureTest {
    private static final String ROOT = "io.ostraka.history";
    private static final JavaClasses MAIN = ArchitectureRules.mainClasses(ROOT);

    /** The events of {@code job-api} are the only connection to the engine. */
    @ParameterizedTest
    @CsvSource({
        "io.ostraka.history.row, io.ostraka.api..",
        "io.ostraka.history.spool, io.ostraka.history.row",
        "io.ostraka.history.jdbc, io.ostraka.history.row io.ostraka.history.spool io.ostraka.api..",
        "io.ostraka.history, io.ostraka.history.row io.ostraka.history.spool io.ostraka.history.jdbc io.ostraka.api.."
    })
    void packageSeesOnlyThoseBelowIt(String name, String below) {
        String[] others =
                (name + " " + below + " java.. javax.sql.. com.google.gson.. org.slf4j.. org.jspecify..").split(" ");
        classes()
                .that()
                .resideInAPackage(name)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(others)
                .check(MAIN);
    }

    @Test
    void noneWaitsForTheDatabaseOrAForcedDiskUnderALock() {
        assertThat(LockRules.waitsUnderALock(
                        ROOT,
                        "extensions/history",
                        "io\\.ostraka\\.history\\.(jdbc\\.HistoryDatabase\\.(connect|prepare)"
                                + "|spool\\.Segment\\.force)\\(.*"))
                .as("only where this process closes a spool that it no longer needs or has lost")
                .containsExactlyInAnyOrder(
                        "History.started -> SpoolDirectory.begin",
                        "Spool.close -> Spool.end",
                        "Spool.delete -> Spool.close",
                        "Spool.leave -> Spool.close",
                        "SpoolDirectory.append -> SpoolDirectory.prepareOwn",
                        "SpoolDirectory.begin -> SpoolDirectory.prepareOwn",
                        "SpoolDirectory.finished -> Spool.delete",
                        "SpoolDirectory.release -> Spool.delete",
                        "SpoolDirectory.release -> Spool.leave",
                        "SpoolDirectory.spools -> SpoolDirectory.prepareOwn");
    }

    @Test
    void onlyTimeReadsTheTimeAndPackagesFormNoCircle() {
        ArchitectureRules.check(ROOT, Time.class);
    }
}
