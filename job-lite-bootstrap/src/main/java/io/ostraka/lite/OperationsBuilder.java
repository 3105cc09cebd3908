package io.ostraka.lite;

/**
 * Builds {@link ZooKeeperOperations}; {@link ZooKeeperOperations#newBuilder} creates a builder. Takes the credentials of
 * the instances, because only clients with the same credentials can access a closed namespace. Not thread-safe.
 */
public final class OperationsBuilder extends ConnectionBuilder<OperationsBuilder> {
    boolean createsNamespace;

    OperationsBuilder(String servers, String namespace) {
        super(servers, namespace);
    }

    @Override
    OperationsBuilder self() {
        return this;
    }

    /**
     * Creates the namespace if it does not exist. By default, a connection waits until it exists, because a mistyped name
     * must not create another namespace. Use this to restore settings into an empty ensemble.
     */
    public OperationsBuilder createNamespace() {
        createsNamespace = true;
        return this;
    }

    /**
     * Creates the operations, which connect in the background.
     *
     * @throws IllegalArgumentException if the servers, the namespace, the chroot or a timeout is not accepted
     */
    public ZooKeeperOperations connect() {
        return new ZooKeeperOperations(this);
    }
}
