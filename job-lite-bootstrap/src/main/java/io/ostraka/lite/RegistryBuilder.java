package io.ostraka.lite;

import io.ostraka.api.AlarmHandler;
import io.ostraka.api.AlarmTemplate;
import io.ostraka.api.CoordinationException;
import io.ostraka.api.HealthListener;
import io.ostraka.api.InstanceListener;
import io.ostraka.api.JobConfiguration;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobInstance;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.Secret;
import io.ostraka.api.event.EventSubscriber;
import io.ostraka.core.instance.Extensions;
import io.ostraka.core.placement.BuiltInStrategies;
import io.ostraka.zk.ZooKeeperConfig;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Builds a {@link ZooKeeperRegistry}; {@link ZooKeeperRegistry#newBuilder} creates a builder. Not thread-safe. */
public final class RegistryBuilder extends ConnectionBuilder<RegistryBuilder> {
    final String namespace;
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
    final List<AlarmHandler> alarmHandlers = new ArrayList<>();
    Powers powers = Powers.NONE;
    private @Nullable Duration failFast;
    boolean shutdownHook = true;

    RegistryBuilder(String servers, String namespace) {
        super(servers);
        this.namespace = require("namespace", namespace, "the application's name");
    }

    @Override
    RegistryBuilder self() {
        return this;
    }

    /**
     * Sets the name of this instance in logs, plans and views. The name should stay the same across restarts: operators
     * disable an instance by its name, and jobs with {@link io.ostraka.api.JobConfiguration#staticSharding()} or {@link
     * io.ostraka.api.JobConfiguration#restartGrace()} keep items for an instance with the same name. For these jobs,
     * instances with the same name count as one instance.
     *
     * <p>The default is the host name. If the namespace has several instances on the host, each further instance
     * appends the first free number: {@code -2}, {@code -3} and so on.
     *
     * @param name 1 to 128 letters, digits, dots, underscores and hyphens, starting with a letter or digit
     * @throws IllegalArgumentException if the name is not accepted
     */
    public RegistryBuilder instanceName(String name) {
        if (name == null || !JobConfiguration.NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "instanceName is '" + name + "'; accepted: " + JobConfiguration.NAME.pattern());
        }
        this.instanceName = name;
        return this;
    }

    /**
     * Makes {@link #connect} wait until the instance is registered. If this takes longer than the limit, {@code
     * connect} throws an exception with the reason, for which it may ask the servers for another 30 seconds. By default {@code connect} returns at once, and the registry connects in the
     * background.
     *
     * @throws IllegalArgumentException if the limit is not from 1 ms to 24 days
     */
    public RegistryBuilder failFast(Duration limit) {
        failFast = ZooKeeperConfig.requireMillis("failFast", limit);
        return this;
    }

    /**
     * Sets the location of this instance, such as a data centre; empty by default.
     *
     * @throws IllegalArgumentException if the zone is null or cannot be stored
     */
    public RegistryBuilder zone(String zone) {
        requireAttributes(require("zone", zone, "a text such as eu-west-1a"), tags);
        this.zone = zone;
        return this;
    }

    /**
     * Adds an attribute of this instance, for sharding strategies and placement conditions. Zone and tags have at most
     * 16,384 characters together.
     *
     * @throws IllegalArgumentException if the name or the value is null or cannot be stored, or if the attributes are too long
     */
    public RegistryBuilder tag(String name, String value) {
        requireAttributes(zone, Collections.singletonMap(name, value));
        Map<String, String> all = new TreeMap<>(tags);
        all.put(name, value);
        requireAttributes(zone, all);
        tags.put(name, value);
        return this;
    }

    /** Refuses attributes at once, so that the stack trace shows the caller. */
    private static void requireAttributes(String zone, Map<String, String> tags) {
        new JobInstance("", "", zone, tags, 1);
    }

    /**
     * Sets the capacity of this instance relative to other instances, for sharding strategies; 1 by default.
     *
     * @throws IllegalArgumentException if the weight is less than 1
     */
    public RegistryBuilder weight(int weight) {
        if (weight < 1) {
            throw new IllegalArgumentException("weight is " + weight + "; accepted: 1 or more");
        }
        this.weight = weight;
        return this;
    }

    /**
     * Sets the number of items that can run in this process at the same time; 256 items of quick jobs and 128 items of
     * slow jobs by default. A job becomes slow when more than ten of its runs within a minute have taken over half a
     * second. It becomes quick again after a minute without such a run. Items that are due but find no free slot are
     * not claimed. They start in the order of their fires when slots become free.
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
     * Sets the number of {@linkplain io.ostraka.api.ShardingContext#tasks() child tasks} that can run in this process
     * at the same time; 256 by default. All jobs share this limit. Further tasks wait. The tasks of one run start in
     * the order of their submission.
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
     * Sets whether each run and each task uses a virtual thread of its own; false by default. The limits on concurrent
     * runs and tasks stay the same. Requires JDK 21 or later.
     */
    public RegistryBuilder virtualThreads(boolean on) {
        virtualThreads = on;
        return this;
    }

    /** Adds a sharding strategy to the strategies that {@link java.util.ServiceLoader} finds. */
    public RegistryBuilder shardingStrategy(JobShardingStrategy strategy) {
        strategies.add(strategy);
        return this;
    }

    /** Returns the built-in strategies, those that {@link java.util.ServiceLoader} finds, and the added ones, by type. */
    Map<String, JobShardingStrategy> allStrategies() {
        return BuiltInStrategies.and(Extensions.found(JobShardingStrategy.class, strategies));
    }

    /** Adds a listener for changes of the instance's health. The log reports these changes in any case. */
    public RegistryBuilder healthListener(HealthListener listener) {
        healthListeners.add(listener);
        return this;
    }

    /**
     * Adds a listener for the life cycle of this instance to the listeners that {@link java.util.ServiceLoader} finds.
     * Use a listener for preparations before the first item runs on this instance. {@link #connect} throws an {@code
     * IllegalArgumentException} if the listener's time limit is not accepted.
     */
    public RegistryBuilder instanceListener(InstanceListener listener) {
        instanceListeners.add(listener);
        return this;
    }

    /** Adds an executor of a job type to the executors that {@link java.util.ServiceLoader} finds. */
    public RegistryBuilder jobItemExecutor(JobItemExecutor<?> executor) {
        jobItemExecutors.add(executor);
        return this;
    }

    /**
     * Allows {@link io.ostraka.api.ScriptJob}s, which start programs with the rights of this process. By default the
     * registry refuses script jobs. Needs the module {@code ostraka-job-types}.
     */
    public RegistryBuilder allowScriptJobs() {
        return grant(powers.withScriptJobs(true));
    }

    /**
     * Allows {@link io.ostraka.api.HttpJob}s to send requests to the given hosts. Requests to other hosts are refused;
     * by default no host is allowed. Needs the module {@code ostraka-job-types}.
     *
     * @param hosts entries of the form {@code host}, which allows all ports, or {@code host:port}. A host is a name or
     *     a numeric address. A name must resolve to public addresses only, unless {@link #allowPrivateHosts} contains
     *     it; a numeric address can be of any kind
     * @throws IllegalArgumentException if an entry is not accepted
     */
    public RegistryBuilder allowHttpJobs(String... hosts) {
        return grant(powers.withHttpHosts(hosts(hosts)));
    }

    /**
     * Allows the given hosts to have addresses that are not public, such as {@code 10.0.0.5} or {@code 127.0.0.1}. This
     * applies to HTTP jobs, webhooks and heartbeats. By default a name that resolves to such an address is refused,
     * since the owner of the name could direct requests to internal services. Needs the module {@code
     * ostraka-job-types}.
     *
     * @param hosts entries of the same form as in {@link #allowHttpJobs}
     * @throws IllegalArgumentException if an entry is not accepted
     */
    public RegistryBuilder allowPrivateHosts(String... hosts) {
        return grant(powers.withPrivateHosts(hosts(hosts)));
    }

    private static List<String> hosts(String... hosts) {
        for (String host : hosts) {
            if (host == null) {
                throw new IllegalArgumentException("host is 'null'; accepted: host or host:port");
            }
        }
        return List.of(hosts);
    }

    /** Refuses a wrong value at once, so that the stack trace shows the caller. */
    private RegistryBuilder grant(Powers wanted) {
        ProcessExtension.found().ifPresent(extension -> extension.create(wanted));
        powers = wanted;
        return this;
    }

    /**
     * Sets the destination of the error handler {@code WEBHOOK}, which sends each failure as a POST request with a JSON
     * body, signed with HMAC-SHA256. The project's {@code docs/job-types.md} describes the format and how to check the
     * signature. Needs the module {@code ostraka-job-types}.
     *
     * @param target URI of scheme {@code http} or {@code https}
     * @param secret key of the signature, read for each request
     * @throws IllegalArgumentException if the target is not accepted
     */
    public RegistryBuilder webhook(URI target, Secret secret) {
        return grant(powers.withWebhook(new Powers.Webhook(
                Objects.requireNonNull(target, "target"), Objects.requireNonNull(secret, "secret"))));
    }

    /** Adds an error handler to the handlers that {@link java.util.ServiceLoader} finds. */
    public RegistryBuilder errorHandler(JobErrorHandler handler) {
        errorHandlers.add(handler);
        return this;
    }

    /**
     * Adds a receiver of alarms to the handlers that {@link java.util.ServiceLoader} finds. Pass the same handlers to
     * all instances, because any of them may become the leader, which calls them.
     */
    public RegistryBuilder alarmHandler(AlarmHandler handler) {
        alarmHandlers.add(handler);
        return this;
    }

    /**
     * Sets a server that receives each alarm as a POST request with a JSON body, signed with HMAC-SHA256. The project's
     * {@code docs/alarms.md} describes the format and how to check the signature. Pass the same target on all
     * instances, because any of them may become the leader, which sends the alarms. The leader sends an alarm at least
     * once, and repeats it until the server accepts it; see {@link AlarmHandler}. A registry has at most one alarm
     * webhook: a later call replaces an earlier one. Needs the module {@code ostraka-job-types}.
     *
     * @param target URI of scheme {@code http} or {@code https}
     * @param secret key of the signature, read for each request
     * @throws IllegalArgumentException if the target is not accepted
     */
    public RegistryBuilder alarmWebhook(URI target, Secret secret) {
        return grant(powers.withAlarmWebhook(
                new Powers.AlarmTarget(target, Objects.requireNonNull(secret, "secret"), null)));
    }

    /**
     * Sets a server that receives each alarm as a signed POST request whose body has the form of a template. Otherwise,
     * this method works like {@link #alarmWebhook(URI, Secret)}.
     *
     * @param target URI of scheme {@code http} or {@code https}
     * @param secret key of the signature and value of the template's <code>${secret}</code>, read for each request
     * @param template form of the request's body
     * @throws IllegalArgumentException if the target is not accepted, or if a JSON template does not yield valid JSON
     */
    public RegistryBuilder alarmWebhook(URI target, Secret secret, AlarmTemplate template) {
        return grant(powers.withAlarmWebhook(new Powers.AlarmTarget(
                target, Objects.requireNonNull(secret, "secret"), Objects.requireNonNull(template, "template"))));
    }

    /**
     * Sets a server that receives each alarm as an unsigned POST request whose body has the form of a template. Use
     * this method for chat systems, which do not check signatures. Otherwise, this method works like {@link
     * #alarmWebhook(URI, Secret)}.
     *
     * @param target URI of scheme {@code http} or {@code https}. The library logs only the host of this URI
     * @param template form of the request's body
     * @throws IllegalArgumentException if the target is not accepted, if a JSON template does not yield valid JSON, or
     *     if the template contains <code>${secret}</code>
     */
    public RegistryBuilder alarmWebhook(URI target, AlarmTemplate template) {
        return grant(powers.withAlarmWebhook(
                new Powers.AlarmTarget(target, null, Objects.requireNonNull(template, "template"))));
    }

    /**
     * Sets a URI to which this instance sends a GET request, the heartbeat, after a successful run of any job. A
     * monitoring service at this URI notices when the heartbeats stop, for example because all instances are dead,
     * which the library itself cannot report. A failed request has no effect on jobs. By default there is no heartbeat;
     * a later call replaces an earlier one. Needs the module {@code ostraka-job-types}.
     *
     * @param target URI of scheme {@code http} or {@code https}. The library logs only the host of this URI
     * @throws IllegalArgumentException if the target is not accepted
     */
    public RegistryBuilder heartbeat(URI target) {
        return grant(powers.withHeartbeat(Objects.requireNonNull(target, "target")));
    }

    /**
     * Sets a URI to which this instance sends a GET request after a successful run of an item of a job. The instance
     * sends no request while the last run of another item of the job on this instance has failed. The failure of an
     * item that has moved to another instance soon stops counting. Otherwise, this method works like {@link
     * #heartbeat(URI)}; a job has at most one URI.
     *
     * @param job name of the job
     * @param target URI of scheme {@code http} or {@code https}
     * @throws IllegalArgumentException if the name or the target is not accepted
     */
    public RegistryBuilder heartbeat(String job, URI target) {
        if (!JobConfiguration.NAME.matcher(job).matches()) {
            throw new IllegalArgumentException(
                    "the job of a heartbeat is '" + job + "'; accepted: " + JobConfiguration.NAME.pattern());
        }
        return grant(powers.withHeartbeat(job, target));
    }

    /**
     * Sets the shortest time between two heartbeats of this process to one URI; one minute by default. The process
     * sends no heartbeat that is due earlier.
     *
     * @param interval from 1 second to 1 day
     * @throws IllegalArgumentException if the interval is not accepted
     */
    public RegistryBuilder heartbeatInterval(Duration interval) {
        if (interval.compareTo(Duration.ofSeconds(1)) < 0 || interval.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("heartbeatInterval is " + interval + "; accepted: 1 second to 1 day");
        }
        return grant(powers.withHeartbeatInterval(interval));
    }

    /**
     * Adds an interceptor for the runs of all jobs to the interceptors that {@link java.util.ServiceLoader} finds. Use
     * {@link io.ostraka.api.JobOptions} to add an interceptor to one job.
     */
    public RegistryBuilder interceptor(RunInterceptor interceptor) {
        interceptors.add(interceptor);
        return this;
    }

    /**
     * Adds a listener for the fires of all jobs to the listeners that {@link java.util.ServiceLoader} finds. Use {@link
     * io.ostraka.api.JobOptions} to add a listener to one job.
     */
    public RegistryBuilder jobListener(JobListener listener) {
        jobListeners.add(listener);
        return this;
    }

    /**
     * Adds a subscriber to the events of this instance, for metrics, tracing, a history or alerts; none by default. The
     * module {@code ostraka-job-micrometer} contains a subscriber for Micrometer. {@link ZooKeeperRegistry#metrics} needs no
     * subscriber.
     */
    public RegistryBuilder eventSubscriber(EventSubscriber subscriber) {
        eventSubscribers.add(subscriber);
        return this;
    }

    /**
     * Sets whether a shutdown hook closes the registry when the process ends, for example after a signal; true by
     * default.
     */
    public RegistryBuilder shutdownHook(boolean on) {
        this.shutdownHook = on;
        return this;
    }

    /**
     * Creates the registry, which connects in the background. With {@link #failFast}, waits until the instance is
     * registered.
     *
     * @throws IllegalArgumentException if the servers, the namespace or the chroot is not accepted, or if two error
     *     handlers have the same type
     * @throws IllegalStateException if script jobs, HTTP jobs, private hosts, a webhook or a heartbeat are set and the module
     *     {@code ostraka-job-types} is not on the class path
     * @throws UnsupportedOperationException if {@link #virtualThreads} is set and the JVM does not support them
     * @throws CoordinationException with {@link #failFast}, if the instance is not registered in time. The message
     *     names the servers and the attempted operation and suggests an action. All resources are released
     */
    public ZooKeeperRegistry connect() {
        ZooKeeperRegistry registry = new ZooKeeperRegistry(this, null);
        return failFast == null ? registry : registry.required(failFast);
    }
}
