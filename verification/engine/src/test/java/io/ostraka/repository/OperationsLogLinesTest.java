package io.ostraka.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that each log line that the operations manual quotes occurs in the string constants of the library. */
class OperationsLogLinesTest {
    private static final List<String> MODULES = List.of(
            "job-api", "job-core", "operator/operations", "job-zk", "job-lite-bootstrap", "extensions/job-types");

    /** Quoted fragments that the code composes at run time, each with the constants from which it is composed. */
    private static final Map<String, List<String>> COMPOSED = Map.of(
            "is limited:", List.of("is limited", "job '{}' {}: {}"),
            "is stopped here:", List.of("is stopped here", "job '{}' {}: {}"),
            "is stopped here: not registered yet", List.of("is stopped here", "not registered yet; retrying: "),
            "is stopped here: paused by an operator", List.of("is stopped here", "paused by an operator"),
            "; the last valid configuration stays in force; correct the override",
                    List.of("; the last valid configuration stays in force", "; correct the override"),
            "instances; joined:", List.of(" instances", "joined"),
            "; shut down:", List.of("shut down"),
            "; lost, session ended:", List.of("lost, session ended"),
            "instances; absent, the former leader:", List.of(" instances", "absent, the former leader"),
            "instances; absent, gone before this instance led:",
                    List.of(" instances", "absent, gone before this instance led"));

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /** Comments, character constants and text blocks are matched only in order to skip them. */
    private static final Pattern TOKEN = Pattern.compile(
            "/\\*.*?\\*/|//[^\\n]*|'(?:[^'\\\\]|\\\\.)+'|\"\"\".*?\"\"\"|\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"",
            Pattern.DOTALL);

    private static final Pattern CONCATENATION = Pattern.compile("\\s*\\+\\s*");

    @Test
    void quotesOnlyLogLinesThatTheLibraryWrites() throws IOException {
        Set<String> constants = constants();
        List<String> fragments = fragments();
        assertThat(fragments).hasSizeGreaterThan(80).containsAll(COMPOSED.keySet());
        assertThat(fragments.stream()
                        .filter(fragment -> !COMPOSED.containsKey(fragment))
                        .filter(fragment -> constants.stream().noneMatch(constant -> constant.contains(fragment))))
                .as("quoted in docs/operations.md, but not in any string constant")
                .isEmpty();
        assertThat(constants)
                .containsAll(COMPOSED.values().stream()
                        .flatMap(List::stream)
                        .distinct()
                        .toList());
    }

    /** Returns the constant parts of each quoted line, in which an ellipsis stands for a value. */
    private static List<String> fragments() throws IOException {
        return Files.readAllLines(Repository.page("operations.md")).stream()
                .dropWhile(line -> !line.equals("## Log lines"))
                .takeWhile(line -> !line.equals("### Logger settings"))
                .filter(line -> line.startsWith("|"))
                .map(line -> line.split("\\|", -1))
                .map(cells -> cells.length == 6 ? cells[2] : cells[1]) // the first table begins with the level
                .flatMap(cell -> CODE.matcher(cell).results())
                .flatMap(code -> Stream.of(code.group(1).split("'?…'?")))
                .map(String::strip)
                .filter(fragment -> fragment.length() > 3)
                .toList();
    }

    private static Set<String> constants() throws IOException {
        Set<String> all = new HashSet<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(Repository.sources(module))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(file -> all.addAll(constants(file)));
            }
        }
        return all;
    }

    /** Returns the string constants of a source file; concatenated constants are joined. */
    private static List<String> constants(Path file) {
        String source;
        try {
            source = Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> constants = new ArrayList<>();
        int end = -1;
        for (MatchResult token : TOKEN.matcher(source).results().toList()) {
            String constant = token.group(1);
            if (constant == null) {
                continue;
            }
            if (end >= 0
                    && CONCATENATION
                            .matcher(source.substring(end, token.start()))
                            .matches()) {
                constant = constants.remove(constants.size() - 1) + constant;
            }
            constants.add(constant);
            end = token.end();
        }
        return constants;
    }
}
