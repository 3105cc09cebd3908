package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.cli.terminal.Terminal;
import io.ostraka.cli.transport.Connection;
import io.ostraka.cli.transport.ExitCode;
import io.ostraka.cli.transport.Setting;
import io.ostraka.cli.transport.Transport;
import io.ostraka.console.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests saved connections, and which source of a setting counts. */
class ContextsTest {
    @TempDir
    Path home;

    private final Map<String, String> environment = new TreeMap<>();
    private final List<Connection> opened = new ArrayList<>();
    private final java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
    private final java.io.ByteArrayOutputStream err = new java.io.ByteArrayOutputStream();

    @BeforeEach
    void setHome() {
        environment.put("HOME", home.toString());
    }

    private int run(String... arguments) {
        out.reset();
        err.reset();
        Terminal terminal = new Terminal(
                new java.io.PrintStream(out, true, StandardCharsets.UTF_8),
                new java.io.PrintStream(err, true, StandardCharsets.UTF_8),
                null,
                0,
                false);
        return Cli.run(
                new Surroundings(terminal, environment, Clock.systemUTC(), () -> false, connection -> {
                    opened.add(connection);
                    return new Transport() {
                        @Override
                        public Response send(io.ostraka.console.Request request) {
                            return new Response(
                                    200,
                                    Map.of(),
                                    "{\"namespaces\":[\"orders\",\"bills\"]}".getBytes(StandardCharsets.UTF_8));
                        }

                        @Override
                        public void close() {}
                    };
                }),
                arguments);
    }

    private String setting(Setting setting) {
        return opened.get(opened.size() - 1).get(setting).orElse("");
    }

    private Path file() {
        return home.resolve(".config/ostraka/config");
    }

    /** A program that opens a named pipe waits until a second program opens the other end. */
    @Tag("slow")
    @Timeout(60)
    @Test
    void namedPipeInPlaceOfAFileIsRefused() throws Exception {
        Path pipe = home.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();

        assertThat(run("--server", "http://localhost:1", "-n", "orders", "namespace", "diff", pipe.toString()))
                .isEqualTo(ExitCode.USAGE.code());
        assertThat(err.toString()).contains("accepted: a regular file");
        Files.createDirectories(file().getParent());
        Files.move(pipe, file());
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-------"));
        assertThat(run("context", "list")).isEqualTo(ExitCode.USAGE.code());
        assertThat(err.toString()).contains("are not readable");
    }

    @Test
    void firstContextIsTheCurrentOne() throws IOException {
        assertThat(run("context", "set", "prod", "--server", "https://prod", "-n", "orders", "--token-file", "/t"))
                .isZero();
        assertThat(run("context", "set", "test", "--server", "https://test")).isZero();

        run("namespace", "list");
        assertThat(setting(Setting.SERVER)).isEqualTo("https://prod");
        assertThat(setting(Setting.TOKEN_FILE)).isEqualTo("/t");
        run("context", "use", "test");
        run("namespace", "list");
        assertThat(setting(Setting.SERVER)).isEqualTo("https://test");
        run("namespace", "list", "--context", "prod");
        assertThat(setting(Setting.SERVER)).isEqualTo("https://prod");
        run("context", "list");
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("prod", "test", "yes");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
    }

    /** The current directory may belong to another user, whose file would name another server. */
    @Test
    void contextsOfTheCurrentDirectoryAreNeverRead() {
        run("context", "set", "prod", "--server", "https://prod");
        Path relative = Path.of("").toAbsolutePath().relativize(home);
        for (String directory : List.of("", relative.toString())) {
            environment.put("HOME", directory);
            environment.put("XDG_CONFIG_HOME", directory.isEmpty() ? "" : directory + "/.config");
            for (List<String> line : List.of(
                    List.of("context", "list"),
                    List.of("context", "use", "prod"),
                    List.of("context", "set", "test", "--server", "https://test"),
                    List.of("namespace", "list", "--context", "prod"))) {
                assertThat(run(line.toArray(String[]::new)))
                        .as(line + directory)
                        .isEqualTo(2);
                assertThat(err.toString(StandardCharsets.UTF_8))
                        .contains("there is no file for contexts", "HOME", "an absolute path");
            }
            assertThat(run("namespace", "list")).isEqualTo(2);
            assertThat(err.toString(StandardCharsets.UTF_8)).contains("no console is named");
            assertThat(run("namespace", "list", "--server", "https://a")).isZero();
        }
        environment.remove("HOME");
        environment.remove("XDG_CONFIG_HOME");
        assertThat(run("namespace", "list", "--server", "https://a")).isZero();
    }

