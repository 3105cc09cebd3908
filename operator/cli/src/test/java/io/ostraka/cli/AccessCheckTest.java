package io.ostraka.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.cli.transport.Connection;
import io.ostraka.cli.transport.Setting;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AccessCheckTest {
    private static final int PING = -2;

    /** Accepts a session and answers its pings, but no other request. */
    private static void answerOnlyPings(ServerSocket server) {
        try (Socket client = server.accept()) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            in.readNBytes(in.readInt());
            out.writeInt(4 + 4 + 8 + 4 + 16 + 1);
            out.writeInt(0); // version of the protocol
            out.writeInt(10_000); // time limit of the session
            out.writeLong(1); // id of the session
            out.writeInt(16);
            out.write(new byte[16]); // password of the session
            out.writeBoolean(false); // not read-only
            while (true) {
                int rest = in.readInt() - 4;
                boolean ping = in.readInt() == PING;
                in.readNBytes(rest);
                if (ping) {
                    out.writeInt(4 + 8 + 4);
                    out.writeInt(PING);
                    out.writeLong(0);
                    out.writeInt(0);
                }
            }
        } catch (IOException e) { // the client has closed the connection
        }
    }

    @Tag("slow")
    @Test
    void serverThatNeverAnswersIsGivenUp() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            CompletableFuture.runAsync(() -> answerOnlyPings(server));
            Connection connection = new Connection(
                    Map.of(Setting.ZOOKEEPER, "127.0.0.1:" + server.getLocalPort()), "", Duration.ofSeconds(2), false);

            Finding finding = AccessCheck.of(connection, "orders");
            assertThat(finding.level()).isEqualTo(Finding.Level.SKIPPED);
            assertThat(finding.what()).contains("the access rights of /orders could not be read");
        }
    }
}
