package io.ostraka.spring;

import io.ostraka.api.Secret;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import io.ostraka.zk.Tls;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.Environment;

/** Opens the registry of an application from its properties and beans. */
final class RegistryFactory {
    private static final int FIRST_JDK_WITH_VIRTUAL_THREADS = 21;

    private final OstrakaProperties properties;
    private final PropertyPlaces places;
    private final Environment environment;
    private final BeanFactory beans;

    RegistryFactory(OstrakaProperties properties, PropertyPlaces places, Environment environment, BeanFactory beans) {
        this.properties = properties;
        this.places = places;
        this.environment = environment;
        this.beans = beans;
    }

    /** An open registry and, in development, the server that it uses. */
    record Opened(ZooKeeperRegistry registry, @Nullable EmbeddedZooKeeper server) implements AutoCloseable {
        @Override
        public void close() {
            registry.close();
            if (server != null) {
                server.close();
            }
        }
    }

    /**
     * Connects to ZooKeeper.
     *
     * @throws InvalidPropertyException if a property is missing or not accepted
     * @throws io.ostraka.api.CoordinationException if {@code ostraka.lifecycle.fail-fast} is set and ZooKeeper does not
     *     answer in time
     */
    Opened open() {
        OstrakaProperties.ZooKeeper zookeeper = properties.zookeeper();
        String namespace = namespace();
        if (!zookeeper.embedded()) {
            return new Opened(builder(connectString(), namespace).connect(), null);
        }
        if (zookeeper.connectString() != null) {
            throw new InvalidPropertyException(
                    "properties ostraka.zookeeper.embedded and "
                            + places.of("ostraka.zookeeper", "connectString")
                            + " are both set; accepted: one of them",
                    null);
        }
        EmbeddedZooKeeper server = EmbeddedZooKeeper.start(zookeeper.embeddedDirectory(), 0);
        try {
            return new Opened(builder(server.connectString(), namespace).connect(), server);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private String connectString() {
        OstrakaConnectionDetails details =
                beans.getBeanProvider(OstrakaConnectionDetails.class).getIfAvailable();
        if (details != null) {
            return details.connectString();
        }
        String connectString = properties.zookeeper().connectString();
        if (connectString == null || connectString.isBlank()) {
            throw InvalidPropertyException.of(
                    "ostraka.zookeeper.connect-string",
                    connectString,
                    "the ZooKeeper servers, such as zk1:2181,zk2:2181,zk3:2181. For a server inside this process, set"
                            + " ostraka.zookeeper.embedded to true; to start without jobs, set ostraka.enabled to false",
                    null);
        }
        return connectString;
    }

    private String namespace() {
        String namespace = properties.namespace() == null
                ? environment.getProperty("spring.application.name")
                : properties.namespace();
        if (namespace == null || namespace.isBlank()) {
            throw InvalidPropertyException.of(
                    "ostraka.namespace",
                    namespace,
                    "the name that all instances of this application share. If it is not set,"
                            + " spring.application.name is used",
                    null);
        }
        return namespace;
    }

    private RegistryBuilder builder(String servers, String namespace) {
        RegistryBuilder builder = ZooKeeperRegistry.newBuilder(servers, namespace)
                .shutdownHook(false) // the context closes the registry
                .virtualThreads(virtualThreads());
        connection(builder, properties.zookeeper());
        OstrakaProperties.Instance instance = properties.instance();
        set(instance.name(), builder::instanceName);
        set(instance.zone(), builder::zone);
        set(instance.weight(), builder::weight);
        instance.tags().forEach(builder::tag);
        OstrakaProperties.ConcurrentRuns runs = properties.concurrentRuns();
        builder.concurrentRuns(runs.quick(), runs.slow()).concurrentTasks(runs.tasks());
        set(properties.lifecycle().failFast(), builder::failFast);
        OstrakaProperties.Allow allow = properties.allow();
        if (allow.scriptJobs()) {
            builder.allowScriptJobs();
        }
        builder.allowHttpJobs(allow.httpHosts().toArray(String[]::new));
        builder.allowPrivateHosts(allow.privateHosts().toArray(String[]::new));
        set(properties.webhook(), webhook -> builder.webhook(webhook.target(), secret(webhook.secret())));
        new ExtensionBeans(beans).addTo(builder);
        return builder;
    }

    private static void connection(RegistryBuilder builder, OstrakaProperties.ZooKeeper zookeeper) {
        set(zookeeper.chroot(), builder::chroot);
        set(zookeeper.sessionTimeout(), builder::sessionTimeout);
        set(zookeeper.connectionTimeout(), builder::connectionTimeout);
        set(zookeeper.retryPause(), builder::retryPause);
        set(zookeeper.operationTimeout(), builder::operationTimeout);
        set(zookeeper.digest(), digest -> builder.digest(digest.user(), secret(digest.password())));
        set(zookeeper.sasl(), builder::sasl);
        set(zookeeper.tls(), tls -> builder.tls(tls(tls)));
        set(zookeeper.openAccess(), builder::openAccess);
    }

    private static Tls tls(OstrakaProperties.Tls properties) {
        Tls tls = properties.trustStore() == null
                ? Tls.trustingTheJdk()
                : Tls.trusting(properties.trustStore(), secret(properties.trustStorePassword()));
        return properties.keyStore() == null
                ? tls
                : tls.withKey(properties.keyStore(), secret(properties.keyStorePassword()));
    }

    /** Returns a secret that Spring has already read. */
    private static Secret secret(@Nullable String value) {
        char[] secret = value == null ? new char[0] : value.toCharArray();
        return secret::clone;
    }

    private static <T> void set(@Nullable T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    private boolean virtualThreads() {
        return properties.virtualThreads() == null
                ? environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
                        && Runtime.version().feature() >= FIRST_JDK_WITH_VIRTUAL_THREADS
                : properties.virtualThreads();
    }
}
