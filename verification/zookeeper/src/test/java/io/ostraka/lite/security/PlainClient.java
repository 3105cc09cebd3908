package io.ostraka.lite.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;

/** A plain, blocking ZooKeeper client that does not use the library, for an administrator or an intruder. */
final class PlainClient implements AutoCloseable {
    final ZooKeeper client;

    /** Connects without credentials. */
    PlainClient(String servers) throws IOException, InterruptedException {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        CountDownLatch connected = new CountDownLatch(1);
        client = new ZooKeeper(
                servers,
                20_000,
                event -> {
                    if (event.getState() == KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                },
                config);
        if (!connected.await(60, TimeUnit.SECONDS)) {
            throw new IOException("no connection to " + servers);
        }
    }

    /** Adds credentials of ZooKeeper's digest scheme. */
    PlainClient as(String user, String password) {
        client.addAuthInfo("digest", (user + ":" + password).getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** Returns a path and all paths below it. */
    TreeSet<String> paths(String root) throws KeeperException, InterruptedException {
        TreeSet<String> all = new TreeSet<>(List.of(root));
        try {
            for (String child : client.getChildren(root, false)) {
                all.addAll(paths(root + "/" + child));
            }
        } catch (KeeperException.NoNodeException | KeeperException.NoAuthException e) {
            // the engine works at the same time: the node was ephemeral, or the engine has just created it
        }
        return all;
    }

    void setAcl(String path, List<ACL> acl) throws KeeperException, InterruptedException {
        client.setACL(path, new ArrayList<>(acl), -1); // the client calls contains(null), which immutable lists reject
    }

    /**
     * Sets the ACL of a node and its descendants, as {@code setAcl -R} does. Skips nodes that are deleted meanwhile.
     */
    void setAcls(String root, List<ACL> acl) throws KeeperException, InterruptedException {
        for (String path : paths(root)) {
            try {
                setAcl(path, acl);
            } catch (KeeperException.NoNodeException | KeeperException.NoAuthException e) {
                // the node was ephemeral, or belongs to the engine by now
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        client.close();
    }
}
