package io.ostraka.spring;

import io.ostraka.api.AlarmTemplate;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.Secret;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.zk.EmbeddedZooKeeper;
import io.ostraka.zk.Tls;
import io.ostraka.zk.ZooKeeperConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;

/** Opens the registry of an application from its properties and beans. */
final class RegistryFactory {
    private static final Logger log = LoggerFactory.getLogger(RegistryFactory.class);
    private static final String OSTRAKA = "ostraka";
    private static final String ZOOKEEPER = "ostraka.zookeeper";
    private static final String DIGEST = "ostraka.zookeeper.digest";
    private static final String RUNS = "ostraka.concurrent-runs";
    private static final String ALLOW = "ostraka.allow";
    private static final String WEBHOOK = "ostraka.webhook";
    private static final String ALARMS = "ostraka.alarms";
    private static final String ALARM_WEBHOOK = "ostraka.alarms.webhook";
    private static final String HEARTBEAT = "ostraka.alarms.heartbeat";
    private static final int FIRST_JDK_WITH_VIRTUAL_THREADS = 21;

    private final OstrakaProperties properties;
    private final PropertyPlaces places;
    private final PropertyChecks checks;
    private final Environment environment;
    private final ApplicationContext context;

    RegistryFactory(
            OstrakaProperties properties, PropertyPlaces places, Environment environment, ApplicationContext context) {
        this.properties = properties;
        this.places = places;
        this.checks = new PropertyChecks(places);
        this.environment = environment;
        this.context = context;
    }

    /** An open registry and, in development, the server that it uses. */
    record Opened(ZooKeeperRegistry registry, @Nullable EmbeddedZooKeeper server) implements AutoCloseable {
        @Override
        public void close() {
            try {
                registry.close();
            } finally {
                if (server != null) {
                    server.close();
                }
            }
        }
    }

