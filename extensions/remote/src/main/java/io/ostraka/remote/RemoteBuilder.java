package io.ostraka.remote;

import io.ostraka.api.JobConfiguration;
import io.ostraka.api.Secret;
import java.net.URI;
import java.nio.file.Path;
import java.security.PublicKey;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link RemoteConfiguration}. The key of the application and at least one trusted key of the platform are
 * required. Not thread-safe.
 */
public final class RemoteBuilder {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final Pattern HOST =
            Pattern.compile("(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\]");
    private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);
    private static final Duration LONGEST_INTERVAL = Duration.ofHours(1);

    final URI platform;
    final String application;
    final Map<String, PublicKey> trusted = new TreeMap<>();
    final Map<String, Secret> secrets = new TreeMap<>();
    final List<String> servers = new ArrayList<>();
    String environment = "default";
    Duration pollInterval = Duration.ofSeconds(30);
    Duration timeout = Duration.ofSeconds(10);
    Duration maxAge = Duration.ofDays(7);
    List<String> jobs = List.of("*");
    Set<String> fields = JobRules.allFields();

    @Nullable Path directory;

    @Nullable SSLContext sslContext;

    private @Nullable String keyId;
    private @Nullable Secret key;

    RemoteBuilder(URI platform, String application) {
        this.platform = requirePlatform(platform);
        this.application = requireName("application", application);
    }

    private static URI requirePlatform(URI platform) {
        boolean https = "https".equals(platform.getScheme());
        boolean loopback = "http".equals(platform.getScheme())
                && List.of("localhost", "127.0.0.1", "[::1]").contains(String.valueOf(platform.getHost()));
        if (!(https || loopback)
                || platform.getHost() == null
                || platform.getRawUserInfo() != null
                || platform.getRawQuery() != null
                || platform.getRawFragment() != null) {
            // the message does not show the address, because it may contain a password
            throw new IllegalArgumentException(
                    "the address of the platform is not accepted; accepted: https://HOST, with"
                            + " a port and a path if needed, but without user, query and fragment; http only for this machine");
        }
        return platform;
    }

    static String requireName(String what, String name) {
        if (!NAME.matcher(name).matches() || name.startsWith(".")) {
            throw new IllegalArgumentException(
                    what + " is '" + Json.shown(name) + "'; accepted: " + NAME + ", not starting with a dot");
        }
        return name;
    }

    /**
     * Sets the environment in which the application runs, such as {@code production}; {@code default} by default. Each
     * environment has its own key, and an answer for another environment is refused.
     *
     * @throws IllegalArgumentException if the name is not accepted
     */
    public RemoteBuilder environment(String name) {
        environment = requireName("environment", name);
        return this;
    }

    /**
     * Sets the key that signs the requests.
     *
     * @param id id of the key, as the platform knows it
     * @param key 32 or more random bytes in Base64, read at each request
     * @throws IllegalArgumentException if the id is not accepted
     */
    public RemoteBuilder key(String id, Secret key) {
        this.keyId = requireName("the id of the key", id);
        this.key = key;
        return this;
    }

    /**
     * Trusts a key of the platform. Several keys can be trusted at the same time, so that the platform can change its
     * key.
     *
     * @param id id of the key, as the platform names it in its answers
     * @param publicKey public key of Ed25519 in Base64, as {@code openssl pkey -pubout} prints it
     * @throws IllegalArgumentException if the id or the key is not accepted
     */
    public RemoteBuilder trust(String id, String publicKey) {
        trusted.put(requireName("the id of a trusted key", id), Jws.key(id, publicKey));
        return this;
    }

    /**
     * Sets the directory in which the last accepted answer is stored, encrypted. By default no answer is stored, and an
     * application that starts while the platform is down uses its own configuration.
     */
    public RemoteBuilder directory(Path directory) {
        this.directory = directory;
        return this;
    }

    /**
     * Sets the longest time for which a stored answer is used after the platform has last confirmed it; 7 days by
     * default.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public RemoteBuilder maxAge(Duration age) {
        maxAge = requireRange("maxAge", age, Duration.ofSeconds(1), Duration.ofDays(3650));
        return this;
    }

    /**
     * Sets the average time between two requests; 30 s by default. Each pause is up to a fifth shorter or longer, at
     * random. While the platform does not answer, the pauses grow to five minutes.
     *
     * @param interval 1 s to 1 h
     * @throws IllegalArgumentException if it is not in this range
     */
    public RemoteBuilder pollInterval(Duration interval) {
        pollInterval = requireRange("pollInterval", interval, SHORTEST_INTERVAL, LONGEST_INTERVAL);
        return this;
    }

    /**
     * Sets the time limit of a request; 10 s by default. It also limits the delay of the application's start; see
     * {@link #load}.
     *
     * @param limit 100 ms to 5 min
     * @throws IllegalArgumentException if it is not in this range
     */
    public RemoteBuilder timeout(Duration limit) {
        timeout = requireRange("timeout", limit, Duration.ofMillis(100), Duration.ofMinutes(5));
        return this;
    }

    private static Duration requireRange(String what, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(what + " is " + value + "; accepted: " + least + " to " + most);
        }
        return value;
    }

    /**
     * Sets the jobs that the platform configures; all jobs by default. Such a job is paused while the platform does not
     * define it. An answer that defines any other job is refused.
     *
     * @param patterns names of jobs, or beginnings of names followed by {@code *}
     */
    public RemoteBuilder allowJobs(String... patterns) {
        jobs = List.of(patterns);
        return this;
    }

    /**
     * Sets the names of the job fields that the platform may set. By default these are the fields that an operator can
     * override, except {@code errorHandler} and {@code shardingStrategy}, which name code, and {@code fenceEpoch}.
     *
     * @param names names of fields of {@link JobConfiguration}
     * @throws IllegalArgumentException if a name is not one of the fields that are allowed by default
     */
    public RemoteBuilder allowFields(String... names) {
        fields = new JobRules(Map.of(), List.of(), Set.of(names)).fields();
        return this;
    }

    /**
     * Allows the platform to choose ZooKeeper servers on the given hosts. By default it cannot choose servers.
     *
     * @param hosts names of hosts without ports, or patterns such as {@code *.example.org}
     * @throws IllegalArgumentException if a name is not accepted
     */
    public RemoteBuilder allowServers(String... hosts) {
        for (String host : hosts) {
            if (!HOST.matcher(host).matches()) {
                throw new IllegalArgumentException("an allowed server is '" + Json.shown(host)
                        + "'; accepted: the name of a host without a port, or *. and the end of names");
            }
        }
        servers.addAll(List.of(hosts));
        return this;
    }

    /**
     * Gives a secret a name by which the platform can refer to it. The secret itself never leaves the application.
     *
     * @throws IllegalArgumentException if the name is not accepted
     */
    public RemoteBuilder secret(String name, Secret secret) {
        secrets.put(requireName("the name of a secret", name), secret);
        return this;
    }

    /**
     * Sets the TLS context with the trusted certificates and the client's certificate; the JDK's default context by
     * default.
     */
    public RemoteBuilder sslContext(SSLContext context) {
        sslContext = context;
        return this;
    }

    /**
     * Asks the platform once and returns the configuration. If the platform does not answer, or if its answer is
     * refused, this method uses the last accepted answer from the disk or, without one, the given configurations.
     * {@link RemoteConfiguration#status} then contains the reason. Blocks for at most the {@link #timeout}, or twice as
     * long if this machine's clock is wrong.
     *
     * @param local the application's own configurations of its jobs
     * @throws IllegalArgumentException if the key or the trusted keys are missing, if the key is not readable, or if
     *     two configurations have the same name
     */
    public RemoteConfiguration load(Collection<JobConfiguration> local) {
        Platform.key(requireKey()); // fails here, because a wrong key would otherwise look like a platform that is down
        if (trusted.isEmpty()) {
            throw new IllegalArgumentException(
                    "no key of the platform is trusted; accepted: at least one call of trust(id, publicKey)");
        }
        Map<String, JobConfiguration> byName = new TreeMap<>();
        for (JobConfiguration each : local) {
            if (byName.put(each.jobName(), each) != null) {
                throw new IllegalArgumentException("job '" + each.jobName() + "' has two configurations");
            }
        }
        return new RemoteConfiguration(
                        this,
                        byName,
                        new HttpExchange(sslContext, timeout),
                        RemoteConfiguration.Ticker.threaded(),
                        Clock.systemUTC())
                .start();
    }

    /** Returns a copy of this builder. Later calls of this builder do not affect the copy. */
    RemoteBuilder copy() {
        RemoteBuilder copy = new RemoteBuilder(platform, application);
        copy.trusted.putAll(trusted);
        copy.secrets.putAll(secrets);
        copy.servers.addAll(servers);
        copy.environment = environment;
        copy.pollInterval = pollInterval;
        copy.timeout = timeout;
        copy.maxAge = maxAge;
        copy.jobs = jobs;
        copy.fields = fields;
        copy.directory = directory;
        copy.sslContext = sslContext;
        copy.keyId = keyId;
        copy.key = key;
        return copy;
    }

    String requireKeyId() {
        if (keyId == null) {
            throw new IllegalArgumentException(
                    "the key of the application is missing; accepted: a call of key(id, secret)");
        }
        return keyId;
    }

    Secret requireKey() {
        requireKeyId();
        if (key == null) {
            throw new IllegalStateException("the id of the key is set with the key");
        }
        return key;
    }

    /** Returns the names of the allowed fields, for messages. */
    Set<String> fieldNames() {
        return new TreeSet<>(fields);
    }
}
