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

/** Builds a {@link ZooKeeperRegistry}; {@link ZooKeeperRegistry#newBuilder} creates a builder. Not thread-safe. */
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

    /** Destination of failure reports and the secret that signs them. */
    record Webhook(URI target, Secret secret) {}

    RegistryBuilder(String servers, String namespace) {
        this.servers = servers;
        this.namespace = namespace;
    }

    /**
     * Sets the name of this instance in logs, plans and views, which stays the same across sessions and restarts.
     * Operators disable an instance by this name. Jobs with {@link io.ostraka.api.JobConfiguration#staticSharding()} or
     * {@link io.ostraka.api.JobConfiguration#restartGrace()} keep items for it; instances with the same name count as
     * one instance there. The default is the host name. Further instances of the namespace on the same host append the
     * first free number: {@code -2}, {@code -3} and so on.
     *
     * @param name 1 to 128 letters, digits, dots, underscores and hyphens, starting with a letter or digit
     * @throws IllegalArgumentException if the name is not accepted
     */
    public RegistryBuilder instanceName(String name) {
        if (!JobConfiguration.NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "instanceName is '" + name + "'; accepted: " + JobConfiguration.NAME.pattern());
        }
        this.instanceName = name;
        return this;
    }

    /**
     * Sets the path that all nodes are stored under, such as {@code /teams/billing}. Empty text (the default) is the
     * root.
     */
    public RegistryBuilder chroot(String path) {
        this.chroot = path;
        return this;
    }

    /**
     * Sets the time after which a silent instance counts as dead and its items move to other instances; 15 s by
     * default. The ZooKeeper server adjusts the value to between 2 and 20 of its ticks.
     */
    public RegistryBuilder sessionTimeout(Duration timeout) {
        this.sessionTimeout = timeout;
        return this;
    }

    /** Sets the time limit of one attempt to connect; 10 s by default. It never exceeds the session timeout. */
    public RegistryBuilder connectionTimeout(Duration timeout) {
        this.connectionTimeout = timeout;
        return this;
    }

    /**
     * Sets the pause before the retry of an operation that failed because the connection was lost; 1 s by default. The
     * pause grows with each further failure.
     */
    public RegistryBuilder retryPause(Duration pause) {
        this.retryPause = pause;
        return this;
    }

    /** Sets the time that methods of the registry wait for ZooKeeper; 20 s by default. */
    public RegistryBuilder operationTimeout(Duration timeout) {
        this.operationTimeout = timeout;
        return this;
    }

    /**
     * Authenticates this process to ZooKeeper with the digest scheme. With any credentials, only clients with the same
     * credentials can access the created nodes, and the registry refuses a namespace that anyone can change.
     *
     * @param user user name without a colon
     * @param password secret such as {@code Secret.of("${env:ZK_PASSWORD}")}, read at the start of each session
     */
    public RegistryBuilder digest(String user, Secret password) {
        security = security.withDigest(user, password);
        return this;
    }

    /**
     * Authenticates this process to ZooKeeper with SASL (DIGEST-MD5 or Kerberos), as a section of the process's JAAS
     * configuration defines ({@code -Djava.security.auth.login.config=FILE}). SASL is not used without this call.
     *
     * @param jaasSection name of the section, such as {@code Client}
     */
    public RegistryBuilder sasl(String jaasSection) {
        security = security.withSasl(jaasSection);
        return this;
    }

    /** Encrypts the connection. With a key of its own, TLS also authenticates this process to ZooKeeper. */
    public RegistryBuilder tls(Tls tls) {
        security = security.withTls(tls);
        return this;
    }

    /**
     * Sets whether created nodes are open to everyone, and a namespace that anyone can change is accepted, although
     * this process has credentials; false by default. Use it while access to a namespace is being restricted. Without
     * credentials the setting has no effect, since access is open in any case.
     */
    public RegistryBuilder openAccess(boolean open) {
        security = security.withOpenAccess(open);
        return this;
    }

    /**
     * Makes {@link #connect} wait until the instance is registered, and throw an exception if this takes longer than
     * the limit. By default {@code connect} returns at once, and the registry connects in the background.
     */
    public RegistryBuilder failFast(Duration limit) {
        failFast = limit;
        return this;
    }

    /** Sets the location of this instance, such as a data centre; empty text by default. */
    public RegistryBuilder zone(String zone) {
        this.zone = zone;
        return this;
    }

    /** Adds an attribute of this instance, for sharding strategies and placement conditions. */
    public RegistryBuilder tag(String name, String value) {
        tags.put(name, value);
        return this;
    }

    /** Sets the capacity of this instance relative to other instances, for sharding strategies; 1 by default. */
    public RegistryBuilder weight(int weight) {
        this.weight = weight;
        return this;
    }

    /**
     * Sets the number of items of all jobs that run in this process at the same time; 256 of quick jobs and 128 of slow
     * jobs by default. A job is slow after more than ten runs of over half a second within a minute, until a minute
     * passes without such a run. Items that find no free slot remain due and unclaimed, and start in the order of their
     * fires.
     *
     * @param quick limit for items of quick jobs, from 1
     * @param slow limit for items of slow jobs, from 1
     * @throws IllegalArgumentException if a limit is less than 1
     */
    public RegistryBuilder concurrentRuns(int quick, int slow) {
        if (quick < 1 || slow < 1) {
            throw new IllegalArgumentException(
                    "concurrentRuns is " + quick + " and " + slow + "; accepted: 1 or more for both");
        }
        quickRuns = quick;
        slowRuns = slow;
        return this;
    }

    /**
     * Sets the number of {@linkplain io.ostraka.api.ShardingContext#tasks() child tasks} of all jobs that run in this
     * process at the same time; 256 by default. Further tasks wait; the tasks of each run start in their order.
     *
     * @param tasks limit, from 1
     * @throws IllegalArgumentException if the limit is less than 1
     */
    public RegistryBuilder concurrentTasks(int tasks) {
        if (tasks < 1) {
            throw new IllegalArgumentException("concurrentTasks is " + tasks + "; accepted: 1 or more");
        }
        taskRuns = tasks;
        return this;
    }

    /**
     * Sets whether each run and each task uses its own virtual thread, with the same limits; false by default. Requires
     * JDK 21 or later.
     */
    public RegistryBuilder virtualThreads(boolean on) {
        virtualThreads = on;
        return this;
    }

    /** Adds a sharding strategy to those that {@link java.util.ServiceLoader} finds. */
    public RegistryBuilder shardingStrategy(JobShardingStrategy strategy) {
        strategies.add(strategy);
        return this;
    }

    /** Adds a listener for changes of the instance's health. The log reports these changes in any case. */
    public RegistryBuilder healthListener(HealthListener listener) {
        healthListeners.add(listener);
        return this;
    }

    /**
     * Adds a listener for the life cycle of this instance to those that {@link java.util.ServiceLoader} finds. Use it
     * for preparations before the first item runs on this instance. {@link #connect} throws an {@code
     * IllegalArgumentException} if the listener's time limit is not accepted.
     */
    public RegistryBuilder instanceListener(InstanceListener listener) {
        instanceListeners.add(listener);
        return this;
    }

    /** Adds an executor of a job type to those that {@link java.util.ServiceLoader} finds. */
    public RegistryBuilder jobItemExecutor(JobItemExecutor<?> executor) {
        jobItemExecutors.add(executor);
        return this;
    }

    /**
     * Allows {@link io.ostraka.api.ScriptJob}s, which start programs in this process's name. They are refused by
     * default.
     */
    public RegistryBuilder allowScriptJobs() {
        scriptJobs = true;
        return this;
    }

    /**
     * Allows {@link io.ostraka.api.HttpJob}s to send requests to the given hosts. Requests to other hosts are refused,
     * by default all. {@link #connect} throws an {@code IllegalArgumentException} if an entry is not accepted.
     *
     * @param hosts each {@code host} for all its ports, or {@code host:port}. The host is a name, of which only public
     *     addresses are allowed, or a numeric address of any kind
     */
    public RegistryBuilder allowHttpJobs(String... hosts) {
        httpHosts.addAll(List.of(hosts));
        return this;
    }

    /**
     * Allows the given hosts to have addresses that are not public, such as {@code 10.0.0.5} or {@code 127.0.0.1}. This
     * applies to HTTP jobs and to the {@link #webhook}. By default a name that resolves to such an address is refused,
     * since its owner could point it at internal services.
     *
     * @param hosts as for {@link #allowHttpJobs}
     */
    public RegistryBuilder allowPrivateHosts(String... hosts) {
        privateHosts.addAll(List.of(hosts));
        return this;
    }

    /**
     * Sets the destination of the error handler {@code WEBHOOK}, which sends each failure as a POST of JSON, signed
     * with HMAC-SHA256. The project's {@code docs/job-types.md} describes the format and the check of the signature.
     * {@link #connect} throws an {@code IllegalArgumentException} if the target is not accepted.
     *
     * @param target URI of scheme {@code http} or {@code https}
     * @param secret key of the signature, read for each request
     */
    public RegistryBuilder webhook(URI target, Secret secret) {
        webhook = new Webhook(target, secret);
        return this;
    }

    /** Adds an error handler to those that {@link java.util.ServiceLoader} finds. */
    public RegistryBuilder errorHandler(JobErrorHandler handler) {
        errorHandlers.add(handler);
        return this;
    }

    /**
     * Adds an interceptor for the item runs of all jobs to those that {@link java.util.ServiceLoader} finds. Use {@link
     * io.ostraka.api.JobOptions} to add an interceptor to one job.
     */
    public RegistryBuilder interceptor(RunInterceptor interceptor) {
        interceptors.add(interceptor);
        return this;
    }

    /**
     * Adds a listener for the fires of all jobs to those that {@link java.util.ServiceLoader} finds. Use {@link
     * io.ostraka.api.JobOptions} to add a listener to one job.
     */
    public RegistryBuilder jobListener(JobListener listener) {
        jobListeners.add(listener);
        return this;
    }

    /**
     * Adds a subscriber to the events of this instance, for metrics, tracing, a history or alerts; none by default. The
     * module {@code job-micrometer} contains a subscriber for Micrometer. {@link ZooKeeperRegistry#metrics} needs no
     * subscriber.
     */
    public RegistryBuilder eventSubscriber(EventSubscriber subscriber) {
        eventSubscribers.add(subscriber);
        return this;
    }

    /** Sets whether the registry closes when the process receives a signal to end; true by default. */
    public RegistryBuilder shutdownHook(boolean on) {
        this.shutdownHook = on;
        return this;
    }

    /**
     * Creates the registry, which connects in the background. With {@link #failFast}, waits until the instance is
     * registered.
     *
     * @throws IllegalArgumentException if the servers, the namespace, the chroot, a timeout, a host or the webhook's
     *     target is not accepted, or if two error handlers have the same type
     * @throws UnsupportedOperationException if {@link #virtualThreads} is set and the JVM does not support them
     * @throws CoordinationException with {@link #failFast}, if the instance is not registered in time. The message
     *     names the servers and the attempted operation and suggests an action. All resources are released
     */
    public ZooKeeperRegistry connect() {
        ZooKeeperRegistry registry = new ZooKeeperRegistry(this, null);
        return failFast == null ? registry : registry.required(failFast);
    }
}
