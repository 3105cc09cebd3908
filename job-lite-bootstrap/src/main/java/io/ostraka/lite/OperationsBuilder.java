package io.ostraka.lite;

import io.ostraka.api.operations.NamespaceSummary;
import java.util.List;
import java.util.Objects;

/**
 * Builds {@link ZooKeeperOperations}; {@link ZooKeeperOperations#newBuilder} creates a builder. Takes the credentials
 * of the instances, because only clients with the same credentials can access a closed namespace. A builder can connect
 * to several namespaces. Not thread-safe.
 */
public final class OperationsBuilder extends ConnectionBuilder<OperationsBuilder> {
    boolean createsNamespace;

    OperationsBuilder(String servers) {
        super(servers);
    }

    @Override
    OperationsBuilder self() {
        return this;
    }

    /**
     * Creates the namespace if it does not exist. By default, a connection waits until it exists, because a mistyped
     * name must not create another namespace. Use this to restore settings into an empty ensemble.
     */
    public OperationsBuilder createNamespace() {
        createsNamespace = true;
        return this;
    }

    /**
     * Creates the operations, which connect in the background.
     *
     * @param namespace name of the application, as its instances use it
     * @throws IllegalArgumentException if the servers, the namespace, the chroot or a timeout is not accepted
     */
    public ZooKeeperOperations connect(String namespace) {
        return new ZooKeeperOperations(this, Objects.requireNonNull(namespace, "namespace"));
    }

    /**
     * Lists the namespaces below the chroot, sorted by name. Reads in a session of its own, which has ended when this
     * method returns, and writes nothing.
     *
     * <p>A namespace is listed as soon as an instance has registered there once. Nodes of other software are left out.
     * A namespace that these credentials have no right to read is listed with a problem: ZooKeeper shows all clients
     * which nodes exist.
     *
     * @throws io.ostraka.api.CoordinationException if ZooKeeper does not answer within the operation timeout, if the
     *     node of the chroot does not exist, or if these credentials have no right to read it
     * @throws IllegalArgumentException if the servers, the chroot or a timeout is not accepted
     */
    public List<NamespaceSummary> namespaces() {
        try (ZooKeeperOperations ensemble = new ZooKeeperOperations(this, null)) {
            return ensemble.namespaces();
        }
    }
}
