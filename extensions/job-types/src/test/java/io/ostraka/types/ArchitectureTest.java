package io.ostraka.types;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the dependencies of this module and of ostraka-http. */
class ArchitectureTest {
    private static final String[] LIBRARIES = {"java..", "javax.crypto..", "org.jspecify..", "org.slf4j.."};

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.ostraka.types", "io.ostraka.http");

    @Test
    void requestsKnowTheApiAlone() {
        classes()
                .that()
                .resideInAPackage("io.ostraka.http")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with("io.ostraka.http", "io.ostraka.api"))
                .check(MAIN);
    }

    @Test
    void jobTypesKnowNothingOfTheEngineButItsClockAndThreads() {
        classes()
                .that()
                .resideInAPackage("io.ostraka.types")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(
                        "io.ostraka.types",
                        "io.ostraka.api..",
                        "io.ostraka.http",
                        "io.ostraka.lite",
                        "io.ostraka.core.time",
                        "com.google.gson.."))
                .check(MAIN);
    }

    @Test
    void nobodyReadsTheTimeOrSleepsOrPrints() {
        noClasses()
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould(ACCESS_STANDARD_STREAMS)
                .check(MAIN);
    }

    private static String[] with(String... packages) {
        return Stream.of(LIBRARIES, packages).flatMap(Stream::of).toArray(String[]::new);
    }
}
