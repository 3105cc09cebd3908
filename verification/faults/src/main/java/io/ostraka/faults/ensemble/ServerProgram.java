package io.ostraka.faults.ensemble;

import io.ostraka.fixtures.process.ParentCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.security.sasl.SaslException;
import org.apache.zookeeper.server.ServerConfig;
import org.apache.zookeeper.server.ZooKeeperServerMain;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * The program of one server of an {@link Ensemble}. Each input line is a number of milliseconds, by which every later
 * flush takes longer. A standalone server ignores its input.
 */
final class ServerProgram extends QuorumPeerMain {
    private final CompletableFuture<SlowDisk> disk = new CompletableFuture<>();

    private ServerProgram() {}

    /** Runs the server. The only argument is the path of ZooKeeper's configuration. */
    public static void main(String[] arguments) {
        ServerProgram program = new ServerProgram();
        Thread server = new Thread(() -> program.serve(arguments[0]), "server");
        server.start();
        ParentCommands.follow(
                millis -> program.disk.thenAccept(disk -> disk.slow(Duration.ofMillis(Long.parseLong(millis)))));
    }

    private void serve(String file) {
        try {
            QuorumPeerConfig configuration = new QuorumPeerConfig();
            configuration.parse(file);
            if (configuration.isDistributed()) {
                runFromConfig(configuration);
            } else {
                var alone = new ServerConfig();
                alone.readFrom(configuration);
                new ZooKeeperServerMain().runFromConfig(alone);
            }
        } catch (Exception e) {
            e.printStackTrace();
        } finally {
            Runtime.getRuntime().halt(1);
        }
    }

    @Override
    protected QuorumPeer getQuorumPeer() throws SaslException {
        return new QuorumPeer() {
            @Override
            public void setTxnFactory(FileTxnSnapLog fast) {
                try {
                    SlowDisk slow = new SlowDisk(fast);
                    super.setTxnFactory(slow);
                    disk.complete(slow);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
    }
}