    /**
     * Connects to ZooKeeper.
     *
     * @param jobs names of the application's jobs
     * @param platform platform whose connection settings take precedence over the properties. They are not used if a
     *     bean or the embedded server provides the address
     * @throws InvalidPropertyException if a property is missing or not accepted
     * @throws StartRefusedException if {@code ostraka.lifecycle.fail-fast} is set and ZooKeeper does not answer in time,
     *     or if the module for a property is missing
     */
    Opened open(Collection<String> jobs, Platform platform) {
        OstrakaProperties.ZooKeeper zookeeper = properties.zookeeper();
        String namespace = namespace();
        OstrakaConnectionDetails details =
                context.getBeanProvider(OstrakaConnectionDetails.class).getIfAvailable();
        if (details != null) {
            if (zookeeper.embedded()) {
                log.info(
                        "{} has no effect, because a bean of type OstrakaConnectionDetails has the address of ZooKeeper",
                        places.of(ZOOKEEPER, "embedded"));
            }
            return new Opened(connect(fixed(details.connectString(), namespace, platform), jobs), null);
        }
        if (!zookeeper.embedded()) {
            return new Opened(connect(platform.registry(connectString(), namespace, this::connection), jobs), null);
        }
        if (zookeeper.connectString() != null) {
            throw new InvalidPropertyException(
                    "properties ostraka.zookeeper.embedded and "
                            + places.of(ZOOKEEPER, "connectString")
                            + " are both set; accepted: one of them",
                    null);
        }
        EmbeddedZooKeeper server = embedded(zookeeper.embeddedDirectory());
        try {
            return new Opened(connect(fixed(server.connectString(), namespace, platform), jobs), server);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static EmbeddedZooKeeper embedded(Path directory) {
        try {
            return EmbeddedZooKeeper.start(directory, 0);
        } catch (CoordinationException e) { // for example, another process uses the directory
            throw new StartRefusedException(
                    String.valueOf(e.getMessage()),
                    "the property ostraka.zookeeper.embedded-directory chooses the directory; to use the server of another"
                            + " process, set ostraka.zookeeper.embedded to false, and"
                            + " ostraka.zookeeper.connect-string to its address",
                    e);
        }
    }

    private String connectString() {
        String connectString = properties.zookeeper().connectString();
        if (connectString == null || connectString.isBlank()) {
            throw InvalidPropertyException.of(
                    "ostraka.zookeeper.connect-string",
                    connectString,
                    "the ZooKeeper servers, such as zk1:2181,zk2:2181,zk3:2181. For a server inside this process, set"
                            + " ostraka.zookeeper.embedded to true; to start without jobs, set ostraka.enabled to false",
                    null);
        }
        checks.set(ZOOKEEPER, "connectString", connectString, servers -> ZooKeeperConfig.of(servers, "any"));
        return connectString;
    }

    private String namespace() {
        String namespace = namespace(properties, environment);
        checks.set(OSTRAKA, "namespace", namespace, name -> ZooKeeperConfig.of("localhost", name));
        return namespace;
    }

    /** Returns the namespace of the application. */
    static String namespace(OstrakaProperties properties, Environment environment) {
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

    /** Returns a builder that does not use the connection settings of the platform. */
    private RegistryBuilder fixed(String servers, String namespace, Platform platform) {
        RegistryBuilder builder = ZooKeeperRegistry.newBuilder(servers, namespace);
        connection(builder);
        platform.reportTo(builder);
        return builder;
    }

    private ZooKeeperRegistry connect(RegistryBuilder builder, Collection<String> jobs) {
        builder.shutdownHook(false); // the context closes the registry
        checks.set(OSTRAKA, "virtualThreads", virtualThreads(), on -> builder.virtualThreads(supported(on)));
        OstrakaProperties.Instance instance = properties.instance();
        checks.set("ostraka.instance", "name", instance.name(), builder::instanceName);
        checks.set("ostraka.instance", "zone", instance.zone(), builder::zone);
        checks.set("ostraka.instance", "weight", instance.weight(), builder::weight);
        instance.tags()
                .forEach((name, value) ->
                        checks.set("ostraka.instance", "tags[" + name + "]", value, text -> builder.tag(name, text)));
        OstrakaProperties.ConcurrentRuns runs = properties.concurrentRuns();
        checks.set(RUNS, "quick", runs.quick(), quick -> builder.concurrentRuns(quick, Math.max(1, runs.slow())));
        checks.set(RUNS, "slow", runs.slow(), slow -> builder.concurrentRuns(runs.quick(), slow));
        checks.set(RUNS, "tasks", runs.tasks(), builder::concurrentTasks);
        checks.set("ostraka.lifecycle", "failFast", properties.lifecycle().failFast(), builder::failFast);
        OstrakaProperties.Allow allow = properties.allow();
        if (allow.scriptJobs()) {
            builder.allowScriptJobs();
        }
        checks.set(ALLOW, "httpHosts", allow.httpHosts(), hosts -> builder.allowHttpJobs(hosts.toArray(String[]::new)));
        checks.set(
                ALLOW,
                "privateHosts",
                allow.privateHosts(),
                hosts -> builder.allowPrivateHosts(hosts.toArray(String[]::new)));
        checks.set(
                WEBHOOK,
                "target",
                properties.webhook(),
                webhook -> builder.webhook(
                        checks.required(WEBHOOK, "target", webhook.target()),
                        PropertyChecks.secret(checks.required(WEBHOOK, "secret", webhook.secret()))));
        checks.set(ALARMS, "webhook", properties.alarms().webhook(), webhook -> alarmWebhook(builder, webhook));
        heartbeats(builder, properties.alarms().heartbeat(), jobs);
        new ExtensionBeans(context).addTo(builder);
        new JobPowers(properties).requireModule(places);
        try {
            return builder.connect();
        } catch (CoordinationException e) {
            throw new StartRefusedException(
                    String.valueOf(e.getMessage()),
                    "check that these ZooKeeper servers answer, or remove " + places.of("ostraka.lifecycle", "failFast")
                            + ", so that the application starts and connects later",
                    e);
        }
    }

    private void alarmWebhook(RegistryBuilder builder, OstrakaProperties.AlarmWebhook webhook) {
        String name = webhook.template();
        AlarmTemplate template = name == null ? null : checks.accepted(ALARM_WEBHOOK, "template", () -> template(name));
        boolean signed = template == null || template.usesSecret() || webhook.secret() != null;
        Secret secret =
                signed ? PropertyChecks.secret(checks.required(ALARM_WEBHOOK, "secret", webhook.secret())) : null;
        checks.set(ALARM_WEBHOOK, "target", checks.required(ALARM_WEBHOOK, "target", webhook.target()), text -> {
            URI target = PropertyChecks.uri(text);
            if (template == null) {
                builder.alarmWebhook(target, Objects.requireNonNull(secret));
            } else if (secret == null) {
                builder.alarmWebhook(target, template);
            } else {
                builder.alarmWebhook(target, secret, template);
            }
        });
    }

    /** Returns the template with a name, or the template in a file. */
    private AlarmTemplate template(String nameOrLocation) {
        if (!nameOrLocation.contains(":")) {
            return AlarmTemplate.named(nameOrLocation);
        }
        try (InputStream stream = context.getResource(nameOrLocation).getInputStream()) {
            String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
            return nameOrLocation.endsWith(".json") ? AlarmTemplate.json(text) : AlarmTemplate.text(text);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the file '" + nameOrLocation + "' of the alarm template cannot be read: " + e.getMessage()
                            + "; accepted: the location of a file, or one of " + AlarmTemplate.names(),
                    e);
        }
    }

    private void heartbeats(RegistryBuilder builder, OstrakaProperties.Heartbeat heartbeat, Collection<String> jobs) {
        checks.set(HEARTBEAT, "interval", heartbeat.interval(), builder::heartbeatInterval);
        checks.set(HEARTBEAT, "target", heartbeat.target(), target -> builder.heartbeat(PropertyChecks.uri(target)));
        heartbeat
                .jobs()
                .forEach((key, target) -> checks.set(
                        HEARTBEAT,
                        "jobs[" + key + "]",
                        target,
                        uri -> builder.heartbeat(job(key, jobs), PropertyChecks.uri(uri))));
    }

    /** Returns the job that a property names, exactly or apart from case and punctuation. */
    private static String job(String key, Collection<String> jobs) {
        return jobs.stream()
                .filter(job -> job.equals(key))
                .findFirst()
                .or(() ->
                        jobs.stream().filter(job -> JobSettings.names(key, job)).findFirst())
                .orElseThrow(() -> new IllegalArgumentException("'" + key
                        + "' names no job of this application; its jobs: "
                        + (jobs.isEmpty() ? "none" : String.join(", ", jobs))));
    }

    private void connection(RegistryBuilder builder) {
        OstrakaProperties.ZooKeeper zookeeper = properties.zookeeper();
        checks.set(ZOOKEEPER, "chroot", zookeeper.chroot(), path -> {
            ZooKeeperConfig.of("localhost:2181" + path, "any");
            builder.chroot(path);
        });
        checks.set(ZOOKEEPER, "sessionTimeout", zookeeper.sessionTimeout(), builder::sessionTimeout);
        checks.set(ZOOKEEPER, "connectionTimeout", zookeeper.connectionTimeout(), builder::connectionTimeout);
        checks.set(ZOOKEEPER, "retryPause", zookeeper.retryPause(), builder::retryPause);
        checks.set(ZOOKEEPER, "operationTimeout", zookeeper.operationTimeout(), builder::operationTimeout);
        checks.set(
                DIGEST,
                "user",
                zookeeper.digest(),
                digest -> builder.digest(
                        checks.required(DIGEST, "user", digest.user()),
                        PropertyChecks.secret(checks.required(DIGEST, "password", digest.password()))));
        checks.set(ZOOKEEPER, "sasl", zookeeper.sasl(), builder::sasl);
        checks.set(ZOOKEEPER, "tls", zookeeper.tls(), tls -> builder.tls(tls(tls)));
        checks.set(ZOOKEEPER, "openAccess", zookeeper.openAccess(), builder::openAccess);
    }

    private static Tls tls(OstrakaProperties.Tls properties) {
        Tls tls = properties.trustStore() == null
                ? Tls.trustingTheJdk()
                : Tls.trusting(
                        properties.trustStore(),
                        PropertyChecks.secret(Objects.requireNonNullElse(properties.trustStorePassword(), "")));
        return properties.keyStore() == null
                ? tls
                : tls.withKey(
                        properties.keyStore(),
                        PropertyChecks.secret(Objects.requireNonNullElse(properties.keyStorePassword(), "")));
    }

    private static boolean supported(boolean virtualThreads) {
        if (virtualThreads && Runtime.version().feature() < FIRST_JDK_WITH_VIRTUAL_THREADS) {
            throw new UnsupportedOperationException("virtualThreads is true on JDK "
                    + Runtime.version().feature() + "; accepted: false, or JDK " + FIRST_JDK_WITH_VIRTUAL_THREADS);
        }
        return virtualThreads;
    }

    private boolean virtualThreads() {
        return properties.virtualThreads() == null
                ? environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false)
                        && Runtime.version().feature() >= FIRST_JDK_WITH_VIRTUAL_THREADS
                : properties.virtualThreads();
    }
}
