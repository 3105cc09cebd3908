package io.ostraka.zk;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What keeps a store from serving, in words for an operator: told once for as long as it stays the same, and kept for
 * whoever asks. Thread-safe.
 */
final class Obstacle {
    private static final Logger log = LoggerFactory.getLogger(ZooKeeperNodeStore.class);

    /** Nodes that are named in the log when a write is refused, between two connections: a thousand jobs would fill it. */
    private static final int MOST_REFUSALS = 20;

    private final ZooKeeperConfig config;
    private final Consumer<String> told;
    private final Set<String> refusedPaths = ConcurrentHashMap.newKeySet();
    private volatile @Nullable String present;
    private volatile @Nullable String refusal;

    Obstacle(ZooKeeperConfig config, Consumer<String> told) {
        this.config = config;
        this.told = told;
    }

    /** From now on this is in the way. To be called on the store's thread. */
    void is(String what) {
        if (!what.equals(present)) {
            present = what;
            told.accept(what);
        }
    }

    /** Nothing is in the way any more. */
    void gone() {
        present = null;
    }

    /** What was refused, was so on a connection that is over. */
    void disconnected() {
        refusedPaths.clear();
        refusal = null;
    }

    /** A write was refused because of a node. If it is for want of rights, only here it is known which node it is. */
    void refused(String path, Code code) {
        if (code != Code.NOAUTH && code != Code.INVALIDACL) {
            return;
        }
        String said = explain("write " + path, KeeperException.create(code, path));
        refusal = said;
        if (refusedPaths.size() < MOST_REFUSALS && refusedPaths.add(path)) {
            log.error("{}", said);
        }
    }

    /** What keeps the store from serving, or was refused last on this connection. */
    Optional<String> present() {
        String obstacle = present;
        return Optional.ofNullable(obstacle == null ? refusal : obstacle);
    }

    /** The nodes found open are as good as anyone's. */
    void isOpen(String paths) {
        is("Anyone can change " + paths + " in ZooKeeper at " + config.hosts()
                + ", so that nothing there can be trusted, although credentials were given (" + config.security()
                + "). Look at what is there and close it (zkCli.sh: addauth, then setAcl -R " + config.root()
                + " auth::cdrwa), or allow it with openAccess(true)");
    }

    /** Connections were lost, one after the other, each with a large transaction under way. Returns it in words. */
    String dropsLargePackets(long bytes, long most) {
        String what = "ZooKeeper at " + config.hosts() + " drops the connection at a transaction of " + bytes
                + " bytes: its jute.maxbuffer is probably below the 1048575 bytes that it has by default. For "
                + PacketLimit.TRUST.toMinutes() + " minutes transactions have at most " + most
                + " bytes; set -Djute.maxbuffer=1048575 at all servers";
        log.error("{}", what);
        return what;
    }

    /** What an answer of ZooKeeper means that isn't what was asked for. */
    String explain(String what, Throwable failure) {
        String where = "ZooKeeper at " + config.hosts();
        Code code = failure instanceof KeeperException known ? known.code() : null;
        if (code == Code.NOAUTH) {
            return config.security().hasCredentials()
                    ? where + " refuses to " + what + ": our credentials (" + config.security()
                            + ") have no right to. Correct user, password, JAAS section or certificate, or have the owner grant the"
                            + " rights with setAcl"
                    : where + " refuses to " + what + ": not everyone may, and no credentials were given."
                            + " Give the registry digest, sasl, or tls with a key, or have the owner grant the rights"
                            + " with setAcl";
        }
        if (code == Code.INVALIDACL) {
            return where + " refuses to " + what + " for us alone, as it has not authenticated us (" + config.security()
                    + "): check that the servers have a provider for these credentials";
        }
        if (code == Code.AUTHFAILED || code == Code.SESSIONCLOSEDREQUIRESASLAUTH) {
            return refusedCredentials();
        }
        return where + " did not " + what + ": " + failure.getMessage();
    }

    String refusedCredentials() {
        return "ZooKeeper at " + config.hosts() + " refused our credentials, or wants others (" + config.security()
                + "): check user and password, for SASL the JAAS configuration here and at the servers, and for"
                + " DIGEST-MD5 that the servers run with -Dzookeeper.fips-mode=false";
    }
}
