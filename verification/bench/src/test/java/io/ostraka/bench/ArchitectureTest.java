package io.ostraka.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** Checks the dependencies between the packages of this module, and the dependencies on verification/faults. */
class ArchitectureTest {
    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .withImportOption(location -> !location.contains("package-info"))
            .importPackages("io.ostraka.bench");

    @Test
    void comparisonAloneUsesFaults() {
        noClasses()
                .that()
                .resideInAPackage("io.ostraka.bench")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.ostraka.faults..")
                .check(MAIN);
    }

    @Test
    void comparisonUsesEnsembleAndHistoryAlone() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.ostraka.faults.model..",
                        "io.ostraka.faults.mutants..",
                        "io.ostraka.faults.simulation..",
                        "io.ostraka.faults.soak..",
                        "io.ostraka.faults.worker..")
                .check(MAIN);
    }

    /** Each contender runs with only its own dependencies, so the interface may refer to no scheduler. */
    @Test
    void contenderNamesNoSchedulersClasses() {
        classes()
                .that()
                .haveFullyQualifiedName(Contender.class.getName())
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.ostraka.bench", "java..", "org.jspecify.annotations")
                .check(MAIN);
    }

    @Test
    void noPackagesUseEachOther() {
        slices().matching("(io.ostraka.bench..)").should().beFreeOfCycles().check(MAIN);
    }
}
