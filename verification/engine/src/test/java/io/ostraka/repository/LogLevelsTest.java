package io.ostraka.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that all documents and examples set the log levels that docs/operations.md recommends in its table. */
class LogLevelsTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([\\w.]+)` \\| `([A-Z]+)` \\|");
    private static final Pattern SETTING = Pattern.compile(
            "(?:logging\\.level\\.|simpleLogger\\.log\\.|logger name=\"|(?m:^ *))((?:io\\.ostraka|org\\.(?:apache|quartz))[\\w.]*?)"
                    + "(?:\\.level)?(?:\" level=\"| *[=:] *)([A-Za-z]+)");
    private static final Map<String, String> NAMES = Map.of("SEVERE", "ERROR", "WARNING", "WARN");

    @Test
    void eachLevelIsTheRecommendedOne() {
        Map<String, String> recommended = recommended();
        List<String> others = new ArrayList<>();
        int settings = 0;
        for (Path file : Stream.of(".md", ".yaml", ".properties")
                .flatMap(ending -> Repository.files(ending).stream())
                .filter(LogLevelsTest::isForUsers)
                .toList()) {
            Matcher setting = SETTING.matcher(read(file));
            while (setting.find()) {
                settings++;
                String level = setting.group(2).toUpperCase(Locale.ROOT);
                if (!NAMES.getOrDefault(level, level).equals(recommended.get(setting.group(1)))) {
                    others.add(Repository.root().relativize(file) + ": " + setting.group());
                }
            }
        }

        assertThat(others).isEmpty();
        assertThat(settings).isGreaterThan(20);
    }

    private static Map<String, String> recommended() {
        String section = read(Repository.page("operations.md"))
                .split("### Logger settings\n", 2)[1]
                .split("\n##", 2)[0];
        Map<String, String> levels = new TreeMap<>();
        ROW.matcher(section).results().forEach(row -> levels.put(row.group(1), row.group(2)));
        assertThat(levels).containsKeys("io.ostraka", "org.apache.zookeeper");
        return levels;
    }

    private static boolean isForUsers(Path file) {
        Path path = Repository.root().relativize(file);
        return path.startsWith("docs")
                || path.startsWith("examples") && !path.toString().contains("/src/test/")
                || path.toString().equals("README.md");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
