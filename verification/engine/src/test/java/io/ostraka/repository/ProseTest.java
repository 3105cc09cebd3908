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
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Counts words that are typical of sentences that sound translated, in the comments of main code and in the documents.
 */
class ProseTest {
    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*");
    private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`]*`");
    private static final Pattern WORD = Pattern.compile("[A-Za-z']+");

    /** The counted words. A word is counted even in a good sentence; only a sentence without it lowers the number. */
    private static final Map<String, Pattern> PATTERNS = Map.of(
            "what", Pattern.compile("(?i)(?<!@param )\\bwhat(ever)?\\b"),
            "who", Pattern.compile("(?i)\\bwho(ever|m)?\\b"),
            "nobody", Pattern.compile("(?i)\\b(no|some|any)body\\b"),
            "is told", Pattern.compile("(?i)\\b(is|are|was|were|be|been) told\\b"),
            "bare whether", Pattern.compile("(/\\*\\*|\\*|//) Whether\\b"));

    /** Largest number of hits in 1,000 words of comments. It may only be lowered. */
    private static final double MOST_IN_COMMENTS = 0.2;

    /** The same limit for the documents, which quote log lines and other projects. */
    private static final double MOST_IN_DOCUMENTS = 0.3;

    @Test
    void commentsOfMainCodeDoNotSoundTranslated() {
        List<String> comments = Repository.files(".java").stream()
                .filter(file -> file.toString().contains("/src/main/"))
                .flatMap(file -> COMMENT.matcher(read(file)).results().map(found -> found.group()))
                .toList();

        check(comments, 80_000, MOST_IN_COMMENTS);
    }

    @Test
    void documentsDoNotSoundTranslated() {
        List<String> documents = Repository.files(".md").stream()
                .map(file -> CODE.matcher(read(file)).replaceAll(""))
                .toList();

        check(documents, 40_000, MOST_IN_DOCUMENTS);
    }

    private static void check(List<String> texts, long atLeastWords, double most) {
        long words = 0;
        Map<String, Long> hits = new LinkedHashMap<>();
        for (String text : texts) {
            words += WORD.matcher(text).results().count();
            PATTERNS.forEach((name, pattern) ->
                    hits.merge(name, pattern.matcher(text).results().count(), Long::sum));
        }
        long all = hits.values().stream().mapToLong(Long::longValue).sum();
        assertThat(words).as("words that were read").isGreaterThan(atLeastWords);
        assertThat(1000.0 * all / words)
                .as("hits per 1,000 of %d words: %s", words, hits)
                .isLessThanOrEqualTo(most);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
