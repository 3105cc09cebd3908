package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.ExpectedErrors;
import io.ostraka.fixtures.Repository;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.http.HttpParser;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@ExpectedErrors("did not stop within")
class ConsoleMainTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-27T10:00:00Z"), ZoneOffset.UTC);

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String input, String... arguments) {
        return new ConsoleMain(
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        CLOCK)
                .run(arguments, Map.of());
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private ConsoleSettings read(String... lines) throws Exception {
        Path file = Files.writeString(
                directory.resolve("console.properties"), "zookeeper.servers=zk:2181\n" + String.join("\n", lines));
        return ConsoleSettings.read(file, Map.of());
    }

    @Tag("slow")
    @Test
    void hashOfAPasswordIsAcceptedByTheSettings() throws Exception {
        assertThat(run("a long password\n", "hash-password")).isEqualTo(ConsoleMain.OK);

        assertThat(output()).doesNotContain("a long password").hasLineCount(1);
        assertThat(read("users.alice.password=" + output().strip(), "users.alice.grants=ADMIN")
                        .access()
                        .hasCallers())
                .isTrue();
    }

    /** Jetty's parser logs parts of a bad request as they are, so they could forge lines of the log. */
    @Test
    void logOfTheProgramHasNoBytesOfBadRequests() throws Exception {
        assertThat(Files.readString(Repository.root().resolve("bin/.program.sh")))
                .contains("$log.log." + HttpParser.class.getName() + "=error");
    }

    @Test
    void shortPasswordIsRefused() {
        assertThat(run("short\n", "hash-password")).isEqualTo(ConsoleMain.NOT_ACCEPTED);

        assertThat(output()).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("accepted: 12 to")
                .doesNotContain("short");
    }

    @Test
    void tokenIsPrintedWithItsLinesForTheSettings() throws Exception {
        assertThat(run("", "create-token", "ci")).isEqualTo(ConsoleMain.OK);

        String lines = output().substring(output().indexOf('#'));
        assertThat(lines).contains("tokens.ci.expires=2027-02-25T00:00:00Z").doesNotContain("ostraka_");
        assertThat(read(lines).access().hasCallers()).isTrue();
    }

    @Test
    void nameThatNoKeyCanHaveIsRefused() {
        assertThat(run("", "create-token", "a b")).isEqualTo(ConsoleMain.NOT_ACCEPTED);
        assertThat(output()).isEmpty();
    }

    @Test
    void stopEndsThoughAPartHangs() {
        CountDownLatch never = new CountDownLatch(1);

        int code = ConsoleMain.stop(
                () -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                Duration.ofMillis(1));

        assertThat(code).isEqualTo(ConsoleMain.FAILED);
        never.countDown();
        assertThat(ConsoleMain.stop(() -> {}, Duration.ofMinutes(5))).isEqualTo(ConsoleMain.OK);
    }

    @Test
    void unknownArgumentsShowTheUsage() {
        assertThat(run("")).isEqualTo(ConsoleMain.NOT_ACCEPTED);
        assertThat(run("", "--port", "1")).isEqualTo(ConsoleMain.NOT_ACCEPTED);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("usage: bin/console FILE");
        assertThat(run("", "--help")).isEqualTo(ConsoleMain.OK);
    }
}
