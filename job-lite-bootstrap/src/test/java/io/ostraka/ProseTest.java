package io.ostraka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Counts words of translated-sounding sentences in the comments of the modules that applications use. */
class ProseTest {
    private static final List<String> MODULES = List.of("job-api", "job-core", "job-zk", "job-lite-bootstrap");
    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*");
    private static final Pattern WORD = Pattern.compile("[A-Za-z']+");

    /** Each occurrence counts, also in good English: only a sentence without these words lowers the number. */
    private static final Map<String, Pattern> PATTERNS = Map.of(
            "what", Pattern.compile("(?i)\\bwhat(ever)?\\b"),
            "who", Pattern.compile("(?i)\\bwho(ever|m|se)?\\b"),
            "nobody", Pattern.compile("(?i)\\b(no|some|any)body\\b"),
            "is told", Pattern.compile("(?i)\\b(is|are|was|were|be|been) told\\b"),
            "bare whether", Pattern.compile("(/\\*\\*|\\*|//) Whether\\b"));

    /** Hits per 1,000 words of comments. The number may only be lowered. */
    private static final double MOST = 1.0;

    @Test
    void commentsDoNotReadAsTranslatedMoreOftenThanBefore() {
        long words = 0;
        Map<String, Long> hits = new LinkedHashMap<>();
        for (String comment : comments()) {
            words += WORD.matcher(comment).results().count();
            PATTERNS.forEach((name, pattern) ->
                    hits.merge(name, pattern.matcher(comment).results().count(), Long::sum));
        }
        long all = hits.values().stream().mapToLong(Long::longValue).sum();
        assertThat(words).as("words of comments were read").isGreaterThan(10_000);
        assertThat(1000.0 * all / words)
                .as("hits per 1,000 of %d words of comments: %s", words, hits)
                .isLessThanOrEqualTo(MOST);
    }

    private static List<String> comments() {
        return MODULES.stream()
                .map(module -> Path.of("..", module, "src", "main", "java"))
                .flatMap(ProseTest::sources)
                .flatMap(source -> COMMENT.matcher(source).results().map(found -> found.group()))
                .toList();
    }

    private static Stream<String> sources(Path root) {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java")).map(ProseTest::read).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
