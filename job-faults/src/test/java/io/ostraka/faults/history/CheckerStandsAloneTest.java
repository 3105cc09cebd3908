package io.ostraka.faults.history;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** A checker that used the engine would share its mistakes. */
class CheckerStandsAloneTest {
    @Test
    void checkerDependsNeitherOnTheEngineNorOnItsRunners() {
        classes()
                .that()
                .resideInAPackage("io.ostraka.faults.history")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.ostraka.faults.history", "com.google.gson..", "java..", "org.jspecify.annotations")
                .check(new ClassFileImporter()
                        .withImportOption(location -> !location.contains("/test-classes/"))
                        .importPackages("io.ostraka.faults.history"));
    }
}
