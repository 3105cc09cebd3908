package io.ostraka.spring;

import io.ostraka.api.JobConfiguration;
import io.ostraka.lite.RegistryBuilder;
import io.ostraka.lite.ZooKeeperRegistry;
import io.ostraka.remote.RemoteBuilder;
import io.ostraka.remote.RemoteConfiguration;
import io.ostraka.remote.RemoteStatus;
import io.ostraka.spring.EffectiveConfiguration.Kind;
import io.ostraka.spring.EffectiveConfiguration.Source;
import java.net.URI;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationContext;

/** A platform to which {@code ostraka-job-remote} sends requests over HTTP. */
final class RemotePlatform implements Platform {
    static final String REMOTE = "ostraka.remote";
    private static final String CACHE = "ostraka.remote.cache";
    private static final String ALLOW = "ostraka.remote.allow";

    private final RemoteConfiguration remote;
    private final URI address;
    /** True if the instance connects with the settings of the platform. */
    private volatile boolean connects;

    private RemotePlatform(RemoteConfiguration remote, URI address) {
        this.remote = remote;
        this.address = address;
    }

    /**
     * Requests the configuration from the platform of the application.
     *
     * @param own the application's own configurations of its jobs
     * @throws InvalidPropertyException if a property is not accepted
     */
    static Platform load(
            OstrakaProperties.Remote properties,
            PropertyChecks checks,
            ApplicationContext context,
            List<JobConfiguration> own) {
        String url = checks.required(REMOTE, "url", properties.url(), "the address of the platform, or no property");
        String application = application(properties, checks, context);
        URI address = checks.accepted(REMOTE, "url", () -> {
            URI uri = PropertyChecks.uri(url);
            RemoteConfiguration.newBuilder(uri, "any");
            return uri;
        });
        RemoteBuilder builder =
                checks.accepted(REMOTE, "application", () -> RemoteConfiguration.newBuilder(address, application));
        keys(builder, properties, checks);
        checks.set(REMOTE, "environment", properties.environment(), builder::environment);
        checks.set(REMOTE, "pollInterval", properties.pollInterval(), builder::pollInterval);
        checks.set(REMOTE, "timeout", properties.timeout(), builder::timeout);
        checks.set(CACHE, "directory", properties.cache().directory(), builder::directory);
        checks.set(CACHE, "maxAge", properties.cache().maxAge(), builder::maxAge);
        OstrakaProperties.RemoteAllow allow = properties.allow();
        checks.set(ALLOW, "jobs", allow.jobs(), names -> builder.allowJobs(array(names)));
        checks.set(ALLOW, "fields", allow.fields(), names -> builder.allowFields(array(names)));
        checks.set(ALLOW, "servers", allow.servers(), names -> builder.allowServers(array(names)));
        properties
                .secrets()
                .forEach((name, value) -> checks.set(
                        REMOTE,
                        "secrets[" + name + "]",
                        value,
                        text -> builder.secret(name, PropertyChecks.secret(text))));
        checks.set(REMOTE, "sslBundle", properties.sslBundle(), name -> builder.sslContext(sslContext(name, context)));
        // all other values have been checked, so only the key can be refused here
        return new RemotePlatform(checks.accepted(REMOTE, "key", () -> builder.load(own)), address);
    }

    private static String application(
            OstrakaProperties.Remote properties, PropertyChecks checks, ApplicationContext context) {
        String name = properties.application() == null
                ? context.getEnvironment().getProperty("spring.application.name")
                : properties.application();
        return checks.required(
                REMOTE,
                "application",
                name,
                "the name of this application on the platform. If it is not set, spring.application.name is used");
    }

    private static void keys(RemoteBuilder builder, OstrakaProperties.Remote properties, PropertyChecks checks) {
        String id = checks.required(
                REMOTE, "keyId", properties.keyId(), "the id of this application's key, as the platform knows it");
        String key = checks.required(
                REMOTE,
                "key",
                properties.key(),
                "32 or more random bytes in Base64, usually as a placeholder such as ${OSTRAKA_REMOTE_KEY}");
        checks.set(REMOTE, "keyId", id, text -> builder.key(text, PropertyChecks.secret(key)));
        Map<String, String> trusted = properties.trustedKeys();
        checks.required(
                REMOTE,
                "trustedKeys",
                trusted.isEmpty() ? null : trusted,
                "at least one public key of the platform below its id, such as ostraka.remote.trusted-keys.p1");
        trusted.forEach((name, value) ->
                checks.set(REMOTE, "trustedKeys[" + name + "]", value, text -> builder.trust(name, text)));
    }

    private static String[] array(Collection<String> names) {
        return names.toArray(String[]::new);
    }

    private static SSLContext sslContext(String bundle, ApplicationContext context) {
        SslBundles bundles = context.getBeanProvider(SslBundles.class).getIfAvailable();
        try {
            if (bundles != null) {
                return bundles.getBundle(bundle).createSslContext();
            }
        } catch (NoSuchSslBundleException e) {
            throw new IllegalArgumentException(
                    "'" + bundle + "' names no SSL bundle of this application; its bundles: "
                            + names(bundles.getBundleNames()),
                    e);
        } catch (RuntimeException e) { // for example, a file of the bundle does not exist
            throw new IllegalArgumentException("the SSL bundle '" + bundle + "' cannot be used: " + e.getMessage(), e);
        }
        throw new IllegalArgumentException(
                "this application has no SSL bundles; accepted: the name of a bundle below" + " spring.ssl.bundle");
    }

    private static String names(List<String> bundles) {
        return bundles.isEmpty() ? "none" : String.join(", ", bundles);
    }

    @Override
    public EffectiveConfiguration effective(EffectiveConfiguration own) {
        String job = own.configuration().jobName();
        Set<String> fields = remote.fields(job);
        if (fields.isEmpty()) {
            return own;
        }
        Source platform = new Source(
                Kind.PLATFORM, address + ", revision " + remote.status().revision());
        Map<String, Source> sources = new HashMap<>(own.sources());
        fields.forEach(field -> sources.put(field, platform));
        return new EffectiveConfiguration(remote.configuration(job), sources);
    }

    @Override
    public RegistryBuilder registry(String servers, String namespace, Consumer<RegistryBuilder> own) {
        connects = true;
        return remote.registry(servers, namespace, own);
    }

    @Override
    public void reportTo(RegistryBuilder builder) {
        builder.eventSubscriber(remote.healthReporter());
    }

    @Override
    public void follow(ZooKeeperRegistry registry) {
        remote.follow(registry);
    }

    @Override
    public Map<String, Object> details() {
        RemoteStatus status = remote.status();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("source", status.source().toString());
        details.put("revision", status.revision());
        put(details, "confirmedAt", status.confirmedAt());
        put(details, "problem", status.problem());
        details.put("absentJobs", status.absentJobs());
        details.put("unknownJobs", status.unknownJobs());
        details.put("restartNeeded", connects && status.restartNeeded());
        return details;
    }

    /** Adds a detail as text, because the JSON form of an instant differs between the lines of Spring Boot. */
    private static void put(Map<String, Object> details, String name, @Nullable Object value) {
        if (value != null) {
            details.put(name, value.toString());
        }
    }

    @Override
    public void close() {
        remote.close();
    }
}
