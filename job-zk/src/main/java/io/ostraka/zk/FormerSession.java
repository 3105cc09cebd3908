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
 * A session that this process no longer uses, but that the servers may still keep.
 *
 * <p>After some time without any server, ZooKeeper's client and Curator regard a session as expired by their own
 * clocks. The servers may disagree: if all of them were down, the timeout of each session starts anew when they are up
 * again. Until the servers expire the old session, its ephemeral nodes remain: they are in the way of the new session
 * of this process and block the leader election.
 *
 * <p>One outage can leave several such sessions. Curator also closes handles (objects of ZooKeeper's client) that are
 * still connecting, and the servers may already have created the sessions of these handles.
 */
final class FormerSession {
    private static final Logger log = LoggerFactory.getLogger(FormerSession.class);
    /**
     * Maximum number of attempts. Normally the first attempt resumes and closes the session, and the second confirms
     * that the servers report it as expired.
     */
    private static final int ATTEMPTS = 3;

    private final ZooKeeper closed;
    private final ZKClientConfig config;
    private boolean trying; // only on the store's thread

    /**
     * Creates the description of a session, without contacting the servers.
     *
     * @param closed handle of the session
     * @param config configuration of a client with the same rights
     */
    FormerSession(ZooKeeper closed, ZKClientConfig config) {
        this.closed = closed;
        this.config = config;
    }

    /**
     * Ends the session at the servers, in the background and on a separate connection. Does nothing if an earlier call
     * is still in progress. Called on the store's thread, on each new connection until the session has ended.
     *
     * @param hosts servers to connect to
     * @param store the store's thread
     * @param over called on the store's thread when the servers have confirmed that the session has ended
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
        try {
            ending.start();
            trying = true;
        } catch (Throwable e) { // no thread can be started; the other work of a new connection must not fail with it
            log.warn(
                    "no thread can be started that ends a former session ({}); the store tries again on the next connection",
                    e.toString());
        }
    }

    private boolean end(String hosts) {
        String session = Long.toHexString(closed.getSessionId());
        try {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                KeeperState state = resumeAndClose(hosts);
                log.debug("former session 0x{} was resumed in order to end it: {}", session, state);
                if (state == KeeperState.Expired) {
                    return true;
                }
            }
        } catch (IOException | TimeoutException | RuntimeException e) {
            log.debug(
                    "former session 0x{} cannot be ended now; the store tries again on the next connection",
                    session,
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /** Resumes and closes the session. Returns the first state that the servers report for the resumed session. */
    private KeeperState resumeAndClose(String hosts) throws IOException, InterruptedException, TimeoutException {
        var reported = new CompletableFuture<KeeperState>();
        int timeout = closed.getSessionTimeout();
        var servers = new StaticHostProvider(new ConnectStringParser(hosts).getServerAddresses());
        try (var resumed = new ZooKeeper(
                hosts,
                timeout,
                event -> {
                    if (event.getState() != KeeperState.Disconnected) {
                        reported.complete(event.getState());
                    }
                },
                closed.getSessionId(),
                closed.getSessionPasswd(),
                false,
                servers,
                config)) {
            return reported.get(timeout, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the state was completed exceptionally, which is a defect", e);
        }
    }
}
