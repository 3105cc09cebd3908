package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.test.tools.SourceFile;
import org.springframework.core.test.tools.TestCompiler;

/** The documents about Spring Boot: readers copy their Java, and look up all properties in their tables. */
class SpringDocumentsTest {
    private static final Path ROOT = Repository.root();

    private static final Pattern BLOCK =
            Pattern.compile("^ *```java\\n(.*?)^ *```", Pattern.MULTILINE | Pattern.DOTALL);

    /** An import that {@code DocumentsCompileTest} cannot compile; it compiles the blocks without one. */
    private static final Pattern SPRING =
            Pattern.compile("^import (?:org\\.springframework|io\\.ostraka\\.spring)\\.", Pattern.MULTILINE);

    private static final Pattern FIRST_CELL = Pattern.compile("^\\| (`[^|]+) \\|", Pattern.MULTILINE);

    /** Types of the reader's application that the documents name without a declaration. */
    private static final String APPLICATION =
            """
            package %s;
            final class Application {
                interface Order {}
                interface Orders {
                    java.util.List<Order> unsettled(int item, int items);
                    void settle(Order order, long token);
                }
                interface Carts { void expire(int item); }
                interface Mail { void send(String text); }
                abstract static class OrdersInMemory {
                    static Orders empty() { throw new UnsupportedOperationException(); }
                }
            }
            """;

    @Test
    void everyBlockOfJavaWithSpringCompiles() {
        List<SourceFile> sources = new ArrayList<>();
        for (String document : List.of("README", "docs/spring")) {
            String folder = document.replace("docs/", "").toLowerCase(Locale.ROOT);
            sources.add(SourceFile.of(folder + "/Application.java", APPLICATION.formatted(folder)));
            BLOCK.matcher(read(document + ".md"))
                    .results()
                    .map(block -> block.group(1))
                    .filter(SPRING.asPredicate())
                    .forEach(block -> sources.add(SourceFile.of(
                            folder + "/Block" + sources.size() + ".java",
                            "package %1$s;%nimport static %1$s.Application.*;%n".formatted(folder) + block)));
        }

        assertThat(sources).hasSizeGreaterThan(8);
        TestCompiler.forSystem().withSources(sources).compile(compiled -> {});
    }

    @Test
    void tablesNameExactlyTheProperties() {
        String defaults = JobSettings.DEFAULTS + ".";
        List<String> properties = properties();
        String document = read("docs/spring.md");

        assertThat(Stream.of("### Properties of the instance", "## Configuration from a platform")
                        .flatMap(heading -> names(document, heading).stream()))
                .containsExactlyInAnyOrderElementsOf(properties.stream()
                        .filter(name -> !name.startsWith(defaults))
                        .toList());
        assertThat(names(document, "### Properties of a job"))
                .containsExactlyInAnyOrderElementsOf(properties.stream()
                        .filter(name -> name.startsWith(defaults))
                        .map(name -> name.substring(defaults.length()))
                        .toList());
    }

    private static List<String> names(String document, String heading) {
        String section =
                document.substring(document.indexOf(heading) + heading.length()).split("\n##", 2)[0];
        return FIRST_CELL
                .matcher(section)
                .results()
                .flatMap(cell -> Stream.of(cell.group(1).replace("`", "").split(", ")))
                .toList();
    }

    /** Returns the names that IDEs complete, below {@code ostraka}. */
    static List<String> properties() {
        try {
            return Collections.list(SpringDocumentsTest.class
                            .getClassLoader()
                            .getResources("META-INF/spring-configuration-metadata.json"))
                    .stream()
                    .flatMap(SpringDocumentsTest::properties)
                    .filter(name -> name.startsWith("ostraka."))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> properties(URL metadata) {
        try (var stream = metadata.openStream()) {
            String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            Map<String, Object> all = JsonParserFactory.getJsonParser().parseMap(text);
            return ((List<?>) Objects.requireNonNull(all.get("properties")))
                    .stream().map(property -> String.valueOf(((Map<?, ?>) property).get("name")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
