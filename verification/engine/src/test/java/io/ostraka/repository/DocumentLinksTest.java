package io.ostraka.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the documents, sections and tests exist that documents and other files name. */
class DocumentLinksTest {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.+)$");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern LINK_IN_HEADING = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");
    private static final Pattern REFERENCE = Pattern.compile("\\bdocs/[\\w/-]+\\.md(?:#[\\w-]+)?");

    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*Test)(?:\\.(\\w+))?`");

    private final Map<Path, Set<String>> anchors = new HashMap<>();

    @Test
    void everyLinkHasATarget() {
        List<String> dead = new ArrayList<>();
        int links = 0;
        for (Path file : Repository.files(".md")) {
            Matcher link = LINK.matcher(withoutBlocks(file));
            while (link.find()) {
                if (!link.group(1).matches("(https?|mailto):.*")) {
                    links++;
                    check(file, file.resolveSibling(path(link.group(1))), link.group(1), dead);
                }
            }
        }

        assertThat(dead).isEmpty();
        assertThat(links).isGreaterThan(300);
    }

    @Test
    void everyDocumentThatOtherFilesNameExists() {
        List<String> dead = new ArrayList<>();
        int references = 0;
        for (String ending : List.of(".java", ".mjs", ".yaml", ".properties", ".service", ".json")) {
            for (Path file : Repository.files(ending)) {
                Matcher reference = REFERENCE.matcher(read(file));
                while (reference.find()) {
                    references++;
                    check(file, Repository.root().resolve(path(reference.group())), reference.group(), dead);
                }
            }
        }

        assertThat(dead).isEmpty();
        assertThat(references).isGreaterThan(20);
    }

    @Test
    void everyTestThatADocumentNamesExists() {
        Map<String, String> tests = new HashMap<>();
        Repository.files("Test.java")
                .forEach(file ->
                        tests.merge(file.getFileName().toString().replace(".java", ""), read(file), String::concat));
        List<String> missing = new ArrayList<>();
        int names = 0;
        for (Path file : Repository.files(".md")) {
            Matcher name = TEST.matcher(withoutBlocks(file));
            while (name.find()) {
                names++;
                String code = tests.get(name.group(1));
                if (code == null || (name.group(2) != null && !code.contains("void " + name.group(2) + "("))) {
                    missing.add(Repository.root().relativize(file) + ": " + name.group());
                }
            }
        }

        assertThat(missing).isEmpty();
        assertThat(names).isGreaterThan(60);
    }

    private void check(Path file, Path page, String link, List<String> dead) {
        int hash = link.indexOf('#');
        Path target = hash == 0 ? file : page.normalize();
        boolean found = Files.exists(target)
                && (hash < 0
                        || anchors.computeIfAbsent(target, DocumentLinksTest::anchors)
                                .contains(link.substring(hash + 1)));
        if (!found) {
            dead.add(Repository.root().relativize(file) + ": " + link);
        }
    }

    private static String path(String link) {
        return link.replaceFirst("#.*", "");
    }

    /** Returns the anchors that GitHub gives the headings of a document. */
    private static Set<String> anchors(Path file) {
        Set<String> anchors = new HashSet<>();
        HEADING.matcher(withoutBlocks(file)).results().forEach(heading -> {
            String text = LINK_IN_HEADING.matcher(heading.group(1)).replaceAll("$1");
            String anchor = text.strip()
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                    .replace(' ', '-');
            String unique = anchor;
            for (int i = 1; !anchors.add(unique); i++) {
                unique = anchor + "-" + i;
            }
        });
        return anchors;
    }

    private static String withoutBlocks(Path file) {
        return BLOCK.matcher(read(file)).replaceAll("");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
