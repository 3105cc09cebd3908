package io.ostraka.spring;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Address of ZooKeeper. A bean of this type, such as that of a test container, takes precedence over {@code
 * ostraka.zookeeper.connect-string} and {@code ostraka.zookeeper.embedded}.
 */
public interface OstrakaConnectionDetails extends ConnectionDetails {
    /** Name of the images of ZooKeeper's containers. */
    String SERVICE = "zookeeper";

    /** Port for clients inside a container. */
    int CLIENT_PORT = 2181;

    /** Returns the servers in the form {@code host:port,host:port}. */
    String connectString();
}
