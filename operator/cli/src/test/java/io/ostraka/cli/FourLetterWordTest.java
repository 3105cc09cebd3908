package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests answers of hostile servers. */
class FourLetterWordTest {
    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    /** Writes for ever, until the client has closed the connection. */
    private CompletableFuture<Void> writing(byte[] part, Duration pause) {
        return CompletableFuture.runAsync(() -> {
            try (Socket client = server.accept()) {
                OutputStream out = client.getOutputStream();
                while (!server.isClosed()) {
                    out.write(part);
                    LockSupport.parkNanos(pause.toNanos());
                }
            } catch (IOException e) { // the client has closed the connection
            }
        });
    }

    private InetSocketAddress address() {
        return InetSocketAddress.createUnresolved("127.0.0.1", server.getLocalPort());
    }

    @Test
    void serverThatSendsOneByteAtATimeIsGivenUp() throws Exception {
        CompletableFuture<Void> ended = writing(new byte[] {'a'}, Duration.ofMillis(5));

        assertThat(FourLetterWord.ask(address(), "srvr", Duration.ofMillis(100)))
                .isEmpty();
        ended.get(60, TimeUnit.SECONDS);
    }

    @Test
    void answerWithoutAnEndIsCut() throws Exception {
        CompletableFuture<Void> ended = writing(new byte[64 << 10], Duration.ZERO);

        assertThat(FourLetterWord.ask(address(), "srvr", Duration.ofSeconds(60)))
                .hasValueSatisfying(text -> assertThat(text).hasSize(256 << 10));
        ended.get(60, TimeUnit.SECONDS);
    }

    @Test
    void serverThatIsNotThereGivesNoAnswer() throws IOException {
        server.close();

        assertThat(FourLetterWord.ask(address(), "srvr")).isEmpty();
    }
}
