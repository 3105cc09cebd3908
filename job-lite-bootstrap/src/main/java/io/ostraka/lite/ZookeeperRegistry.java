package io.ostraka.lite;

import io.ostraka.api.CoordinationException;
import io.ostraka.api.Health;
import io.ostraka.api.HealthListener;
import io.ostraka.api.InstanceListener;
import io.ostraka.api.JobErrorHandler;
import io.ostraka.api.JobItemExecutor;
import io.ostraka.api.JobListener;
import io.ostraka.api.JobRun;
import io.ostraka.api.JobShardingStrategy;
import io.ostraka.api.OstrakaException;
import io.ostraka.api.RunInterceptor;
import io.ostraka.api.Schedule;
import io.ostraka.api.Secret;
import io.ostraka.core.facade.JobEngine;
import io.ostraka.core.meter.Meters;
import io.ostraka.core.meter.Metrics;
import io.ostraka.core.model.JobOverride;
import io.ostraka.core.model.Trigger;
import io.ostraka.zk.EmbeddedZooKeeper;
import io.ostraka.zk.Tls;
import io.ostraka.zk.ZooKeeperSecurity;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * This process as an instance of an application: its connection to ZooKeeper, and everything that its jobs share. One
 * per namespace and process is enough, however many jobs.
 *
 * <p>Connecting happens in the background and is tried for ever; jobs registered meanwhile start when it has succeeded.
 * What an operator wants of a job, such as a pause, is desired state kept in ZooKeeper, apart from the job's definition:
 * it holds for all instances and survives restarts and deployments. The methods that change it wait for ZooKeeper, up to
 * {@link Builder#operationTimeout}, and throw {@link CoordinationException} when the job is not known, there is no answer,
 * or this registry is closed; without an answer the change may have been made.
 *
 * <p>Thread-safe. Its threads keep the process alive until {@link #close}.
 */
public final class ZookeeperRegistry implements AutoCloseable {
    private final String servers;
    private final Duration operationTimeout;
    private final Process process;
    private final @Nullable EmbeddedZooKeeper server;
    private final @Nullable Thread shutdownHook;
    private final AtomicBoolean closed = new AtomicBoolean();

    private ZookeeperRegistry(Builder builder, @Nullable EmbeddedZooKeeper server) {
        this.servers = builder.servers;
        this.operationTimeout = builder.operationTimeout;
        this.server = server;
        this.process = Process.start(builder);
        this.shutdownHook = builder.shutdownHook ? new Thread(this::shutDown, "ostraka-shutdown") : null;
        if (shutdownHook != null) {
            Runtime.getRuntime().addShutdownHook(shutdownHook);
        }
    }

    /** Waits until the instance is registered, or closes it and throws. */
    private ZookeeperRegistry required(Duration limit) {
        try {
            process.engine().registered().toCompletableFuture().get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return this;
        } catch (TimeoutException e) {
            String trouble = process.trouble();
            close();
            throw new CoordinationException(
                    "could not register with ZooKeeper at " + servers + " within " + limit + ": " + trouble, e);
        } catch (ExecutionException e) {
            close();
            throw new IllegalStateException("Never completed so", e);
        } catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
            throw new CoordinationException("could not register with ZooKeeper at " + servers + ": interrupted", e);
        }
    }

    /**
     * Connects with defaults.
     *
     * @param servers {@code host:port,host:port}
     * @param namespace the application's name: its instances and jobs are those of this name
     * @throws IllegalArgumentException when one of them can't be accepted
     */
    public static ZookeeperRegistry connect(String servers, String namespace) {
        return newBuilder(servers, namespace).connect();
    }

    /** Starts a registry whose timeouts and attributes are set one by one. */
    public static Builder newBuilder(String servers, String namespace) {
        return new Builder(servers, namespace);
    }

    /**
     * Starts a real ZooKeeper server in this process, for development and demonstrations, and connects to it, with the
     * namespace {@code ostraka}. It listens on the loopback interface only; other processes reach it by {@link #servers()}.
     * Data and port survive a restart.
     *
     * @param dataDir the server's directory, created if missing
     * @throws CoordinationException when the directory or the port is taken, or the directory can't be written
     */
    public static ZookeeperRegistry embedded(Path dataDir) {
        EmbeddedZooKeeper server = EmbeddedZooKeeper.start(dataDir, 0);
        return new ZookeeperRegistry(newBuilder(server.connectString(), "ostraka"), server);
    }

    /** Returns the servers that it connects to. */
    public String servers() {
        return servers;
    }

    /** Returns this instance's id, {@code host@pid@session}; empty before the first connection. */
    public Optional<String> instanceId() {
        return process.engine().instanceId();
    }

    /**
     * Returns how this instance is, and of every job that it hosts whether it runs, and if it doesn't, why. Needs no
     * connection and waits for nothing.
     */
    public Health health() {
        return engine().health();
    }

    /**
     * Returns what this instance has measured: counts since it began, times of the last minutes, and how much is under way.
     * Needs no connection, waits for nothing and holds up no run.
     */
    public Metrics metrics() {
        return engine().metrics();
    }

    /** Stops scheduled fires of a job, on all instances, until {@link #resume}. What runs goes on; triggers are served. */
    public void pause(String job) {
        amend(job, override -> override.withPaused(true));
    }

    /**
     * Ends a pause, of an operator or of the definition. Of the fires that came meanwhile the latest is run if it is
     * younger than the misfire threshold, whatever the policy; the misfire policy decides on the others.
     */
    public void resume(String job) {
        amend(job, override -> override.withPaused(false));
    }

    /**
     * Lets nothing of an item start, until {@link #enableItem}. What runs goes on, and isn't run again if it is interrupted;
     * triggers record the item as skipped.
     */
    public void disableItem(String job, int item) {
        amend(job, override -> override.withDisabledItems(changed(override.disabledItems(), item, true)));
    }

    /** Lets an item start again; what came meanwhile is dealt with as after a pause. */
    public void enableItem(String job, int item) {
        amend(job, override -> override.withDisabledItems(changed(override.disabledItems(), item, false)));
    }

    /**
     * Lets a quarantined item start again; its owner notices within about a minute, and what came meanwhile is dealt with
     * as after a pause.
     *
     * @throws CoordinationException when the item is not quarantined, or there is no answer
     */
    public void releaseItem(String job, int item) {
        await("release item " + item + " of job '" + job + "'", engine().release(job, Integer.toString(item)));
    }

    private static Set<String> changed(Set<String> items, int item, boolean add) {
        Set<String> next = new TreeSet<>(items);
        if (add) {
            next.add(Integer.toString(item));
        } else {
            next.remove(Integer.toString(item));
        }
        return next;
    }

    /**
     * Changes the item count of a job, over its definition's. It begins when all that runs under the old count has ended;
     * what takes longer than ten minutes puts it off.
     *
     * @param count from 1; null gives the definition's back
     * @throws io.ostraka.api.JobConfigurationException when it can't be accepted
     */
    public void overrideShardingTotalCount(String job, @Nullable Integer count) {
        amend(job, override -> override.withShardingTotalCount(count));
    }

    /**
     * Changes the schedule of a job, over its definition's, from now on.
     *
     * @param schedule null gives the definition's back
     * @throws io.ostraka.api.JobConfigurationException when it can't be accepted
     */
    public void overrideSchedule(String job, @Nullable Schedule schedule) {
        amend(job, override -> override.withSchedule(schedule));
    }

    /**
     * Changes the parameter of a job, over its definition's, for items that start from now on.
     *
     * @param parameter null gives the definition's back
     */
    public void overrideJobParameter(String job, @Nullable String parameter) {
        amend(job, override -> override.withJobParameter(parameter));
    }

    /**
     * Runs every item of a job once, now, besides its schedule: as {@link OneOffJobBootstrap#execute}, for any job, whether
     * this instance hosts it or not. Returns at once; the request is kept until ZooKeeper has it.
     *
     * <p>For a job that nobody has registered it waits, but not to be run: to a job whatever is older than its definition is
     * history, and a few minutes after the job is registered such a run ends with every item {@code SKIPPED}.
     *
     * @param parameters given to every item, at most 16 Ki characters together
     * @throws io.ostraka.api.JobConfigurationException when they are more
     * @throws CoordinationException when this registry is closed
     */
    public JobRun trigger(String job, Map<String, String> parameters) {
        return engine().trigger(job, parameters, Set.of());
    }

    /**
     * Runs every item of a job once, later: as {@link OneOffJobBootstrap#executeAfter}, for any job, whether this instance
     * hosts it or not.
     *
     * @return the run, once ZooKeeper has it
     * @throws CoordinationException when this registry is closed
     */
    public CompletionStage<JobRun> triggerAfter(String job, Duration delay, Map<String, String> parameters) {
        String runId = UUID.randomUUID().toString();
        return engine().triggerAfter(new Trigger.Request(job, runId, parameters, Set.of()), runId, delay);
    }

    /**
     * The same, at most once at a time for a key: as {@link OneOffJobBootstrap#triggerAfter}.
     *
     * @return the run that it comes to, which may be the one that waited, once ZooKeeper has it
     * @throws CoordinationException when this registry is closed
     */
    public CompletionStage<JobRun> triggerAfter(
            String job, String key, Duration delay, Map<String, String> parameters) {
        return engine().triggerAfter(
                        new Trigger.Request(job, UUID.randomUUID().toString(), parameters, Set.of()), key, delay);
    }

    /**
     * Removes a job: nothing more of it starts, what runs ends, what is interrupted is not run again, and triggers that wait
     * end with nothing run. A tombstone stays, so that instances which still host it don't bring it back; registering it
     * anew does.
     */
    public void remove(String job) {
        amend(job, override -> override.withRemoved(true));
    }

    /**
     * Deletes the nodes of a job that is removed and has ended; it is not known any more then.
     *
     * @throws CoordinationException until then, while an instance hosts it, or when there is no answer
     */
    public void purge(String job) {
        await("purge job '" + job + "'", process.engine().purge(job));
    }

    private void amend(String job, UnaryOperator<JobOverride> change) {
        await("change job '" + job + "'", process.engine().amend(job, change));
    }

    private void await(String what, CompletionStage<Void> stage) {
        try {
            stage.toCompletableFuture().get(operationTimeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            stage.toCompletableFuture().cancel(false); // what could not be sent yet is not sent any more
            throw new CoordinationException(
                    "could not " + what + ": no answer from ZooKeeper at " + servers + " within " + operationTimeout
                            + "; check that it serves",
                    e);
        } catch (ExecutionException | CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            cause = cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
            if (cause instanceof IllegalArgumentException refused) {
                throw refused;
            }
            throw cause instanceof OstrakaException known
                    ? known
                    : new CoordinationException("could not " + what + " at " + servers, cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CoordinationException("could not " + what + ": interrupted", e);
        }
    }

    JobEngine engine() {
        return process.engine();
    }

    /**
     * Shuts this instance down, once; a signal to the process does the same unless {@link Builder#shutdownHook} is off.
     * Idle items go to other instances at once; running ones may end within their job's {@link
     * io.ostraka.api.JobConfiguration#shutdownGrace()}, are then told to end, and are handed over. Waits for that.
     */
    @Override
    public void close() {
        if (shutdownHook != null && Thread.currentThread() != shutdownHook) {
            try {
                Runtime.getRuntime().removeShutdownHook(shutdownHook);
            } catch (IllegalStateException e) {
                // the process is ending: the hook is closing this registry, or will
            }
        }
        shutDown();
    }

    private void shutDown() {
        if (closed.compareAndSet(false, true)) {
            process.close();
            if (server != null) {
                server.close();
            }
        }
    }

    /** Collects what a registry needs. Not thread-safe. */
    public static final class Builder {
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
        boolean virtualThreads;
        final List<JobShardingStrategy> strategies = new ArrayList<>();
        final List<HealthListener> healthListeners = new ArrayList<>();
        final List<InstanceListener> instanceListeners = new ArrayList<>();
        final List<JobItemExecutor<?>> jobItemExecutors = new ArrayList<>();
        final List<JobErrorHandler> errorHandlers = new ArrayList<>();
        final List<RunInterceptor> interceptors = new ArrayList<>();
        final List<JobListener> jobListeners = new ArrayList<>();
        final List<Meters> meters = new ArrayList<>();
        final Set<String> httpHosts = new TreeSet<>();
        final Set<String> privateHosts = new TreeSet<>();
        boolean scriptJobs;

        @Nullable Webhook webhook;

        ZooKeeperSecurity security = ZooKeeperSecurity.NONE;
        private @Nullable Duration failFast;
        private boolean shutdownHook = true;

        /** Where failures are told. */
        record Webhook(URI target, Secret secret) {}

        private Builder(String servers, String namespace) {
            this.servers = servers;
            this.namespace = namespace;
        }

        /** Keeps everything below a path, such as {@code /teams/billing}; empty text, the default, for the root. */
        public Builder chroot(String path) {
            this.chroot = path;
            return this;
        }

        /**
         * How long an instance may be silent before its items go to others; 15 s by default. ZooKeeper keeps it within 2 to
         * 20 of its ticks.
         */
        public Builder sessionTimeout(Duration timeout) {
            this.sessionTimeout = timeout;
            return this;
        }

        /** How long one attempt to connect may take; 10 s by default, and never more than the session timeout. */
        public Builder connectionTimeout(Duration timeout) {
            this.connectionTimeout = timeout;
            return this;
        }

        /**
         * How long to pause before another attempt at what failed for want of a connection; 1 s by default, and longer each
         * time that it fails again.
         */
        public Builder retryPause(Duration pause) {
            this.retryPause = pause;
            return this;
        }

        /** How long the registry's own methods wait for ZooKeeper; 20 s by default. */
        public Builder operationTimeout(Duration timeout) {
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
        public Builder digest(String user, Secret password) {
            security = security.withDigest(user, password);
            return this;
        }

        /**
         * Shows ZooKeeper who this is, with SASL: DIGEST-MD5 or Kerberos, as a section of the process's JAAS configuration
         * says ({@code -Djava.security.auth.login.config=FILE}). Without this call SASL is not used.
         *
         * @param jaasSection the section's name, such as {@code Client}
         */
        public Builder sasl(String jaasSection) {
            security = security.withSasl(jaasSection);
            return this;
        }

        /** Encrypts the connection; with a key of its own, this shows ZooKeeper who this is, too. */
        public Builder tls(Tls tls) {
            security = security.withTls(tls);
            return this;
        }

        /**
         * Whether, in spite of credentials, the nodes created are open to everyone and a namespace that anyone can change is
         * accepted; false by default. For the time in which a namespace is being closed; without credentials it is so anyway.
         */
        public Builder openAccess(boolean open) {
            security = security.withOpenAccess(open);
            return this;
        }

        /**
         * Has {@link #connect} wait until the instance is registered, and throw when that takes longer than this; by default
         * it returns at once and connecting goes on in the background.
         */
        public Builder failFast(Duration limit) {
            failFast = limit;
            return this;
        }

        /** Where this instance runs, such as a data centre; empty text by default. */
        public Builder zone(String zone) {
            this.zone = zone;
            return this;
        }

        /** Adds an attribute of this instance, for strategies. */
        public Builder tag(String name, String value) {
            tags.put(name, value);
            return this;
        }

        /** The strength of this instance relative to others, for strategies; 1 by default. */
        public Builder weight(int weight) {
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
        public Builder concurrentRuns(int quick, int slow) {
            if (quick < 1 || slow < 1) {
                throw new IllegalArgumentException(
                        "concurrentRuns is " + quick + " and " + slow + "; accepted: 1 or more each");
            }
            quickRuns = quick;
            slowRuns = slow;
            return this;
        }

        /**
         * Whether each run has a virtual thread of its own, on JDK 21 and later, with the same limits; false by default.
         */
        public Builder virtualThreads(boolean on) {
            virtualThreads = on;
            return this;
        }

        /** Adds a sharding strategy, besides those that {@link java.util.ServiceLoader} finds. */
        public Builder shardingStrategy(JobShardingStrategy strategy) {
            strategies.add(strategy);
            return this;
        }

        /** Adds a listener that is told when the instance's health changes; the log tells it anyway. */
        public Builder healthListener(HealthListener listener) {
            healthListeners.add(listener);
            return this;
        }

        /**
         * Adds a listener that goes along with this instance's life, besides those that {@link java.util.ServiceLoader} finds:
         * the place for what must be done before the first item runs here.
         *
         * @throws IllegalArgumentException by {@link #connect}, when its time limit is none
         */
        public Builder instanceListener(InstanceListener listener) {
            instanceListeners.add(listener);
            return this;
        }

        /** Adds an executor of a type of job, besides those that {@link java.util.ServiceLoader} finds. */
        public Builder jobItemExecutor(JobItemExecutor<?> executor) {
            jobItemExecutors.add(executor);
            return this;
        }

        /**
         * Allows {@link io.ostraka.api.ScriptJob}s, which are refused otherwise: that this process starts programs is to be
         * a decision of whoever writes it.
         */
        public Builder allowScriptJobs() {
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
        public Builder allowHttpJobs(String... hosts) {
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
        public Builder allowPrivateHosts(String... hosts) {
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
        public Builder webhook(URI target, Secret secret) {
            webhook = new Webhook(target, secret);
            return this;
        }

        /** Adds an error handler, besides those that {@link java.util.ServiceLoader} finds. */
        public Builder errorHandler(JobErrorHandler handler) {
            errorHandlers.add(handler);
            return this;
        }

        /**
         * Puts an interceptor around the item runs of all jobs, besides those that {@link java.util.ServiceLoader} finds; for
         * one job its bootstrap takes them.
         */
        public Builder interceptor(RunInterceptor interceptor) {
            interceptors.add(interceptor);
            return this;
        }

        /**
         * Adds a listener that is told of the fires of all jobs, besides those that {@link java.util.ServiceLoader} finds; for
         * one job its bootstrap takes them.
         */
        public Builder jobListener(JobListener listener) {
            jobListeners.add(listener);
            return this;
        }

        /**
         * Adds meters, which are told what happens in this instance; a binding for Micrometer is in the module {@code
         * job-micrometer}. {@link ZookeeperRegistry#metrics} tells the instance's own figures without any.
         */
        public Builder meters(Meters added) {
            meters.add(added);
            return this;
        }

        /** Whether the registry closes when the process is told to end; true by default. */
        public Builder shutdownHook(boolean on) {
            this.shutdownHook = on;
            return this;
        }

        /**
         * Starts connecting, in the background.
         *
         * @throws IllegalArgumentException when servers, namespace, chroot, a timeout, a host or the webhook's target can't
         *     be accepted, or two error handlers have the same type
         * @throws UnsupportedOperationException when {@link #virtualThreads} are asked for on a JVM without
         * @throws IllegalArgumentException when servers, namespace, chroot or a timeout can't be accepted
         * @throws CoordinationException with {@link #failFast}, when the instance is not registered in time: ZooKeeper is not
         *     reached, or refuses. The message says what was tried, at which servers, and what to do. Nothing is left behind
         */
        public ZookeeperRegistry connect() {
            ZookeeperRegistry registry = new ZookeeperRegistry(this, null);
            return failFast == null ? registry : registry.required(failFast);
        }
    }
}
