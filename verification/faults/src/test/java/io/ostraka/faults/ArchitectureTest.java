package io.ostraka.faults;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the dependencies between the packages of this module. */
class ArchitectureTest {
    private static final String ROOT = "io.ostraka.faults";

    /** The packages of this module that each package may use, besides itself. */
    private static final Map<String, Set<String>> SEEN = Map.ofEntries(
            seen("", ".command", ".kills", ".model", ".mutants", ".simulation", ".soak"),
            seen(".command"),
            seen(".history"),
            seen(".model", ".command"),
            seen(".ensemble", ".history"),
            seen(".recorder", ".history"),
            seen(".simulation", ".command", ".history", ".recorder"),
            seen(".mutants", ".command", ".history", ".simulation"),
            seen(".database", ".history"),
            seen(".kills", ".command", ".database", ".ensemble", ".history"),
            seen(".worker", ".database", ".history", ".mutants", ".recorder", ".simulation"),
            seen(".soak", ".command", ".database", ".ensemble", ".history", ".worker"));

    private static Map.Entry<String, Set<String>> seen(String name, String... others) {
        return Map.entry(name, Set.of(others));
    }

    private static final JavaClasses MAIN = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .withImportOption(location -> !location.contains("package-info"))
            .importPackages(ROOT);

    static Stream<String> packages() {
        return SEEN.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("packages")
    void packageSeesOnlyThoseBelowIt(String name) {
        String[] seen = Stream.concat(Stream.of(name), SEEN.get(name).stream())
                .map(each -> ROOT + each)
                .toArray(String[]::new);

        classes()
                .that()
                .resideInAPackage(ROOT + name)
                .should()
                .onlyDependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(seen)
                        .or(JavaClass.Predicates.resideOutsideOfPackage(ROOT + "..")))
                .check(MAIN);
    }

    @Test
    void everyPackageIsInTheTable() {
        Set<String> present =
                MAIN.stream().map(JavaClass::getPackageName).collect(Collectors.toCollection(TreeSet::new));

        assertThat(present)
                .isEqualTo(packages().map(name -> ROOT + name).collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void noPackagesUseEachOther() {
        slices().matching("(io.ostraka.faults..)").should().beFreeOfCycles().check(MAIN);
    }
}
