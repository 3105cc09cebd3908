package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Setting;
import io.ostraka.fixtures.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that every command line in docs/cli.md is accepted, and that the document lists all exit codes. */
class DocumentTest {
    private static final Path DOCUMENT = Repository.page("cli.md");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    private static List<String> commandLines(String text) {
        List<String> lines = new ArrayList<>();
        Matcher inline = Pattern.compile("`ostraka ([^`]+)`").matcher(text);
        while (inline.find()) {
            lines.add(inline.group(1));
        }
        Matcher block =
                Pattern.compile("(?m)^ostraka (.+)$|> [^>\\n]*:  ostraka (.+)$").matcher(text);
        while (block.find()) {
            lines.add((block.group(1) == null ? block.group(2) : block.group(1)).replaceFirst("\\s+#.*| > .*", ""));
        }
        return lines;
    }

    @Test
    void everyCommandLineIsAccepted() throws IOException {
        List<String> lines = commandLines(Files.readString(DOCUMENT));
        assertThat(lines).hasSizeGreaterThan(30);
        for (String line : lines) {
            List<String> words = new ArrayList<>();
            Matcher word = WORD.matcher(line.replaceFirst(" > .*", ""));
            while (word.find()) {
                words.add(word.group(1) == null ? word.group(2) : word.group(1));
            }
            assertThatCode(() -> CommandTree.of(Harness.surroundings(), Verbs.all())
                            .parseArgs(words.stream()
                                    .map(each -> each.equals("VERSION") ? "1" : each)
                                    .toArray(String[]::new)))
                    .as(line)
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void everyExitCodeAndSettingIsListed() throws IOException {
        String text = Files.readString(DOCUMENT);

        for (ExitCode each : ExitCode.values()) {
            assertThat(text).contains("\n| " + each.code() + " | ");
        }
        for (Setting each : Setting.values()) {
            boolean password = each.option().endsWith("-password-file") && each != Setting.DIGEST_PASSWORD_FILE;
            assertThat(text).contains(password ? "…-password-file" : each == Setting.NAMESPACE ? "-n" : each.option());
        }
    }
}
