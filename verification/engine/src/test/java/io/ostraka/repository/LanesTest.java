package io.ostraka.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestTag;
import org.junit.platform.launcher.tagexpression.TagExpression;

/**
 * Checks that each test runs in exactly one lane of the build, for all combinations of tags. {@code build/tests lanes}
 * checks the same with the tests that JUnit finds, but it needs the classes of all modules.
 */
class LanesTest {
    /** Tags that belong to no lane: they select tests that run once more, in a place of their own. */
    private static final Set<String> MARKS = Set.of("smoke");

    private static final Pattern TAG = Pattern.compile("@Tag\\(\\s*(?:\"([^\"]*)\")?");
    private static final Pattern GROUPS =
            Pattern.compile("(?s)<id>(\\w+)</id>\\s*<properties>(?:(?!</properties>).)*?<groups>([^<]+)</groups>");
    private static final Pattern WORD = Pattern.compile("\\w+");

    private final Map<String, TagExpression> lanes = new LinkedHashMap<>();
    private final Set<String> tagsOfLanes = new TreeSet<>();

    LanesTest() throws IOException {
        String[] pom = Files.readString(Repository.root().resolve("pom.xml")).split("<profiles>", 2);
        Matcher fast = Pattern.compile("<groups>([^<]+)</groups>").matcher(pom[0]);
        assertThat(fast.find()).isTrue();
        add("fast", fast.group(1));
        GROUPS.matcher(pom[1]).results().forEach(lane -> add(lane.group(1), lane.group(2)));
    }

    private void add(String lane, String expression) {
        String plain = expression.replace("&amp;", "&");
        lanes.put(lane, TagExpression.parseFrom(plain).tagExpressionOrThrow(IllegalArgumentException::new));
        WORD.matcher(plain).results().forEach(word -> tagsOfLanes.add(word.group()));
    }

    @Test
    void everyCombinationOfTagsIsInExactlyOneLane() {
        assertThat(lanes.keySet()).containsExactlyInAnyOrder("fast", "deep", "real", "faults");
        List<String> tags = List.copyOf(tagsOfLanes);
        for (int chosen = 0; chosen < 1 << tags.size(); chosen++) {
            int bits = chosen;
            Set<TestTag> combination = tags.stream()
                    .filter(tag -> (bits & 1 << tags.indexOf(tag)) != 0)
                    .map(TestTag::create)
                    .collect(Collectors.toSet());
            assertThat(lanes.entrySet().stream()
                            .filter(lane -> lane.getValue().evaluate(combination))
                            .map(Map.Entry::getKey))
                    .as("lanes of a test with the tags %s", combination)
                    .hasSize(1);
        }
    }

    @Test
    void everyTagBelongsToALane() {
        Map<Path, Set<String>> unknown = new LinkedHashMap<>();
        for (Path source : sourcesOfTests()) {
            Set<String> tags = tags(source);
            tags.removeAll(tagsOfLanes);
            tags.removeAll(MARKS);
            if (!tags.isEmpty()) {
                unknown.put(source, tags);
            }
        }
        assertThat(unknown)
                .as("tags that no lane names; accepted: %s", tagsOfLanes)
                .isEmpty();
    }

    /** Returns the tags in a source file. A tag that is no literal is shown as an empty text. */
    private static Set<String> tags(Path source) {
        return TAG.matcher(read(source))
                .results()
                .map(tag -> tag.group(1) == null ? "" : tag.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The faults lane runs the tests of one module, so that it does not look for tests in all modules. */
    @Test
    void onlyTheModuleOfTheFaultsHasTestsOfTheLaneFaults() {
        Path faults = Repository.root().resolve("verification/faults");

        assertThat(sourcesOfTests().stream().filter(source -> tags(source).contains("faults")))
                .isNotEmpty()
                .allMatch(source -> source.startsWith(faults));
    }

    private static List<Path> sourcesOfTests() {
        return Repository.files(".java").stream()
                .filter(file -> !file.endsWith("LanesTest.java"))
                .toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
