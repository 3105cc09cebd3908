package io.ostraka.examples;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.api.SimpleJob;
import io.ostraka.fixtures.Repository;
import io.ostraka.jdbc.JdbcFence;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.testkit.TestCluster;
import io.ostraka.zk.EmbeddedZooKeeper;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
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

    private static final Set<String> WITHOUT_CODE =
            Set.of("spring/boot-3-starter", "spring/boot-4-starter", "verification/engine", "verification/zookeeper");

    private static final Path ROOT = Repository.root();
    private static final String BOM = "build/bom";

    /** The artifact of each folder. A folder may move, but applications name the artifact. */
    private static final Map<String, String> ARTIFACTS = Map.ofEntries(
            entry("job-api", "ostraka-job-api"),
            entry("job-core", "ostraka-job-core"),
            entry("job-zk", "ostraka-job-zk"),
            entry("job-lite-bootstrap", "ostraka-job-lite-bootstrap"),
            entry("job-testkit", "ostraka-job-testkit"),
            entry("extensions/history", "ostraka-job-history"),
            entry("extensions/http", "ostraka-http"),
            entry("extensions/jdbc", "ostraka-job-jdbc"),
            entry("extensions/job-types", "ostraka-job-types"),
            entry("extensions/mail", "ostraka-job-mail"),
            entry("extensions/micrometer", "ostraka-job-micrometer"),
            entry("extensions/remote", "ostraka-job-remote"),
            entry("spring/common", "ostraka-job-spring"),
            entry("spring/boot-3", "ostraka-job-spring-boot-3"),
            entry("spring/boot-4", "ostraka-job-spring-boot-4"),
            entry("spring/boot-3-starter", "ostraka-spring-boot-3-starter"),
            entry("spring/boot-4-starter", "ostraka-spring-boot-4-starter"),
            entry("operator/cli", "ostraka-job-cli"),
            entry("operator/console", "ostraka-job-console"),
            entry("operator/operations", "ostraka-job-operations"),
            entry("examples/plain", "ostraka-examples"),
            entry("examples/playground", "ostraka-job-playground"),
            entry("examples/spring-boot", "ostraka-example-spring-boot"),
            entry("examples/spring-boot-settlement", "ostraka-example-spring-boot-settlement"),
            entry("verification/fixtures", "ostraka-fixtures"),
            entry("verification/engine", "ostraka-job-engine-tests"),
            entry("verification/zookeeper", "ostraka-zookeeper-tests"),
            entry("verification/faults", "ostraka-job-faults"),
            entry("verification/bench", "ostraka-job-bench"));

    private static final Pattern IMPORT_OF_THE_CORE = Pattern.compile("^import (static )?io\\.ostraka\\.core\\.");

    /** Returns the folder and the pom of each module with code. */
    private static Map<String, Element> modules() throws Exception {
        var modules = new LinkedHashMap<String, Element>();
        Element names = child(pom(ROOT), "modules");
        for (Element module : children(names)) {
            if (!module.getTextContent().equals(BOM)) {
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
        var artifacts = new HashMap<String, String>();
        modules()
                .forEach((folder, pom) ->
                        artifacts.put(folder, child(pom, "artifactId").getTextContent()));
        assertThat(artifacts).isEqualTo(ARTIFACTS);
    }

    @Test
    void theBomHasEveryModuleThatIsInstalledAndNoOther() throws Exception {
        Element bom = pom(ROOT.resolve(BOM));
        List<String> managed = children(child(child(bom, "dependencyManagement"), "dependencies")).stream()
                .filter(dependency ->
                        child(dependency, "groupId").getTextContent().equals("io.ostraka"))
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
            Path sources = directory.resolve("src/main/java");
            if (WITHOUT_CODE.contains(module.getKey())) {
                assertThat(sources).doesNotExist();
                continue;
            }
            try (Stream<Path> files = Files.walk(sources)) {
                assertThat(files.filter(file -> file.toString().endsWith(".java")))
                        .as(module.getKey())
                        .isNotEmpty()
                        .allMatch(file -> file.startsWith(sources.resolve(name.replace('.', '/')))
                                || (module.getKey().startsWith("spring/boot-")
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
        Class<?> operations = Class.forName("io.ostraka.operations.NamespaceOperations");
        for (Class<?> type : List.of(
                SimpleJob.class,
                core,
                operations,
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
                        "io.ostraka.operations",
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
