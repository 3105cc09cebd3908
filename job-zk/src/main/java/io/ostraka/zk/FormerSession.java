package io.ostraka.zk;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session whose handle was given up, and which the servers may still keep.
 *
 * <p>ZooKeeper's client, and Curator, take a session as over after some time without any server, by their own clocks. But
 * when all servers were away they give every session its time anew. Its nodes would be in the way of the very process that
 * made them, and of the next leader, until that time is over.
 *
 * <p>An outage may leave several: Curator also gives up a handle that is just being connected, and that one's session has
 * begun at the servers by then.
 */
final class FormerSession {
    private static final Logger log = LoggerFactory.getLogger(FormerSession.class);
    /** It is resumed and closed, and then found to be over. */
    private static final int ATTEMPTS = 3;

    private final ZooKeeper closed;
    private final ZKClientConfig config;
    private boolean trying; // of the store's thread

    /**
     * Nothing is done yet.
     *
     * @param closed its handle
     * @param config of a client that has the same rights
     */
    FormerSession(ZooKeeper closed, ZKClientConfig config) {
        this.closed = closed;
        this.config = config;
    }

    /**
     * Has the servers end it, in the background and with a connection of its own, unless that is being tried already. To be
     * called on the store's thread, again on each connection until it is over.
     *
     * @param store the store's thread
     * @param over called there when the servers have said that it is over
     */
    void end(String hosts, Executor store, Runnable over) {
        if (trying) {
            return;
        }
        var ending = new Thread(
                () -> {
                    boolean ended = end(hosts);
                    store.execute(() -> {
                        trying = false;
                        if (ended) {
                            over.run();
                        }
                    });
                },
                "ostraka-zk-former-session");
        ending.setDaemon(true);
        ending.start();
        trying = true;
    }

    private boolean end(String hosts) {
        String session = Long.toHexString(closed.getSessionId());
        try {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                KeeperState state = resumeAndClose(hosts);
                log.debug("Session 0x{} was resumed to be ended: {}", session, state);
                if (state == KeeperState.Expired) {
                    return true;
                }
            }
        } catch (IOException | TimeoutException | RuntimeException e) {
            log.debug("Session 0x{} can't be ended now; it is tried again on the next connection", session, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /** Returns what the servers said of the session. */
    private KeeperState resumeAndClose(String hosts) throws IOException, InterruptedException, TimeoutException {
        var said = new CompletableFuture<KeeperState>();
        int timeout = closed.getSessionTimeout();
        var servers = new StaticHostProvider(new ConnectStringParser(hosts).getServerAddresses());
        try (var resumed = new ZooKeeper(
                hosts,
                timeout,
                event -> {
                    if (event.getState() != KeeperState.Disconnected) {
                        said.complete(event.getState());
                    }
                },
                closed.getSessionId(),
                closed.getSessionPasswd(),
                false,
                servers,
                config)) {
            return said.get(timeout, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException("Never completed so", e);
        }
    }
}
