package io.ostraka.faults.history;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that the checker does not use the engine. Otherwise it would share the engine's mistakes. */
class CheckerStandsAloneTest {
    @Tag("slow")
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
