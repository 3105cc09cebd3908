package io.ostraka.cli;

import io.ostraka.cli.Finding.Level;
import io.ostraka.cli.transport.Connection;
import io.ostraka.cli.transport.DirectTransport;
import io.ostraka.cli.transport.Setting;
import io.ostraka.zk.Tls;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;

/**
 * Checks the rights that everyone has on the root of a namespace. Connects without a user and a password, but with the
 * same TLS stores as the other requests.
 */
final class AccessCheck {
    private static final String CHECK = "access";
    private static final int SESSION_MILLIS = 10_000;
    private static final int WRITES =
            ZooDefs.Perms.WRITE | ZooDefs.Perms.CREATE | ZooDefs.Perms.DELETE | ZooDefs.Perms.ADMIN;
    private static final String WHY =
            "a client that can write the nodes of a job controls the code that the application" + " runs";
    private static final String REMEDY = "give the application credentials, and close the namespace as 'Security' in"
            + " docs/operations.md describes";

    private AccessCheck() {}

    static Finding of(Connection connection, String namespace) {
        String servers = connection.get(Setting.ZOOKEEPER).orElseThrow();
        int slash = servers.indexOf('/');
        String hosts = slash < 0 ? servers : servers.substring(0, slash);
        String root = (slash < 0 ? "" : servers.substring(slash))
                + connection.get(Setting.CHROOT).orElse("");
        String path = root + "/" + namespace;
        try {
            boolean credentials = connection.get(Setting.DIGEST_USER).isPresent()
                    || connection.get(Setting.SASL).isPresent();
            return judge(path, credentials, read(hosts, path, connection));
        } catch (KeeperException.NoAuthException e) {
            return Finding.ok(CHECK, "a client without credentials has no access to " + path);
        } catch (KeeperException | IOException e) {
            return Finding.skipped(CHECK, "the access rights of " + path + " could not be read", "check the servers");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Finding.skipped(CHECK, "the check was interrupted", "");
        }
    }

    private static List<ACL> read(String hosts, String path, Connection connection)
            throws IOException, InterruptedException, KeeperException {
        Tls tls = DirectTransport.tls(connection);
        ZKClientConfig config = tls == null ? new ZKClientConfig() : tls.clientConfig();
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        // otherwise a server that answers only pings would keep this program busy forever
        config.setProperty(
                ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT,
                String.valueOf(connection.limit().toMillis()));
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(
                hosts,
                SESSION_MILLIS,
                event -> {
                    if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                },
                config);
        try {
            if (!connected.await(connection.limit().toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("no server answers");
            }
            return client.getACL(path, null);
        } finally {
            client.close(1000);
        }
    }

    /** Judges the rights that a client without credentials sees. */
    static Finding judge(String path, boolean credentials, List<ACL> acls) {
        int ofEveryone = acls.stream()
                .filter(each -> each.getId().getScheme().equals("world"))
                .mapToInt(ACL::getPerms)
                .reduce(0, (a, b) -> a | b);
        boolean writable = (ofEveryone & WRITES) != 0;
        if (writable) {
            return new Finding(
                    CHECK,
                    credentials ? Level.ERROR : Level.WARNING,
                    "everyone who reaches ZooKeeper can change " + path,
                    WHY + (credentials ? "; instances with credentials refuse such a namespace" : ""),
                    REMEDY);
        }
        if ((ofEveryone & ZooDefs.Perms.READ) == 0) { // only other schemes grant rights, such as x509 or ip
            return Finding.ok(CHECK, "only certain clients have access to " + path);
        }
        return new Finding(
                CHECK,
                Level.WARNING,
                "everyone who reaches ZooKeeper can read " + path,
                "names, parameters and errors of jobs are visible there",
                REMEDY);
    }
}
