package io.ostraka.faults.ensemble;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryUntilElapsed;

/** A client that retries for up to 90 s. */
final class Client implements AutoCloseable {
    private static final int SESSION_MILLIS = 30_000;

    final CuratorFramework curator;

    Client(String servers) {
        curator = CuratorFrameworkFactory.newClient(
                servers, SESSION_MILLIS, SESSION_MILLIS, new RetryUntilElapsed(90_000, 50));
        curator.start();
    }

    /** Writes a node, and creates it if it does not exist. */
    void write(String path, String data) throws Exception {
        curator.create().orSetData().creatingParentsIfNeeded().forPath(path, data.getBytes(StandardCharsets.UTF_8));
    }

    String read(String path) throws Exception {
        curator.sync().forPath(path);
        return new String(curator.getData().forPath(path), StandardCharsets.UTF_8);
    }

    boolean exists(String path) throws Exception {
        curator.sync().forPath(path);
        return curator.checkExists().forPath(path) != null;
    }

    long session() throws Exception {
        return curator.getZookeeperClient().getZooKeeper().getSessionId();
    }

    /** Returns everything below a node, with paths relative to it. */
    Map<String, String> below(String root) throws Exception {
        Map<String, String> all = new TreeMap<>();
        collect(root, root.length(), all);
        return all;
    }

    private void collect(String path, int cut, Map<String, String> all) throws Exception {
        for (String child : curator.getChildren().forPath(path)) {
            String found = path + "/" + child;
            all.put(found.substring(cut), read(found));
            collect(found, cut, all);
        }
    }

    @Override
    public void close() {
        curator.close();
    }
}
