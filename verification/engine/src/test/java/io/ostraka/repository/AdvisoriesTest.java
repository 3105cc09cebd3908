package io.ostraka.repository;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import io.ostraka.fixtures.Repository;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that {@code build/advisories} finds a jar with a known advisory. */
@Tag("slow")
@Timeout(120)
class AdvisoriesTest {
    @TempDir
    Path directory;

    private record Ended(int code, String output) {}

    private Ended run(String command, Path known, String... jars) throws Exception {
        Path list = Files.write(directory.resolve("runtime.jars"), List.of(jars));
        Path gson = Path.of(
                Gson.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<String> all = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", gson.toString()));
        if (command.equals("refresh")) { // no request leaves this machine
            all.addAll(List.of("-Dhttps.proxyHost=127.0.0.1", "-Dhttps.proxyPort=1"));
        }
        all.addAll(List.of(
                Repository.root().resolve("build/Advisories.java").toString(),
                command,
                known.toString(),
                list.toString()));
        Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    private static Path known() {
        return Repository.root().resolve("build/advisories.txt");
    }

    @Test
    void oldJarIsFoundWithItsAdvisory() throws Exception {
        Ended old = run(
                "check",
                known(),
                "   org.apache.zookeeper:zookeeper:jar:3.9.0:compile:/m2/zookeeper-3.9.0.jar -- module zookeeper",
                "   com.google.code.gson:gson:jar:2.13.2:runtime:/m2/gson-2.13.2.jar",
                "   io.netty:netty-handler:jar:4.1.117.Final:compile (optional) ",
                "   com.h2database:h2:jar:2.0.204:test");

        assertThat(old.code()).isEqualTo(1);
        assertThat(old.output())
                .contains("org.apache.zookeeper:zookeeper:3.9.0 has CVE-2023-44981, fixed in 3.9.1: https://")
                .contains("io.netty:netty-handler:4.1.117.Final has CVE-2025-24970, fixed in 4.1.118.Final")
                .doesNotContain("com.h2database", "gson:2.13.2 has");
    }

    @Test
    void fixedVersionIsNoFindingButItsPreviewIs() throws Exception {
        Path known = Files.writeString(directory.resolve("known"), "a:b | 1.2 | 1.4.0 | X-1 | https://x\n");

        assertThat(run("check", known, "a:b:jar:1.4.0:compile").code()).isZero();
        assertThat(run("check", known, "a:b:jar:1.1.9:compile").code()).isZero();
        assertThat(run("check", known, "a:b:jar:1.4.0-RC1:compile").code()).isEqualTo(1);
        assertThat(run("check", known, "a:b:jar:x86:1.3.10:compile").code()).isEqualTo(1);
        Files.writeString(known, "a:b | 1.2\n");
        assertThat(run("check", known, "a:b:jar:1.4.0:compile").output()).contains("accepted: five columns");
    }

    @Test
    void refreshWithoutANetworkKeepsTheFile() throws Exception {
        Path known = Files.writeString(directory.resolve("known"), "unchanged");
        Ended failed = run("refresh", known, "a:b:jar:1.4.0:compile");

        assertThat(failed.code()).isEqualTo(2);
        assertThat(failed.output()).contains("osv.dev could not be asked", "repeat the command");
        assertThat(known).hasContent("unchanged");
    }
}
