package io.ostraka.lite.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.fixtures.net.SelfSigned;
import io.ostraka.fixtures.process.Program;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Tests that no output and no node contains a secret. */
class SecretsTest extends SecuredTest {
    private static final String WRONG = "wr0ng-Passw0rd";

    @Test
    void noSecretAppearsInLogExceptionTextOrNode() throws Exception {
        String printed = Program.java(SecretKeeper.class)
                .jvm("-Xmx128m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=trace")
                .jvm("-Djava.security.auth.login.config=" + System.getProperty("java.security.auth.login.config"))
                .arguments(server.servers(), server.secureServers())
                .arguments(server.certificate.trust(), server.client.keys())
                .environment("ZK_PASSWORD", PASSWORD)
                .environment("WRONG_PASSWORD", WRONG)
                .environment("STORE_PASSWORD", SelfSigned.PASSWORD)
                .run();
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
        for (String secret : List.of(PASSWORD, WRONG, SelfSigned.PASSWORD, SecuredServer.SASL_PASSWORD, "another")) {
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