    @Test
    void optionsCountBeforeTheEnvironmentAndTheEnvironmentBeforeTheContext() {
        run("context", "set", "prod", "--server", "https://context", "-n", "of-context");
        environment.put("OSTRAKA_NAMESPACE", "of-environment");
        run("namespace", "get");
        assertThat(setting(Setting.NAMESPACE)).isEqualTo("of-environment");
        run("-n", "of-option", "namespace", "get");
        assertThat(setting(Setting.NAMESPACE)).isEqualTo("of-option");
        run("namespace", "get", "-n", "of-option");
        assertThat(setting(Setting.NAMESPACE)).isEqualTo("of-option");
        environment.put("OSTRAKA_SERVER", "https://environment");
        run("namespace", "get");
        assertThat(setting(Setting.SERVER)).isEqualTo("https://environment");
        run("namespace", "get", "--context", "prod");
        assertThat(setting(Setting.SERVER)).isEqualTo("https://context");
        environment.put("OSTRAKA_CONTEXT", "missing");
        assertThat(run("namespace", "get")).isEqualTo(3);
    }

    /** The token of a context must not go to a server that another source names. */
    @Test
    void credentialsOfAContextAreNotUsedForAnotherServer() {
        run("context", "set", "prod", "--server", "https://prod", "--token-file", "/t", "-n", "orders");
        environment.put("OSTRAKA_CONTEXT", "prod");
        run("namespace", "list", "--server", "https://other");

        assertThat(setting(Setting.SERVER)).isEqualTo("https://other");
        assertThat(setting(Setting.TOKEN_FILE)).isEmpty();
        assertThat(setting(Setting.NAMESPACE)).isEqualTo("orders");
    }

    @Test
    void credentialsOfTheEnvironmentAreUsedForTheServerOfAnOption() {
        environment.put("OSTRAKA_TOKEN_FILE", "/of-environment");
        environment.put("OSTRAKA_ZOOKEEPER", "zk:2181");
        run("namespace", "list", "--server", "https://a");

        assertThat(setting(Setting.TOKEN_FILE)).isEqualTo("/of-environment");
        assertThat(setting(Setting.ZOOKEEPER)).isEmpty();
    }

    @Test
    void theTwoWaysExcludeEachOther() {
        assertThat(run("namespace", "list", "--server", "https://a", "--zookeeper", "b:2181"))
                .isEqualTo(2);
        assertThat(run("namespace", "list")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("--server", "--zookeeper", "ostraka context set");
        run("context", "set", "prod", "--server", "https://prod");
        run("context", "set", "prod", "--zookeeper", "b:2181");
        run("namespace", "list");
        assertThat(setting(Setting.SERVER)).isEmpty();
        assertThat(setting(Setting.ZOOKEEPER)).isEqualTo("b:2181");
    }

    @Test
    void missingNamespaceIsNamedIfThereAreSeveral() {
        assertThat(run("namespace", "get", "--server", "https://a")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("known: orders, bills");
    }

    @Test
    void fileThatOthersMayChangeIsRefused() throws IOException {
        run("context", "set", "prod", "--server", "https://prod");
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-rw-rw-"));

        assertThat(run("namespace", "list")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("chmod 600");
        assertThat(opened).isEmpty();
    }

    @Test
    void brokenFileIsNamed() throws IOException {
        run("context", "set", "prod", "--server", "https://prod");
        for (String content : List.of("", "[]", "{", "{}", "{\"contexts\":5}", "{\"contexts\":{\"a\":5}}")) {
            Files.writeString(file(), content);
            assertThat(run("namespace", "list")).as(content).isEqualTo(2);
            assertThat(err.toString(StandardCharsets.UTF_8)).contains(file().toString());
        }
    }

    @Test
    void fileThatIsTooLargeIsNamedWithItsSizeAndTheLimit() throws IOException {
        run("context", "set", "prod", "--server", "https://prod");
        Files.writeString(file(), " ".repeat((1 << 20) + 1));
        assertThat(run("namespace", "list")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains(file() + " are not readable, because it has 1048577 bytes; accepted: at most 1048576");
        Path document = home.resolve("document");
        Files.writeString(document, "{\"a\":[" + "0,".repeat(100_000) + "0]}");
        assertThat(run("--server", "https://a", "-n", "orders", "namespace", "diff", document.toString()))
                .isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("the content of " + document + " is not accepted: it has more than 100000 values");
        Files.write(document, new byte[(16 << 20) + 1]);
        assertThat(run("--server", "https://a", "-n", "orders", "namespace", "diff", document.toString()))
                .isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("the file " + document
                        + " is not readable, because it has 16777217 bytes; accepted: at most 16777216");
    }

    @Test
    void contextsAreRemoved() {
        run("context", "set", "prod", "--server", "https://prod");
        assertThat(run("context", "remove", "prod")).isZero();
        assertThat(run("context", "remove", "prod")).isEqualTo(3);
        assertThat(run("context", "set", "a b", "--server", "https://prod")).isEqualTo(2);
        assertThat(run("context", "set", "a")).isEqualTo(2);
    }

    /** There is no option for a secret, so the file has none. */
    @Test
    void fileHoldsNoSecret() throws IOException {
        environment.put("OSTRAKA_TOKEN", "very-secret");
        run("context", "set", "prod", "--server", "https://prod", "--token-file", "/run/token");

        assertThat(Files.readString(file())).doesNotContain("very-secret").contains("/run/token");
        run("context", "list", "-o", "json");
        assertThat(out.toString(StandardCharsets.UTF_8)).doesNotContain("very-secret");
    }
}
