package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Clock;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(60)
class ConsoleTlsTest {
    private static final String PASSWORD = "st0re-Passw0rd";

    @TempDir
    Path directory;

    private Path keys;

    @BeforeEach
    void createCertificate() throws Exception {
        keys = directory.resolve("console.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-alias",
                        "own",
                        "-dname",
                        "CN=console",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        keys.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("keytool.log").toFile())
                .start();
        assertThat(keytool.waitFor()).isZero();
    }

    private SSLContext trusting() throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore known = KeyStore.getInstance("PKCS12");
        known.load(null, null);
        known.setCertificateEntry(
                "console",
                KeyStore.getInstance(keys.toFile(), PASSWORD.toCharArray()).getCertificate("own"));
        trust.init(known);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    @Tag("slow")
    @Test
    void clientThatTrustsTheCertificateIsServed() throws Exception {
        Site site = new Site(HttpClient.newBuilder().sslContext(trusting()).build());
        ConsoleSettings settings = ConsoleSettings.read(
                site.settings(directory, "127.0.0.1:1", "tls.keystore=" + keys, "tls.keystore-password=" + PASSWORD),
                Map.of());
        try (Console console = Console.start(settings, Limits.DEFAULT, Clock.systemUTC(), password -> {})) {
            site.at(console.uri());
            assertThat(console.uri().getScheme()).isEqualTo("https");

            HttpResponse<String> answer = site.get("/api/v1/session");

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Strict-Transport-Security"))
                    .contains("max-age=31536000");
            assertThat(answer.version()).as("no other protocol is offered").isEqualTo(HttpClient.Version.HTTP_1_1);
            assertThatThrownBy(() -> RawClient.once(console.uri(), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                    .as("no answer without TLS")
                    .isInstanceOf(java.io.IOException.class);
        }
    }

    @Test
    void wrongPasswordOfTheKeyStoreIsAMistake() throws Exception {
        Path file = new Site()
                .settings(directory, "127.0.0.1:1", "tls.keystore=" + keys, "tls.keystore-password=wrong-pass");

        assertThatThrownBy(() -> ConsoleSettings.read(file, Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("tls.keystore is '" + keys + "', which cannot be opened with")
                .hasMessageNotContaining("wrong-pass");
    }
}
