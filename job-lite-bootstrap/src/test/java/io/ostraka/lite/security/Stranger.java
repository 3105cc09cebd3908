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

/** A plain, blocking client of ZooKeeper beside the library: an administrator, or somebody who has no business here. */
final class Stranger implements AutoCloseable {
    final ZooKeeper client;

    /** Without credentials. */
    Stranger(String servers) throws IOException, InterruptedException {
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

    /** With ZooKeeper's digest scheme. */
    Stranger as(String user, String password) {
        client.addAuthInfo("digest", (user + ":" + password).getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** Every path below one, itself included. */
    TreeSet<String> paths(String root) throws KeeperException, InterruptedException {
        TreeSet<String> all = new TreeSet<>(List.of(root));
        try {
            for (String child : client.getChildren(root, false)) {
                all.addAll(paths(root + "/" + child));
            }
        } catch (KeeperException.NoNodeException | KeeperException.NoAuthException e) {
            // the engine goes on meanwhile: it was ephemeral, or is a new one of its own
        }
        return all;
    }

    void setAcl(String path, List<ACL> acl) throws KeeperException, InterruptedException {
        client.setACL(path, new ArrayList<>(acl), -1); // it asks whether the list holds null
    }

    /** What {@code setAcl -R} does; nodes that have gone meanwhile are left out. */
    void setAcls(String root, List<ACL> acl) throws KeeperException, InterruptedException {
        for (String path : paths(root)) {
            try {
                setAcl(path, acl);
            } catch (KeeperException.NoNodeException | KeeperException.NoAuthException e) {
                // ephemeral, or the engine's own by now
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        client.close();
    }
}
