package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ostraka.console.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionTest {
    private final Harness ostraka = Harness.answering(request -> new Response(500, Map.of(), new byte[0]));

    @Tag("cluster")
    @Test
    void bashCompletesVerbsOptionsAndValues(@TempDir Path directory) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "no bash");
        assertThat(ostraka.run("completion", "bash")).isZero();
        assertThat(ostraka.opened()).isZero();
        Path script = directory.resolve("ostraka");
        Files.writeString(script, ostraka.out());

        assertThat(complete(script, "ostraka job pau")).contains("pause");
        assertThat(complete(script, "ostraka job pause --unt")).contains("--until");
        assertThat(complete(script, "ostraka job list --state PAU")).contains("PAUSED");
    }

    private static String complete(Path script, String line) throws IOException, InterruptedException {
        String program = "source \"$1\"; COMP_WORDS=($2); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE=$2;"
                + " COMP_POINT=${#COMP_LINE}; _complete_ostraka; echo \"${COMPREPLY[@]}\"";
        Process bash = new ProcessBuilder("/bin/bash", "-c", program, "bash", script.toString(), line)
                .redirectErrorStream(true)
                .start();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        bash.waitFor();
        return out;
    }

    @Test
    void zshGetsTheSameScriptAndOtherShellsNone() {
        assertThat(ostraka.run("completion", "zsh")).isZero();
        assertThat(ostraka.out()).contains("bashcompinit");
        assertThat(ostraka.run("completion", "fish")).isEqualTo(2);
    }

    @Test
    void createdTokenIsShownOnceWithItsHash() {
        assertThat(ostraka.run("token", "create", "night-shift")).isZero();
        String[] lines = ostraka.out().split("\n", -1);
        assertThat(lines[0]).matches("ostraka_[A-Za-z0-9_-]{43}");
        assertThat(lines[1]).isEqualTo("tokens.night-shift.hash=" + Tokens.hash(lines[0]));
        assertThat(ostraka.err()).doesNotContain(lines[0]);
        assertThat(ostraka.opened()).isZero();
        assertThat(ostraka.run("token", "create", "a=b")).isEqualTo(2);
    }
}
