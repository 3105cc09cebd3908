package io.ostraka.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.icegreen.greenmail.configuration.GreenMailConfiguration;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.ostraka.api.Alarm;
import io.ostraka.api.AlarmKind;
import io.ostraka.api.AlarmTemplate;
import io.ostraka.fixtures.net.Ports;
import io.ostraka.fixtures.net.SelfSigned;
import jakarta.mail.Message;
import jakarta.mail.internet.MimeMessage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests alarms that are sent through a real SMTP server. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MailAlarmHandlerTest {
    private static final Alarm FIRING = AlarmTemplate.example(Alarm.State.FIRING);
    private static final Alarm RESOLVED = AlarmTemplate.example(Alarm.State.RESOLVED);
    private static final String PASSWORD = "hunter2";

    @TempDir
    private static Path directory;

    private final GreenMail server = new GreenMail(
                    new ServerSetup(0, "localhost", ServerSetup.PROTOCOL_SMTP).dynamicPort())
            .withConfiguration(GreenMailConfiguration.aConfig().withUser("ostraka", PASSWORD));

    private static SSLContext certified() throws IOException {
        Path keys = Files.createTempDirectory(directory, "keys").resolve("keys.p12");
        return SelfSigned.create(keys, "CN=localhost", "dns:localhost").context();
    }

    @BeforeEach
    void start() {
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop();
    }

    private int port() {
        return server.getSmtp().getPort();
    }

    private static MailAlarmHandler.Builder mail(int port) {
        return MailAlarmHandler.newBuilder("localhost", port)
                .from("Ostraka <ostraka@example.com>")
                .to("ops@example.com");
    }

    private static Alarm labelled(Map<String, String> labels, String text) {
        Instant at = Instant.parse("2026-01-01T00:00:00Z");
        return new Alarm(
                "id", "orders", "settle", AlarmKind.FAILING, Alarm.State.FIRING, at, at, text, List.of(), 0, labels);
    }

    private List<String> recipients() {
        return Arrays.stream(server.getReceivedMessages())
                .flatMap(message -> {
                    try {
                        return Arrays.stream(message.getRecipients(Message.RecipientType.TO));
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                })
                .map(Object::toString)
                .distinct()
                .toList();
    }

    @Tag("cluster")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sendsOverAnEncryptedConnectionWithALogin(boolean startTls) throws Exception {
        SSLContext context = certified();
        try (TlsFront front = new TlsFront(port(), context, startTls)) {
            MailAlarmHandler.Builder builder =
                    mail(front.port()).sslContext(context).login("ostraka", PASSWORD::toCharArray);
            (startTls ? builder : builder.tls()).build().handle(FIRING);
        }
        MimeMessage message = server.getReceivedMessages()[0];

        assertThat(message.getSubject()).isEqualTo("[orders] MISSED - job 'settle-orders'");
        assertThat(message.getFrom()[0]).hasToString("Ostraka <ostraka@example.com>");
        assertThat(message.getContent().toString())
                .contains(FIRING.line(), "Since: 2026-01-01T00:00:00Z", "Labels: owner=payments");
        assertThat(message.getHeader("Auto-Submitted")).containsExactly("auto-generated");
        assertThat(message.getHeader("Ostraka-Delivery")).containsExactly(FIRING.idempotencyKey());
        assertThat(recipients()).containsExactly("ops@example.com");
    }

    @Test
    void endAnswersTheMailOfTheBeginningAndARepetitionHasItsId() throws Exception {
        MailAlarmHandler handler = mail(port()).unencrypted().build();
        handler.handle(FIRING);
        handler.handle(FIRING);
        mail(port()).unencrypted().build().handle(RESOLVED); // another instance leads now
        MimeMessage[] messages = server.getReceivedMessages();

        assertThat(messages[1].getMessageID()).isEqualTo(messages[0].getMessageID());
        assertThat(messages[1].getSentDate()).isEqualTo(messages[0].getSentDate());
        assertThat(messages[2].getMessageID()).isNotEqualTo(messages[0].getMessageID());
        assertThat(messages[2].getHeader("In-Reply-To")).containsExactly(messages[0].getMessageID());
        assertThat(messages[2].getHeader("References")).containsExactly(messages[0].getMessageID());
        assertThat(messages[2].getSubject()).isEqualTo("[orders] MISSED resolved - job 'settle-orders'");
    }

    @Test
    void aSecondHandlerHasANameOfItsOwn() {
        assertThat(mail(25).build().name()).isEqualTo("mail");
        assertThat(mail(25).name("mail-payments").build().name()).isEqualTo("mail-payments");
    }

    @Test
    void labelsDirectAlarmsToTheirRecipients() throws Exception {
        MailAlarmHandler handler = mail(port())
                .unencrypted()
                .toLabel("team", "payments", "payments@example.com")
                .toLabel("owner", "ann", "ann@example.com", "payments@example.com")
                .build();
        handler.handle(labelled(Map.of("team", "payments", "owner", "ann"), "t"));
        assertThat(recipients()).containsExactlyInAnyOrder("ann@example.com", "payments@example.com");
        server.purgeEmailFromAllMailboxes();
        handler.handle(labelled(Map.of("team", "ops@evil.example.com"), "t"));
        assertThat(recipients()).containsExactly("ops@example.com");
    }

    @Test
    void noValueCanAddAHeaderOrARecipient() throws Exception {
        String hostile =
                "x\r\nBcc: evil@example.com\r\n\r\nbody\n.\r\nRCPT TO:<evil@example.com>\u0000\u0085\u2028ü\ud83d";
        mail(port())
                .unencrypted()
                .subject("${text} ${label.team}")
                .build()
                .handle(labelled(Map.of("team", hostile), hostile));
        MimeMessage[] messages = server.getReceivedMessages();

        assertThat(messages).hasSize(1);
        assertThat(messages[0].getHeader("Bcc")).isNull();
        assertThat(messages[0].getSubject()).startsWith("x Bcc: evil@example.com body . RCPT TO");
        assertThat(messages[0].getAllRecipients()).hasSize(1);
        for (String address : List.of("a@example.com\r\nBcc: b@example.com", "a@example.com, b@example.com", "a", "")) {
            assertThatThrownBy(() -> mail(port()).to(address))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is not a mail address; accepted: one address");
        }
    }

    @Tag("cluster")
    @Test
    void withoutStartTlsOrATrustedCertificateNothingIsSent() throws Exception {
        assertThatThrownBy(() -> mail(port()).build().handle(FIRING))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("STARTTLS is required");
        SSLContext context = certified();
        try (TlsFront front = new TlsFront(port(), context, true)) {
            assertThatThrownBy(() -> mail(front.port()).build().handle(FIRING)).isInstanceOf(IOException.class);
            MailAlarmHandler wrongName = MailAlarmHandler.newBuilder("127.0.0.1", front.port())
                    .sslContext(context)
                    .from("ostraka@example.com")
                    .to("ops@example.com")
                    .build();
            assertThatThrownBy(() -> wrongName.handle(FIRING)).isInstanceOf(IOException.class);
        }
        assertThat(server.getReceivedMessages()).isEmpty();
    }

    @Test
    void answersOfTheServerCannotControlATerminal() throws Exception {
        try (var hostile = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            CompletableFuture<Void> dialogue = CompletableFuture.runAsync(() -> answer(hostile));
            MailAlarmHandler handler = MailAlarmHandler.newBuilder("127.0.0.1", hostile.getLocalPort())
                    .unencrypted()
                    .from("ostraka@example.com")
                    .to("ops@example.com")
                    .build();

            assertThatThrownBy(() -> handler.handle(FIRING))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("did not accept the mail: 550 no [2J room")
                    .satisfies(
                            e -> assertThat(e.getMessage()).hasSizeLessThan(700).endsWith("…"))
                    .satisfies(e -> assertThat(stackTrace(e))
                            .doesNotContain("\u001b", "\u009b", "x".repeat(600))
                            .contains("at io.ostraka.mail.Smtp.send(Smtp.java:"));
            dialogue.join();
        }
    }

    /** Refuses each sender, with characters that control a terminal. */
    private static void answer(ServerSocket server) {
        try (Socket socket = server.accept();
                var lines = new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))) {
            String answer = "220 ready";
            do {
                socket.getOutputStream().write((answer + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
                String line = lines.readLine();
                answer = line == null || line.startsWith("QUIT")
                        ? null
                        : line.startsWith("MAIL") ? "550 no\u001b[2J\u009broom" + "x".repeat(1000) : "250 good";
            } while (answer != null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Tag("cluster")
    @Test
    void refusedLoginIsReportedWithoutThePassword() throws Exception {
        SSLContext context = certified();
        try (TlsFront front = new TlsFront(port(), context, true)) {
            MailAlarmHandler handler = mail(front.port())
                    .sslContext(context)
                    .login("ostraka", "wrong-hunter3"::toCharArray)
                    .build();

            assertThatThrownBy(() -> handler.handle(FIRING))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(
                            "localhost:" + front.port() + " did not accept the mail: the login of user ostraka")
                    .hasMessageNotContaining("hunter3")
                    .hasStackTraceContaining("the login of user")
                    .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("hunter3"));
        }
        assertThat(server.getReceivedMessages()).isEmpty();
    }

    private static String stackTrace(Throwable e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    @Tag("cluster")
    @Test
    void refusedRecipientDoesNotStopTheOthers() throws Exception {
        SSLContext context = certified();
        try (TlsFront front = new TlsFront(port(), context, true)) {
            mail(front.port())
                    .sslContext(context)
                    .to("left@refused.example.com")
                    .build()
                    .handle(FIRING);
            assertThat(server.getReceivedMessages()).hasSize(1);

            MailAlarmHandler noRecipient = MailAlarmHandler.newBuilder("localhost", front.port())
                    .sslContext(context)
                    .from("ostraka@example.com")
                    .to("left@refused.example.com")
                    .build();
            assertThatThrownBy(() -> noRecipient.handle(FIRING)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void repetitionSucceedsWhenTheServerIsBack() throws Exception {
        int port = Ports.free();
        MailAlarmHandler handler = mail(port).unencrypted().build();
        assertThatThrownBy(() -> handler.handle(FIRING))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("localhost:" + port);
        GreenMail back = new GreenMail(new ServerSetup(port, "localhost", ServerSetup.PROTOCOL_SMTP));
        back.start();
        try {
            handler.handle(FIRING);
            assertThat(back.getReceivedMessages()).hasSize(1);
        } finally {
            back.stop();
        }
    }

    @Tag("slow")
    @Test
    void serverThatDoesNotAnswerIsGivenUpAndNoSecondMailBeginsMeanwhile() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            MailAlarmHandler handler = mail(silent.getLocalPort()).unencrypted().build();
            CompletableFuture<Void> first = CompletableFuture.runAsync(() -> {
                try {
                    handler.handle(FIRING);
                } catch (Exception e) {
                    throw new CompletionException(e);
                }
            });
            try (Socket accepted = silent.accept()) {
                assertThatThrownBy(() -> handler.handle(RESOLVED))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("has not finished accepting a former mail");
                assertThatThrownBy(first::join).hasCauseInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void wrongSettingsAreRefused() {
        MailAlarmHandler.Builder unfinished = MailAlarmHandler.newBuilder("localhost", 25);
        assertThatThrownBy(unfinished::build).hasMessageContaining("no sender");
        assertThatThrownBy(unfinished.from("a@example.com")::build).hasMessageContaining("no recipient");
        assertThatThrownBy(() ->
                        mail(25).login("u", PASSWORD::toCharArray).unencrypted().build())
                .hasMessageContaining("login on an unencrypted connection");
        assertThatThrownBy(() -> mail(25).subject("${secret}")).hasMessageContaining("${secret}");
        assertThatThrownBy(() -> mail(25).toLabel("team", "a")).hasMessageContaining("team=a has no recipient");
        assertThatThrownBy(() -> mail(0)).hasMessageContaining("a port from 1 to 65535");
        assertThat(mail(25).login("u", PASSWORD::toCharArray).build())
                .hasToString("mail through the SMTP server localhost:25");
    }
}
