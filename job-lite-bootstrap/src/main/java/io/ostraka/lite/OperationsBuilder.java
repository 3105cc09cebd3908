package io.ostraka.lite;

import io.ostraka.api.operations.NamespaceSummary;
import java.util.List;
import java.util.Objects;

/**
 * Builds {@link ZooKeeperOperations}; {@link ZooKeeperOperations#newBuilder} creates a builder. Give the builder the
 * same credentials as the instances, because clients without these credentials cannot access the instances' namespace.
 * A builder can connect to several namespaces. Not thread-safe.
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
     * Lets the connection create the namespace if it does not exist. By default, the connection waits until the
     * namespace exists, because a mistyped name must not create another namespace. Call this method to restore settings
     * into an empty ensemble.
     */
    public OperationsBuilder createNamespace() {
        createsNamespace = true;
        return this;
    }

    /**
     * Creates the operations, which connect in the background.
     *
     * @param namespace name of the application, as its instances use it
     * @throws IllegalArgumentException if the servers, the namespace or the chroot is not accepted
     */
    public ZooKeeperOperations connect(String namespace) {
        return new ZooKeeperOperations(this, Objects.requireNonNull(namespace, "namespace"));
    }

    /**
     * Lists the namespaces below the chroot, sorted by name. This method opens a session, reads, and closes the session
     * before it returns. It writes nothing.
     *
     * <p>A namespace is listed as soon as an instance has registered there once. Nodes of other software are left out.
     * If these credentials have no right to read a namespace, it is listed with a problem, because ZooKeeper shows the
     * names of nodes to all clients.
     *
     * @throws io.ostraka.api.CoordinationException if ZooKeeper does not answer within the operation timeout, if the
     *     node of the chroot does not exist, or if these credentials have no right to read it
     * @throws IllegalArgumentException if the servers or the chroot is not accepted
     */
    public List<NamespaceSummary> namespaces() {
        try (ZooKeeperOperations ensemble = new ZooKeeperOperations(this, null)) {
            return ensemble.namespaces();
        }
    }
}
