package io.ostraka.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ostraka.zk.EmbeddedZooKeeper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Application contexts for tests, on one ZooKeeper server of the test process. */
final class Applications {
    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    private Applications() {}

    /** The server, which ends with the process. */
    private static final class Server {
        static final EmbeddedZooKeeper ZOOKEEPER = start();

        private static EmbeddedZooKeeper start() {
            try {
                return EmbeddedZooKeeper.start(Files.createTempDirectory("ostraka-spring"), 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static String servers() {
        return Server.ZOOKEEPER.connectString();
    }

    /** Returns a namespace that no other test uses. */
    static String namespace() {
        return "test-" + NAMESPACES.incrementAndGet();
    }

    /** Returns a runner of contexts that connect to the server in a new namespace, and host their jobs at once. */
    static ApplicationContextRunner connected() {
        return unconnected()
                .withPropertyValues(
                        "ostraka.zookeeper.connect-string=" + servers(),
                        "ostraka.namespace=" + namespace(),
                        "ostraka.lifecycle.start=refresh",
                        "ostraka.lifecycle.fail-fast=60s");
    }

    /** Returns the explanation that Spring Boot prints because a context has failed to start. */
    static FailureAnalysis analysis(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        FailureAnalysis analysis = new OstrakaFailureAnalyzer().analyze(context.getStartupFailure());
        assertThat(analysis).as("analysis of " + context.getStartupFailure()).isNotNull();
        return analysis;
    }

    /** Returns a runner of contexts without properties. */
    static ApplicationContextRunner unconnected() {
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(OstrakaAutoConfiguration.class));
    }
}
