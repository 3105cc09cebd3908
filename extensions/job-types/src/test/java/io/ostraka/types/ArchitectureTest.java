package io.ostraka.types;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.ostraka.fixtures.ArchitectureRules;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the dependencies of this module and of ostraka-http. */
class ArchitectureTest {
    private static final String[] LIBRARIES = {"java..", "javax.crypto..", "org.jspecify..", "org.slf4j.."};

    private static final JavaClasses MAIN = ArchitectureRules.mainClasses("io.ostraka");

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
    void nobodyUsesTheMachineDirectly() {
        ArchitectureRules.check("io.ostraka.types");
        ArchitectureRules.check("io.ostraka.http");
    }

    private static String[] with(String... packages) {
        return Stream.of(LIBRARIES, packages).flatMap(Stream::of).toArray(String[]::new);
    }
}
