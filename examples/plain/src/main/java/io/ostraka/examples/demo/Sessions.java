package io.ostraka.examples.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

/**
 * Reports when ZooKeeper ends the session of an instance and deletes its node. Only the demo needs this, to show the
 * part of a failover that waits for the session's end.
 */
final class Sessions implements AutoCloseable {
    private final ZooKeeper client;

    Sessions(String servers) throws IOException {
        client = new ZooKeeper(servers, (int) Duration.ofSeconds(10).toMillis(), event -> {});
    }

    /**
     * Watches an instance.
     *
     * @return a future with the {@link System#nanoTime} at which this client learned that the node was deleted
     */
    CompletableFuture<Long> end(String instanceId) throws DemoFailure, InterruptedException {
        var end = new CompletableFuture<Long>();
        String path = "/" + SettlementWorker.NAMESPACE + "/instances/" + instanceId;
        try {
            client.getChildren(path, event -> {
                if (event.getType() == Watcher.Event.EventType.NodeDeleted) {
                    end.complete(System.nanoTime());
                }
            });
        } catch (KeeperException.NoNodeException e) {
            end.complete(System.nanoTime());
        } catch (KeeperException e) {
            throw new DemoFailure("cannot watch " + path + ": " + e.getMessage());
        }
        return end;
    }

    @Override
    public void close() throws InterruptedException {
        client.close();
    }
}
