package io.ostraka.lite.security;

import io.ostraka.fixtures.Eventually;
import io.ostraka.fixtures.net.Ports;
import io.ostraka.fixtures.net.SelfSigned;
import io.ostraka.fixtures.process.Program;
import io.ostraka.fixtures.process.RunningProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.server.ByteBufferInputStream;
import org.apache.zookeeper.server.ZooKeeperServerMain;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.server.persistence.TxnLog.TxnIterator;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.MultiTxn;
import org.apache.zookeeper.txn.SetDataTxn;
import org.apache.zookeeper.txn.Txn;

/** A ZooKeeper server in a separate process that supports digest, SASL (DIGEST-MD5), TLS and client certificates. */
final class SecuredServer implements AutoCloseable {
    /** Password of the SASL user {@code orders}. */
    static final String SASL_PASSWORD = "sa5l-Passw0rd";

    final SelfSigned certificate;
    final SelfSigned client;
    private final Path data;
    private final int port;
    private final int securePort;
    private final RunningProgram process;

    /** One write in the server's transaction log; {@code acl} is empty for a change of an existing node. */
    record Write(String path, List<ACL> acl, String data) {}

    SecuredServer(Path directory, String... options) throws IOException {
        certificate = SelfSigned.create(directory.resolve("server.p12"), "CN=zookeeper", "ip:127.0.0.1");
        client = SelfSigned.create(directory.resolve("client.p12"), "CN=orders", "ip:127.0.0.1");
        data = directory.resolve("data");
        port = Ports.free();
        securePort = Ports.free();
        Path jaas = directory.resolve("server-jaas.conf");
        Files.writeString(
                jaas,
                "Server { org.apache.zookeeper.server.auth.DigestLoginModule required user_orders=\"" + SASL_PASSWORD
                        + "\"; };\n");
        Path settings = directory.resolve("zoo.cfg");
        Files.writeString(
                settings,
                """
                dataDir=%s
                clientPort=%d
                clientPortAddress=127.0.0.1
                secureClientPort=%d
                secureClientPortAddress=127.0.0.1
                tickTime=500
                admin.enableServer=false
                4lw.commands.whitelist=srvr,mntr
                """
                        .formatted(data, port, securePort));
        process = Program.java(ZooKeeperServerMain.class)
                .jvm("-Xmx128m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
                .jvm(options)
                .jvm(
                        "-Dzookeeper.preAllocSize=4096",
                        "-Dzookeeper.serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                        "-Dzookeeper.fips-mode=false",
                        "-Dzookeeper.authProvider.sasl=org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
                        "-Dzookeeper.authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider",
                        "-Djava.security.auth.login.config=" + jaas,
                        "-Dzookeeper.ssl.clientAuth=want",
                        "-Dzookeeper.ssl.keyStore.location=" + certificate.keys(),
                        "-Dzookeeper.ssl.keyStore.password=" + SelfSigned.PASSWORD,
                        "-Dzookeeper.ssl.trustStore.location=" + client.trust(),
                        "-Dzookeeper.ssl.trustStore.password=" + SelfSigned.PASSWORD)
                .arguments(settings)
                .log(directory.resolve("server.log"))
                .start();
        Eventually.holds("the server to serve", () -> listens(port) && listens(securePort));
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    String servers() {
        return "127.0.0.1:" + port;
    }

    String secureServers() {
        return "127.0.0.1:" + securePort;
    }

    /** Returns the server's own count of received packets. */
    long packets() {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream().write("mntr".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("zk_packets_received"))
                    .mapToLong(line -> Long.parseLong(line.split("\\s+")[1]))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns every accepted write of a namespace, in order. */
    List<Write> writes(String root) {
        List<Write> all = new ArrayList<>();
        try (FileTxnLog log = new FileTxnLog(data.resolve("version-2").toFile());
                TxnIterator transactions = log.read(0)) {
            while (transactions.getHeader() != null) {
                if (transactions.getTxn() instanceof MultiTxn multi) {
                    for (Txn part : multi.getTxns()) {
                        collect(part, all);
                    }
                } else if (transactions.getTxn() instanceof CreateTxn create) {
                    add(create, all);
                } else if (transactions.getTxn() instanceof SetDataTxn set) {
                    add(set, all);
                }
                if (!transactions.next()) {
                    break;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        all.removeIf(write -> !write.path().equals(root) && !write.path().startsWith(root + "/"));
        return all;
    }

    private static void collect(Txn part, List<Write> all) throws IOException {
        var bytes = ByteBuffer.wrap(part.getData());
        switch (part.getType()) {
            case OpCode.create, OpCode.create2, OpCode.createContainer -> {
                CreateTxn create = new CreateTxn();
                ByteBufferInputStream.byteBuffer2Record(bytes, create);
                add(create, all);
            }
            case OpCode.setData -> {
                SetDataTxn set = new SetDataTxn();
                ByteBufferInputStream.byteBuffer2Record(bytes, set);
                add(set, all);
            }
            default -> {
                // a check or a deletion
            }
        }
    }

    private static void add(CreateTxn create, List<Write> all) {
        all.add(new Write(create.getPath(), create.getAcl(), text(create.getData())));
    }

    private static void add(SetDataTxn set, List<Write> all) {
        all.add(new Write(set.getPath(), List.of(), text(set.getData())));
    }

    private static String text(byte[] data) {
        return data == null ? "" : new String(data, StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        process.close();
    }
}
