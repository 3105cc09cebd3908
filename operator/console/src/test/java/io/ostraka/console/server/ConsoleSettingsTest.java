package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ostraka.api.Secret;
import io.ostraka.console.security.Tokens;
import io.ostraka.fixtures.Repository;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsoleSettingsTest {
    private static final Path EXAMPLE = Path.of("src", "main", "dist", "console.properties");
    private static final Path DOCUMENT = Repository.page("console.md");
    private static final String SERVERS = "zookeeper.servers=zk1:2181,zk2:2181";
    private static final String DIGEST = Tokens.digest("ostraka_any");

    @TempDir
    Path directory;

    private Path file(String... lines) throws IOException {
        Path file = directory.resolve("console.properties");
        Files.writeString(file, String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    private ConsoleSettings read(String... lines) throws Exception {
        return ConsoleSettings.read(file(lines), Map.of());
    }

    private List<String> mistakes(Map<String, String> environment, String... lines) throws IOException {
        Path file = file(lines);
        SettingsException refused =
                catchThrowableOfType(SettingsException.class, () -> ConsoleSettings.read(file, environment));
        assertThat(refused).as("the settings are accepted").isNotNull();
        return refused.mistakes();
    }

    /** Returns the mistakes of settings that have servers. */
    private List<String> mistakes(String... lines) throws IOException {
        return mistakes(
                Map.of(),
                Stream.concat(Stream.of(SERVERS), Arrays.stream(lines)).toArray(String[]::new));
    }

    @Test
    void serversAloneAreEnough() throws Exception {
        ConsoleSettings settings = read(SERVERS);

        assertThat(settings.listen()).isEqualTo(new Listen("127.0.0.1", 8077, null, null, false));
        assertThat(settings.zooKeeper().servers()).isEqualTo("zk1:2181,zk2:2181");
        assertThat(settings.zooKeeper().namespaces()).isEmpty();
        assertThat(settings.access().hasCallers()).isFalse();
        assertThat(settings.history()).isNull();
        assertThat(settings.warnings()).isEmpty();
    }

    @Test
    void allMistakesAreReportedAtOnce() throws Exception {
        assertThat(mistakes(
                        Map.of(),
                        "listen.port=http",
                        "listen.prot=1",
                        "users.alice.grants=KING",
                        "zookeeper.session-timeout=soon"))
                .hasSize(6)
                .anySatisfy(
                        each -> assertThat(each).startsWith("'listen.prot' is no key; the nearest is 'listen.port'"))
                .anySatisfy(each -> assertThat(each).startsWith("listen.port is 'http'; accepted: 0 to 65535"))
                .anySatisfy(each -> assertThat(each).startsWith("users.alice.password is missing"))
                .anySatisfy(each ->
                        assertThat(each).startsWith("users.alice.grants is 'KING' ('KING' is no grant); accepted: "))
                .anySatisfy(each -> assertThat(each)
                        .isEqualTo("zookeeper.session-timeout is 'soon'; accepted: a duration such as PT15S"))
                .anySatisfy(each ->
                        assertThat(each).isEqualTo("zookeeper.servers is missing; accepted: host:port,host:port"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
            listen.port=65536               | listen.port is '65536'; accepted: 0 to 65535
            listen.port=-1                  | listen.port is '-1'; accepted
            listen.port=+80                 | listen.port is '+80'; accepted
            health.port=٨٠                  | health.port is '٨٠'; accepted
            listen.plain=yes                | listen.plain is 'yes'; accepted: true if
            listen.address=no.host.invalid  | listen.address is 'no.host.invalid' (the host is not known); accepted: an address
            tls.keystore=/no/such/file      | tls.keystore is '/no/such/file' (there is no such file); accepted: a readable
            tls.keystore=/no/such/file      | tls.keystore-password is missing; the key store needs its password
            tls.keystore-password=x         | tls.keystore is missing; set it for the password
            hosts=a,,b                      | hosts is 'a,,b' (an element is empty); accepted: host names
            hosts=a b                       | hosts:
            public-origin=jobs.example.org  | public-origin is 'jobs.example.org' (it is not https://HOST
            public-origin=https://x/path    | public-origin is 'https://x/path' (it is not https://HOST
            zookeeper.chroot=teams          | zookeeper.servers and zookeeper.chroot: connect string is
            zookeeper.session-timeout=PT0S  | zookeeper.session-timeout is 'PT0S' (it is shorter than 1 ms
            zookeeper.connection-timeout=1  | zookeeper.connection-timeout is '1'; accepted
            zookeeper.operation-timeout=P99D| zookeeper.operation-timeout is 'P99D' (it is shorter
            zookeeper.digest-user=a:b       | zookeeper.digest-user is 'a:b'; accepted: a name without a colon
            zookeeper.digest-user=a         | zookeeper.digest-password is missing
            zookeeper.digest-password=a     | zookeeper.digest-user is missing
            zookeeper.tls=1                 | zookeeper.tls is '1'; accepted: true or false
            zookeeper.tls.truststore=/no    | zookeeper.tls.truststore is '/no' (there is no such file)
            zookeeper.tls.keystore=/no      | zookeeper.tls.keystore is set, but zookeeper.tls is not true
            namespaces=orders,a/b           | namespaces has 'a/b'; accepted: at most 128 letters
            users.bob.password=secret       | users.bob.grants is missing
            users.bob.grants=ADMIN          | users.bob.password is missing
            users.bob.pasword=x             | 'users.bob.pasword' is no key; the nearest is 'users.bob.password'
            tokens.ci.hash=x                | tokens.ci.expires is missing
            tokens.ci.expires=tomorrow      | tokens.ci.expires is 'tomorrow'; accepted: a time such as
            proxy.user-header=X             | proxy.secret is missing
            proxy.grants=VIEWER             | proxy.secret is missing
            proxy.secret=short              | proxy.*: secret of the proxy is not accepted
            sessions.idle=PT1S              | sessions.idle is 'PT1S'; accepted: a duration from
            mask-parameters=maybe           | mask-parameters is 'maybe'; accepted: true or false
            logs.url=logs.example.org/{runId}  | logs.url is 'logs.example.org/{runId}' (it does not begin with https://HOST/
            logs.url=ftp://logs/{runId}        | logs.url is 'ftp://logs/{runId}' (it does not begin with https://HOST/
            logs.url=javascript:alert({runId}) | logs.url is 'javascript:alert({runId})' (it does not begin with
            logs.url=https://logs/{run}        | logs.url is 'https://logs/{run}' (there is no placeholder {run})
            logs.url=https://logs/?q={runId    | logs.url is 'https://logs/?q={runId' (a character must be percent-encoded)
            logs.url=https://{job}.logs/       | logs.url is 'https://{job}.logs/' (a placeholder is not behind the host
            logs.url=https://logs{job}         | logs.url is 'https://logs{job}' (a placeholder is not behind the host
            logs.url=https://a:b@logs/{job}    | logs.url is 'https://a:b@logs/{job}' (it contains a user
            history.url=jdbc:nothing:x      | history.url is not accepted; accepted: a JDBC URL whose driver
            history.url=jdbc:h2:mem:x       | history.spool is missing
            history.spool=/x                | history.spool is set, but history.url is not
            nonsense=1                      | 'nonsense' is no key; docs/console.md lists the keys
            """)
    void mistakeNamesKeyValueAndAcceptedValues(String line, String expected) throws Exception {
        assertThat(mistakes(line)).anySatisfy(each -> assertThat(each).startsWith(expected));
    }

    @Test
    void noMistakeContainsASecret() throws Exception {
        List<String> mistakes = mistakes(
                "users.bob.password=s3cret-a",
                "users.bob.grants=ADMIN",
                "tokens.ci.hash=s3cret-b",
                "tokens.ci.grants=ADMIN",
                "tokens.ci.expires=2030-01-01T00:00:00Z",
                "proxy.secret=s3cret-c",
                "history.url=jdbc:unknown://user:s3cret-d@host/",
                "history.password=s3cret-e",
                "zookeeper.digest-password=s3cret-f",
                "tls.keystore-password=s3cret-g");

        assertThat(mistakes).hasSizeGreaterThanOrEqualTo(6).noneMatch(each -> each.contains("s3cret"));
    }

    @Test
    void keyThatIsSetTwiceIsAMistake() throws Exception {
        assertThat(mistakes("listen.port=1", "listen.port=2"))
                .singleElement()
                .asString()
                .startsWith("listen.port is set twice in ");
    }

    @Test
    void missingFileIsAMistake() {
        SettingsException refused = catchThrowableOfType(
                SettingsException.class, () -> ConsoleSettings.read(directory.resolve("none"), Map.of()));

        assertThat(refused.mistakes()).anyMatch(each -> each.endsWith("none does not exist"));
    }

    @Test
    void fileThatIsNotUtf8IsAMistake() throws Exception {
        Path file = file(SERVERS);
        Files.write(file, "listen.address=\u00e4".getBytes(StandardCharsets.ISO_8859_1));

        SettingsException refused =
                catchThrowableOfType(SettingsException.class, () -> ConsoleSettings.read(file, Map.of()));

        assertThat(refused.mistakes()).anyMatch(each -> each.endsWith("is not in UTF-8"));
    }

    @Test
    void variableReplacesAValueAndIsNamedInTheMistake() throws Exception {
        Path file = file(
                SERVERS,
                "listen.port=1",
                "tokens.ci-1.hash=" + DIGEST,
                "tokens.ci-1.grants=VIEWER",
                "tokens.ci-1.expires=2030-01-01T00:00:00Z");

        ConsoleSettings settings = ConsoleSettings.read(
                file,
                Map.of(
                        "OSTRAKA_CONSOLE_LISTEN_PORT", "2",
                        "OSTRAKA_CONSOLE_NAMESPACES", "b, a",
                        "OSTRAKA_CONSOLE_SERVICE_HOST", "10.0.0.1"));

        assertThat(settings.listen().port()).isEqualTo(2);
        assertThat(settings.zooKeeper().namespaces()).containsExactly("a", "b");
        assertThat(settings.warnings())
                .containsExactly(
                        "the environment variable OSTRAKA_CONSOLE_SERVICE_HOST belongs to no key, and is ignored");
        assertThat(mistakes(
                        Map.of("OSTRAKA_CONSOLE_TOKENS_CI_1_EXPIRES", "never"),
                        SERVERS,
                        "tokens.ci-1.hash=" + DIGEST,
                        "tokens.ci-1.grants=VIEWER",
                        "tokens.ci-1.expires=2030-01-01T00:00:00Z"))
                .singleElement()
                .asString()
                .startsWith("tokens.ci-1.expires (from OSTRAKA_CONSOLE_TOKENS_CI_1_EXPIRES) is 'never'");
    }

    @Test
    void valuesMayBeReferences() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "from a file\r\n\n");

        ConsoleSettings settings = ConsoleSettings.read(
                file(
                        "zookeeper.servers=${env:SERVERS}",
                        "zookeeper.digest-user=orders",
                        "zookeeper.digest-password=${file:" + secret + "}"),
                Map.of("SERVERS", "zk9:2181"));

        assertThat(settings.zooKeeper().servers()).isEqualTo("zk9:2181");
        assertThat(settings.zooKeeper().credentials().password().read()).isEqualTo("from a file".toCharArray());
        Files.writeString(secret, "changed");
        assertThat(settings.zooKeeper().credentials().password().read()).isEqualTo("changed".toCharArray());
    }

    @Test
    void referenceToNothingIsTheOnlyMistakeOfItsKey() throws Exception {
        assertThat(mistakes(
                        "users.bob.password=${env:NONE}",
                        "users.bob.grants=ADMIN",
                        "zookeeper.digest-user=u",
                        "zookeeper.digest-password=${file:/no/such/file}"))
                .containsExactlyInAnyOrder(
                        "users.bob.password is not readable: the environment variable NONE is not set",
                        "zookeeper.digest-password is not readable: the file /no/such/file cannot be read");
    }

    /** A program that opens a named pipe waits until a second program opens the other end. */
    @Tag("slow")
    @Timeout(60)
    @Test
    void namedPipeInPlaceOfAFileIsAMistake() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();

        assertThat(mistakes("zookeeper.digest-user=u", "zookeeper.digest-password=${file:" + pipe + "}"))
                .containsExactly("zookeeper.digest-password is not readable: the file " + pipe
                        + " cannot be read, because it is not a regular file");
        assertThatThrownBy(() -> ConsoleSettings.read(pipe, Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("it is not a regular file");
        assertThatThrownBy(() -> Secret.of("${file:" + pipe + "}").read())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it is not a regular file");
    }

    @Test
    void fileThatIsTooLargeIsNamedWithItsSizeAndTheLimit() throws Exception {
        Path large = Files.writeString(directory.resolve("large"), "#".repeat((1 << 20) + 1));
        assertThatThrownBy(() -> ConsoleSettings.read(large, Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("the file " + large
                        + " cannot be read, because it has 1048577 bytes; accepted: at most 1048576");
        assertThat(mistakes("zookeeper.digest-user=u", "zookeeper.digest-password=${file:" + large + "}"))
                .containsExactly("zookeeper.digest-password is not readable: the file " + large
                        + " cannot be read, because it has 1048577 bytes; accepted: at most 65536");
    }

    @Test
    void keyStoreThatIsTooLargeIsNamedWithItsSizeAndTheLimit() throws Exception {
        Path large = directory.resolve("large.p12");
        try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
            file.setLength((16 << 20) + 1);
        }
        assertThat(mistakes("tls.keystore=" + large, "tls.keystore-password=x"))
                .containsExactly("tls.keystore is '" + large
                        + "' (it has 16777217 bytes; accepted: at most 16777216); accepted: a readable PKCS12 or JKS file with"
                        + " a certificate and its key");
    }

    @Test
    void fileWithTooManyValuesIsAMistake() throws Exception {
        String[] lines = new String[10_002];
        Arrays.setAll(lines, i -> "users.u" + i + ".grants=ADMIN");
        assertThat(mistakes(lines))
                .anySatisfy(each -> assertThat(each).endsWith("has 10003 values; accepted: at most 10000"));
    }

    @Test
    void secretInAFileThatOthersCanReadIsAWarning() throws Exception {
        Path file = file(
                SERVERS, "zookeeper.digest-user=u", "zookeeper.digest-password=literal", "proxy.secret=${env:PROXY}");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));

        assertThat(ConsoleSettings.read(file, Map.of("PROXY", "x".repeat(32))).warnings())
                .singleElement()
                .asString()
                .startsWith("zookeeper.digest-password is a secret, and other users of this machine can read ")
                .doesNotContain("literal");
    }

    @Test
    void fileOfASecretThatOthersCanReadIsAWarning() throws Exception {
        Path secret = Files.writeString(directory.resolve("token"), "x".repeat(32));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(ConsoleSettings.read(file(SERVERS, "proxy.secret=${file:" + secret + "}"), Map.of())
                        .warnings())
                .singleElement()
                .asString()
                .startsWith("other users of this machine can read " + secret);
        assertThat(ConsoleSettings.read(
                                file(SERVERS, "proxy.secret=${file:" + secret + "}"),
                                Map.of("CREDENTIALS_DIRECTORY", directory.toString()))
                        .warnings())
                .isEmpty();
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("r--------"));
        assertThat(ConsoleSettings.read(file(SERVERS, "proxy.secret=${file:" + secret + "}"), Map.of())
                        .warnings())
                .isEmpty();
    }

    @Test
    void beyondLoopbackNeedsTlsCallersAndAName() throws Exception {
        assertThat(mistakes("listen.address=0.0.0.0"))
                .hasSize(3)
                .allMatch(each -> each.startsWith("listen.address is '0.0.0.0', which other machines can reach, but "))
                .anyMatch(each -> each.contains("there is no TLS"))
                .anyMatch(each -> each.contains("the settings name no caller"))
                .anyMatch(each -> each.contains("the console knows no host name"));
        assertThat(read(
                                SERVERS,
                                "listen.address=0.0.0.0",
                                "listen.plain=true",
                                "public-origin=https://jobs.example.org",
                                "tokens.ci.hash=" + DIGEST,
                                "tokens.ci.grants=VIEWER orders/settle-*, OPERATOR invoices label:team=payments",
                                "tokens.ci.expires=2030-01-01T00:00:00Z")
                        .listen()
                        .address())
                .isEqualTo("0.0.0.0");
    }

    @Test
    void templateOfLogsMayHaveEachKeyOfTheMdc() throws Exception {
        String template = "https://logs.example.org/app/%7B?q={job}+{item}+{fire}+{attempt}+{runId}#{token}";

        assertThat(read(SERVERS, "logs.url=" + template).views().logs()).isEqualTo(template);
        assertThat(read(SERVERS).views().logs()).isNull();
    }

    @Test
    void timeoutsReachZooKeeper() throws Exception {
        assertThat(read(SERVERS, "zookeeper.session-timeout=PT40S", "zookeeper.connection-timeout=PT3S")
                        .zooKeeper()
                        .timeouts())
                .isEqualTo(new ZooKeeperSettings.Timeouts(
                        Duration.ofSeconds(40), Duration.ofSeconds(3), Duration.ofSeconds(10)));
    }

    @Test
    void textOfSettingsContainsNoSecret() throws Exception {
        String url = "jdbc:h2:mem:x;PASSWORD=s3cret-url";
        ConsoleSettings settings = read(
                SERVERS,
                "zookeeper.digest-user=u",
                "zookeeper.digest-password=s3cret-zk",
                "history.url=" + url,
                "history.password=s3cret-db",
                "history.spool=" + directory.resolve("spool"),
                "proxy.secret=s3cret-0123456789012345678901234567");

        assertThat(settings.history().url()).isEqualTo(url);
        assertThat(settings.toString()).doesNotContain("s3cret");
    }

    @Test
    void exampleFileShowsEveryKeyAndIsAccepted() throws Exception {
        String example = Files.readString(EXAMPLE);
        for (Key key : Key.values()) {
            assertThat(example)
                    .containsPattern("(?m)^#?" + key.of("alice").replace(".", "\\.") + "=|^#?"
                            + key.text().replace(".", "\\.").replace("NAME", "[a-z.@-]+") + "=");
        }
        assertThat(ConsoleSettings.read(EXAMPLE, Map.of()).zooKeeper().servers())
                .isEqualTo("127.0.0.1:2181");
    }

    @Test
    void documentHasTheTableOfTheKeys() throws Exception {
        String table = Arrays.stream(Key.values())
                .map(key -> "| `" + key.text() + "` | " + (key.standard().isEmpty() ? "" : "`" + key.standard() + "` ")
                        + "| " + key.accepted() + " |")
                .collect(Collectors.joining("\n"));

        assertThat(Files.readString(DOCUMENT)).contains(table);
    }
}
