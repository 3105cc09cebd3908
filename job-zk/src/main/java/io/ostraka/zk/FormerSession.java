package io.ostraka.zk;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session whose handle was given up without a connection, and which the servers end now if they still keep it.
 *
 * <p>ZooKeeper's client, and Curator, take a session as over after some time without any server, by their own clocks. But
 * when all servers were away they give every session its time anew. Its nodes would be in the way of the very process that
 * made them, and of the next leader, until that time is over.
 */
final class FormerSession {
    private static final Logger log = LoggerFactory.getLogger(FormerSession.class);

    private FormerSession() {}

    /**
     * Ends a session in the background, with a connection of its own; once, and without any word if that can't be done: then
     * it expires.
     *
     * @param closed its handle
     */
    static void end(String hosts, ZooKeeper closed, ZKClientConfig config) {
        var ending = new Thread(
                () -> {
                    try {
                        resumeAndClose(hosts, closed, config);
                    } catch (IOException e) {
                        log.debug("Session 0x{} is left to expire", Long.toHexString(closed.getSessionId()), e);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "ostraka-zk-former-session");
        ending.setDaemon(true);
        ending.start();
    }

    private static void resumeAndClose(String hosts, ZooKeeper closed, ZKClientConfig config)
            throws IOException, InterruptedException {
        var decided = new CountDownLatch(1);
        Watcher events = event -> {
            if (event.getState() != KeeperState.Disconnected) {
                decided.countDown(); // it goes on, or it is over
            }
        };
        int timeout = closed.getSessionTimeout();
        var servers = new StaticHostProvider(new ConnectStringParser(hosts).getServerAddresses());
        try (var resumed = new ZooKeeper(
                hosts, timeout, events, closed.getSessionId(), closed.getSessionPasswd(), false, servers, config)) {
            decided.await(timeout, TimeUnit.MILLISECONDS);
        }
    }
}
