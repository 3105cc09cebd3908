package io.ostraka.spring;

import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/** Address of a Testcontainers container with {@code @ServiceConnection(name = "zookeeper")} or an image of this name. */
final class ZooKeeperContainerConnectionDetailsFactory
        extends ContainerConnectionDetailsFactory<Container<?>, OstrakaConnectionDetails> {
    ZooKeeperContainerConnectionDetailsFactory() {
        super(OstrakaConnectionDetails.SERVICE);
    }

    @Override
    protected OstrakaConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
        return new Details(source);
    }

    private static final class Details extends ContainerConnectionDetails<Container<?>>
            implements OstrakaConnectionDetails {
        Details(ContainerConnectionSource<Container<?>> source) {
            super(source);
        }

        @Override
        public String connectString() {
            return getContainer().getHost() + ":" + getContainer().getMappedPort(CLIENT_PORT);
        }
    }
}
