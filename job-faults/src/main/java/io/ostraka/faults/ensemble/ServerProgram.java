package io.ostraka.faults.ensemble;

import io.ostraka.faults.process.Orders;
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
 * One server of an {@link Ensemble}. A number that it is told is how many milliseconds longer
 * each flush takes; it means nothing to one that is alone.
 */
final class ServerProgram extends QuorumPeerMain {
    private final CompletableFuture<SlowDisk> disk = new CompletableFuture<>();

    private ServerProgram() {}

    /** Argument: the file of ZooKeeper's configuration. */
    public static void main(String[] arguments) {
        ServerProgram program = new ServerProgram();
        Thread server = new Thread(() -> program.serve(arguments[0]), "server");
        server.start();
        Orders.follow(millis -> program.disk.thenAccept(disk -> disk.slow(Duration.ofMillis(Long.parseLong(millis)))));
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
