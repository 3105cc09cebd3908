package io.ostraka.lite.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests that no output and no node contains a secret. */
class SecretsTest extends SecuredTest {
    private static final String WRONG = "wr0ng-Passw0rd";

    @Test
    void noSecretAppearsInLogExceptionTextOrNode() throws Exception {
        Path output = directory.resolve("told.log");
        ProcessBuilder process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=trace",
                        "-Djava.security.auth.login.config=" + System.getProperty("java.security.auth.login.config"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SecretKeeper.class.getName(),
                        server.servers(),
                        server.secureServers(),
                        server.certificates.trustingServer.toString(),
                        server.certificates.client.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        process.environment()
                .putAll(Map.of(
                        "ZK_PASSWORD", PASSWORD, "WRONG_PASSWORD", WRONG, "STORE_PASSWORD", Certificates.PASSWORD));
        Process running = process.start();
        assertThat(running.waitFor(200, TimeUnit.SECONDS)).isTrue();

        String printed = Files.readString(output);
        assertThat(printed)
                .as("output of the process")
                .contains(
                        "all printed",
                        "DEBUG org.apache.zookeeper.ClientCnxn",
                        "DEBUG io.netty",
                        "DEBUG io.ostraka",
                        "CoordinationException: could not register",
                        "digest user 'orders'")
                .doesNotContain("never so");
        assertSecretsAreNotIn(printed);
        List<SecuredServer.Write> writes = server.writes("");
        assertThat(writes).extracting(SecuredServer.Write::path).contains("/digest/jobs/job/config", "/tls/instances");
        writes.forEach(write -> assertSecretsAreNotIn(write.path() + " " + write.data()));
    }

    private static void assertSecretsAreNotIn(String text) {
        for (String secret : List.of(PASSWORD, WRONG, Certificates.PASSWORD, SecuredServer.SASL_PASSWORD, "another")) {
            for (String form : forms(secret)) {
                assertThat(text.contains(form))
                        .as("'%s' as '%s' is in:%n%s", secret, form, around(text, form))
                        .isFalse();
            }
        }
    }

    private static List<String> forms(String secret) {
        List<String> forms = new ArrayList<>();
        for (String text : List.of(secret, USER + ":" + secret)) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            String hex = HexFormat.of().formatHex(bytes);
            forms.addAll(List.of(text, Base64.getEncoder().encodeToString(bytes), hex, hex.toUpperCase(Locale.ROOT)));
        }
        return forms;
    }

    private static String around(String text, String form) {
        int at = text.indexOf(form);
        return at < 0 ? "" : text.substring(Math.max(0, at - 300), Math.min(text.length(), at + 100));
    }
}
