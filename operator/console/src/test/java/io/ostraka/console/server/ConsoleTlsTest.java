package io.ostraka.console.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ostraka.fixtures.net.SelfSigned;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
@Timeout(60)
class ConsoleTlsTest {
    @TempDir
    Path directory;

    private SelfSigned certificate;

    @BeforeEach
    void createCertificate() throws IOException {
        certificate = SelfSigned.create(directory.resolve("console.p12"), "CN=console", "ip:127.0.0.1");
    }

    @Tag("slow")
    @Test
    void clientThatTrustsTheCertificateIsServed() throws Exception {
        Site site = new Site(
                HttpClient.newBuilder().sslContext(certificate.context()).build());
        ConsoleSettings settings = ConsoleSettings.read(
                site.settings(
                        directory,
                        "127.0.0.1:1",
                        "tls.keystore=" + certificate.keys(),
                        "tls.keystore-password=" + SelfSigned.PASSWORD),
                Map.of());
        try (Console console = Console.start(settings, Limits.DEFAULT, Clock.systemUTC(), password -> {})) {
            site.at(console.uri());
            assertThat(console.uri().getScheme()).isEqualTo("https");

            HttpResponse<String> answer = site.get("/api/v1/session");

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Strict-Transport-Security")).contains("max-age=31536000");
            assertThat(answer.version()).as("no other protocol is offered").isEqualTo(HttpClient.Version.HTTP_1_1);
            assertThatThrownBy(() -> RawClient.once(console.uri(), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                    .as("no answer without TLS")
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void wrongPasswordOfTheKeyStoreIsAMistake() throws Exception {
        Path file = new Site()
                .settings(
                        directory,
                        "127.0.0.1:1",
                        "tls.keystore=" + certificate.keys(),
                        "tls.keystore-password=wrong-pass");

        assertThatThrownBy(() -> ConsoleSettings.read(file, Map.of()))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("tls.keystore is '" + certificate.keys() + "', which cannot be opened with")
                .hasMessageNotContaining("wrong-pass");
    }
}
