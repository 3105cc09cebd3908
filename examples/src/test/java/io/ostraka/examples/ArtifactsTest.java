package io.ostraka.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.api.SimpleJob;
import io.ostraka.jdbc.JdbcFence;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.testkit.TestCluster;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** Checks the names that other builds refer to: artifacts, modules and the list of versions. */
class ArtifactsTest {
    /** Package of the annotation for tests of a Spring Boot application. */
    private static final String SLICE = "io/ostraka/spring/test";

    private static final Path ROOT = Path.of("..");

    private static final Pattern IMPORT_OF_THE_CORE = Pattern.compile("^import (static )?io\\.ostraka\\.core\\.");

    /** Returns the folder and the pom of each module with code. */
    private static Map<String, Element> modules() throws Exception {
        var modules = new LinkedHashMap<String, Element>();
        Element names = child(pom(ROOT), "modules");
        for (Element module : children(names)) {
            if (!module.getTextContent().equals("bom")) {
                modules.put(module.getTextContent(), pom(ROOT.resolve(module.getTextContent())));
            }
        }
        return modules;
    }

    private static Element pom(Path folder) throws Exception {
        Document document = DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(folder.resolve("pom.xml").toFile());
        return document.getDocumentElement();
    }

    private static List<Element> children(Element parent) {
        var children = new ArrayList<Element>();
        for (var node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                children.add(element);
            }
        }
        return children;
    }

    private static Element child(Element parent, String name) {
        return children(parent).stream()
                .filter(child -> child.getTagName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("<" + parent.getTagName() + "> has no <" + name + ">"));
    }

    private static boolean isInstalled(Element pom) {
        return children(child(pom, "properties")).stream()
                .noneMatch(property -> property.getTagName().equals("maven.install.skip"));
    }

    @Test
    void anArtifactIsCalledAsItsFolder() throws Exception {
        modules().forEach((folder, pom) -> assertThat(child(pom, "artifactId").getTextContent())
                .isEqualTo("ostraka-" + folder));
    }

    @Test
    void theBomHasEveryModuleThatIsInstalledAndNoOther() throws Exception {
        Element bom = pom(ROOT.resolve("bom"));
        List<String> managed = children(child(child(bom, "dependencyManagement"), "dependencies")).stream()
                .map(dependency -> child(dependency, "artifactId").getTextContent())
                .toList();
        List<String> installed = modules().values().stream()
                .filter(ArtifactsTest::isInstalled)
                .map(pom -> child(pom, "artifactId").getTextContent())
                .toList();

        assertThat(managed).containsExactlyInAnyOrderElementsOf(installed);
    }

    /** {@link #SLICE} has the same name for each line of Spring Boot; an application never has two of these modules. */
    @Test
    void eachModuleSetsAModuleNameOfItsOwnAndHasItsCodeUnderThatPackage() throws Exception {
        Map<String, Element> modules = modules();
        var names = new ArrayList<String>();
        for (var module : modules.entrySet()) {
            String name = child(child(module.getValue(), "properties"), "ostraka.module.name")
                    .getTextContent();
            names.add(name);
            Path directory = ROOT.resolve(module.getKey());
            if (module.getKey().endsWith("-starter") || module.getKey().endsWith("-tests")) {
                assertThat(directory.resolve("src/main")).doesNotExist();
                continue;
            }
            Path sources = directory.resolve("src/main/java");
            try (Stream<Path> files = Files.walk(sources)) {
                assertThat(files.filter(file -> file.toString().endsWith(".java")))
                        .as(module.getKey())
                        .isNotEmpty()
                        .allMatch(file -> file.startsWith(sources.resolve(name.replace('.', '/')))
                                || (module.getKey().startsWith("job-spring-boot-")
                                        && file.startsWith(sources.resolve(SLICE))));
            }
        }
        assertThat(names).doesNotHaveDuplicates().hasSize(modules.size());
    }

    /**
     * The examples must do without the packages of the core, because users' programs must not import these packages.
     */
    @Test
    void noProgramNamesThePackagesOfTheCore() throws Exception {
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                assertThat(Files.readAllLines(file)).as(file.toString()).noneMatch(IMPORT_OF_THE_CORE.asPredicate());
            }
        }
    }

    /** Two jars with the same package cannot be on one module path. */
    @Test
    void theJarsResolveOnAModulePath() throws Exception {
        var jars = new ArrayList<Path>();
        Class<?> core = Class.forName("io.ostraka.core.instance.JobEngine"); // programs must not import this package
        for (Class<?> type : List.of(
                SimpleJob.class,
                core,
                EmbeddedZooKeeper.class,
                ZooKeeperRegistry.class,
                JdbcFence.class,
                TestCluster.class)) {
            jars.add(Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI()));
        }
        assumeTrue(jars.stream().allMatch(Files::isRegularFile), "mvn verify makes jars, mvn test doesn't");
        ModuleFinder finder = ModuleFinder.of(jars.toArray(Path[]::new));
        Set<String> names = finder.findAll().stream()
                .map(module -> module.descriptor().name())
                .collect(Collectors.toSet());

        assertThat(names)
                .containsExactlyInAnyOrder(
                        "io.ostraka.api",
                        "io.ostraka.core",
                        "io.ostraka.zk",
                        "io.ostraka.lite",
                        "io.ostraka.jdbc",
                        "io.ostraka.testkit");
        assertThat(ModuleLayer.boot()
                        .configuration()
                        .resolve(finder, ModuleFinder.of(), names)
                        .modules())
                .hasSize(jars.size());
    }
}
