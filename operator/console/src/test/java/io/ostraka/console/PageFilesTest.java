package io.ostraka.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobField;
import io.ostraka.api.operations.Operation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files of the pages: what a browser would notice late, or only in one language. */
class PageFilesTest {
    private static final Path WEB = Path.of("src/main/resources/io/ostraka/console/web");

    /** A line of the table of texts: key, English, Chinese. */
    private static final Pattern TEXT =
            Pattern.compile("^  '([^']+)': \\['((?:[^'\\\\]|\\\\.)*)', '((?:[^'\\\\]|\\\\.)*)'],$", Pattern.MULTILINE);

    /** A key that is used as a whole. A key that is composed ends with a dot or a quote and a plus sign. */
    private static final Pattern USED = Pattern.compile("\\bt\\('([A-Za-z]+\\.[A-Za-z0-9_-]+)'[,)]");

    private static final Pattern IMPORT = Pattern.compile("(?:(?<=[\\s}*])from|\\bimport) ?\\(?[\"']([^\"']+)[\"']");

    private static final Pattern COMMAND = Pattern.compile("^  '([a-z-]+)': \\{role: '([A-Z]+)'", Pattern.MULTILINE);

    @Test
    void vendoredModulesAreThePublishedOnes() throws Exception {
        Map<String, String> expected = new HashMap<>();
        for (String line : Files.readAllLines(WEB.resolve("vendor/sha256.txt"))) {
            String[] parts = line.split("\\s+");
            expected.put(parts[1], parts[0]);
        }
        Map<String, String> actual = new HashMap<>();
        for (Path module :
                modules().filter(each -> each.startsWith(WEB.resolve("vendor"))).toList()) {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(module));
            actual.put(module.getFileName().toString(), HexFormat.of().formatHex(hash));
        }
        assertThat(actual).isNotEmpty().isEqualTo(expected);
    }

    @Test
    void everyImportedModuleIsAFileHere() {
        modules().forEach(module -> assertThat(matches(IMPORT, text(module)))
                .as(module.toString())
                .allSatisfy(each -> assertThat(each.group(1)).startsWith("."))
                .allSatisfy(
                        each -> assertThat(module.resolveSibling(each.group(1)).normalize())
                                .isRegularFile()));
    }

    @Test
    void everyTextThatAScreenUsesExistsInBothLanguages() {
        Map<String, MatchResult> texts = matches(TEXT, text(WEB.resolve("app/texts.mjs"))).stream()
                .collect(Collectors.toMap(each -> each.group(1), each -> each));
        Set<String> used = new TreeSet<>();
        screens().forEach(screen -> matches(USED, text(screen)).forEach(each -> used.add(each.group(1))));
        assertThat(used).hasSizeGreaterThan(100).isSubsetOf(texts.keySet());
        assertThat(texts.values()).allSatisfy(each -> {
            assertThat(each.group(2)).as(each.group(1)).isNotBlank();
            assertThat(each.group(3)).as(each.group(1)).isNotBlank();
            assertThat(each.group(2)).as(each.group(1)).doesNotContain("this instance"); // a page belongs to none
            assertThat(names(each.group(2))).as("names in " + each.group(1)).isEqualTo(names(each.group(3)));
        });
    }

    @Test
    void everyCommandHasAButtonWithItsRoleAndItsWords() {
        Map<String, String> commands = matches(COMMAND, text(WEB.resolve("app/commands.mjs"))).stream()
                .collect(Collectors.toMap(each -> each.group(1), each -> each.group(2)));
        Map<String, String> expected = Stream.of(Operation.values())
                .filter(Operation::changes)
                .collect(Collectors.toMap(
                        each -> each.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                        each -> each.role().name()));
        assertThat(commands).isEqualTo(expected);
        String texts = text(WEB.resolve("app/texts.mjs"));
        assertThat(expected.keySet())
                .allSatisfy(each ->
                        assertThat(texts).contains("'command." + each + "'").contains("'hint." + each + "'"));
    }

    @Test
    void everyFieldThatOnlyRisesNeedsTheHighestRoleOnThePage() {
        String names = JobConfiguration.fields().stream()
                .filter(JobField::isRising)
                .map(field -> "'" + field.name() + "'")
                .collect(Collectors.joining(", "));
        assertThat(text(WEB.resolve("app/screens/settings.mjs"))).contains("const RISING = new Set([" + names + "]);");
    }

    @Test
    void everyCommandIsOfferedOnAScreen() {
        String screens = screens()
                .filter(each -> each.toString().contains("screens"))
                .map(PageFilesTest::text)
                .collect(Collectors.joining());
        Stream.of(Operation.values())
                .filter(Operation::changes)
                .map(each -> each.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .forEach(name -> assertThat(screens).containsAnyOf("'" + name + "'", "\"" + name + "\""));
    }

    @Test
    void pagesHaveNothingThatThePolicyForbids() {
        String index = text(WEB.resolve("index.html"));
        assertThat(index).doesNotContain("<style", " style=", " onclick=", "http://", "https://");
        assertThat(index.split("<script", -1)).hasSize(2);
        screens().forEach(screen -> assertThat(text(screen))
                .as(screen.toString())
                .doesNotContain("innerHTML", "dangerouslySetInnerHTML", "eval(", "new Function", "document.write"));
    }

    private static Set<String> names(String text) {
        return matches(Pattern.compile("\\{(\\w+)}"), text).stream()
                .map(each -> each.group(1))
                .collect(Collectors.toSet());
    }

    private static Stream<Path> modules() {
        try (Stream<Path> all = Files.walk(WEB)) {
            return all.filter(each -> each.toString().endsWith(".mjs")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> screens() {
        return modules().filter(each -> each.startsWith(WEB.resolve("app")));
    }

    private static List<MatchResult> matches(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.results().toList();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
