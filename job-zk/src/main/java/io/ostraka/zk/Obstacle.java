package io.ostraka.zk;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reason why a store cannot work with ZooKeeper, described for an operator. Each change of the reason is logged,
 * and {@link ZooKeeperNodeStore#trouble} returns the current reason. Thread-safe.
 */
final class Obstacle {
    private static final Logger log = LoggerFactory.getLogger(ZooKeeperNodeStore.class);

    /**
     * Maximum number of nodes per connection whose refused writes are logged. Without this limit, a thousand jobs could
     * flood the log.
     */
    private static final int MOST_REFUSALS = 20;

    private final ZooKeeperConfig config;
    private final Consumer<String> told;
    private final Set<String> refusedPaths = ConcurrentHashMap.newKeySet();
    private volatile @Nullable String present;
    private volatile @Nullable Refusal refusal;
    private @Nullable String found;

    /** The last refused write. */
    private record Refusal(String path, String text) {}

    Obstacle(ZooKeeperConfig config, Consumer<String> told) {
        this.config = config;
        this.told = told;
    }

    /** Sets the current obstacle. Called on the store's thread. */
    void is(String what) {
        if (!what.equals(present)) {
            present = what;
            told.accept(what);
        }
    }

    /**
     * Sets the findings of a probe as the current obstacle. They replace earlier findings. A reason that ZooKeeper gave
     * itself says more than a probe, and is only replaced if no server answers any more. Called on the store's thread.
     */
    void found(ServerProbe.Findings findings) {
        if (present == null || present.equals(found) || findings.outage()) {
            found = findings.text();
            is(found);
        }
    }

    /** Removes the current obstacle, because the store can work with ZooKeeper again. */
    void gone() {
        present = null;
    }

    /** Removes the recorded refused writes, because their connection has ended. */
    void disconnected() {
        refusedPaths.clear();
        refusal = null;
    }

    /**
     * Records and logs that ZooKeeper refused a write because access rights are missing. Ignores refusals for other
     * reasons.
     */
    void refused(String path, Code code) {
        if (code != Code.NOAUTH && code != Code.INVALIDACL) {
            return;
        }
        String said = explain("write " + path, KeeperException.create(code, path));
        refusal = new Refusal(path, said);
        if (refusedPaths.size() < MOST_REFUSALS && refusedPaths.add(path)) {
            log.error("{}", said);
        }
    }

    /** Forgets the last refused write if ZooKeeper has now accepted a write of the same node. */
    void accepted(Stream<String> paths) {
        Refusal last = refusal;
        if (last != null && paths.anyMatch(last.path::equals)) {
            refusal = null;
            refusedPaths.remove(last.path);
        }
    }

    /**
     * Returns the current obstacle. Without an obstacle, returns the last refused write on this connection, if there is
     * one and the node was not written since.
     */
    Optional<String> present() {
        String obstacle = present;
        Refusal last = refusal;
        return Optional.ofNullable(obstacle == null && last != null ? last.text : obstacle);
    }

    /**
     * Sets the obstacle "nodes are open to everyone although this process has credentials". The content of these nodes
     * cannot be trusted.
     */
    void isOpen(String paths) {
        is("Anyone can change " + paths + " in ZooKeeper at " + config.hosts() + ", although credentials were given ("
                + config.security() + "), so this instance does not use it"
                + ". Check the contents and restrict access (zkCli.sh: addauth, then setAcl -R " + config.root()
                + " auth::cdrwa), or accept open access with openAccess(true)");
    }

    /** Logs that consecutive connections were lost while a large transaction had no reply. Returns the logged text. */
    String dropsLargePackets(long bytes, long most) {
        String text = "ZooKeeper at " + config.hosts() + " drops the connection at a transaction of " + bytes
                + " bytes, probably because its jute.maxbuffer is less than the default of 1048575. For "
                + PacketLimit.TRUST.toMinutes() + " minutes the store limits transactions to " + most
                + " bytes; set -Djute.maxbuffer=1048575 at all servers";
        log.error("{}", text);
        return text;
    }

    /**
     * Describes an unexpected reply of ZooKeeper and suggests an action.
     *
     * @param action the refused action, such as {@code write /path}
     * @param failure ZooKeeper's reply
     */
    String explain(String action, Throwable failure) {
        String where = "ZooKeeper at " + config.hosts();
        Code code = failure instanceof KeeperException known ? known.code() : null;
        if (code == Code.NOAUTH) {
            return config.security().hasCredentials()
                    ? where + " refuses to " + action + ": the credentials of this process (" + config.security()
                            + ") do not have the rights. Correct user, password, JAAS section or certificate, or let the owner grant the"
                            + " rights with setAcl"
                    : where + " refuses to " + action + ": access is restricted, and no credentials were given."
                            + " Give the registry digest, sasl, or tls with a key, or let the owner grant the rights"
                            + " with setAcl";
        }
        if (code == Code.INVALIDACL) {
            return where + " refuses to " + action
                    + " with restricted access, since it has not authenticated this process (" + config.security()
                    + "). Check that the servers have an authentication provider for these credentials";
        }
        if (code == Code.AUTHFAILED || code == Code.SESSIONCLOSEDREQUIRESASLAUTH) {
            return refusedCredentials();
        }
        return where + " did not " + action + ": " + failure.getMessage();
    }

    String refusedCredentials() {
        return "ZooKeeper at " + config.hosts() + " refused the credentials of this process, or requires others ("
                + config.security()
                + "). Check user and password, for SASL the JAAS configuration here and at the servers, and for"
                + " DIGEST-MD5 that the servers run with -Dzookeeper.fips-mode=false";
    }
}
