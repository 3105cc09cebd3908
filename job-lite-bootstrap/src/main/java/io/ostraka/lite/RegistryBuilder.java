package io.ostraka.lite;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.HealthListener;
import io.ostraka.api.InstanceListener;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.Secret;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.zk.Tls;
import io.ostraka.zk.ZooKeeperSecurity;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a {@link ZooKeeperRegistry} is made with, set one by one; {@link ZooKeeperRegistry#newBuilder} begins. Not thread-safe. */
public final class RegistryBuilder {
    final String servers;
    final String namespace;
    String chroot = "";
    Duration sessionTimeout = Duration.ofSeconds(15);
    Duration connectionTimeout = Duration.ofSeconds(10);
    Duration retryPause = Duration.ofSeconds(1);
    Duration operationTimeout = Duration.ofSeconds(20);
    String zone = "";
    final Map<String, String> tags = new TreeMap<>();
    int weight = 1;
    int quickRuns = 256;
    int slowRuns = 128;
    int taskRuns = 256;
    boolean virtualThreads;

    @Nullable String instanceName;

    final List<JobShardingStrategy> strategies = new ArrayList<>();
    final List<HealthListener> healthListeners = new ArrayList<>();
    final List<InstanceListener> instanceListeners = new ArrayList<>();
    final List<JobItemExecutor<?>> jobItemExecutors = new ArrayList<>();
    final List<JobErrorHandler> errorHandlers = new ArrayList<>();
    final List<RunInterceptor> interceptors = new ArrayList<>();
    final List<JobListener> jobListeners = new ArrayList<>();
    final List<EventSubscriber> eventSubscribers = new ArrayList<>();
    final Set<String> httpHosts = new TreeSet<>();
    final Set<String> privateHosts = new TreeSet<>();
    boolean scriptJobs;

    @Nullable Webhook webhook;

    ZooKeeperSecurity security = ZooKeeperSecurity.NONE;
    private @Nullable Duration failFast;
    boolean shutdownHook = true;

    /** Where failures are told. */
    record Webhook(URI target, Secret secret) {}

    RegistryBuilder(String servers, String namespace) {
        this.servers = servers;
        this.namespace = namespace;
    }

    /**
     * What this instance is called in logs, plans and views, over all its sessions and restarts. Operators disable it, and jobs
     * with {@link io.ostraka.api.JobConfiguration#staticSharding()} or {@link
     * io.ostraka.api.JobConfiguration#restartGrace()} keep its items, by this name; instances that share one count as one there.
     * By default the host's name, and {@code -2}, {@code -3} behind it for further instances of the namespace on the same host:
     * the first that is free.
     *
     * @param name 1 to 128 letters, digits, dots, underscores and hyphens
     * @throws IllegalArgumentException when it can't be one
     */
    public RegistryBuilder instanceName(String name) {
        if (!JobConfiguration.NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "instanceName is '" + name + "'; accepted: " + JobConfiguration.NAME.pattern());
        }
        this.instanceName = name;
        return this;
    }

    /** Keeps everything below a path, such as {@code /teams/billing}; empty text, the default, for the root. */
    public RegistryBuilder chroot(String path) {
        this.chroot = path;
        return this;
    }

    /**
     * How long an instance may be silent before its items go to others; 15 s by default. ZooKeeper keeps it within 2 to
     * 20 of its ticks.
     */
    public RegistryBuilder sessionTimeout(Duration timeout) {
        this.sessionTimeout = timeout;
        return this;
    }

    /** How long one attempt to connect may take; 10 s by default, and never more than the session timeout. */
    public RegistryBuilder connectionTimeout(Duration timeout) {
        this.connectionTimeout = timeout;
        return this;
    }

    /**
     * How long to pause before another attempt at what failed for want of a connection; 1 s by default, and longer each
     * time that it fails again.
     */
    public RegistryBuilder retryPause(Duration pause) {
        this.retryPause = pause;
        return this;
    }

    /** How long the registry's own methods wait for ZooKeeper; 20 s by default. */
    public RegistryBuilder operationTimeout(Duration timeout) {
        this.operationTimeout = timeout;
        return this;
    }

    /**
     * Shows ZooKeeper who this is, with its digest scheme. As with all credentials, the nodes created are open to those
     * with the same ones alone, and a namespace that anyone can change is refused.
     *
     * @param user without a colon
     * @param password such as {@code Secret.of("${env:ZK_PASSWORD}")}, read at the start of each session
     */
    public RegistryBuilder digest(String user, Secret password) {
        security = security.withDigest(user, password);
        return this;
    }

    /**
     * Shows ZooKeeper who this is, with SASL: DIGEST-MD5 or Kerberos, as a section of the process's JAAS configuration
     * says ({@code -Djava.security.auth.login.config=FILE}). Without this call SASL is not used.
     *
     * @param jaasSection the section's name, such as {@code Client}
     */
    public RegistryBuilder sasl(String jaasSection) {
        security = security.withSasl(jaasSection);
        return this;
    }

    /** Encrypts the connection; with a key of its own, this shows ZooKeeper who this is, too. */
    public RegistryBuilder tls(Tls tls) {
        security = security.withTls(tls);
        return this;
    }

    /**
     * Whether, in spite of credentials, the nodes created are open to everyone and a namespace that anyone can change is
     * accepted; false by default. For the time in which a namespace is being closed; without credentials it is so anyway.
     */
    public RegistryBuilder openAccess(boolean open) {
        security = security.withOpenAccess(open);
        return this;
    }

    /**
     * Has {@link #connect} wait until the instance is registered, and throw when that takes longer than this; by default
     * it returns at once and connecting goes on in the background.
     */
    public RegistryBuilder failFast(Duration limit) {
        failFast = limit;
        return this;
    }

    /** Where this instance runs, such as a data centre; empty text by default. */
    public RegistryBuilder zone(String zone) {
        this.zone = zone;
        return this;
    }

    /** Adds an attribute of this instance, for strategies. */
    public RegistryBuilder tag(String name, String value) {
        tags.put(name, value);
        return this;
    }

    /** The strength of this instance relative to others, for strategies; 1 by default. */
    public RegistryBuilder weight(int weight) {
        this.weight = weight;
        return this;
    }

    /**
     * How many items run at once in this process, of all its jobs; 256 and 128 by default. A job with more than ten runs
     * of over half a second within a minute is slow until a minute without any. Items for which there is no room stay
     * due, unclaimed, and start in the order of their fires.
     *
     * @param quick of quick jobs, from 1
     * @param slow of slow jobs, from 1
     */
    public RegistryBuilder concurrentRuns(int quick, int slow) {
        if (quick < 1 || slow < 1) {
            throw new IllegalArgumentException(
                    "concurrentRuns is " + quick + " and " + slow + "; accepted: 1 or more each");
        }
        quickRuns = quick;
        slowRuns = slow;
        return this;
    }

    /**
     * How many {@linkplain io.ostraka.api.ShardingContext#tasks() child tasks} of runs run at once in this process, of all
     * its jobs; 256 by default. The others wait, those of each run in their order.
     *
     * @param tasks from 1
     */
    public RegistryBuilder concurrentTasks(int tasks) {
        if (tasks < 1) {
            throw new IllegalArgumentException("concurrentTasks is " + tasks + "; accepted: 1 or more");
        }
        taskRuns = tasks;
        return this;
    }

    /**
     * Whether each run and each task has a virtual thread of its own, on JDK 21 and later, with the same limits; false by default.
     */
    public RegistryBuilder virtualThreads(boolean on) {
        virtualThreads = on;
        return this;
    }

    /** Adds a sharding strategy, besides those that {@link java.util.ServiceLoader} finds. */
    public RegistryBuilder shardingStrategy(JobShardingStrategy strategy) {
        strategies.add(strategy);
        return this;
    }

    /** Adds a listener that is told when the instance's health changes; the log tells it anyway. */
    public RegistryBuilder healthListener(HealthListener listener) {
        healthListeners.add(listener);
        return this;
    }

    /**
     * Adds a listener that goes along with this instance's life, besides those that {@link java.util.ServiceLoader} finds:
     * the place for what must be done before the first item runs here.
     *
     * @throws IllegalArgumentException by {@link #connect}, when its time limit is none
     */
    public RegistryBuilder instanceListener(InstanceListener listener) {
        instanceListeners.add(listener);
        return this;
    }

    /** Adds an executor of a type of job, besides those that {@link java.util.ServiceLoader} finds. */
    public RegistryBuilder jobItemExecutor(JobItemExecutor<?> executor) {
        jobItemExecutors.add(executor);
        return this;
    }

    /**
     * Allows {@link io.ostraka.api.ScriptJob}s, which are refused otherwise: that this process starts programs is to be
     * a decision of whoever writes it.
     */
    public RegistryBuilder allowScriptJobs() {
        scriptJobs = true;
        return this;
    }

    /**
     * Allows {@link io.ostraka.api.HttpJob}s to some hosts; those to others are refused, and without this all are.
     *
     * @param hosts {@code host} for every port of it, or {@code host:port}; a name, at whose public addresses the host
     *     is, or an address in digits, whatever it is
     * @throws IllegalArgumentException by {@link #connect}, when one is none of these
     */
    public RegistryBuilder allowHttpJobs(String... hosts) {
        httpHosts.addAll(List.of(hosts));
        return this;
    }

    /**
     * Lets hosts be at addresses that are not public, such as {@code 10.0.0.5} or {@code 127.0.0.1}: of those that HTTP
     * jobs are allowed to go to, and of the {@link #webhook}. Without this a name that leads to such an address is
     * refused, whoever may have changed what it leads to.
     *
     * @param hosts as for {@link #allowHttpJobs}
     */
    public RegistryBuilder allowPrivateHosts(String... hosts) {
        privateHosts.addAll(List.of(hosts));
        return this;
    }

    /**
     * Sets where the error handler {@code WEBHOOK} tells of failures: a POST of JSON, signed with HMAC-SHA256. Its form,
     * and how to check the signature, stand in the project's {@code docs/job-types.md}.
     *
     * @param target of scheme {@code http} or {@code https}
     * @param secret with which requests are signed; read for each of them
     * @throws IllegalArgumentException by {@link #connect}, when the target can't be accepted
     */
    public RegistryBuilder webhook(URI target, Secret secret) {
        webhook = new Webhook(target, secret);
        return this;
    }

    /** Adds an error handler, besides those that {@link java.util.ServiceLoader} finds. */
    public RegistryBuilder errorHandler(JobErrorHandler handler) {
        errorHandlers.add(handler);
        return this;
    }

    /**
     * Puts an interceptor around the item runs of all jobs, besides those that {@link java.util.ServiceLoader} finds; for
     * one job its bootstrap takes them.
     */
    public RegistryBuilder interceptor(RunInterceptor interceptor) {
        interceptors.add(interceptor);
        return this;
    }

    /**
     * Adds a listener that is told of the fires of all jobs, besides those that {@link java.util.ServiceLoader} finds; for
     * one job its bootstrap takes them.
     */
    public RegistryBuilder jobListener(JobListener listener) {
        jobListeners.add(listener);
        return this;
    }

    /**
     * Adds a subscriber to the events of this instance: for metrics, tracing, a history or an alarm. The module {@code
     * job-micrometer} has one for Micrometer. {@link ZooKeeperRegistry#metrics} returns the instance's own figures without any.
     * None by default.
     */
    public RegistryBuilder eventSubscriber(EventSubscriber subscriber) {
        eventSubscribers.add(subscriber);
        return this;
    }

    /** Whether the registry closes when the process is told to end; true by default. */
    public RegistryBuilder shutdownHook(boolean on) {
        this.shutdownHook = on;
        return this;
    }

    /**
     * Starts connecting, in the background.
     *
     * @throws IllegalArgumentException when servers, namespace, chroot, a timeout, a host or the webhook's target can't
     *     be accepted, or two error handlers have the same type
     * @throws UnsupportedOperationException when {@link #virtualThreads} are asked for on a JVM without
     * @throws CoordinationException with {@link #failFast}, when the instance is not registered in time: ZooKeeper is not
     *     reached, or refuses. The message says what was tried, at which servers, and what to do. Nothing is left behind
     */
    public ZooKeeperRegistry connect() {
        ZooKeeperRegistry registry = new ZooKeeperRegistry(this, null);
        return failFast == null ? registry : registry.required(failFast);
    }
}
