package io.ostraka.spring;

import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;

/** Address of a Docker Compose service with an image named {@code zookeeper}. */
final class ZooKeeperComposeConnectionDetailsFactory
        extends DockerComposeConnectionDetailsFactory<OstrakaConnectionDetails> {
    ZooKeeperComposeConnectionDetailsFactory() {
        super(OstrakaConnectionDetails.SERVICE);
    }

    @Override
    protected OstrakaConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
        return new Details(source.getRunningService());
    }

    private static final class Details extends DockerComposeConnectionDetails implements OstrakaConnectionDetails {
        private final String address;

        Details(RunningService service) {
            super(service);
            address = service.host() + ":" + service.ports().get(CLIENT_PORT);
        }

        @Override
        public String connectString() {
            return address;
        }
    }
}
