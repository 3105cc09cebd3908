package io.ostraka.spring;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Address of ZooKeeper. A bean of this type, such as that of a test container, takes precedence over {@code
 * ostraka.zookeeper.connect-string}.
 */
public interface OstrakaConnectionDetails extends ConnectionDetails {
    /** Returns the servers in the form {@code host:port,host:port}. */
    String connectString();
}
